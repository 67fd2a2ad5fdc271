import { loadConfigFile } from './config/file/load.ts';
import type { ConfigFile } from './config/file/schema.ts';
import { ConfigError, type ConfigProblem } from './config/problems.ts';
import { type Projects, projectsOf } from './config/projects.ts';
import { exampleOf, type Settings, settingNames, settings, unsupportedNames } from './config/settings.ts';
import { type StoreConfig, storeOf } from './config/store.ts';
import { type Environment, lookUp, type ReadFile, readValues, type SettingValues } from './config/values.ts';

/** All settings, checked. What they mean, and their defaults, is listed in `.env.example`. */
export interface Config {
  readonly slack: {
    readonly botToken: string;
    /** Ends with a slash; null is Slack's own. */
    readonly apiUrl: string | null;
    readonly transport: SlackTransport;
  };
  readonly agent: {
    /** Does not end with a slash. */
    readonly baseUrl: string;
    /** By the id of the project. */
    readonly apiKeys: Projects['apiKeys'];
    readonly timeoutMs: number;
    readonly readsPerMinute: number;
    readonly hourlyBudget: number;
    readonly retryUnknown: 'never' | 'messages' | 'all';
  };
  readonly projects: Projects['projects'];
  /** What is set for channels, by their ids. */
  readonly channels: ReadonlyMap<string, ChannelDefaults>;
  readonly access: Access;
  readonly store: StoreConfig;
  readonly http: { readonly port: number; readonly host: string };
  readonly noticeChannels: readonly string[];
  readonly poll: {
    readonly minIntervalMs: number;
    /** At least `minIntervalMs`. */
    readonly maxIntervalMs: number;
    /** The interval as a share of the turn's age. */
    readonly growth: number;
  };
  /** 0: every reply goes out on its own. */
  readonly followUps: { readonly windowMs: number };
  readonly settleWindowMs: number;
  /** A turn that lasts longer makes the thread be asked whether to keep watching. */
  readonly longRunningAfterMs: number;
  /** In characters. */
  readonly promptMaxLength: number;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
}

/** As `jobs/channel-settings.ts` describes it. */
export interface ChannelDefaults {
  readonly projectName: string | undefined;
  readonly noticeChannels: readonly string[] | undefined;
  readonly followUpMode: 'every_reply' | 'mentions' | undefined;
  readonly followUpWindowMs: number | undefined;
}

/** As `jobs/access.ts` describes it. */
export interface Access {
  readonly users: ReadonlySet<string>;
  readonly userGroups: ReadonlySet<string>;
  readonly channels: ReadonlySet<string>;
  readonly guests: boolean;
  readonly otherWorkspaces: boolean;
  readonly admins: ReadonlySet<string>;
}

export type SlackTransport =
  | { readonly kind: 'socket'; readonly appToken: string }
  | { readonly kind: 'http'; readonly signingSecret: string };

/**
 * Reads the settings from environment variables, and secrets also from the files that NAME_FILE names.
 * Throws one ConfigError with all that is wrong; its messages hold no secrets.
 */
export function parseConfig(env: Environment, readFile: ReadFile): Config {
  const given = readValues(env, readFile);
  const parsed = settings.safeParse(given.values);
  const transport = parsed.success ? transportOf(parsed.data) : null;
  const file = loadConfigFile(given.values.DOCS_AGENT_CONFIG, readFile);
  const projects =
    'value' in file
      ? projectsOf(given.values, file.value.projects, env, readFile)
      : // What the file says of them is not known.
        { problems: [] };
  const problems = [
    ...given.unreadable.values(),
    ...invalidValues(given),
    ...missingTransport(given),
    ...reversedIntervals(given),
    ...('problems' in file ? file.problems : []),
    ...('problems' in projects ? projects.problems : []).filter(isNews(given)),
    ...unsupported(env),
  ];
  if (
    parsed.success &&
    transport !== null &&
    'value' in file &&
    'value' in projects &&
    problems.length === 0
  ) {
    return toConfig(parsed.data, transport, file.value, projects.value);
  }
  throw new ConfigError(problems);
}

/** A secret whose file cannot be read is not missing as well. */
function isNews({ unreadable }: SettingValues): (problem: ConfigProblem) => boolean {
  const known = new Set<string>(unreadable.keys());
  return ({ variable }) => !known.has(variable);
}

function invalidValues({ values, unreadable }: SettingValues): ConfigProblem[] {
  return settingNames
    .filter((name) => !unreadable.has(name))
    .flatMap((name) => {
      const issue = settings.shape[name].safeParse(values[name]).error?.issues[0];
      return issue ? [{ variable: name, message: issue.message, example: exampleOf(name) }] : [];
    });
}

function missingTransport({ values, unreadable }: SettingValues): ConfigProblem[] {
  const names = ['SLACK_APP_TOKEN', 'SLACK_SIGNING_SECRET'] as const;
  if (names.some((name) => values[name] !== undefined || unreadable.has(name))) {
    return [];
  }
  const message =
    'is missing: set it for Socket Mode (no public address needed), ' +
    'or set SLACK_SIGNING_SECRET instead for HTTP mode (Slack calls a public address of yours)';
  return [{ variable: 'SLACK_APP_TOKEN', message, example: exampleOf('SLACK_APP_TOKEN') }];
}

function reversedIntervals({ values }: SettingValues): ConfigProblem[] {
  const min = settings.shape.POLL_MIN_INTERVAL.safeParse(values.POLL_MIN_INTERVAL);
  const max = settings.shape.POLL_MAX_INTERVAL.safeParse(values.POLL_MAX_INTERVAL);
  if (!min.success || !max.success || max.data >= min.data) {
    return [];
  }
  const message = 'must not be shorter than POLL_MIN_INTERVAL';
  return [{ variable: 'POLL_MAX_INTERVAL', message, example: exampleOf('POLL_MAX_INTERVAL') }];
}

function unsupported(env: Environment): ConfigProblem[] {
  return unsupportedNames
    .flatMap((name) => [name, `${name}_FILE`])
    .filter((variable) => lookUp(env, variable) !== undefined)
    .map((variable) => ({
      variable,
      message: 'is not supported by this version: remove it',
      example: `unset ${variable}`,
    }));
}

function transportOf(values: Settings): SlackTransport | null {
  if (values.SLACK_APP_TOKEN !== undefined) {
    return { kind: 'socket', appToken: values.SLACK_APP_TOKEN };
  }
  return values.SLACK_SIGNING_SECRET === undefined
    ? null
    : { kind: 'http', signingSecret: values.SLACK_SIGNING_SECRET };
}

function toConfig(
  values: Settings,
  transport: SlackTransport,
  file: ConfigFile,
  { projects, apiKeys }: Projects,
): Config {
  return {
    slack: { botToken: values.SLACK_BOT_TOKEN, apiUrl: values.SLACK_API_URL ?? null, transport },
    agent: {
      baseUrl: values.AGENT_BASE_URL,
      apiKeys,
      timeoutMs: values.AGENT_TIMEOUT,
      readsPerMinute: values.AGENT_READS_PER_MINUTE,
      hourlyBudget: values.AGENT_HOURLY_BUDGET,
      retryUnknown: values.AGENT_RETRY_UNKNOWN,
    },
    projects,
    channels: new Map(
      Object.entries(file.channels).map(([id, channel]) => [
        id,
        {
          projectName: channel.project,
          noticeChannels: channel.notice_channels,
          followUpMode: channel.follow_ups,
          followUpWindowMs: channel.follow_up_window,
        },
      ]),
    ),
    access: {
      users: new Set(file.access.users),
      userGroups: new Set(file.access.user_groups),
      channels: new Set(file.access.channels),
      guests: file.access.guests,
      otherWorkspaces: file.access.other_workspaces,
      admins: new Set(file.admins),
    },
    store: storeOf(values),
    http: { port: values.PORT, host: values.HOST },
    noticeChannels: values.NOTICE_CHANNELS,
    poll: {
      minIntervalMs: values.POLL_MIN_INTERVAL,
      maxIntervalMs: values.POLL_MAX_INTERVAL,
      growth: values.POLL_GROWTH,
    },
    followUps: { windowMs: values.FOLLOW_UP_WINDOW },
    settleWindowMs: values.SETTLE_WINDOW,
    longRunningAfterMs: values.LONG_RUNNING_AFTER,
    promptMaxLength: values.PROMPT_MAX_LENGTH,
    logLevel: values.LOG_LEVEL,
  };
}

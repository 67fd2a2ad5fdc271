import { loadConfigFile } from './file/load.ts';
import type { ConfigFile } from './file/schema.ts';
import { type Installing, installingOf, installingProblems, isOauthMeant } from './installing.ts';
import { ignoredSettings } from './misspelt.ts';
import { plainHttpProblems } from './plain-http.ts';
import { ConfigError, type ConfigProblem } from './problems.ts';
import { type Projects, projectsOf } from './projects.ts';
import { exampleOf, type Settings, settingNames, settings } from './settings.ts';
import { type StoreConfig, storeOf } from './store.ts';
import { type Environment, type ReadFile, readValues, type SettingValues } from './values.ts';
import { accessOf, channelsOf, type WorkspaceSettings, workspacesOf } from './workspaces.ts';

/** All settings, checked. What they mean, and their defaults, is listed in `.env.example`. */
export interface Config {
  readonly slack: {
    readonly installing: Installing;
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
  readonly channels: WorkspaceSettings['channels'];
  readonly access: WorkspaceSettings['access'];
  /** With OAuth: what is set for each workspace, by its id. Else empty, and what stands beside holds. */
  readonly workspaces: ReadonlyMap<string, WorkspaceSettings>;
  readonly store: StoreConfig;
  readonly http: {
    readonly port: number;
    readonly host: string;
    /** Of a listener of its own for health checks and metrics; null: they are served at `port`. */
    readonly healthPort: number | null;
  };
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
  /** Jobs that are over are deleted after this time. */
  readonly retentionMs: number;
  /** How long a stop may take while create or message calls are under way. */
  readonly stopTimeoutMs: number;
  /** In characters. */
  readonly promptMaxLength: number;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
  /** What is set, but of no use: misspelt, perhaps. */
  readonly ignored: readonly ConfigProblem[];
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
  const installing = parsed.success ? installingOf(parsed.data) : null;
  const ways = { isOauth: isOauthMeant(given) };
  const file = loadConfigFile(given.values.DOCS_AGENT_CONFIG, ways, readFile);
  const projects =
    'value' in file
      ? projectsOf(given.values, file.value.projects, env, readFile)
      : // What the file says of them is not known.
        { problems: [] };
  const ofProjects =
    'value' in file ? file.value.projects.flatMap(({ api_key_env: name }) => name ?? []) : [];
  const ignored = ignoredSettings(env, new Set(ofProjects.flatMap((name) => [name, `${name}_FILE`])));
  const problems = [
    ...given.unreadable.values(),
    ...invalidValues(given),
    ...installingProblems(given),
    ...missingTransport(given),
    ...reversedIntervals(given),
    ...plainHttpProblems(given),
    ...('problems' in file ? file.problems : []),
    ...('problems' in projects ? projects.problems : []).filter(isNews(given)),
  ];
  if (
    parsed.success &&
    transport !== null &&
    installing !== null &&
    'value' in file &&
    'value' in projects &&
    problems.length === 0
  ) {
    const config = toConfig(parsed.data, { installing, transport }, file.value, projects.value);
    return { ...config, ignored };
  }
  throw new ConfigError([...problems, ...ignored]);
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

function transportOf(values: Settings): SlackTransport | null {
  if (values.SLACK_APP_TOKEN !== undefined) {
    return { kind: 'socket', appToken: values.SLACK_APP_TOKEN };
  }
  return values.SLACK_SIGNING_SECRET === undefined
    ? null
    : { kind: 'http', signingSecret: values.SLACK_SIGNING_SECRET };
}

/** The same port twice is one listener. (Port 0 is another one each time.) */
function healthPortOf({ PORT: port, HEALTH_PORT: healthPort }: Settings): number | null {
  return healthPort === undefined || (healthPort === port && port !== 0) ? null : healthPort;
}

function toConfig(
  values: Settings,
  slack: Pick<Config['slack'], 'installing' | 'transport'>,
  file: ConfigFile,
  { projects, apiKeys }: Projects,
): Omit<Config, 'ignored'> {
  return {
    slack: { ...slack, apiUrl: values.SLACK_API_URL ?? null },
    agent: {
      baseUrl: values.AGENT_BASE_URL,
      apiKeys,
      timeoutMs: values.AGENT_TIMEOUT,
      readsPerMinute: values.AGENT_READS_PER_MINUTE,
      hourlyBudget: values.AGENT_HOURLY_BUDGET,
      retryUnknown: values.AGENT_RETRY_UNKNOWN,
    },
    projects,
    channels: channelsOf(file.channels),
    access: accessOf(file.access, file.admins),
    workspaces: workspacesOf(file, projects),
    store: storeOf(values),
    http: { port: values.PORT, host: values.HOST, healthPort: healthPortOf(values) },
    noticeChannels: values.NOTICE_CHANNELS,
    poll: {
      minIntervalMs: values.POLL_MIN_INTERVAL,
      maxIntervalMs: values.POLL_MAX_INTERVAL,
      growth: values.POLL_GROWTH,
    },
    followUps: { windowMs: values.FOLLOW_UP_WINDOW },
    settleWindowMs: values.SETTLE_WINDOW,
    longRunningAfterMs: values.LONG_RUNNING_AFTER,
    retentionMs: values.RETENTION,
    stopTimeoutMs: values.STOP_TIMEOUT,
    promptMaxLength: values.PROMPT_MAX_LENGTH,
    logLevel: values.LOG_LEVEL,
  };
}

import type { CodeHostSettings } from '../../codehost/create-code-hosts.ts';
import type { Policy } from '../../jobs/policy.ts';
import { type CodeHostSite, PUBLIC_SITES } from '../../jobs/pull-requests/link.ts';
import { nearest } from '../../jobs/requests/project.ts';
import { contradictions, isOauthMeant, swappedTokens } from './contradictions.ts';
import { loadConfigFile } from './file.ts';
import type { ConfigFile } from './file-schema.ts';
import { ConfigError, type ConfigProblem, failureCode, type Report, UNKNOWN_SETTING } from './problems.ts';
import { type ConfiguredProjects, keysOf, projectsOf, workspacesOf } from './projects.ts';
import { digestOf, type Hook, hooksOf, recipesOf, secretVariables } from './recipes.ts';
import { exampleOf, type SettingName, type Settings, secretNames, settingNames } from './settings.ts';
import { type Environment, type ReadFile, readSettings, readTextFile, secretsFrom } from './values.ts';

/** All settings, checked, by the program's names. */
export interface Config extends ReturnType<typeof toConfig> {
  /** Set without effect: misspelt, perhaps. */
  readonly ignored: readonly ConfigProblem[];
}

/**
 * Reads the settings from environment variables, and secrets also from the files that NAME_FILE names. Throws
 * one ConfigError with all problems; its messages hold no secrets.
 */
export function parseConfig(env: Environment, readFile: ReadFile = readTextFile): Config {
  const secretOf = secretsFrom(env, readFile);
  const given = readSettings(env, secretOf);
  const { values, unreadable } = given;
  const swapped: readonly string[] = swappedTokens(given);
  const invalid = given.invalid.filter(({ variable }) => !swapped.includes(variable));
  const problems = [...unreadable.values(), ...invalid, ...contradictions(given)];
  const report: Report = (problem) => problems.push(problem);
  const file = loadConfigFile(values.DOCS_AGENT_CONFIG, isOauthMeant(given), readFile);
  problems.push(...file.problems);
  // A secret whose file cannot be read is not also missing.
  const reportNews: Report = (problem) => {
    if (!unreadable.has(problem.variable as SettingName)) report(problem);
  };
  // Where the file has problems, its keys are still looked for.
  const projects = file.value && projectsOf(values, file.value.projects, secretOf, reportNews);
  if (file.value === null) keysOf(file.secrets.projects, values.AGENT_API_KEY, secretOf, reportNews);
  const hooks = hooksOf(file.secrets, secretOf, report);
  const ignored = ignoredSettings(env, secretVariables(file.secrets));
  if (file.value !== null && projects !== null && problems.length === 0) {
    return { ...toConfig(given.checked as Settings, file.value, projects, hooks), ignored };
  }
  // A setting given under a misspelt name is not also missing.
  const meant = new Set(ignored.map((problem) => problem.meant));
  const isMeant = ({ variable }: ConfigProblem) => meant.has(variable) && env[variable] === undefined;
  const isBlank = ignored.length === 0 && NEEDED_FIRST.every((name) => values[name] === undefined);
  const each = new Map(problems.map((problem) => [problem.variable + problem.message, problem]));
  throw new ConfigError([...[...each.values()].filter((problem) => !isMeant(problem)), ...ignored], isBlank);
}

/** Without any of them, nobody has begun to set the program up. */
const NEEDED_FIRST = [
  'SLACK_BOT_TOKEN',
  'SLACK_APP_TOKEN',
  'SLACK_SIGNING_SECRET',
  'SLACK_CLIENT_ID',
  'AGENT_BASE_URL',
  'AGENT_API_KEY',
  'AGENT_PROJECT_ID',
  'DOCS_AGENT_CONFIG',
] as const;

/** Only the store's settings, for commands that need no others. Throws ConfigError. */
export function parseStoreConfig(env: Environment): StoreConfig {
  return storeOf(parsePart(env, STORE_NAMES));
}

/** The store's settings and those of reports. Throws ConfigError. */
export function parseReportConfig(env: Environment) {
  const names = [...STORE_NAMES, 'RETENTION', 'AGENT_HOURLY_BUDGET', 'GITHUB_WEB_URL', 'GITLAB_URL'] as const;
  const values = parsePart(env, names);
  return {
    store: storeOf(values),
    retentionMs: values.RETENTION,
    hourlyBudget: values.AGENT_HOURLY_BUDGET,
    codeHostSites: codeHostSitesOf(values),
  };
}

/** The settings of the runner. Throws ConfigError. */
export function parseRunnerConfig(env: Environment, readFile: ReadFile = readTextFile) {
  const values = parsePart(env, [...RUNNER_NAMES, ...CODE_HOST_NAMES, 'LOG_LEVEL']);
  const missing = (['RUNNER_REPOSITORY', 'RUNNER_COMMAND', 'RUNNER_API_KEY'] as const)
    .filter((name) => values[name] === undefined)
    .map((variable) => ({ variable, message: 'is missing', example: exampleOf(variable) }));
  if (missing.length > 0) throw new ConfigError(missing);
  const { RUNNER_INSTRUCTIONS: instructions } = values;
  const codeHosts = codeHostsOf(values);
  const codeHostRepository = values.RUNNER_CODE_HOST_REPOSITORY ?? null;
  if (codeHostRepository !== null && codeHosts.length > 1) {
    const variable = 'RUNNER_CODE_HOST_REPOSITORY';
    const message = 'does not say at which code host: set the token of one code host only';
    throw new ConfigError([{ variable, message, example: exampleOf(variable) }]);
  }
  return {
    project: values.RUNNER_PROJECT,
    repository: present(values.RUNNER_REPOSITORY),
    branch: values.RUNNER_BRANCH ?? null,
    command: present(values.RUNNER_COMMAND),
    paths: values.RUNNER_PATHS,
    apiKey: present(values.RUNNER_API_KEY),
    host: values.RUNNER_HOST,
    port: values.RUNNER_PORT,
    dataDir: values.RUNNER_DATA_DIR,
    concurrency: values.RUNNER_CONCURRENCY,
    turnTimeoutMs: values.RUNNER_TURN_TIMEOUT,
    gitEnv: variablesOf(env, GIT_ENVIRONMENT),
    agentEnv: variablesOf(env, [...AGENT_ENVIRONMENT, ...values.RUNNER_ENV]),
    instructions: instructions === undefined ? null : instructionsIn(instructions, readFile),
    hourlyLimit: values.RUNNER_HOURLY_LIMIT ?? null,
    keepMs: values.RUNNER_KEEP,
    codeHosts,
    codeHostRepository,
    logLevel: values.LOG_LEVEL,
  };
}

function variablesOf(env: Environment, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'];
const GIT_ENVIRONMENT = [
  ...['PATH', 'HOME', 'TMPDIR', 'SSH_AUTH_SOCK', ...PROXIES],
  ...PROXIES.map((name) => name.toLowerCase()),
];
/** What every program needs. */
const AGENT_ENVIRONMENT = ['PATH', 'HOME', 'LANG', 'TERM'];

function instructionsIn(path: string, readFile: ReadFile): string {
  try {
    return readFile(path);
  } catch (error) {
    const message = `names a file that cannot be read: ${path}${failureCode(error)}`;
    throw new ConfigError([
      { variable: 'RUNNER_INSTRUCTIONS', message, example: exampleOf('RUNNER_INSTRUCTIONS') },
    ]);
  }
}

const STORE_NAMES = ['DATABASE_URL', 'DATA_DIR'] as const;
const GITHUB_NAMES = [
  'GITHUB_TOKEN',
  'GITHUB_APP_ID',
  'GITHUB_APP_KEY',
  'GITHUB_WEB_URL',
  'GITHUB_API_URL',
] as const;
const CODE_HOST_NAMES = [...GITHUB_NAMES, 'GITLAB_TOKEN', 'GITLAB_URL'] as const;
const RUNNER_NAMES = settingNames.filter((name) => name.startsWith('RUNNER_')) as Extract<
  SettingName,
  `RUNNER_${string}`
>[];

function parsePart<Name extends SettingName>(env: Environment, names: readonly Name[]): Pick<Settings, Name> {
  const { checked, unreadable, invalid } = readSettings(env, secretsFrom(env, readTextFile), names);
  const problems = [...unreadable.values(), ...invalid];
  if (problems.length > 0) throw new ConfigError(problems);
  return checked as Pick<Settings, Name>;
}

function toConfig(
  values: Settings,
  file: ConfigFile,
  { projects, apiKeys }: ConfiguredProjects,
  hooks: ReadonlyMap<string, Hook>,
) {
  const admins: ReadonlySet<string> = new Set([...(values.ADMINS ?? []), ...file.admins]);
  const codeHosts = codeHostsOf(values);
  const { PORT: port, HEALTH_PORT: healthPort } = values;
  return {
    slack: {
      installing: installingOf(values),
      /** With a trailing slash; null: Slack's own. */
      apiUrl: values.SLACK_API_URL ?? null,
      transport:
        values.SLACK_APP_TOKEN === undefined
          ? { kind: 'http' as const, signingSecret: present(values.SLACK_SIGNING_SECRET) }
          : { kind: 'socket' as const, appToken: values.SLACK_APP_TOKEN },
    },
    agent: {
      /** Without a trailing slash. */
      baseUrl: values.AGENT_BASE_URL,
      apiKeys,
      timeoutMs: values.AGENT_TIMEOUT,
      readsPerMinute: values.AGENT_READS_PER_MINUTE,
      hourlyBudget: values.AGENT_HOURLY_BUDGET,
    },
    projects,
    channels: file.channels,
    access: { ...file.access, admins, workflowChannels: file.workflows.channels },
    recipes: recipesOf(file.recipes, admins),
    digest: digestOf(file.digest),
    /** For recipes in all workspaces, by name. */
    hooks,
    /** With OAuth: each workspace's settings, by its id, instead of the general ones. Otherwise empty. */
    workspaces: workspacesOf(file, projects),
    store: storeOf(values),
    http: {
      port,
      host: values.HOST,
      /**
       * Null: health checks and metrics are served at PORT. The same port twice is one listener; 0 is another
       * each time.
       */
      healthPort: healthPort === undefined || (healthPort === port && port !== 0) ? null : healthPort,
    },
    noticeChannels: values.NOTICE_CHANNELS,
    /** Without settings of a workspace, project or channel. */
    policy: policyIn(values, codeHosts),
    codeHosts,
    retentionMs: values.RETENTION,
    stopTimeoutMs: values.STOP_TIMEOUT,
    logLevel: values.LOG_LEVEL,
  };
}

function policyIn(values: Settings, codeHosts: readonly CodeHostSettings[]): Policy {
  return {
    pollMinIntervalMs: values.POLL_MIN_INTERVAL,
    pollMaxIntervalMs: values.POLL_MAX_INTERVAL,
    followUpWindowMs: values.FOLLOW_UP_WINDOW,
    followUpMode: 'every_reply',
    settleWindowMs: values.SETTLE_WINDOW,
    longRunningAfterMs: values.LONG_RUNNING_AFTER,
    promptMaxLength: values.PROMPT_MAX_LENGTH,
    // `policyFor` adds those of the job's workspace, project and channel.
    noticeChannels: [],
    pullRequests: {
      sites: codeHostSitesOf(values),
      // Without their tokens.
      watchedSites: codeHosts.map(({ host, webUrl }) => ({ host, webUrl })),
      remindAfterMs: values.PR_REMINDER_AFTER,
      watchForMs: values.PR_WATCH_FOR,
    },
  };
}

/**
 * How the app is installed: by hand in one workspace, or in any through the pages that the program serves.
 */
export type Installing = ReturnType<typeof installingOf>;

function installingOf(values: Settings) {
  const { SLACK_BOT_TOKEN: botToken } = values;
  if (botToken !== undefined) return { kind: 'by_hand' as const, botToken };
  return {
    kind: 'oauth' as const,
    clientId: present(values.SLACK_CLIENT_ID),
    clientSecret: present(values.SLACK_CLIENT_SECRET),
    stateSecret: present(values.SLACK_STATE_SECRET),
    /** The first encrypts, all decrypt. */
    encryptionKeys: present(values.TOKEN_ENCRYPTION_KEY),
  };
}

export type StoreConfig = ReturnType<typeof storeOf>;

function storeOf({
  DATABASE_URL: databaseUrl,
  DATA_DIR: dataDir,
}: Pick<Settings, 'DATABASE_URL' | 'DATA_DIR'>) {
  return databaseUrl === undefined
    ? { kind: 'embedded' as const, dataDir }
    : { kind: 'postgres' as const, databaseUrl };
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('a missing setting was not reported');
  return value;
}

type CodeHostValues = Pick<Settings, (typeof CODE_HOST_NAMES)[number]>;

/** The code hosts that may be asked: those with a token, or an App. */
function codeHostsOf(values: CodeHostValues): readonly CodeHostSettings[] {
  const { GITHUB_WEB_URL: githubUrl, GITLAB_URL: gitlabUrl, GITLAB_TOKEN: gitlabToken } = values;
  const { GITHUB_TOKEN: token, GITHUB_APP_ID: appId, GITHUB_APP_KEY: privateKey } = values;
  const hosts: CodeHostSettings[] = [];
  // An Enterprise server has its API under its own URL; github.com and ghe.com elsewhere.
  const { protocol, host } = new URL(githubUrl);
  const isHosted = host === 'github.com' || host.endsWith('.ghe.com');
  const apiUrl = values.GITHUB_API_URL ?? (isHosted ? `${protocol}//api.${host}` : `${githubUrl}/api/v3`);
  const github = { host: 'github', webUrl: githubUrl, apiUrl } as const;
  if (token !== undefined) {
    hosts.push({ ...github, credentials: { kind: 'token', token } });
  } else if (appId !== undefined && privateKey !== undefined) {
    hosts.push({ ...github, credentials: { kind: 'app', appId, privateKey } });
  }
  if (gitlabToken !== undefined) {
    const gitlab = { host: 'gitlab', webUrl: gitlabUrl, apiUrl: `${gitlabUrl}/api/v4` } as const;
    hosts.push({ ...gitlab, credentials: { kind: 'token', token: gitlabToken } });
  }
  return hosts;
}

function codeHostSitesOf({
  GITHUB_WEB_URL: github,
  GITLAB_URL: gitlab,
}: Pick<Settings, 'GITHUB_WEB_URL' | 'GITLAB_URL'>): readonly CodeHostSite[] {
  return [...PUBLIC_SITES, { host: 'github', webUrl: github }, { host: 'gitlab', webUrl: gitlab }];
}

const OURS = /^(?:SLACK|AGENT|DOCS_AGENT|RUNNER)_/;
/** Kubernetes sets variables for every service in every container, including one called docs-agent. */
const OF_KUBERNETES = /_SERVICE_(?:HOST$|PORT(?:$|_))|_PORT_\d+_(?:TCP|UDP|SCTP)(?:$|_)/;
/** For example, `DOCS_AGENT_PORT=tcp://10.0.0.1:80`. */
const ADDRESS_OF_KUBERNETES = /^(?:tcp|udp|sctp):\/\//;
/** In a shorter name, two different letters make a different word. */
const LONG_NAME = 8;
const slipsMax = (name: string) => (name.length >= LONG_NAME ? 2 : 1);

const known: ReadonlyMap<string, SettingName> = new Map([
  ...settingNames.map((name) => [name, name] as const),
  ...secretNames.map((name) => [`${name}_FILE`, name] as const),
]);

/**
 * Settings without effect: names that start like ours or nearly match one, and an empty list of channels.
 * @param others variables that the settings name
 */
function ignoredSettings(env: Environment, others: readonly string[]): ConfigProblem[] {
  const isSet = (name: string) => (env[name] ?? '').trim() !== '';
  const isOfKubernetes = (name: string) =>
    OF_KUBERNETES.test(name) || ADDRESS_OF_KUBERNETES.test(env[name] ?? '');
  const problems = Object.keys(env)
    .filter((name) => isSet(name) && !known.has(name) && !others.includes(name) && !isOfKubernetes(name))
    .flatMap((variable): ConfigProblem[] => {
      const meant = nearest(variable.toUpperCase(), [...known.keys()], slipsMax);
      const setting = meant === null ? undefined : known.get(meant);
      if (meant === null || setting === undefined) {
        return OURS.test(variable)
          ? [{ variable, message: UNKNOWN_SETTING, example: `unset ${variable}` }]
          : [];
      }
      // Beside the right one, it may be another program's.
      if (!OURS.test(variable) && isSet(meant)) return [];
      const message = `${UNKNOWN_SETTING}, did you mean ${meant}?`;
      const file = `${meant}=/run/secrets/${setting.toLowerCase()}`;
      return [{ variable, message, example: meant === setting ? exampleOf(setting) : file, meant: setting }];
    });
  if (env.NOTICE_CHANNELS?.trim() !== '') return problems;
  const message = 'is set, but empty: write channel ids, since # begins a comment in a settings file';
  return [...problems, { variable: 'NOTICE_CHANNELS', message, example: exampleOf('NOTICE_CHANNELS') }];
}

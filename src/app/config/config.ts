import type { KeyObject } from 'node:crypto';
import type { CodeHostSettings } from '#codehost/client.ts';
import type { AccessRule, Policy, Rules } from '#jobs/policy.ts';
import { type CodeHostSite, PUBLIC_SITES } from '#jobs/pull-requests/link.ts';
import type { Project, Projects } from '#jobs/requests/command.ts';
import { codeOf } from '#store/engines/database.ts';
import { secret } from './checks.ts';
import { loadConfigFile } from './file.ts';
import { type ConfigFile, contradictions, type Named, runnerContradictions } from './file-schema.ts';
import { type SettingName, type Settings, settingNames } from './settings.ts';
import {
  ConfigError,
  type ConfigProblem,
  type Environment,
  ignoredSettings,
  isOauthMeant,
  present,
  problemWith,
  type ReadFile,
  readSettings,
  readTextFile,
  type SecretOf,
  secretsFrom,
  settingProblems,
} from './values.ts';

export type Config = ReturnType<typeof parseConfig>;

/** Throws a ConfigError with all problems, without secrets. */
export function parseConfig(env: Environment, readFile: ReadFile = readTextFile) {
  const secretOf = secretsFrom(env, readFile);
  const given = readSettings(env, secretOf);
  const { values } = given;
  const file = loadConfigFile(values.DOCS_AGENT_CONFIG, readFile, (read, keys) =>
    contradictions(read, keys, isOauthMeant(given)),
  );
  const problems = [...settingProblems(given), ...file.problems];
  const { AGENT_PROJECT_ID: defaultId } = values;
  const projects = file.value && projectsOf(file.value.projects, defaultId, problems);
  // Checks secrets even if the file has problems.
  const { projects: named, ofFeatures } = file.named;
  const withKeys = named.length > 0 || file.value === null ? named : [{ id: defaultId ?? '' }];
  const { apiKeys, featureSecrets } = readNamed({ projects: withKeys, ofFeatures }, secretOf, problems);
  const secretNames = [
    ...named.map((project) => project.api_key_env ?? []),
    ...ofFeatures.map(({ variable }) => variable),
  ];
  const ignored = ignoredSettings(
    env,
    secretNames.flat().flatMap((name) => [name, `${name}_FILE`]),
  );
  if (file.value !== null && projects !== null && problems.length === 0) {
    const config = toConfig(given.checked as Settings, file.value, projects, apiKeys);
    /** `ignored`: set without effect, perhaps misspelt. */
    return { ...config, featureSecrets, ignored };
  }
  // A misspelt setting isn't reported as missing, too.
  const meant = new Set(ignored.map((problem) => problem.meant));
  const isMeant = ({ variable }: ConfigProblem) => meant.has(variable) && env[variable] === undefined;
  const isBlank = ignored.length === 0 && NEEDED_FIRST.every((name) => values[name] === undefined);
  const each = new Map(problems.map((problem) => [problem.variable + problem.message, problem]));
  throw new ConfigError([...[...each.values()].filter((problem) => !isMeant(problem)), ...ignored], isBlank);
}

/** Without these, setup hasn't begun. */
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

export function parseStoreConfig(env: Environment) {
  return storeOf(parsePart(env, STORE_NAMES));
}

export function parseReportConfig(env: Environment) {
  const names = [...STORE_NAMES, 'RETENTION', 'AGENT_HOURLY_BUDGET', 'GITHUB_WEB_URL', 'GITLAB_URL'] as const;
  const values = parsePart(env, names);
  return {
    store: storeOf(values),
    retentionMs: values.RETENTION,
    hourlyBudget: values.AGENT_HOURLY_BUDGET,
    sites: codeHostSitesOf(values),
  };
}

/** `start` runs the runner, too, if there is a repository and no other agent. */
export function isOwnRunnerMeant(env: Environment, readFile: ReadFile = readTextFile): boolean {
  const { AGENT_BASE_URL, RUNNER_REPOSITORY, DOCS_AGENT_CONFIG } = readSettings(env, () => null).values;
  if (AGENT_BASE_URL !== undefined) return false;
  const { projects } = loadConfigFile(DOCS_AGENT_CONFIG, readFile, () => []).named;
  return RUNNER_REPOSITORY !== undefined || projects.some(({ repository }) => repository !== undefined);
}

export function parseRunnerConfig(env: Environment, readFile: ReadFile = readTextFile) {
  const values = parsePart(env, [...namesOf('RUNNER', 'GITHUB', 'GITLAB'), 'DOCS_AGENT_CONFIG', 'LOG_LEVEL']);
  const file = loadConfigFile(values.DOCS_AGENT_CONFIG, readFile, ({ projects }) =>
    runnerContradictions(projects, values),
  );
  const listed = file.value?.projects ?? [];
  const isAlone = file.value !== null && listed.length === 0;
  const missing = (['RUNNER_REPOSITORY', 'RUNNER_COMMAND', 'RUNNER_API_KEY'] as const)
    .filter((name) => values[name] === undefined && (isAlone || name === 'RUNNER_API_KEY'))
    .map((name) => problemWith(name, 'is missing'));
  const problems = [...file.problems, ...missing];
  const codeHosts = codeHostsOf(values);
  const { RUNNER_INSTRUCTIONS: path } = values;
  if (values.RUNNER_CODE_HOST_REPOSITORY !== undefined && codeHosts.length > 1) {
    const message = 'does not say at which code host: set the token of one code host only';
    problems.push(problemWith('RUNNER_CODE_HOST_REPOSITORY', message));
  }
  let instructions: string | null = null;
  try {
    if (path !== undefined) instructions = readFile(path);
  } catch (error) {
    const message = `names a file that cannot be read: ${path} (${codeOf(error)})`;
    problems.push(problemWith('RUNNER_INSTRUCTIONS', message));
  }
  if (problems.length > 0) throw new ConfigError(problems);
  const variables = (names: readonly string[]): Record<string, string> =>
    Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
  return {
    projects: runnerProjectsOf(listed, values),
    apiKey: present(values.RUNNER_API_KEY),
    host: values.RUNNER_HOST,
    port: values.RUNNER_PORT,
    dataDir: values.RUNNER_DATA_DIR,
    concurrency: values.RUNNER_CONCURRENCY,
    turnTimeoutMs: values.RUNNER_TURN_TIMEOUT,
    gitEnv: variables(
      ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY']
        .flatMap((name) => [name, name.toLowerCase()])
        .concat('PATH', 'HOME', 'TMPDIR', 'SSH_AUTH_SOCK'),
    ),
    agentEnv: variables(['PATH', 'HOME', 'LANG', 'TERM', ...values.RUNNER_ENV]),
    instructions,
    hourlyLimit: values.RUNNER_HOURLY_LIMIT ?? null,
    keepMs: values.RUNNER_KEEP,
    codeHosts,
    logLevel: values.LOG_LEVEL,
  };
}

const STORE_NAMES = ['DATABASE_URL', 'DATA_DIR'] as const;
type NameOf<Prefix extends string> = Extract<SettingName, `${Prefix}_${string}`>;
const namesOf = <Prefix extends string>(...prefixes: readonly Prefix[]) =>
  settingNames.filter((name): name is NameOf<Prefix> =>
    prefixes.some((prefix) => name.startsWith(`${prefix}_`)),
  );

function parsePart<Name extends SettingName>(env: Environment, names: readonly Name[]) {
  const { checked, problems } = readSettings(env, secretsFrom(env, readTextFile), names);
  if (problems.length > 0) throw new ConfigError(problems);
  return checked as Pick<Settings, Name>;
}

function toConfig(
  values: Settings,
  file: ConfigFile,
  projects: Projects,
  apiKeys: ReadonlyMap<string, string>,
) {
  const admins: ReadonlySet<string> = new Set([...(values.ADMINS ?? []), ...file.admins]);
  const codeHosts = codeHostsOf(values);
  const { PORT: port, HEALTH_PORT: healthPort, SLACK_API_URL: apiUrl } = values;
  return {
    slack: {
      installing: installingOf(values),
      apiUrl: apiUrl === undefined ? null : `${apiUrl}/`,
      transport:
        values.SLACK_APP_TOKEN === undefined
          ? { kind: 'http' as const, signingSecret: present(values.SLACK_SIGNING_SECRET) }
          : { kind: 'socket' as const, appToken: values.SLACK_APP_TOKEN },
    },
    agent: {
      baseUrl: values.AGENT_BASE_URL,
      apiKeys,
      timeoutMs: values.AGENT_TIMEOUT,
      readsPerMinute: values.AGENT_READS_PER_MINUTE,
      hourlyBudget: values.AGENT_HOURLY_BUDGET,
    },
    projects,
    channels: file.channels,
    access: { ...file.access, admins, workflowChannels: file.workflows.channels },
    featureSettings: { ...file, admins } as object,
    /** By workspace id, for OAuth. */
    workspaces: workspacesOf(file, projects),
    store: storeOf(values),
    http: {
      port,
      host: values.HOST,
      /** Null: served at PORT. Port 0 differs each time. */
      healthPort: healthPort === undefined || (healthPort === port && port !== 0) ? null : healthPort,
    },
    noticeChannels: values.NOTICE_CHANNELS,
    policy: policyIn(values, codeHosts),
    codeHosts,
    retentionMs: values.RETENTION,
    stopTimeoutMs: values.STOP_TIMEOUT,
    logLevel: values.LOG_LEVEL,
  };
}

/** Null: OAuth, and the workspace isn't configured. */
export function workspaceIn(config: Config, teamId: string): WorkspaceSettings | null {
  return config.slack.installing.kind === 'by_hand' ? config : (config.workspaces.get(teamId) ?? null);
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
      watchedSites: codeHosts.map(({ host, webUrl }) => ({ host, webUrl })),
      remindAfterMs: values.PR_REMINDER_AFTER,
      watchForMs: values.PR_WATCH_FOR,
    },
  };
}

function installingOf(values: Settings) {
  if (values.SLACK_BOT_TOKEN !== undefined)
    return { kind: 'by_hand' as const, botToken: values.SLACK_BOT_TOKEN };
  return {
    kind: 'oauth' as const,
    clientId: present(values.SLACK_CLIENT_ID),
    clientSecret: present(values.SLACK_CLIENT_SECRET),
    stateSecret: present(values.SLACK_STATE_SECRET),
    /** The first encrypts, all decrypt. */
    encryptionKeys: present(values.TOKEN_ENCRYPTION_KEY),
  };
}

function storeOf({ DATABASE_URL, DATA_DIR }: Pick<Settings, (typeof STORE_NAMES)[number]>) {
  return DATABASE_URL === undefined
    ? { kind: 'embedded' as const, dataDir: DATA_DIR }
    : { kind: 'postgres' as const, databaseUrl: DATABASE_URL };
}

function codeHostsOf(values: Pick<Settings, NameOf<'GITHUB' | 'GITLAB'>>): readonly CodeHostSettings[] {
  const { GITHUB_WEB_URL: githubUrl, GITLAB_URL: gitlabUrl, GITLAB_TOKEN: gitlabToken } = values;
  const { GITHUB_TOKEN: token, GITHUB_APP_ID: appId, GITHUB_APP_KEY: privateKey } = values;
  const hosts: CodeHostSettings[] = [];
  // Enterprise Server has its API under its own URL.
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

function codeHostSitesOf(values: Pick<Settings, 'GITHUB_WEB_URL' | 'GITLAB_URL'>): readonly CodeHostSite[] {
  return [
    ...PUBLIC_SITES,
    { host: 'github', webUrl: values.GITHUB_WEB_URL },
    { host: 'gitlab', webUrl: values.GITLAB_URL },
  ];
}

export interface WorkspaceSettings extends Rules {
  readonly projects: Projects;
  readonly access: AccessRule;
  readonly featureSettings: object;
}

function workspacesOf({ workspaces }: ConfigFile, all: Projects): ReadonlyMap<string, WorkspaceSettings> {
  const settings = Object.entries(workspaces).map(([teamId, workspace]) => {
    const { channels, access, admins, notice_channels: noticeChannels } = workspace;
    const projects = workspace.projects.flatMap((name) => all.filter((one) => one.name === name));
    return [
      teamId,
      {
        projects: projects as [Project, ...Project[]],
        channels,
        access: { ...access, admins },
        noticeChannels,
        featureSettings: workspace,
      },
    ] as const;
  });
  return new Map(settings);
}

/** The default comes first. */
function projectsOf(
  listed: ConfigFile['projects'],
  defaultId: string | undefined,
  problems: ConfigProblem[],
): Projects | null {
  const isDefault = ({ id }: { readonly id: string }) => id === defaultId;
  const given =
    listed.length > 0 || defaultId === undefined ? listed : [{ id: defaultId, notice_channels: [] }];
  const [first, ...others] = given
    .map(({ id, name = id, notice_channels: noticeChannels }) => ({ id, name, noticeChannels }))
    .sort((a, b) => Number(isDefault(b)) - Number(isDefault(a)));
  if (first === undefined) {
    const message = 'is missing: set it, or list projects in DOCS_AGENT_CONFIG';
    problems.push(problemWith('AGENT_PROJECT_ID', message));
    return null;
  }
  if (defaultId !== undefined && !isDefault(first)) {
    problems.push({
      variable: 'AGENT_PROJECT_ID',
      message: 'is not one of the projects that DOCS_AGENT_CONFIG lists',
      example: `AGENT_PROJECT_ID=${first.id}`,
    });
  }
  return [first, ...others];
}

/** RUNNER_BRANCH and RUNNER_CODE_HOST_REPOSITORY belong to RUNNER_REPOSITORY. */
function runnerProjectsOf(
  listed: ConfigFile['projects'],
  values: Pick<Settings, Extract<SettingName, `RUNNER_${string}`>>,
) {
  const given: readonly Partial<ConfigFile['projects'][number]>[] = listed.length > 0 ? listed : [{}];
  return given.map(({ id = values.RUNNER_PROJECT, repository, branch, command, paths }) => ({
    id,
    repository: repository ?? present(values.RUNNER_REPOSITORY),
    branch: branch ?? (repository === undefined ? values.RUNNER_BRANCH : null) ?? null,
    command: command ?? present(values.RUNNER_COMMAND),
    paths: paths ?? values.RUNNER_PATHS,
    codeHostRepository: (repository === undefined ? values.RUNNER_CODE_HOST_REPOSITORY : null) ?? null,
  }));
}

function readNamed({ projects, ofFeatures }: Named, secretOf: SecretOf, problems: ConfigProblem[]) {
  /** By project id. */
  const apiKeys = new Map<string, string>();
  /** By variable. */
  const featureSecrets = new Map<string, readonly KeyObject[]>();
  for (const { id, api_key_env: variable } of projects) {
    const key = secretOf(variable ?? 'AGENT_API_KEY');
    const wrong = variable && secret.safeParse(key ?? undefined).error?.issues[0]?.message;
    if (key !== null && typeof key !== 'string') {
      problems.push(key);
    } else if (wrong) {
      const message = `${wrong} (the key of the project ${id})`;
      problems.push({ variable, message, example: `${variable}=the-key-of-${id}` });
    } else if (key === null) {
      problems.push(problemWith('AGENT_API_KEY', 'is missing'));
    } else {
      apiKeys.set(id, key);
    }
  }
  for (const { variable, of, example, read } of ofFeatures) {
    const given = secretOf(variable);
    const found = typeof given === 'string' ? read(given) : (given ?? 'is missing');
    if (typeof found === 'string') problems.push({ variable, message: `${found} (${of})`, example });
    else if ('variable' in found) problems.push(found);
    else featureSecrets.set(variable, found);
  }
  return { apiKeys, featureSecrets };
}

import { z } from 'zod';
import {
  appToken,
  argumentList,
  botToken,
  channelIds,
  databaseUrl,
  duration,
  encryptionKeys,
  exampleSecrets,
  hostNames,
  httpUrl,
  list,
  memberIds,
  privateKey,
  repository,
  secret,
  text,
  wholeNumber,
  word,
} from './checks.ts';

type Setting<Check extends z.ZodType> = Readonly<{
  example: string;
  check: Check;
  help: string;
  isSecret?: boolean;
}>;

function setting<S extends z.ZodType>(example: string, check: S, help: string): Setting<S> {
  return { example, check, help };
}

function optional<S extends z.ZodType>(example: string, check: S, help: string) {
  return setting(example, check.optional(), help);
}

/** Also accepts NAME_FILE, a path to the value. */
function secretSetting<S extends z.ZodType>(example: string, check: S, help: string) {
  return { ...optional(example, check, help), isSecret: true };
}

/** The example is the default. */
function withDefault<S extends z.ZodType<unknown, string>>(example: string, check: S, help: string) {
  return setting(example, z.prefault(check, example as z.input<S>), help);
}

/** `npm run settings-docs` documents them. */
export const settings = {
  SLACK_BOT_TOKEN: secretSetting(exampleSecrets.botToken, botToken, 'The bot token, xoxb-…'),
  SLACK_APP_TOKEN: secretSetting(
    exampleSecrets.appToken,
    appToken,
    'The app-level token, xapp-…; when set, the bot uses Socket Mode: no public address is needed.',
  ),
  SLACK_SIGNING_SECRET: secretSetting(
    exampleSecrets.hex,
    secret,
    'The signing secret. When set and SLACK_APP_TOKEN is not, Slack calls POST /slack/events.',
  ),
  SLACK_CLIENT_ID: secretSetting(
    '12.34',
    secret,
    "The app's Client ID: with the next three, many workspaces install the app by OAuth. Replaces SLACK_BOT_TOKEN.",
  ),
  SLACK_CLIENT_SECRET: secretSetting(exampleSecrets.hex, secret, "The app's Client Secret."),
  SLACK_STATE_SECRET: secretSetting(
    exampleSecrets.stateSecret,
    secret.min(16, 'must have at least 16 characters'),
    'Any random text of 16 characters or more: signs the state of an installation.',
  ),
  TOKEN_ENCRYPTION_KEY: secretSetting(
    `key1:${exampleSecrets.encryptionKey}`,
    encryptionKeys,
    'Encrypts the tokens of the workspaces: a name and 32 bytes in base64 (openssl rand -base64 32), name:key. ' +
      'Of several, separated by commas, the first encrypts, all decrypt.',
  ),
  SLACK_API_URL: optional(
    'http://127.0.0.1:4000/api/',
    httpUrl,
    "Another address of Slack's Web API, for tests and emulators.",
  ),
  AGENT_BASE_URL: setting(
    'https://agent.example.com',
    httpUrl,
    'The address of the agent API: https, or http on this machine. Not needed with the runner below.',
  ),
  PLAIN_HTTP_HOSTS: setting(
    'agent.internal',
    hostNames.default([]),
    'Hosts that may be reached by http, without encryption, in a network that you trust: names, separated by commas. ' +
      'Default: this machine.',
  ),
  AGENT_API_KEY: secretSetting(exampleSecrets.agentApiKey, secret, 'The key of the agent API.'),
  AGENT_PROJECT_ID: optional(
    'my-docs',
    word,
    'The project that jobs are created in; with several projects in DOCS_AGENT_CONFIG, the default one.',
  ),
  DOCS_AGENT_CONFIG: optional(
    './docs-agent.yml',
    text,
    'A YAML file with several projects, defaults of channels, who may use the bot: see docs-agent.example.yml.',
  ),
  AGENT_TIMEOUT: withDefault('30s', duration('1s', '10m'), 'How long one call may take, from 1s to 10m.'),
  STOP_TIMEOUT: withDefault(
    '40s',
    duration('10s', '15m'),
    'How long a stop may wait for the answers to create and message calls (10s to 15m): some seconds more than ' +
      'AGENT_TIMEOUT. Without such calls it takes ten seconds at most.',
  ),
  AGENT_READS_PER_MINUTE: withDefault(
    '600',
    wholeNumber(1, 100_000),
    'The most status reads a minute for each project, across all replicas.',
  ),
  AGENT_HOURLY_BUDGET: withDefault(
    '100',
    wholeNumber(1, 100_000),
    'The most create and message calls an hour for each project, across all replicas.',
  ),
  GITHUB_TOKEN: secretSetting(
    exampleSecrets.githubToken,
    secret,
    'A GitHub token that may read pull requests: they are followed until they are merged or closed.',
  ),
  GITHUB_APP_ID: optional('123456', word, 'A GitHub App in place of GITHUB_TOKEN: its App ID.'),
  GITHUB_APP_KEY: secretSetting(
    exampleSecrets.githubAppKey,
    privateKey,
    'Its private key: the text of the file that GitHub made, on one line with \\n for each new line.',
  ),
  GITHUB_WEB_URL: withDefault(
    'https://github.com',
    httpUrl,
    'Where pull requests open in a browser. Only links to this address are followed, and only with its API.',
  ),
  GITHUB_API_URL: optional(
    'https://github.example.com/api/v3',
    httpUrl,
    'Its API, where it does not follow from GITHUB_WEB_URL.',
  ),
  GITLAB_TOKEN: secretSetting(
    exampleSecrets.gitlabToken,
    secret,
    'A GitLab token with the scope read_api: merge requests are followed like pull requests.',
  ),
  GITLAB_URL: withDefault(
    'https://gitlab.com',
    httpUrl,
    'The address of that GitLab. Only links to it are followed.',
  ),
  DATABASE_URL: secretSetting(
    'postgres://user:password@db.example.com/docs_agent',
    databaseUrl,
    'A Postgres database, needed to run several replicas. Default: an embedded one in DATA_DIR.',
  ),
  DATA_DIR: withDefault('./data', text, 'The folder of the embedded database, on a local disk.'),
  RETENTION: withDefault(
    '180d',
    duration('1d', '3650d'),
    'How long jobs are kept after they are over. What is still open is never deleted.',
  ),
  PORT: withDefault('3000', wholeNumber(0, 65_535), 'The port to listen on.'),
  HEALTH_PORT: optional(
    '3001',
    wholeNumber(0, 65_535),
    'A separate port for /livez, /readyz and /metrics, 3001 for example, that requests to PORT cannot crowd out.',
  ),
  HOST: withDefault('0.0.0.0', word, 'The address to listen on; 0.0.0.0 is every address of this machine.'),
  ADMINS: optional(
    'U0123456789,U0987654321',
    memberIds,
    'Who may change settings in Slack, read the report and resume recipes: member ids, separated by commas. Default: the ' +
      'admins and owners of the workspace.',
  ),
  NOTICE_CHANNELS: setting(
    'C0123456789,C0987654321',
    channelIds.default([]),
    'Channels that get a message for each pull request: ids, separated by commas.',
  ),
  POLL_MIN_INTERVAL: withDefault(
    '2s',
    duration('100ms', '1h'),
    'Every job is checked this often while AGENT_READS_PER_MINUTE allows it.',
  ),
  POLL_MAX_INTERVAL: withDefault(
    '60s',
    duration('100ms', '24h'),
    'The longest time between two checks of a job while AGENT_READS_PER_MINUTE allows it.',
  ),
  FOLLOW_UP_WINDOW: withDefault(
    '4s',
    duration('0', '10m'),
    'Replies that follow each other within this time go out as one message. 0: each goes out on its own.',
  ),
  SETTLE_WINDOW: withDefault(
    '90s',
    duration('0', '1h'),
    'How long after a follow-up the API may still report the job as finished.',
  ),
  LONG_RUNNING_AFTER: withDefault(
    '6h',
    duration('1m', '720h'),
    'After a job has worked this long, its thread is asked whether to keep watching (1m to 720h).',
  ),
  PR_REMINDER_AFTER: withDefault(
    '3d',
    duration('1s', '365d', true),
    'After this long without movement, the thread is reminded of an open pull request, once (from 1s). 0: never.',
  ),
  PR_WATCH_FOR: withDefault(
    '30d',
    duration('1m', '365d'),
    'How long an open pull request is followed (from 1m).',
  ),
  PROMPT_MAX_LENGTH: withDefault(
    '20000',
    wholeNumber(1, 1_000_000),
    'The longest prompt or follow-up, in characters.',
  ),
  RUNNER_REPOSITORY: optional(
    'https://github.com/acme/docs',
    repository,
    'The repository that an agent of this machine works in, an https or ssh address or a path: `start` then needs no ' +
      'AGENT_ setting, and runs the runner as well.',
  ),
  RUNNER_COMMAND: optional(
    'opencode acp',
    argumentList,
    'The agent of the runner: a command that speaks the Agent Client Protocol.',
  ),
  RUNNER_BRANCH: optional(
    'main',
    word,
    "The branch to start from and to merge into. Default: the repository's default branch.",
  ),
  RUNNER_PROJECT: withDefault(
    'docs',
    word,
    "The project id in the paths of the runner's API, unless DOCS_AGENT_CONFIG lists projects.",
  ),
  RUNNER_API_KEY: secretSetting(
    exampleSecrets.agentApiKey,
    secret,
    'The key that callers of `docs-agent runner` must send: the AGENT_API_KEY of the bot.',
  ),
  RUNNER_HOST: withDefault('127.0.0.1', word, 'The address that `docs-agent runner` listens on.'),
  RUNNER_PORT: withDefault(
    '4000',
    wholeNumber(0, 65_535),
    'The port that `docs-agent runner` listens on. `start` gives its own a free one.',
  ),
  RUNNER_DATA_DIR: withDefault(
    './runner-data',
    text,
    "The runner's folder: its database, clone, work trees and transcripts.",
  ),
  RUNNER_CONCURRENCY: withDefault('2', wholeNumber(1, 100), 'How many turns run at once.'),
  RUNNER_TURN_TIMEOUT: withDefault('30m', duration('1m', '24h'), 'How long a turn may take, from 1m to 24h.'),
  RUNNER_PATHS: setting(
    'docs/**,*.md',
    list.default([]),
    'Patterns of the files that may change, separated by commas; other changes are left out and named. Default: all.',
  ),
  RUNNER_ENV: setting(
    'OPENAI_API_KEY',
    list.default([]),
    'Variables that the agent gets besides PATH, HOME, LANG and TERM: names, separated by commas.',
  ),
  RUNNER_INSTRUCTIONS: optional(
    './style-guide.md',
    text,
    'A file whose text precedes each first request: a style guide, where things are.',
  ),
  RUNNER_HOURLY_LIMIT: optional(
    '100',
    wholeNumber(1, 100_000),
    'The most requests and replies an hour that the runner takes.',
  ),
  RUNNER_KEEP: withDefault(
    '14d',
    duration('1h', '3650d'),
    'How long the work tree and transcript of a job that rests are kept (from 1h).',
  ),
  RUNNER_CODE_HOST_REPOSITORY: optional(
    'acme/docs',
    word,
    'The repository of the pull requests, owner/name, where RUNNER_REPOSITORY does not say it.',
  ),
  LOG_LEVEL: withDefault(
    'info',
    z.enum(['debug', 'info', 'warn', 'error'], 'must be one of debug, info, warn, error'),
    'debug, info, warn or error.',
  ),
};

export type SettingName = keyof typeof settings;
export type Settings = { readonly [Name in SettingName]: z.infer<(typeof settings)[Name]['check']> };

export const settingNames = Object.keys(settings) as SettingName[];

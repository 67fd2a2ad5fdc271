import { z } from 'zod';
import {
  channelIds,
  choice,
  decimalNumber,
  duration,
  encryptionKeys,
  hostNames,
  path,
  secret,
  slackToken,
  wholeNumber,
  word,
} from './kinds.ts';
import { exampleSecrets } from './placeholders.ts';
import { agentUrl, databaseUrl, slackUrl } from './urls.ts';

const examples = z.registry<{ example: string }>();

function setting<Schema extends z.ZodType>(example: string, schema: Schema): Schema {
  examples.add(schema, { example });
  return schema;
}

/** Every setting: its form, its default, and an example. */
export const settings = z.object({
  SLACK_BOT_TOKEN: setting(exampleSecrets.botToken, slackToken('xoxb-').optional()),
  SLACK_APP_TOKEN: setting(exampleSecrets.appToken, slackToken('xapp-').optional()),
  SLACK_SIGNING_SECRET: setting(exampleSecrets.hex, secret().optional()),
  SLACK_CLIENT_ID: setting('12.34', secret().optional()),
  SLACK_CLIENT_SECRET: setting(exampleSecrets.hex, secret().optional()),
  SLACK_STATE_SECRET: setting(
    exampleSecrets.stateSecret,
    secret().min(16, 'must have at least 16 characters').optional(),
  ),
  TOKEN_ENCRYPTION_KEY: setting(`key1:${exampleSecrets.encryptionKey}`, encryptionKeys().optional()),
  SLACK_API_URL: setting('http://127.0.0.1:4000/api/', slackUrl().optional()),
  AGENT_BASE_URL: setting('https://agent.example.com', agentUrl()),
  PLAIN_HTTP_HOSTS: setting('agent.internal', hostNames().default([])),
  AGENT_API_KEY: setting(exampleSecrets.agentApiKey, secret().optional()),
  AGENT_PROJECT_ID: setting('my-docs', word().optional()),
  AGENT_TIMEOUT: setting('30s', duration('1s', '10m').prefault('30s')),
  STOP_TIMEOUT: setting('40s', duration('10s', '15m').prefault('40s')),
  AGENT_READS_PER_MINUTE: setting('600', wholeNumber(1, 100_000).prefault('600')),
  AGENT_HOURLY_BUDGET: setting('100', wholeNumber(1, 100_000).prefault('100')),
  AGENT_RETRY_UNKNOWN: setting('never', choice('never', 'messages', 'all').prefault('never')),
  DOCS_AGENT_CONFIG: setting('./docs-agent.yml', path().optional()),
  DATABASE_URL: setting('postgres://user:password@db.example.com/docs_agent', databaseUrl().optional()),
  DATA_DIR: setting('./data', path().prefault('./data')),
  RETENTION: setting('180d', duration('1d', '3650d').prefault('180d')),
  PORT: setting('3000', wholeNumber(0, 65_535).prefault('3000')),
  HEALTH_PORT: setting('3001', wholeNumber(0, 65_535).optional()),
  HOST: setting('0.0.0.0', word().prefault('0.0.0.0')),
  NOTICE_CHANNELS: setting('C0123456789,C0987654321', channelIds().default([])),
  POLL_MIN_INTERVAL: setting('5s', duration('100ms', '1h').prefault('5s')),
  POLL_MAX_INTERVAL: setting('60s', duration('100ms', '24h').prefault('60s')),
  POLL_GROWTH: setting('0.1', decimalNumber(0.01, 1).prefault('0.1')),
  FOLLOW_UP_WINDOW: setting('4s', duration('0', '10m').prefault('4s')),
  SETTLE_WINDOW: setting('90s', duration('0', '1h').prefault('90s')),
  LONG_RUNNING_AFTER: setting('6h', duration('1m', '720h').prefault('6h')),
  PROMPT_MAX_LENGTH: setting('20000', wholeNumber(1, 1_000_000).prefault('20000')),
  LOG_LEVEL: setting('info', choice('debug', 'info', 'warn', 'error').prefault('info')),
});

export type Settings = z.infer<typeof settings>;
export type SettingName = keyof Settings;

export const settingNames = Object.keys(settings.shape) as SettingName[];

/** Settings that may also be given as NAME_FILE, the path of a file that holds the value. */
export const secretNames = [
  'SLACK_BOT_TOKEN',
  'SLACK_APP_TOKEN',
  'SLACK_SIGNING_SECRET',
  'SLACK_CLIENT_ID',
  'SLACK_CLIENT_SECRET',
  'SLACK_STATE_SECRET',
  'TOKEN_ENCRYPTION_KEY',
  'AGENT_API_KEY',
  'DATABASE_URL',
] as const satisfies readonly SettingName[];

/** A line that sets it right. */
export function exampleOf(name: SettingName): string {
  return `${name}=${examples.get(settings.shape[name])?.example ?? ''}`;
}

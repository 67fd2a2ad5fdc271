import { readFileSync } from 'node:fs';
import { nearest } from '#jobs/requests/command.ts';
import { codeOf } from '#store/engines/database.ts';
import { type SettingName, type Settings, settingNames, settings } from './settings.ts';

/** Never contains the value, which may be secret. */
export type ConfigProblem = Readonly<{
  variable: string;
  /** Follows the variable's name. */
  message: string;
  example: string;
  meant?: string;
}>;

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly ConfigProblem[];
  readonly isBlank: boolean;

  constructor(problems: readonly ConfigProblem[], isBlank = false) {
    super(`settings to correct: ${problems.map((problem) => problem.variable).join(', ')}`);
    this.problems = problems;
    this.isBlank = isBlank;
  }
}

const UNKNOWN_SETTING = 'unknown setting';

export function formatProblems({ problems, isBlank }: ConfigError): string {
  const lines = problems.map(({ variable, message, example }) => {
    const colon = message.startsWith(UNKNOWN_SETTING) ? ':' : '';
    return `${variable}${colon} ${message}${/[.?]$/.test(message) ? '' : '.'} Example: ${example}`;
  });
  if (isBlank)
    lines.push('Put these in .env (`cp .env.example .env`), then run `npm run -s docs-agent doctor`.');
  return lines.join('\n');
}

function exampleOf(name: SettingName): string {
  return `${name}=${settings[name].example}`;
}

function exampleFile(secret: string) {
  return `${secret}_FILE=/run/secrets/${secret.toLowerCase()}`;
}

export function problemWith(variable: SettingName, message: string): ConfigProblem {
  return { variable, message, example: exampleOf(variable) };
}

export function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('a missing setting was not reported');
  return value;
}

export type Environment = Readonly<Record<string, string | undefined>>;
export type ReadFile = (path: string) => string;

export const readTextFile: ReadFile = (path) => readFileSync(path, 'utf8');

/** Reads NAME_FILE, too. */
export type SecretOf = (variable: string) => string | ConfigProblem | null;

type Given = ReturnType<typeof readSettings>;

export function readSettings(
  env: Environment,
  secretOf: SecretOf,
  names: readonly SettingName[] = settingNames,
) {
  /** Trimmed; blank counts as unset. */
  const values: Partial<Record<SettingName, string>> = {};
  /** With defaults. */
  const checked: Partial<Record<SettingName, unknown>> = {};
  const problems = new Map<SettingName, ConfigProblem>();
  for (const name of names) {
    const value = settings[name].isSecret ? secretOf(name) : lookUp(env, name);
    if (value !== null && typeof value !== 'string') {
      problems.set(name, value);
      continue;
    }
    if (value !== null) values[name] = value;
    const { data, error } = settings[name].check.safeParse(value ?? undefined);
    const message = error?.issues[0]?.message;
    if (message === undefined) checked[name] = data;
    else problems.set(name, problemWith(name, message));
  }
  /** For settings that may be missing. */
  const isSet = (name: SettingName) => values[name] !== undefined || problems.has(name);
  return { values, checked: checked as Partial<Settings>, problems: [...problems.values()], isSet };
}

function lookUp(env: Environment, variable: string) {
  return env[variable]?.trim() || null;
}

export function secretsFrom(env: Environment, readFile: ReadFile): SecretOf {
  return (variable) => {
    const file = `${variable}_FILE`;
    const value = lookUp(env, variable);
    const path = lookUp(env, file);
    if (path === null) return value;
    if (value !== null) {
      return { variable, message: `and ${file} are both set: keep one of them`, example: `${variable}=…` };
    }
    // Without the path, which may be the secret itself.
    const wrong = (message: string) => ({ variable: file, message, example: exampleFile(variable) });
    try {
      return readFile(path).trim() || wrong('names an empty file');
    } catch (error) {
      return wrong(`names a file that cannot be read (${codeOf(error)})`);
    }
  };
}

const OAUTH = [
  'SLACK_CLIENT_ID',
  'SLACK_CLIENT_SECRET',
  'SLACK_STATE_SECRET',
  'TOKEN_ENCRYPTION_KEY',
] as const;

const ONE_WORKSPACE = [
  ['SLACK_BOT_TOKEN', 'with OAuth each workspace has a token of its own'],
  ['ADMINS', 'with OAuth set admins of each workspace in DOCS_AGENT_CONFIG'],
  ['NOTICE_CHANNELS', 'with OAuth set notice_channels of each workspace in DOCS_AGENT_CONFIG'],
] as const;

const NOT_BY_HTTP = [
  'AGENT_BASE_URL',
  'SLACK_API_URL',
  'GITHUB_WEB_URL',
  'GITHUB_API_URL',
  'GITLAB_URL',
] as const;
const LOOPBACK = /^(?:localhost|\[::1\]|127(?:\.\d+){3})$/;

export function isOauthMeant({ isSet }: Given): boolean {
  return OAUTH.some(isSet);
}

export function* settingProblems({ values, checked, problems, isSet }: Given): Generator<ConfigProblem> {
  const isSwapped =
    values.SLACK_BOT_TOKEN?.startsWith('xapp-') && values.SLACK_APP_TOKEN?.startsWith('xoxb-');
  yield* problems.filter(({ variable }) => !isSwapped || !/^SLACK_(BOT|APP)_TOKEN$/.test(variable));
  if (isSwapped) {
    yield {
      variable: 'SLACK_BOT_TOKEN',
      message: 'and SLACK_APP_TOKEN are swapped: the bot token is xoxb-…, the app-level token xapp-…',
      example: 'SLACK_BOT_TOKEN=xoxb-… SLACK_APP_TOKEN=xapp-…',
    };
  }
  yield* groupProblems(OAUTH, ONE_WORKSPACE, isSet);
  if (!OAUTH.some(isSet) && !isSet('SLACK_BOT_TOKEN')) {
    yield problemWith(
      'SLACK_BOT_TOKEN',
      'is missing (for many workspaces, set the four OAuth settings instead)',
    );
  }
  if (!isSet('SLACK_APP_TOKEN') && !isSet('SLACK_SIGNING_SECRET')) {
    yield problemWith(
      'SLACK_APP_TOKEN',
      'is missing: set it for Socket Mode (no public address needed), ' +
        'or set SLACK_SIGNING_SECRET instead for HTTP mode (Slack calls a public address of yours)',
    );
  }
  const { POLL_MIN_INTERVAL: minMs = 0, POLL_MAX_INTERVAL: maxMs = Number.POSITIVE_INFINITY } = checked;
  if (maxMs < minMs) yield problemWith('POLL_MAX_INTERVAL', 'must not be shorter than POLL_MIN_INTERVAL');
  for (const name of NOT_BY_HTTP) {
    const { protocol = 'https:', hostname = '' } = URL.parse(checked[name] ?? '') ?? {};
    if (protocol !== 'https:' && !LOOPBACK.test(hostname) && !checked.PLAIN_HTTP_HOSTS?.includes(hostname)) {
      yield problemWith(
        name,
        'must use https: http is for this machine, and for hosts that PLAIN_HTTP_HOSTS names',
      );
    }
  }
  yield* groupProblems(['GITHUB_APP_ID', 'GITHUB_APP_KEY'], [['GITHUB_TOKEN', 'keep one of them']], isSet);
}

/** @param names need each other @param others exclude them */
function* groupProblems(
  names: readonly SettingName[],
  others: readonly (readonly [SettingName, instead: string])[],
  isSet: Given['isSet'],
): Generator<ConfigProblem> {
  const given = names.filter(isSet);
  if (given.length === 0) return;
  const need = `is missing: ${given.join(', ')} ${given.length > 1 ? 'need' : 'needs'} it`;
  for (const name of names) if (!isSet(name)) yield problemWith(name, need);
  for (const [variable, instead] of others.filter(([name]) => isSet(name))) {
    const message = `and ${given[0]} are both set: ${instead}`;
    yield { variable, message, example: `unset ${variable}` };
  }
}

const OURS = /^(?:SLACK|AGENT|DOCS_AGENT|RUNNER)_/;

const known: readonly string[] = settingNames.flatMap((name) =>
  settings[name].isSecret ? [name, `${name}_FILE`] : name,
);

/** Also reports an empty NOTICE_CHANNELS. @param others variables that the settings name */
export function ignoredSettings(env: Environment, others: readonly string[]): ConfigProblem[] {
  const problems = Object.keys(env).flatMap((variable): ConfigProblem[] => {
    const value = lookUp(env, variable);
    if (value === null || known.includes(variable) || others.includes(variable)) return [];
    // In a short name, two different letters make another word.
    const meant = nearest(variable.toUpperCase(), known, (name) => (name.length >= 8 ? 2 : 1));
    if (meant === null) {
      return OURS.test(variable)
        ? [{ variable, message: UNKNOWN_SETTING, example: `unset ${variable}` }]
        : [];
    }
    // The right one is set, so this may be another program's.
    if (!OURS.test(variable) && lookUp(env, meant) !== null) return [];
    const setting = meant.replace(/_FILE$/, '');
    const example = meant === setting ? exampleOf(setting as SettingName) : exampleFile(setting);
    return [{ variable, message: `${UNKNOWN_SETTING}, did you mean ${meant}?`, example, meant: setting }];
  });
  if (env.NOTICE_CHANNELS?.trim() !== '') return problems;
  const message = 'is set, but empty: write channel ids, since # begins a comment in a settings file';
  return [...problems, problemWith('NOTICE_CHANNELS', message)];
}

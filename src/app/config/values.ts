import { readFileSync } from 'node:fs';
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

export const UNKNOWN_SETTING = 'unknown setting';

export function formatProblems({ problems, isBlank }: ConfigError): string {
  const lines = problems.map(({ variable, message, example }) => {
    const colon = message.startsWith(UNKNOWN_SETTING) ? ':' : '';
    return `${variable}${colon} ${message}${/[.?]$/.test(message) ? '' : '.'} Example: ${example}`;
  });
  if (isBlank)
    lines.push('Put these in .env (`cp .env.example .env`), then run `npm run -s docs-agent doctor`.');
  return lines.join('\n');
}

export function exampleOf(name: SettingName): string {
  return `${name}=${settings[name].example}`;
}

export function problemWith(variable: SettingName, message: string): ConfigProblem {
  return { variable, message, example: exampleOf(variable) };
}

export function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('a missing setting was not reported');
  return value;
}

/** ` (ENOENT)` */
export function failureCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
}

export type Environment = Readonly<Record<string, string | undefined>>;
export type ReadFile = (path: string) => string;

export const readTextFile: ReadFile = (path) => readFileSync(path, 'utf8');

/** Reads NAME_FILE, too. */
export type SecretOf = (variable: string) => string | ConfigProblem | null;

export type Given = ReturnType<typeof readSettings>;

export function readSettings(
  env: Environment,
  secretOf: SecretOf,
  names: readonly SettingName[] = settingNames,
) {
  /** Trimmed; blank counts as unset. */
  const values: Partial<Record<SettingName, string>> = {};
  /** With defaults. */
  const checked: Partial<Record<SettingName, unknown>> = {};
  const unreadable = new Map<SettingName, ConfigProblem>();
  const invalid: ConfigProblem[] = [];
  for (const name of names) {
    const value = settings[name].isSecret ? secretOf(name) : lookUp(env, name);
    if (value !== null && typeof value !== 'string') {
      unreadable.set(name, value);
      continue;
    }
    if (value !== null) values[name] = value;
    const { data, error } = settings[name].check.safeParse(value ?? undefined);
    const message = error?.issues[0]?.message;
    if (message === undefined) checked[name] = data;
    else invalid.push(problemWith(name, message));
  }
  const isSet = (name: SettingName) => values[name] !== undefined || unreadable.has(name);
  return { values, checked: checked as Partial<Settings>, unreadable, invalid, isSet };
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
    const wrong = (message: string) => ({
      variable: file,
      message,
      example: `${file}=/run/secrets/${variable.toLowerCase()}`,
    });
    if (/^(xox|xapp)/.test(path)) return wrong('holds a token where the path of a file is expected');
    try {
      return readFile(path).trim() || wrong(`names an empty file: ${path}`);
    } catch (error) {
      return wrong(`names a file that cannot be read: ${path}${failureCode(error)}`);
    }
  };
}

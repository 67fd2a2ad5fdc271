import { readFileSync } from 'node:fs';
import { type ConfigProblem, failureCode } from './problems.ts';
import { type SettingName, secretNames, settingNames } from './settings.ts';

/** The settings as trimmed text; blank counts as not set. */
export interface SettingValues {
  readonly values: Partial<Record<SettingName, string>>;
  /** Settings that were given, but could not be read. */
  readonly unreadable: ReadonlyMap<SettingName, ConfigProblem>;
}

export type Environment = Readonly<Record<string, string | undefined>>;
export type ReadFile = (path: string) => string;

export const readTextFile: ReadFile = (path) => readFileSync(path, 'utf8');

/** The value of a variable, or of the file that NAME_FILE names; null if neither is set. */
export type SecretOf = (variable: string) => string | ConfigProblem | null;

export function readValues(env: Environment, secretOf: SecretOf): SettingValues {
  const values: Partial<Record<SettingName, string>> = {};
  const unreadable = new Map<SettingName, ConfigProblem>();
  for (const name of settingNames) {
    const value = secretNames.includes(name) ? secretOf(name) : lookUp(env, name);
    if (typeof value === 'string') values[name] = value;
    else if (value !== null) unreadable.set(name, value);
  }
  return { values, unreadable };
}

/** The trimmed value of a variable; null if it is not set or blank. */
function lookUp(env: Environment, variable: string): string | null {
  return env[variable]?.trim() || null;
}

export function secretsFrom(env: Environment, readFile: ReadFile): SecretOf {
  return (variable) => {
    const file = `${variable}_FILE`;
    const value = lookUp(env, variable);
    const path = lookUp(env, file);
    if (path === null) return value;
    if (value !== null) {
      const message = `and ${file} are both set: keep one of them`;
      return { variable, message, example: `${variable}=…` };
    }
    const content = contentOf(path, readFile);
    if ('value' in content) return content.value;
    const example = `${file}=/run/secrets/${variable.toLowerCase()}`;
    return { variable: file, message: content.failure, example };
  };
}

function contentOf(path: string, readFile: ReadFile): { value: string } | { failure: string } {
  if (/^(xox|xapp)/.test(path)) {
    return { failure: 'holds a token where the path of a file is expected' };
  }
  try {
    const value = readFile(path).trim();
    return value === '' ? { failure: `names an empty file: ${path}` } : { value };
  } catch (error) {
    return { failure: `names a file that cannot be read: ${path}${failureCode(error)}` };
  }
}

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

export function readValues(env: Environment, readFile: ReadFile): SettingValues {
  const values: Partial<Record<SettingName, string>> = {};
  const unreadable = new Map<SettingName, ConfigProblem>();
  for (const name of settingNames) {
    const value = lookUp(env, name);
    if (value !== undefined) {
      values[name] = value;
    }
  }
  for (const name of secretNames) {
    const secret = lookUpSecret(env, name, readFile);
    if (typeof secret === 'string') values[name] = secret;
    else if (secret !== null) unreadable.set(name, secret);
  }
  return { values, unreadable };
}

/** The trimmed value of a variable; undefined if it is not set or blank. */
function lookUp(env: Environment, variable: string): string | undefined {
  const value = env[variable]?.trim();
  return value === '' ? undefined : value;
}

/** The value of a variable, or of the file that NAME_FILE names; null if neither is set. */
export function lookUpSecret(
  env: Environment,
  variable: string,
  readFile: ReadFile,
): string | ConfigProblem | null {
  const value = lookUp(env, variable);
  const path = lookUp(env, `${variable}_FILE`);
  if (path === undefined) return value ?? null;
  if (value !== undefined) {
    const message = `and ${variable}_FILE are both set: keep one of them`;
    return { variable, message, example: `${variable}=…` };
  }
  const content = contentOf(path, readFile);
  if ('value' in content) return content.value;
  const file = `${variable}_FILE`;
  return {
    variable: file,
    message: content.failure,
    example: `${file}=/run/secrets/${variable.toLowerCase()}`,
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

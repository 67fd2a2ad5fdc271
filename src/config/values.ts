import type { ConfigProblem } from './problems.ts';
import { exampleOf, type SettingName, secretNames, settingNames } from './settings.ts';

/** The settings as text, trimmed; blank counts as not set. */
export interface SettingValues {
  readonly values: Partial<Record<SettingName, string>>;
  /** Settings that were given, but could not be read. */
  readonly unreadable: ReadonlyMap<SettingName, ConfigProblem>;
}

export type Environment = Readonly<Record<string, string | undefined>>;
export type ReadFile = (path: string) => string;

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
    const path = lookUp(env, `${name}_FILE`);
    if (path === undefined) {
      continue;
    }
    if (values[name] !== undefined) {
      unreadable.set(name, twice(name));
      continue;
    }
    const content = contentOf(path, readFile);
    if ('failure' in content) {
      unreadable.set(name, unreadableFile(name, content.failure));
    } else {
      values[name] = content.value;
    }
  }
  return { values, unreadable };
}

/** The trimmed value of a variable; undefined if it is not set or blank. */
export function lookUp(env: Environment, variable: string): string | undefined {
  const value = env[variable]?.trim();
  return value === '' ? undefined : value;
}

function contentOf(path: string, readFile: ReadFile): { value: string } | { failure: string } {
  if (/^(xox|xapp)/.test(path)) {
    return { failure: 'holds a token where the path of a file is expected' };
  }
  try {
    const value = readFile(path).trim();
    return value === '' ? { failure: `names an empty file: ${path}` } : { value };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    return { failure: `names a file that cannot be read: ${path}${code}` };
  }
}

function twice(name: SettingName): ConfigProblem {
  return {
    variable: name,
    message: `and ${name}_FILE are both set: keep one of them`,
    example: exampleOf(name),
  };
}

function unreadableFile(name: SettingName, message: string): ConfigProblem {
  const variable = `${name}_FILE`;
  return { variable, message, example: `${variable}=/run/secrets/${name.toLowerCase()}` };
}

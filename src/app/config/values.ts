import { readFileSync } from 'node:fs';
import { type ConfigProblem, failureCode } from './problems.ts';
import {
  exampleOf,
  type SettingName,
  type Settings,
  secretNames,
  settingNames,
  settings,
} from './settings.ts';

export interface Given {
  /** As trimmed text; blank counts as not set. */
  readonly values: Partial<Record<SettingName, string>>;
  /** Those that are well formed, with their defaults. */
  readonly checked: Partial<Settings>;
  readonly unreadable: ReadonlyMap<SettingName, ConfigProblem>;
  readonly invalid: readonly ConfigProblem[];
}

export type Environment = Readonly<Record<string, string | undefined>>;
export type ReadFile = (path: string) => string;

export const readTextFile: ReadFile = (path) => readFileSync(path, 'utf8');

/** The value of a variable, or of the file that NAME_FILE names; null if neither is set. */
export type SecretOf = (variable: string) => string | ConfigProblem | null;

export function readSettings(
  env: Environment,
  secretOf: SecretOf,
  names: readonly SettingName[] = settingNames,
): Given {
  const values: Partial<Record<SettingName, string>> = {};
  const checked: Partial<Record<SettingName, unknown>> = {};
  const unreadable = new Map<SettingName, ConfigProblem>();
  const invalid: ConfigProblem[] = [];
  for (const name of names) {
    const value = secretNames.includes(name) ? secretOf(name) : lookUp(env, name);
    if (value !== null && typeof value !== 'string') {
      unreadable.set(name, value);
      continue;
    }
    if (value !== null) values[name] = value;
    const { data, error } = settings.shape[name].safeParse(value ?? undefined);
    const message = error?.issues[0]?.message;
    if (message === undefined) checked[name] = data;
    else invalid.push({ variable: name, message, example: exampleOf(name) });
  }
  return { values, checked: checked as Partial<Settings>, unreadable, invalid };
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
    if (typeof content === 'string') return content;
    const example = `${file}=/run/secrets/${variable.toLowerCase()}`;
    return { variable: file, message: content.problem, example };
  };
}

function contentOf(path: string, readFile: ReadFile): string | { readonly problem: string } {
  if (/^(xox|xapp)/.test(path)) return { problem: 'holds a token where the path of a file is expected' };
  try {
    return readFile(path).trim() || { problem: `names an empty file: ${path}` };
  } catch (error) {
    return { problem: `names a file that cannot be read: ${path}${failureCode(error)}` };
  }
}

import { readFileSync } from 'node:fs';
import type { Environment } from '../config/values.ts';
import { type Config, parseConfig } from '../config.ts';

/** Throws ConfigError with all that is wrong. */
export function readConfig(env: Environment): Config {
  return parseConfig(env, (path) => readFileSync(path, 'utf8'));
}

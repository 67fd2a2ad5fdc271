import { readFileSync } from 'node:fs';
import { type Config, parseConfig } from '../app/config/config.ts';
import { parseStoreConfig, type StoreConfig } from '../app/config/store.ts';
import type { Environment } from '../app/config/values.ts';

const readFile = (path: string) => readFileSync(path, 'utf8');

/** Throws ConfigError with all that is wrong. */
export function readConfig(env: Environment): Config {
  return parseConfig(env, readFile);
}

/** The same of the store's settings alone. */
export function readStoreConfig(env: Environment): StoreConfig {
  return parseStoreConfig(env, readFile);
}

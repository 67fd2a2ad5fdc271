import { readFileSync } from 'node:fs';
import { parseStoreConfig, type StoreConfig } from '../config/store.ts';
import type { Environment } from '../config/values.ts';
import { type Config, parseConfig } from '../config.ts';

const readFile = (path: string) => readFileSync(path, 'utf8');

/** Throws ConfigError with all that is wrong. */
export function readConfig(env: Environment): Config {
  return parseConfig(env, readFile);
}

/** The same of the store's settings alone. */
export function readStoreConfig(env: Environment): StoreConfig {
  return parseStoreConfig(env, readFile);
}

import { ConfigError } from './problems.ts';
import { exampleOf, settings } from './settings.ts';
import { type Environment, type ReadFile, readValues } from './values.ts';

/** Where the store is. */
export type StoreConfig =
  | { readonly kind: 'embedded'; readonly dataDir: string }
  | { readonly kind: 'postgres'; readonly databaseUrl: string };

const storeSettings = settings.pick({ DATABASE_URL: true, DATA_DIR: true });

/** Of all settings only those of the store, for commands that need no others. Throws ConfigError. */
export function parseStoreConfig(env: Environment, readFile: ReadFile): StoreConfig {
  const { values, unreadable } = readValues(env, readFile);
  const problem = unreadable.get('DATABASE_URL');
  if (problem !== undefined) throw new ConfigError([problem]);
  const parsed = storeSettings.safeParse(values);
  if (parsed.success) return storeOf(parsed.data);
  throw new ConfigError(
    parsed.error.issues.map(({ path: [variable], message }) => {
      const name = variable as keyof typeof storeSettings.shape;
      return { variable: name, message, example: exampleOf(name) };
    }),
  );
}

export function storeOf(values: {
  readonly DATABASE_URL?: string | undefined;
  readonly DATA_DIR: string;
}): StoreConfig {
  return values.DATABASE_URL === undefined
    ? { kind: 'embedded', dataDir: values.DATA_DIR }
    : { kind: 'postgres', databaseUrl: values.DATABASE_URL };
}

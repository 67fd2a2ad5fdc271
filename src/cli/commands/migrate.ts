import { parseArgs } from 'node:util';
import { parseStoreConfig } from '../../app/config/config.ts';
import { migrateStore } from '../../store/open.ts';
import type { Host } from '../command.ts';

export async function migrate(args: string[], { env }: Host): Promise<number> {
  parseArgs({ args });
  const migrated = await migrateStore(parseStoreConfig(env));
  console.log(
    migrated.length === 0
      ? 'The schema is up to date: there was nothing to do.'
      : ['The schema was brought up to date:', ...migrated.map((name) => `  ${name}`)].join('\n'),
  );
  return 0;
}

import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseStoreConfig } from '../../app/config/config.ts';
import { backUp } from '../../store/backup.ts';
import { StoreError } from '../../store/engines/connection-turns.ts';
import { type Host, UsageError } from '../command.ts';

const MIB = 1024 ** 2;

export async function backup(args: string[], { env }: Host): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { keep: { type: 'string', default: '7' } },
  });
  if (positionals.length > 1) throw new UsageError('Name one directory.');
  if (positionals[0]?.trim() === '') throw new UsageError('The name of the directory is empty.');
  if (!/^[1-9]\d{0,3}$/.test(values.keep)) throw new UsageError('--keep must be a number from 1 to 9999.');
  const store = parseStoreConfig(env);
  if (store.kind === 'postgres') {
    throw new StoreError(
      'The store is in Postgres (DATABASE_URL), which has a tool for that: pg_dump -Fc <database> -f docs-agent.dump, with ' +
        'the password in PGPASSWORD or PGPASSFILE.',
    );
  }
  const directory = positionals[0] ?? join(store.dataDir, 'backups');
  const keep = Number(values.keep);
  const { path, sizeBytes, deleted } = await backUp(store.dataDir, { directory, keep, nowMs: Date.now() });
  console.log(`Backed up and checked: ${path} (${(sizeBytes / MIB).toFixed(1)} MiB)`);
  for (const old of deleted) console.log(`Deleted: ${old}`);
  return 0;
}

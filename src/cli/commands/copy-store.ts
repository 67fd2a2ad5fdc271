import { parseArgs } from 'node:util';
import { parseStoreConfig } from '../../app/config/config.ts';
import { copyStore as copy } from '../../store/copy/copy.ts';
import { placeOf, type StoreLocation } from '../../store/open.ts';
import { type Host, UsageError } from '../command.ts';

/** `docs-agent copy-store`: moves everything from the embedded store to Postgres, or back. */
export async function copyStore(args: string[], { env }: Host): Promise<number> {
  const { values } = parseArgs({ args, options: { to: { type: 'string' } } });
  const to = targetOf(values.to?.trim());
  const from = parseStoreConfig(env);
  await copy(from, to, {
    nowMs: Date.now(),
    onCopied: (table, rows) => console.log(`  ${table}: ${rows}`),
  });
  const setting =
    'dataDir' in to ? 'DATA_DIR to this directory, and remove DATABASE_URL' : 'DATABASE_URL to this database';
  console.log(
    `Copied and checked: ${placeOf(from)} → ${placeOf(to)}. Now set ${setting}, and start docs-agent.`,
  );
  return 0;
}

function targetOf(to: string | undefined): StoreLocation {
  if (to === undefined || to === '') {
    throw new UsageError('Name the target: --to postgres://user@host:5432/database, or --to a directory.');
  }
  return /^postgres(ql)?:/.test(to) ? { databaseUrl: to } : { dataDir: to };
}

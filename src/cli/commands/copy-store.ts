import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parseStoreConfig } from '../../app/config/config.ts';
import { copyStore as copy } from '../../store/copy/copy.ts';
import { codeOf } from '../../store/engines/connection-turns.ts';
import { passwordsIn } from '../../store/engines/postgres-errors.ts';
import { placeOf, type StoreLocation } from '../../store/open.ts';
import { type Host, UsageError } from '../command.ts';

export async function copyStore(args: string[], { env }: Host): Promise<number> {
  const { values } = parseArgs({ args, options: { to: { type: 'string' }, 'to-file': { type: 'string' } } });
  const to = targetOf(values.to?.trim(), values['to-file']);
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

function targetOf(to = '', file: string | undefined): StoreLocation {
  if (file !== undefined && to === '') return locationOf(contentOf(file));
  if (file !== undefined || to === '') {
    throw new UsageError(
      'Name the target: --to postgres://user@host:5432/database, --to a directory, or --to-file a file with the address.',
    );
  }
  const target = locationOf(to);
  if ('databaseUrl' in target && passwordsIn(target.databaseUrl).length > 0) {
    throw new UsageError(
      'The address in --to has a password, which everybody on this machine can read in the list of processes. Leave it out ' +
        'and set PGPASSWORD, or put the address into a file that only you can read, and name that: --to-file <path>.',
    );
  }
  return target;
}

function locationOf(text: string): StoreLocation {
  return /^postgres(ql)?:/.test(text) ? { databaseUrl: text } : { dataDir: text };
}

function contentOf(path: string): string {
  try {
    const content = readFileSync(path, 'utf8').trim();
    if (content !== '') return content;
  } catch (error) {
    throw new UsageError(
      `The file of --to-file cannot be read (${codeOf(error) ?? 'unknown error'}): ${path}`,
    );
  }
  throw new UsageError(`The file of --to-file is empty: ${path}`);
}

import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { nodeSqliteDialect } from '../../src/store/engines/sqlite.ts';
import { openStore } from '../../src/store/open.ts';

// A process of its own: writes numbers, many at a time, and prints each once the store says that it has it. Its first
// argument is the directory. With `unflushed`, it is the same without the flush: what a power cut takes from it shows
// that the test would notice.
const [, , dataDir = '', how] = process.argv;
const AT_ONCE = 32;

async function flushedWriter() {
  const store = await openStore({ dataDir });
  return (number: number) => store.transaction((tx) => tx.inboundRequests.remember([`${number}`], number));
}

async function unflushedWriter() {
  const file = new DatabaseSync(`${dataDir}/docs-agent.db`);
  file.exec('pragma journal_mode = wal; pragma synchronous = normal');
  file.exec('create table inbound_request (key text primary key, at integer)');
  const translate = (error: unknown) => (error instanceof Error ? error : new Error(String(error)));
  const db = new Kysely<{ inbound_request: { key: string; at: number } }>({
    dialect: nodeSqliteDialect(file, { translate }),
  });
  return (number: number) =>
    db.transaction().execute((tx) =>
      tx
        .insertInto('inbound_request')
        .values({ key: `${number}`, at: number })
        .execute(),
    );
}

const write = how === 'unflushed' ? await unflushedWriter() : await flushedWriter();
let last = 0;
async function writeOn(): Promise<void> {
  for (;;) {
    last += 1;
    const number = last;
    await write(number);
    process.stdout.write(`${number}\n`);
  }
}
await Promise.all(Array.from({ length: AT_ONCE }, writeOn));

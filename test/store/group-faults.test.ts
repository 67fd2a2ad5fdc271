import { DatabaseSync } from 'node:sqlite';
import { Kysely, sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { nodeSqliteDialect } from '../../src/store/engines/sqlite.ts';

interface Things {
  thing: { id: number; of: number | null };
}
type Queries = Kysely<Things>;

async function openThings(): Promise<Queries> {
  const file = new DatabaseSync(':memory:', { enableForeignKeyConstraints: true });
  file.exec(
    'create table thing (id integer primary key, "of" integer references thing deferrable initially deferred)',
  );
  const translate = (error: unknown) => (error instanceof Error ? error : new Error(String(error)));
  const db: Queries = new Kysely({
    dialect: nodeSqliteDialect(file, { translate }),
  });
  onTestFinished(() => db.destroy());
  return db;
}

const add = (db: Queries, id: number, of: number | null = null) =>
  db.insertInto('thing').values({ id, of }).execute();

const ids = async (db: Queries) =>
  (await db.selectFrom('thing').select('id').orderBy('id').execute()).map(({ id }) => id);

/** The second of three transactions that arrive together does this after its own write; the results of the three. */
async function outcomes(db: Queries, second: (tx: Queries) => Promise<unknown>): Promise<string[]> {
  const ends = await Promise.allSettled([
    db.transaction().execute((tx) => add(tx, 1)),
    db.transaction().execute(async (tx) => {
      await add(tx, 2);
      await second(tx);
    }),
    db.transaction().execute((tx) => add(tx, 3)),
  ]);
  return ends.map(({ status }) => status);
}

/** Whatever came before, the store is as usable as ever. */
async function expectToGoOn(db: Queries): Promise<void> {
  await db.transaction().execute((tx) => add(tx, 4));
  await db.transaction().execute((tx) => add(tx, 5));
  expect(await ids(db)).toEqual(expect.arrayContaining([4, 5]));
}

test('if SQLite undoes a whole group for an error of one, those before it have failed, too', async () => {
  const db = await openThings();
  const undo = (tx: Queries) => sql`insert or rollback into thing (id) values (1)`.execute(tx);
  expect(await outcomes(db, undo)).toEqual(['rejected', 'rejected', 'fulfilled']);
  expect(await ids(db)).toEqual([3]);
  await expectToGoOn(db);
});

test('if a group cannot be committed, all of it has failed', async () => {
  const db = await openThings();
  expect(await outcomes(db, (tx) => add(tx, 9, 1_000))).toEqual(['rejected', 'rejected', 'rejected']);
  expect(await ids(db)).toEqual([]);
  await expectToGoOn(db);
});

test('if one cannot be undone alone, nothing of it is committed with the others', async () => {
  const db = await openThings();
  const fail = async (tx: Queries) => {
    await sql`release member`.execute(tx);
    throw new Error('after a write');
  };
  expect(await outcomes(db, fail)).toEqual(['rejected', 'rejected', 'fulfilled']);
  expect(await ids(db)).toEqual([3]);
  await expectToGoOn(db);
});

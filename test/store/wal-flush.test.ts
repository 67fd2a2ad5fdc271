import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Kysely } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { nodeSqliteDialect } from '../../src/store/engines/sqlite.ts';

interface Things {
  thing: { id: number };
}

/** A database whose flushes end when the test says so; after one that failed, all fail. */
function openThings() {
  const file = new DatabaseSync(':memory:');
  file.exec('create table thing (id integer primary key)');
  const flushes: PromiseWithResolvers<void>[] = [];
  let failed: Promise<void> | null = null;
  const flush = async () => {
    if (failed !== null) return failed;
    const begun = Promise.withResolvers<void>();
    flushes.push(begun);
    begun.promise.catch(() => {
      failed = begun.promise;
    });
    return begun.promise;
  };
  const translate = (error: unknown) => (error instanceof Error ? error : new Error(String(error)));
  const db = new Kysely<Things>({ dialect: nodeSqliteDialect(file, { translate, verify: () => {}, flush }) });
  onTestFinished(async () => {
    for (const { resolve } of flushes) resolve();
    await db.destroy();
  });
  const ended: string[] = [];
  /** Notes how it ended, once it has. */
  const note = (name: string, work: Promise<unknown>) => {
    void work.then(
      () => ended.push(name),
      (error: Error) => ended.push(`${name}: ${error.message}`),
    );
  };
  const add = (id: number) =>
    db.transaction().execute((tx) => tx.insertInto('thing').values({ id }).execute());
  const read = (then: (ids: number[]) => void = () => {}) =>
    db.transaction().execute(async (tx) => {
      then((await tx.selectFrom('thing').select('id').execute()).map(({ id }) => id));
    });
  /** Writes one after the other, and waits for none to end. */
  const write = async (...ids: number[]) => {
    for (const id of ids) {
      note(String(id), add(id));
      await settled();
    }
  };
  const flushed = async (at: number) => {
    flushes[at]?.resolve();
    await settled();
  };
  const breaks = async (at: number) => {
    flushes[at]?.reject(new Error('the disk is broken'));
    await settled();
  };
  return { db, flushes, ended, note, add, read, write, flushed, breaks };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await nextTurn();
}

describe('a flush to the disk', () => {
  test('ends what was committed before it, and only that', async () => {
    const { flushes, ended, write, flushed } = openThings();
    await write(1);
    expect(ended).toEqual([]);
    await write(2);
    await flushed(0);
    expect(ended).toEqual(['1']);
    expect(flushes).toHaveLength(2);
    await flushed(1);
    expect(ended).toEqual(['1', '2']);
  });

  test('that fails fails the next one, too', async () => {
    const { flushes, ended, write, breaks } = openThings();
    await write(1, 2);
    flushes[1]?.resolve();
    await breaks(0);
    expect(ended).toEqual(['1: the disk is broken', '2: the disk is broken']);
  });

  const fail = (ids: number[]) => {
    throw new Error(`there is ${ids}`);
  };

  test('is awaited by whoever has read what is not on the disk yet, even if they fail', async () => {
    const { db, flushes, ended, note, read, write, flushed } = openThings();
    await write(1);
    note('read', read());
    note('statement', db.selectFrom('thing').selectAll().execute());
    note('failure', read(fail));
    await settled();
    expect(ended).toEqual([]);
    await flushed(0);
    expect(ended).toHaveLength(4);
    expect(ended).toContain('failure: there is 1');
    expect(flushes).toHaveLength(1);
  });

  test('is awaited, too, by a failure that has read what its group has not committed yet', async () => {
    const { flushes, ended, note, add, read, flushed } = openThings();
    note('write', add(1));
    note('failure', read(fail));
    note('later', add(2));
    await settled();
    expect(ended).toEqual([]);
    for (let at = 0; at < flushes.length; at += 1) await flushed(at);
    expect(ended.toSorted()).toEqual(['failure: there is 1', 'later', 'write']);
  });
});

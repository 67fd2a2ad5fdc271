import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Database } from '../../src/store/engines/database.ts';
import { openDatabase } from '../../src/store/open.ts';
import { prepared } from '../../src/store/queries/prepared.ts';
import type { Queries } from '../../src/store/schema/tables.ts';
import { describeOnDatabases, type EmptyPlace, emptyPlaces } from '../support/databases.ts';

describeOnDatabases('a prepared query', preparedSuite);

test('a query that is prepared for one database is prepared again for another', async () => {
  const places = await Promise.all([...emptyPlaces, ...emptyPlaces].map((make) => make()));
  let built = 0;
  const remember = prepared((db, { key }: { key: string }) => {
    built += 1;
    return db.insertInto('inboundRequest').values({ key, at: 1 });
  });
  for (const { location, remove } of places) {
    const { database } = await openDatabase(location);
    for (const key of ['a', 'b']) await remember(database.queries, { key });
    await database.close();
    await remove();
  }
  expect(built).toBe(places.length);
});

function preparedSuite(make: () => Promise<EmptyPlace>): void {
  let place: EmptyPlace;
  let database: Database;
  let db: Queries;
  beforeEach(async () => {
    place = await make();
    ({ database } = await openDatabase(place.location));
    db = database.queries;
  });
  afterEach(async () => {
    await database.close();
    await place.remove();
  });

  const setRequest = prepared((on, { key, at }: { key: string; at: number }) =>
    on
      .insertInto('inboundRequest')
      .values({ key, at })
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ at })),
  );
  const requests = () => db.selectFrom('inboundRequest').selectAll().orderBy('key').execute();
  const remember = async (...keys: string[]) => {
    for (const [index, key] of keys.entries()) await setRequest(db, { key, at: index + 1 });
  };

  test('gives every caller the rows of its own values', async () => {
    await remember('a', 'b');
    const request = prepared((on, { key }: { key: string }) =>
      on.selectFrom('inboundRequest').select('at').where('key', '=', key),
    );
    const asked = await Promise.all(['b', 'a', 'c'].map((key) => request(db, { key })));
    expect(asked).toEqual([[{ at: 2 }], [{ at: 1 }], []]);
  });

  test('uses a value as often as the query has it', async () => {
    await remember('a', 'b');
    await setRequest(db, { key: 'a', at: 7 });
    expect(await requests()).toEqual([
      { key: 'a', at: 7 },
      { key: 'b', at: 2 },
    ]);
  });

  test('keeps the rest of it, and takes values wherever a value is allowed', async () => {
    await remember('a', 'b', 'c', 'd');
    const query = prepared(
      (
        on,
        {
          first,
          skipped,
          most,
          least,
        }: Record<'first' | 'skipped', string> & Record<'most' | 'least', number>,
      ) =>
        on
          .selectFrom('inboundRequest')
          .select('key')
          .where('key', '!=', skipped)
          .where('key', 'not in', ['x', 'b'])
          .where(sql<boolean>`at >= ${least}`)
          .orderBy((eb) => eb.case().when('key', '=', first).then(0).else(1).end())
          .orderBy('key')
          .limit(most),
    );
    const ask = (first: string, skipped: string, most: number, least: number) =>
      query(db, { first, skipped, most, least });
    expect(await ask('d', '', 9, 0)).toEqual([{ key: 'd' }, { key: 'a' }, { key: 'c' }]);
    expect(await ask('c', 'd', 9, 0)).toEqual([{ key: 'c' }, { key: 'a' }]);
    expect(await ask('', '', 1, 2)).toEqual([{ key: 'c' }]);
  });

  test('takes null for a value', async () => {
    const cell = { teamId: 'T', channelId: 'C', projectId: 'P', requesterId: 'U', requestedAt: 1 };
    const job = {
      ...cell,
      id: '1',
      stage: 'awaiting_confirmation',
      hasPullRequest: 0,
      data: '{}',
      cardDrawnAt: 5,
    } as const;
    await db.insertInto('job').values(job).execute();
    const drawn = prepared((on, { at }: { at: number | null }) =>
      on.updateTable('job').set({ cardDrawnAt: at }),
    );
    await drawn(db, { at: null });
    expect(await db.selectFrom('job').select('cardDrawnAt').execute()).toEqual([{ cardDrawnAt: null }]);
  });

  test('is part of the transaction in which it is asked', async () => {
    await remember('a');
    const undone = db.transaction().execute(async (transaction) => {
      await setRequest(transaction, { key: 'b', at: 1 });
      throw new Error('undo');
    });
    await expect(undone).rejects.toThrow('undo');
    expect((await requests()).map(({ key }) => key)).toEqual(['a']);
  });

  test('fails and changes nothing if a value is missing', async () => {
    const incomplete = { key: 'a', at: undefined } as unknown as { key: string; at: number };
    await expect(setRequest(db, incomplete)).rejects.toThrow('no value for at');
    expect(await requests()).toEqual([]);
  });

  test('about a list finds what belongs to each item, and is compiled for few lengths', async () => {
    const lengths: number[] = [];
    const known = prepared((on, { least }: { least: number }, keys: readonly { key: string }[]) => {
      lengths.push(keys.length);
      const names = keys.map(({ key }) => key);
      return on
        .selectFrom('inboundRequest')
        .select('key')
        .where('key', 'in', names)
        .where('at', '>=', least)
        .orderBy('key');
    });
    await remember('a', 'b', 'c', 'd', 'e');
    const ask = async (keys: string, least = 0) => {
      const rows = await known(
        db,
        { least },
        [...keys].map((key) => ({ key })),
      );
      return rows.map(({ key }) => key).join('');
    };
    expect(await ask('dabc')).toBe('abcd');
    expect(await ask('eab')).toBe('abe');
    expect(await ask('xed', 5)).toBe('e');
    expect(await ask('c')).toBe('c');
    expect(await ask('')).toBe('');
    expect(lengths).toEqual([4, 1, 0]);
  });
}

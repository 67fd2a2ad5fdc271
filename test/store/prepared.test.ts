import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Database } from '../../src/store/engines/database.ts';
import { openDatabase } from '../../src/store/open.ts';
import { prepared } from '../../src/store/queries/prepared.ts';
import type { Queries } from '../../src/store/schema/tables.ts';
import { describeOnDatabases, type EmptyPlace } from '../support/databases.ts';

describeOnDatabases('a prepared query', preparedSuite);

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

  test('fails and changes nothing if a value is missing', async () => {
    const incomplete = { key: 'a', at: undefined } as unknown as { key: string; at: number };
    await expect(setRequest(db, incomplete)).rejects.toThrow('no value for at');
    expect(await db.selectFrom('inboundRequest').selectAll().execute()).toEqual([]);
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
    for (const [index, key] of [...'abcde'].entries()) await setRequest(db, { key, at: index + 1 });
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

import { afterEach, beforeEach } from 'vitest';
import { forget } from '../../../src/store/forget.ts';
import { openDatabase, openStore } from '../../../src/store/open.ts';
import type { Queries } from '../../../src/store/schema/tables.ts';
import type { Transaction } from '../../../src/store/store.ts';
import { NOW_MS } from '../../contract/store/samples.ts';
import type { EmptyPlace } from '../../support/databases.ts';

/** An empty store for each test, closed between all that is done with it, as `forget` wants it. */
export function forgetfulStore(make: () => Promise<EmptyPlace>) {
  const places: EmptyPlace[] = [];
  beforeEach(async () => void places.push(await make()));
  afterEach(() => places.pop()?.remove());
  const location = () => {
    const place = places.at(-1);
    if (place === undefined) throw new Error('no test runs');
    return place.location;
  };
  return {
    async run<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
      const store = await openStore(location());
      try {
        return await store.transaction(work);
      } finally {
        await store.close();
      }
    },
    /** Its tables as they are. */
    async raw<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
      const { database } = await openDatabase(location());
      try {
        return await work(database.queries);
      } finally {
        await database.close();
      }
    },
    erase: (kind: 'user' | 'channel', id: string, teamId: string | null = null) =>
      forget(location(), { kind, id, teamId }, { dry: false, nowMs: NOW_MS }),
  };
}

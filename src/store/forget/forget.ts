import { sql } from 'kysely';
import { openDatabase, type StoreLocation } from '../open.ts';
import { erase } from './erase.ts';
import { type OpenWork, openWork } from './open-work.ts';
import type { Holdings } from './personal-columns.ts';
import type { Subject } from './subject.ts';

export interface Forgotten {
  readonly holdings: Holdings;
  /** Nothing was erased because of these. */
  readonly openWork: readonly OpenWork[];
}

/**
 * Erases what the store holds of a person or a channel, or, `dry`, says what that would be. All of it or nothing:
 * while something of theirs is under way, nothing is. On Postgres the service may run meanwhile; an embedded store
 * must not be open elsewhere. Throws StoreError as `openStore` does.
 */
export async function forget(
  location: StoreLocation,
  subject: Subject,
  { dry, nowMs }: { readonly dry: boolean; readonly nowMs: number },
): Promise<Forgotten> {
  const { database } = await openDatabase(location);
  try {
    const transaction = await database.queries.startTransaction().execute();
    let forgotten: Forgotten;
    try {
      const open = await openWork(transaction, subject);
      // Also what will be undone: so the counts are those of what would be done.
      forgotten = { openWork: open, holdings: await erase(transaction, subject, nowMs) };
    } catch (error) {
      await transaction.rollback().execute();
      throw error;
    }
    if (dry || forgotten.openWork.length > 0) {
      await transaction.rollback().execute();
      return forgotten;
    }
    await transaction.commit().execute();
    // What was deleted stands in the file until that is written anew. Postgres sees to it by itself.
    if (!database.isRemote) await sql`vacuum`.execute(database.queries);
    return forgotten;
  } finally {
    await database.close();
  }
}

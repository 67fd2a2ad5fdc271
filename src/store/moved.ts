import { StoreError } from './errors.ts';
import type { Queries } from './schema/tables.ts';

/** Where a store was copied to, or null. */
export async function movedTo(
  queries: Queries,
): Promise<{ readonly place: string; readonly at: number } | null> {
  return (await queries.selectFrom('moved').selectAll().executeTakeFirst()) ?? null;
}

/** Two programs on the same jobs would do everything twice. */
export async function refuseMoved(queries: Queries, place: string): Promise<void> {
  const moved = await movedTo(queries);
  if (moved === null) return;
  const when = new Date(moved.at).toISOString();
  throw new StoreError(
    `The store in ${place} was copied to ${moved.place} (begun ${when}). Start docs-agent on that one. If the copy was ` +
      'interrupted, run `docs-agent copy-store` again. If the copy is not to be used, delete it first, and then the row ' +
      'of the table "moved" in this store: on both, docs-agent would do everything twice.',
  );
}

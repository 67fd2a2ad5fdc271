import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Page, Place } from '../store/queries/reports/reports.ts';

/** All rows, one after the other. Between two pages, the program does other work. */
export async function* rowsOf<Row, At, Id>(
  pageAfter: (after: Place<At, Id> | null) => Promise<Page<Row, At, Id>>,
): AsyncGenerator<Row> {
  let after: Place<At, Id> | null = null;
  do {
    const { rows, next }: Page<Row, At, Id> = await pageAfter(after);
    yield* rows;
    after = next;
    await nextTurn();
  } while (after !== null);
}

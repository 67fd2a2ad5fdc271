import { type SqlBool, sql } from 'kysely';
import {
  dueStates,
  type FollowUp,
  type Receipt,
  receiptOf,
  unsentStates,
} from '../../jobs/follow-ups/follow-up.ts';
import { type FollowUpTable, fromJson, type Queries, toJson } from '../schema/tables.ts';
import { Table } from './table.ts';

export type StaleReceipt = Readonly<{
  followUpId: string;
  messageTs: string;
  /** Reactions that were added, or may have been. */
  placed: readonly Receipt[];
  /** Null: none. */
  desired: Receipt | null;
}>;

/** The rest follows once these are up to date. */
export const MAX_STALE_RECEIPTS = 100;

const desiredReceipt = sql<Receipt | null>`case state ${sql.join(
  Object.entries(receiptOf).map(([state, receipt]) => sql`when ${sql.lit(state)} then ${sql.lit(receipt)}`),
  sql` `,
)} end`;

export const isUnsent = sql<SqlBool>`follow_up.state in (${sql.join(unsentStates.map((state) => sql.lit(state)))})`;

/** Keeps transactions short: further unsent replies wait for their turn. */
const MAX_LOCKED_FOLLOW_UPS = 500;

/** Up to 500 of the job that are unsent, those that go out by themselves first, and the one at `messageTs` in any state. */
export async function unsentOrAt(db: Queries, jobId: string, messageTs: string): Promise<FollowUp[]> {
  const found = db
    .selectFrom('followUp')
    .select(followUpColumns)
    .where('jobId', '=', jobId)
    .where((eb) => eb.or([isUnsent, eb('messageTs', '=', messageTs)]));
  // Hardly any job has more than may be locked: then nothing needs selecting or sorting.
  let rows = await found.limit(MAX_LOCKED_FOLLOW_UPS + 1).execute();
  if (rows.length > MAX_LOCKED_FOLLOW_UPS) {
    rows = await found
      // Replies that go out by themselves first: others may pile up until somebody retries them.
      .orderBy((eb) =>
        eb
          .case()
          .when('messageTs', '=', messageTs)
          .then(0)
          .when('state', 'in', dueStates)
          .then(1)
          .else(2)
          .end(),
      )
      .orderBy('messageTs')
      .limit(MAX_LOCKED_FOLLOW_UPS)
      .execute();
  }
  return rows.map(followUpFrom).sort((a, b) => (a.messageTs < b.messageTs ? -1 : 1));
}

export class FollowUps extends Table {
  /** The 100 oldest follow-ups that may not show exactly the reaction of their state. */
  async withStaleReceipts(jobId: string): Promise<StaleReceipt[]> {
    const rows = await this.db
      .selectFrom('followUp')
      .select([
        'id as followUpId',
        'messageTs',
        'receiptShown',
        'receiptsTried',
        desiredReceipt.as('desired'),
      ])
      .where('jobId', '=', jobId)
      .where('state', '!=', 'withdrawn')
      .where(sql<SqlBool>`(receipts_tried != '' or receipt_shown is distinct from ${desiredReceipt})`)
      .orderBy('messageTs')
      .limit(MAX_STALE_RECEIPTS)
      .execute();
    return rows.map(({ receiptShown: shown, receiptsTried, ...row }) => {
      const tried = receiptsTried === '' ? [] : (receiptsTried.split(',') as Receipt[]);
      return { ...row, placed: [...new Set(shown === null ? tried : [shown, ...tried])] };
    });
  }

  /** Records which reactions may be on the follow-up from now on; it is stale until one is confirmed. */
  async receiptsTried(followUpId: string, receipts: readonly Receipt[]): Promise<void> {
    await this.change(followUpId)
      .set({ receiptsTried: receipts.join(',') })
      .execute();
  }

  /** Records that the follow-up has this reaction (null: none) and no other. */
  async receiptShown(followUpId: string, receipt: Receipt | null): Promise<void> {
    await this.change(followUpId).set({ receiptShown: receipt, receiptsTried: '' }).execute();
  }

  /** Inserts or updates it; a reply that is already stored under another id stays as it is. */
  async put(followUp: FollowUp): Promise<void> {
    const { id, jobId, messageTs, ...facts } = followUpRow(followUp);
    const { numUpdatedRows } = await this.change(id).set(facts).executeTakeFirst();
    if (numUpdatedRows > 0n) return;
    await this.db
      .insertInto('followUp')
      .values({ id, jobId, messageTs, ...facts, receiptsTried: '' })
      .onConflict((conflict) => conflict.columns(['jobId', 'messageTs']).doNothing())
      .execute();
  }

  private change(id: string) {
    return this.db.updateTable('followUp').where('id', '=', id);
  }
}

export function followUpRow(followUp: FollowUp) {
  const { id, jobId, messageTs, userId, text, editedTs, receivedAtMs, state, callId, ...more } = followUp;
  const columns = { id, jobId, messageTs, userId, text, editedTs, state, callId };
  return { ...columns, receivedAt: receivedAtMs, more: toJson(more) };
}

export const followUpColumns = [
  'id',
  'jobId',
  'messageTs',
  'userId',
  'text',
  'editedTs',
  'receivedAt',
  'state',
  'callId',
  'more',
] as const;

export function followUpFrom({
  receivedAt: receivedAtMs,
  more,
  ...columns
}: Pick<FollowUpTable, (typeof followUpColumns)[number]>): FollowUp {
  return { ...columns, receivedAtMs, ...fromJson(more) };
}

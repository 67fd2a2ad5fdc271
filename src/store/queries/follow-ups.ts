import { type SqlBool, sql } from 'kysely';
import {
  dueStates,
  type FollowUp,
  type Receipt,
  receiptOf,
  unsentStates,
} from '#jobs/follow-ups/follow-up.ts';
import { type FollowUpTable, fromJson, literals, type Queries, toJson } from '../schema/tables.ts';
import { prepared } from './prepared.ts';
import { Table } from './table.ts';

export const MAX_STALE_RECEIPTS = 100;

const desiredReceipt = sql<Receipt | null>`case state ${sql.join(
  Object.entries(receiptOf).map(([state, receipt]) => sql`when ${sql.lit(state)} then ${sql.lit(receipt)}`),
  sql` `,
)} end`;

export const isUnsent = sql<SqlBool>`follow_up.state in (${literals(unsentStates)})`;

/** Keeps transactions short. */
const MAX_LOCKED_FOLLOW_UPS = 500;

const unsentOrAtRows = prepared((db, { jobId, messageTs }: { jobId: string; messageTs: string }) =>
  db
    .selectFrom('followUp')
    .selectAll()
    .where('jobId', '=', jobId)
    .where((eb) => eb.or([isUnsent, eb('messageTs', '=', messageTs)]))
    .orderBy(
      sql`case when message_ts = ${messageTs} then 0 when state in (${literals(dueStates)}) then 1 else 2 end`,
    )
    .orderBy('messageTs')
    .limit(MAX_LOCKED_FOLLOW_UPS),
);

/** Chosen in this order: the one at `messageTs` in any state, due ones, other unsent ones. Sorted by `messageTs`. */
export async function unsentOrAt(db: Queries, jobId: string, messageTs: string | null): Promise<FollowUp[]> {
  const rows = await unsentOrAtRows(db, { jobId, messageTs: messageTs ?? '' });
  return rows.map(followUpFrom).sort((a, b) => (a.messageTs < b.messageTs ? -1 : 1));
}

const staleReceipts = prepared((db, { jobId }: { jobId: string }) =>
  db
    .selectFrom('followUp')
    .select(['id as followUpId', 'messageTs', 'receiptShown', 'receiptsTried'])
    .select(desiredReceipt.as('desired'))
    .where('jobId', '=', jobId)
    .where('state', '!=', 'withdrawn')
    .where(sql<SqlBool>`(receipts_tried != '' or receipt_shown is distinct from ${desiredReceipt})`)
    .orderBy('messageTs')
    .limit(MAX_STALE_RECEIPTS),
);

export class FollowUps extends Table {
  async withStaleReceipts(jobId: string) {
    const rows = await staleReceipts(this.db, { jobId });
    return rows.map(({ receiptShown: shown, receiptsTried, ...row }) => {
      const tried = receiptsTried === '' ? [] : (receiptsTried.split(',') as Receipt[]);
      return { ...row, placed: [...new Set(shown === null ? tried : [shown, ...tried])] };
    });
  }

  async receiptsTried(followUpId: string, receipts: readonly Receipt[]): Promise<void> {
    await this.update('followUp', { id: followUpId }, { receiptsTried: receipts.join(',') });
  }

  async receiptShown(followUpId: string, receipt: Receipt | null): Promise<void> {
    await this.update('followUp', { id: followUpId }, { receiptShown: receipt, receiptsTried: '' });
  }

  /** Keeps a reply that is stored under another id. */
  async put(followUp: FollowUp): Promise<void> {
    const { id, jobId, messageTs, ...facts } = followUpRow(followUp);
    if (await this.update('followUp', { id }, facts)) return;
    const values = { id, ...facts, receiptsTried: '' };
    await this.upsert('followUp', { jobId, messageTs }, values, null);
  }
}

export function followUpRow(followUp: FollowUp) {
  const { id, jobId, messageTs, userId, text, editedTs, receivedAtMs, state, callId, ...more } = followUp;
  const columns = { id, jobId, messageTs, userId, text, editedTs, state, callId };
  return { ...columns, receivedAt: receivedAtMs, more: toJson(more) };
}

export function followUpFrom(row: FollowUpTable): FollowUp {
  const { receivedAt: receivedAtMs, more, receiptShown: _, receiptsTried: __, ...columns } = row;
  return { ...columns, receivedAtMs, ...fromJson(more) };
}

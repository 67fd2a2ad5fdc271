import { type SqlBool, sql } from 'kysely';
import type { FollowUp } from '../../jobs/follow-up.ts';
import { type FollowUpMore, followUpMoreFromJson, toJson } from '../schema/json.ts';
import type { FollowUpRow, Queries } from '../schema/tables.ts';
import type { FollowUps, Receipt, StaleReceipt } from '../store.ts';

/** The rest is found when these are up to date. */
const MAX_STALE_RECEIPTS = 100;

const wantedReceipt = sql<Receipt | null>`case
  when state in ('waiting', 'sending') then 'eyes'
  when state = 'sent' then 'done'
  when state = 'kept_out' then null
  else 'warning'
end`;

/** It may still be sent, or nobody knows whether it was. */
export const isUnsent = sql<SqlBool>`follow_up.state not in ('sent', 'withdrawn', 'kept_out')`;

export class SqlFollowUps implements FollowUps {
  private readonly db: Queries;

  constructor(db: Queries) {
    this.db = db;
  }

  async withStaleReceipts(jobId: string): Promise<StaleReceipt[]> {
    const rows = await this.db
      .selectFrom('follow_up')
      .select(['id', 'message_ts', 'receipt_shown', 'receipts_tried', wantedReceipt.as('wanted')])
      .where('job_id', '=', jobId)
      .where('state', '!=', 'withdrawn')
      .where(sql<SqlBool>`(receipts_tried != '' or receipt_shown is distinct from ${wantedReceipt})`)
      .orderBy('message_ts')
      .limit(MAX_STALE_RECEIPTS)
      .execute();
    return rows.map((row) => ({
      followUpId: row.id,
      messageTs: row.message_ts,
      placed: placedReceipts(row),
      wanted: row.wanted,
    }));
  }

  async receiptsTried(followUpId: string, receipts: readonly Receipt[]): Promise<void> {
    await this.db
      .updateTable('follow_up')
      .set({ receipts_tried: receipts.join(',') })
      .where('id', '=', followUpId)
      .execute();
  }

  async receiptShown(followUpId: string, receipt: Receipt | null): Promise<void> {
    await this.db
      .updateTable('follow_up')
      .set({ receipt_shown: receipt, receipts_tried: '' })
      .where('id', '=', followUpId)
      .execute();
  }

  /** Inserts or changes it; a reply that is stored already under another id stays as it is. */
  async put(followUp: FollowUp): Promise<void> {
    const facts = {
      user_id: followUp.userId,
      text: followUp.text,
      edited_ts: followUp.editedTs,
      received_at: followUp.receivedAtMs,
      state: followUp.state,
      call_id: followUp.callId,
      more: toJson(followUpMore(followUp)),
    };
    const changed = await this.db
      .updateTable('follow_up')
      .set(facts)
      .where('id', '=', followUp.id)
      .executeTakeFirst();
    if (changed.numUpdatedRows > 0n) return;
    await this.db
      .insertInto('follow_up')
      .values({
        id: followUp.id,
        job_id: followUp.jobId,
        message_ts: followUp.messageTs,
        receipts_tried: '',
        ...facts,
      })
      .onConflict((conflict) => conflict.columns(['job_id', 'message_ts']).doNothing())
      .execute();
  }
}

function placedReceipts(row: Pick<FollowUpRow, 'receipt_shown' | 'receipts_tried'>): Receipt[] {
  const tried = row.receipts_tried === '' ? [] : (row.receipts_tried.split(',') as Receipt[]);
  return [...new Set(row.receipt_shown === null ? tried : [row.receipt_shown, ...tried])];
}

export function followUpMore({ corrected, isCorrection, snippets, inlined }: FollowUp): FollowUpMore {
  return { corrected, isCorrection, snippets, inlined };
}

export function followUpFromRow(row: FollowUpRow): FollowUp {
  return {
    id: row.id,
    jobId: row.job_id,
    messageTs: row.message_ts,
    userId: row.user_id,
    text: row.text,
    editedTs: row.edited_ts,
    receivedAtMs: row.received_at,
    state: row.state,
    callId: row.call_id,
    ...followUpMoreFromJson(row.more),
  };
}

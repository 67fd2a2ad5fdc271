import { type SqlBool, sql } from 'kysely';
import { type FollowUp, type Receipt, receiptOf, unsentStates } from '../../jobs/follow-up.ts';
import { type FollowUpMore, followUpMoreFromJson, toJson } from '../schema/json.ts';
import type { FollowUpRow, Queries } from '../schema/tables.ts';
import { prepared, type Values } from './prepared.ts';

export interface StaleReceipt {
  readonly followUpId: string;
  readonly messageTs: string;
  /** Those that were put there, or may have been: an answer can get lost. */
  readonly placed: readonly Receipt[];
  /** Null: none. */
  readonly wanted: Receipt | null;
}

/** The rest is found when these are up to date. */
const MAX_STALE_RECEIPTS = 100;

const wantedReceipt = sql<Receipt | null>`case state ${sql.join(
  Object.entries(receiptOf).map(([state, receipt]) => sql`when ${sql.lit(state)} then ${sql.lit(receipt)}`),
  sql` `,
)} end`;

export const isUnsent = sql<SqlBool>`follow_up.state in (${sql.join(unsentStates.map((state) => sql.lit(state)))})`;

const staleReceipts = prepared((db, { jobId }: Values<{ jobId: string }>) =>
  db
    .selectFrom('follow_up')
    .select(['id', 'message_ts', 'receipt_shown', 'receipts_tried', wantedReceipt.as('wanted')])
    .where('job_id', '=', jobId)
    .where('state', '!=', 'withdrawn')
    .where(sql<SqlBool>`(receipts_tried != '' or receipt_shown is distinct from ${wantedReceipt})`)
    .orderBy('message_ts')
    .limit(MAX_STALE_RECEIPTS),
);

const setReceiptsTried = prepared(
  (db, { id, receipts_tried }: Values<Pick<FollowUpRow, 'id' | 'receipts_tried'>>) =>
    db.updateTable('follow_up').set({ receipts_tried }).where('id', '=', id),
);

const setReceiptShown = prepared(
  (db, { id, receipt_shown }: Values<Pick<FollowUpRow, 'id' | 'receipt_shown'>>) =>
    db.updateTable('follow_up').set({ receipt_shown, receipts_tried: '' }).where('id', '=', id),
);

type StoredFollowUp = Omit<FollowUpRow, 'receipt_shown' | 'receipts_tried'>;

const changeFollowUp = prepared((db, row: Values<StoredFollowUp>) =>
  db.updateTable('follow_up').set(factsOf(row)).where('id', '=', row.id),
);

const insertFollowUp = prepared((db, row: Values<StoredFollowUp>) =>
  db
    .insertInto('follow_up')
    .values({
      id: row.id,
      job_id: row.job_id,
      message_ts: row.message_ts,
      receipts_tried: '',
      ...factsOf(row),
    })
    .onConflict((conflict) => conflict.columns(['job_id', 'message_ts']).doNothing()),
);

function factsOf({ user_id, text, edited_ts, received_at, state, call_id, more }: Values<StoredFollowUp>) {
  return { user_id, text, edited_ts, received_at, state, call_id, more };
}

export class FollowUps {
  private readonly db: Queries;

  constructor(db: Queries) {
    this.db = db;
  }

  /** Follow-ups at which not just the reaction may stand that their state asks for, the 100 oldest first. */
  async withStaleReceipts(jobId: string): Promise<StaleReceipt[]> {
    const rows = await staleReceipts.rows(this.db, { jobId });
    return rows.map((row) => ({
      followUpId: row.id,
      messageTs: row.message_ts,
      placed: placedReceipts(row),
      wanted: row.wanted,
    }));
  }

  /** Records which reactions may stand at the follow-up from now on; it is stale until one is shown. */
  async receiptsTried(followUpId: string, receipts: readonly Receipt[]): Promise<void> {
    await setReceiptsTried.change(this.db, { id: followUpId, receipts_tried: receipts.join(',') });
  }

  /** Records that this reaction (null: none) stands at the follow-up, and no other. */
  async receiptShown(followUpId: string, receipt: Receipt | null): Promise<void> {
    await setReceiptShown.change(this.db, { id: followUpId, receipt_shown: receipt });
  }

  /** Inserts or changes it; a reply that is stored already under another id stays as it is. */
  async put(followUp: FollowUp): Promise<void> {
    const row = {
      id: followUp.id,
      job_id: followUp.jobId,
      message_ts: followUp.messageTs,
      user_id: followUp.userId,
      text: followUp.text,
      edited_ts: followUp.editedTs,
      received_at: followUp.receivedAtMs,
      state: followUp.state,
      call_id: followUp.callId,
      more: toJson(followUpMore(followUp)),
    };
    const changed = await changeFollowUp.change(this.db, row);
    if (changed === 0) await insertFollowUp.change(this.db, row);
  }
}

function placedReceipts(row: Pick<FollowUpRow, 'receipt_shown' | 'receipts_tried'>): Receipt[] {
  const tried = row.receipts_tried === '' ? [] : (row.receipts_tried.split(',') as Receipt[]);
  return [...new Set(row.receipt_shown === null ? tried : [row.receipt_shown, ...tried])];
}

export function followUpMore(followUp: FollowUp): FollowUpMore {
  const { corrected, isDeleted, isCorrection, snippets, inlined } = followUp;
  return { corrected, isDeleted, isCorrection, snippets, inlined };
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

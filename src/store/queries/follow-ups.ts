import { type SqlBool, sql } from 'kysely';
import {
  dueStates,
  type FollowUp,
  type Receipt,
  receiptOf,
  unsentStates,
} from '../../jobs/follow-ups/follow-up.ts';
import { type FollowUpMore, type FollowUpRow, fromJson, type Queries, toJson } from '../schema/tables.ts';
import { pick, prepared, type Values } from './prepared.ts';
import { Table } from './table.ts';

export interface StaleReceipt {
  readonly followUpId: string;
  readonly messageTs: string;
  /** Reactions that were added, or may have been. */
  readonly placed: readonly Receipt[];
  /** Null: none. */
  readonly desired: Receipt | null;
}

/** The rest follows once these are up to date. */
export const MAX_STALE_RECEIPTS = 100;

const desiredReceipt = sql<Receipt | null>`case state ${sql.join(
  Object.entries(receiptOf).map(([state, receipt]) => sql`when ${sql.lit(state)} then ${sql.lit(receipt)}`),
  sql` `,
)} end`;

export const isUnsent = sql<SqlBool>`follow_up.state in (${sql.join(unsentStates.map((state) => sql.lit(state)))})`;

const staleReceipts = prepared((db, { jobId }: Values<{ jobId: string }>) =>
  db
    .selectFrom('follow_up')
    .select(['id', 'message_ts', 'receipt_shown', 'receipts_tried', desiredReceipt.as('desired')])
    .where('job_id', '=', jobId)
    .where('state', '!=', 'withdrawn')
    .where(sql<SqlBool>`(receipts_tried != '' or receipt_shown is distinct from ${desiredReceipt})`)
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
      ...pick(row, 'id', 'job_id', 'message_ts'),
      ...factsOf(row),
      receipts_tried: '',
    })
    .onConflict((conflict) => conflict.columns(['job_id', 'message_ts']).doNothing()),
);

function factsOf(row: Values<StoredFollowUp>) {
  return pick(row, 'user_id', 'text', 'edited_ts', 'received_at', 'state', 'call_id', 'more');
}

/** Keeps transactions short: further unsent replies wait for their turn. */
const MAX_LOCKED_FOLLOW_UPS = 500;

const unsentOrOneAt = (db: Queries, { jobId, messageTs }: Values<{ jobId: string; messageTs: string }>) =>
  db
    .selectFrom('follow_up')
    .select(followUpColumns)
    .where('job_id', '=', jobId)
    .where((eb) => eb.or([isUnsent, eb('message_ts', '=', messageTs)]));

/** Hardly any job has more than may be locked: then nothing needs selecting or sorting. */
const followUpsToLock = prepared((db, of: Values<{ jobId: string; messageTs: string }>) =>
  unsentOrOneAt(db, of).limit(MAX_LOCKED_FOLLOW_UPS + 1),
);

const firstFollowUpsToLock = prepared((db, of: Values<{ jobId: string; messageTs: string }>) =>
  unsentOrOneAt(db, of)
    // Replies that go out by themselves first: others may pile up until somebody retries them.
    .orderBy((eb) =>
      eb
        .case()
        .when('message_ts', '=', of.messageTs)
        .then(0)
        .when('state', 'in', dueStates)
        .then(1)
        .else(2)
        .end(),
    )
    .orderBy('message_ts')
    .limit(MAX_LOCKED_FOLLOW_UPS),
);

/** Up to 500 of the job that are unsent, those that go out by themselves first, and the one at `messageTs` in any state. */
export async function unsentOrAt(db: Queries, jobId: string, messageTs: string): Promise<FollowUp[]> {
  const of = { jobId, messageTs };
  const found = await followUpsToLock.rows(db, of);
  const followUps = found.length > MAX_LOCKED_FOLLOW_UPS ? await firstFollowUpsToLock.rows(db, of) : found;
  return followUps.map(followUpFrom).sort((a, b) => (a.messageTs < b.messageTs ? -1 : 1));
}

export class FollowUps extends Table {
  /** The 100 oldest follow-ups that may not show exactly the reaction of their state. */
  async withStaleReceipts(jobId: string): Promise<StaleReceipt[]> {
    const rows = await staleReceipts.rows(this.db, { jobId });
    return rows.map((row) => ({
      followUpId: row.id,
      messageTs: row.message_ts,
      placed: placedReceipts(row),
      desired: row.desired,
    }));
  }

  /** Records which reactions may be on the follow-up from now on; it is stale until one is confirmed. */
  async receiptsTried(followUpId: string, receipts: readonly Receipt[]): Promise<void> {
    await setReceiptsTried.change(this.db, { id: followUpId, receipts_tried: receipts.join(',') });
  }

  /** Records that the follow-up has this reaction (null: none) and no other. */
  async receiptShown(followUpId: string, receipt: Receipt | null): Promise<void> {
    await setReceiptShown.change(this.db, { id: followUpId, receipt_shown: receipt });
  }

  /** Inserts or updates it; a reply that is already stored under another id stays as it is. */
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
  const { corrected, isDeleted, isCorrection, isCorrectionOffered, snippets, inlined } = followUp;
  return {
    ...{ corrected, isDeleted, isCorrection, snippets, inlined },
    ...(isCorrectionOffered && { isCorrectionOffered }),
  };
}

export const followUpColumns = [
  'id',
  'job_id as jobId',
  'message_ts as messageTs',
  'user_id as userId',
  'text',
  ...([
    'edited_ts as editedTs',
    'received_at as receivedAtMs',
    'state',
    'call_id as callId',
    'more',
  ] as const),
] as const;

export function followUpFrom({
  more,
  ...columns
}: Omit<FollowUp, keyof FollowUpMore> & Pick<FollowUpRow, 'more'>): FollowUp {
  return { ...columns, ...fromJson(more) };
}

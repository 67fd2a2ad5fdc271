import { createHash } from 'node:crypto';
import { type SqlBool, sql, type UpdateObject } from 'kysely';
import type { CallKind, CallOutcome, CallRequest, CallState, NewCall } from '../../../jobs/call.ts';
import type { Job } from '../../../jobs/job.ts';
import { CLOCKS_DIFFER_MS } from '../../../jobs/schedule/schedule.ts';
import { FORGOTTEN } from '../../forget/subject.ts';
import { fromJson, type Json, jobFrom, type Queries, type Tables, toJson } from '../../schema/tables.ts';
import { savedFrom, savedSettings } from '../jobs.ts';
import { Table } from '../table.ts';

export type LedgerCall = Readonly<{
  id: string;
  jobId: string;
  lane: string;
  request: CallRequest;
  state: CallState;
  createdAtMs: number;
  startedAtMs: number | null;
  /** Since when Slack has neither accepted it, nor let it be looked for, nor refused it for good. */
  heldSinceMs: number | null;
}>;

/** An index entry of Postgres holds at most 2,704 bytes, and a key may contain a link from outside. */
const MAX_PLAIN_KEY_LENGTH = 500;
/** Worded as in the partial index, which SQLite does not use for parameters. */
export const IS_IN_BUDGET = sql<SqlBool>`kind in ('create_job', 'send_message')`;

const CALL_COLUMNS = [
  'call.id',
  'call.jobId',
  'call.lane',
  'call.request',
  'call.state',
  'call.createdAt as createdAtMs',
  'call.startedAt as startedAtMs',
  'call.heldSince as heldSinceMs',
] as const;

/** The ledger of outward calls: pending → started → done | failed | unknown. A failed post may become pending again. */
export class Calls extends Table {
  /** The lane's oldest call without an outcome, with its job. */
  async next(lane: string) {
    const row = await this.db
      .selectFrom('call')
      .innerJoin('job', 'job.id', 'call.jobId')
      .select([...CALL_COLUMNS, 'job.data', 'job.number', savedSettings])
      .where('lane', '=', lane)
      .where('endedAt', 'is', null)
      .orderBy('seq')
      .limit(1)
      .executeTakeFirst();
    if (row === undefined) return null;
    const { data, number, saved, ...call } = row;
    return { call: callFrom(call), job: jobFrom({ data, number }), saved: savedFrom(saved) };
  }

  async get(callId: string): Promise<LedgerCall | null> {
    const row = await this.db
      .selectFrom('call')
      .select(CALL_COLUMNS)
      .where('id', '=', callId)
      .executeTakeFirst();
    return row === undefined ? null : callFrom(row);
  }

  /** The job that has or had a call with this natural key; null: none. */
  async jobOf(naturalKey: string): Promise<string | null> {
    const row = await this.db
      .selectFrom('call')
      .select('jobId')
      .where('naturalKey', '=', boundedKey(naturalKey))
      .executeTakeFirst();
    return row?.jobId ?? null;
  }

  /** The messages of a job that calls of this kind have posted, oldest first. */
  async posted<Kind extends CallKind>(jobId: string, kind: Kind): Promise<PostedCall<Kind>[]> {
    const rows = await this.db
      .selectFrom('call')
      .select(['id', 'lane', 'request', 'detail'])
      .where((eb) => eb.and({ jobId, kind: kind as CallKind, state: 'done' }))
      .orderBy('seq')
      .execute();
    return rows.flatMap(({ request, detail: ts, ...call }) => {
      const made = fromJson(request);
      return isOfKind(made, kind) && ts !== null ? [{ ...call, request: made, ts }] : [];
    });
  }

  /** Marks the call as started, before the request goes out. Throws if it is not pending. */
  async start(callId: string, nowMs: number): Promise<void> {
    await this.changePending(callId, { state: 'started', startedAt: nowMs }, 'started');
  }

  /** Throws if there is no such call, or it is done. */
  async settle(callId: string, outcome: CallOutcome, nowMs: number): Promise<void> {
    const { state, detail } = outcome;
    const wasMade = state !== 'retry' && state !== 'not_made';
    const { numUpdatedRows } = await this.db
      .updateTable('call')
      .set({
        state: wasMade ? state : state === 'retry' ? 'pending' : 'failed',
        detail,
        endedAt: state === 'retry' ? null : nowMs,
        ...(!wasMade && { startedAt: null }),
      })
      .where('id', '=', callId)
      .where('state', '!=', 'done')
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw new Error(`Call ${callId} cannot be settled: unknown, or done already`);
  }

  /** Replaces what the pending call says. Throws if it is not pending. */
  async rewrite(callId: string, request: CallRequest): Promise<void> {
    await this.changePending(callId, { request: toJson(request) }, 'rewritten');
  }

  /** Records since when Slack holds the call up; null: it does no longer. */
  async hold(callId: string, sinceMs: number | null): Promise<void> {
    await this.db
      .updateTable('call')
      .set({ heldSince: sinceMs })
      .where('id', '=', callId)
      .$if(sinceMs !== null, (query) => query.where('heldSince', 'is', null))
      .execute();
  }

  /**
   * When the project's create and message calls since then were started, oldest first: the hourly budget. A
   * retried call counts once, when it is made again; a start in the future, by a clock that was ahead, does
   * not count. Locks the project's budget.
   */
  async agentCallsStartedAt(projectId: string, sinceMs: number, nowMs: number): Promise<number[]> {
    // Concurrent replicas would all find room.
    await this.takeAdvisoryLock(`budget:${projectId}`);
    const rows = await this.inBudget(projectId, sinceMs)
      .select('startedAt')
      .where('startedAt', '<=', nowMs + CLOCKS_DIFFER_MS)
      .orderBy('startedAt')
      .$narrowType<{ startedAt: number }>()
      .execute();
    return rows.map((row) => row.startedAt);
  }

  /** Their number. Locks nothing. */
  async agentCallsSince(projectId: string, sinceMs: number): Promise<number> {
    const { count } = await this.inBudget(projectId, sinceMs)
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    return count;
  }

  /** Whether a create or message call of the project, started since then, has no outcome. Locks nothing. */
  async isAgentCallUnderWay(projectId: string, sinceMs: number): Promise<boolean> {
    const call = await this.inBudget(projectId, sinceMs)
      .select('id')
      .where('endedAt', 'is', null)
      .limit(1)
      .executeTakeFirst();
    return call !== undefined;
  }

  private inBudget(projectId: string, sinceMs: number) {
    return this.db
      .selectFrom('call')
      .where('projectId', '=', projectId)
      .where('startedAt', '>', sinceMs)
      .where(IS_IN_BUDGET);
  }

  private async changePending(callId: string, changes: UpdateObject<Tables, 'call'>, what: string) {
    const { numUpdatedRows } = await this.db
      .updateTable('call')
      .set(changes)
      .where((eb) => eb.and({ id: callId, state: 'pending' }))
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw new Error(`Call ${callId} cannot be ${what}: it is not pending`);
  }

  /** Does nothing if the natural key is known, even from a deleted job. */
  async add({ id, request, lane, ...call }: NewCall, job: Job, nowMs: number): Promise<void> {
    const naturalKey = boundedKey(call.naturalKey);
    const { kind } = request;
    await this.db
      .insertInto('call')
      .values({
        id,
        naturalKey,
        jobId: job.id,
        projectId: job.projectId,
        lane: lane.name,
        kind,
        request: toJson(request),
        createdAt: nowMs,
        state: 'pending',
      })
      .onConflict((conflict) => conflict.column('naturalKey').doNothing())
      .execute();
    if (kind !== 'notify_channel') return;
    // A deleted job may have made the notice. Read only now: if it is just being deleted, the insert has waited for that.
    const notice = { teamId: job.teamId, channelId: request.channelId, digest: digestOf(naturalKey) };
    await this.db
      .deleteFrom('call')
      .where('id', '=', id)
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom('pastNotice')
            .select('digest')
            .where((past) => past.and(notice)),
        ),
      )
      .execute();
  }
}

function boundedKey(key: string): string {
  if (key.length <= MAX_PLAIN_KEY_LENGTH) return key;
  const digest = createHash('sha256').update(key).digest('hex');
  return `${key.slice(0, MAX_PLAIN_KEY_LENGTH)}…${digest}`;
}

function callFrom({
  request,
  ...columns
}: Omit<LedgerCall, 'request'> & { readonly request: Json<CallRequest> }): LedgerCall {
  return { ...columns, request: fromJson(request) };
}

/** Remembers the notices of jobs that are about to be deleted. */
export async function keepNotices(db: Queries, jobIds: readonly string[]): Promise<void> {
  const notices = await db
    .selectFrom('call')
    .innerJoin('job', 'job.id', 'call.jobId')
    .select(['call.naturalKey', 'call.request', 'job.teamId'])
    .where('call.jobId', 'in', jobIds)
    .where('call.kind', '=', 'notify_channel')
    .execute();
  const past = notices.flatMap(({ naturalKey, request, teamId }) => {
    const notice = fromJson(request);
    if (notice.kind !== 'notify_channel' || notice.channelId === FORGOTTEN) return [];
    return [{ teamId, channelId: notice.channelId, digest: digestOf(naturalKey) }];
  });
  if (past.length === 0) return;
  await db
    .insertInto('pastNotice')
    .values(past)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

function digestOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}

export type PostedCall<Kind extends CallKind = CallKind> = Readonly<{
  id: string;
  lane: string;
  request: Extract<CallRequest, { kind: Kind }>;
  ts: string;
}>;

function isOfKind<Kind extends CallKind>(
  request: CallRequest,
  kind: Kind,
): request is Extract<CallRequest, { kind: Kind }> {
  return request.kind === kind;
}

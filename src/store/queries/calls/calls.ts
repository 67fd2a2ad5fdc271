import { createHash } from 'node:crypto';
import { type SqlBool, sql } from 'kysely';
import type { CallRequest, CallState, WantedCall } from '../../../jobs/call.ts';
import type { Job } from '../../../jobs/job.ts';
import type { TakeAdvisoryLock } from '../../engines/database.ts';
import { requestFromJson, toJson } from '../../schema/json.ts';
import type { CallRow, Queries, Tables } from '../../schema/tables.ts';
import { prepared, type Values } from '../prepared.ts';
import { dropPastNotice } from './past-notices.ts';

export interface LedgerCall {
  readonly id: string;
  readonly jobId: string;
  readonly lane: string;
  readonly request: CallRequest;
  readonly state: CallState;
  readonly wantedAtMs: number;
  readonly startedAtMs: number | null;
  /** Since when Slack has not taken it, or not let it be looked for, without saying that it never will; or null. */
  readonly heldSinceMs: number | null;
}

/**
 * `retry`: nothing happened, the call is wanted again. `not_made`: nothing happened, and another call takes its
 * place; it has failed, and uses up no budget. `detail` is kept for the operator.
 */
export interface CallOutcome {
  readonly state: 'done' | 'failed' | 'unknown' | 'retry' | 'not_made';
  readonly detail: string | null;
}

/** An entry of an index on Postgres holds 2,704 bytes at most, and a key may hold a link from outside. */
const MAX_PLAIN_KEY_LENGTH = 500;
/** In the words of the index: SQLite does not use it if the kinds are parameters. */
const IS_IN_BUDGET = sql<SqlBool>`kind in ('create_job', 'send_message')`;

const nextInLane = prepared((db, { lane }: Values<{ lane: string }>) =>
  db
    .selectFrom('call')
    .selectAll()
    .where('lane', '=', lane)
    .where('ended_at', 'is', null)
    .orderBy('seq')
    .limit(1),
);

const callById = prepared((db, { callId }: Values<{ callId: string }>) =>
  db.selectFrom('call').selectAll().where('id', '=', callId),
);

const startCall = prepared((db, { callId, nowMs }: Values<{ callId: string; nowMs: number }>) =>
  db
    .updateTable('call')
    .set({ state: 'started', started_at: nowMs })
    .where('id', '=', callId)
    .where('state', '=', 'wanted'),
);

type Settled = Pick<Tables['call'], 'id' | 'state' | 'detail' | 'ended_at'>;

const settleMade = prepared((db, { id, state, detail, ended_at }: Values<Settled>) =>
  db.updateTable('call').set({ state, detail, ended_at }).where('id', '=', id).where('state', '!=', 'done'),
);

const settleNotMade = prepared((db, { id, state, detail, ended_at }: Values<Settled>) =>
  db
    .updateTable('call')
    .set({ state, detail, started_at: null, ended_at })
    .where('id', '=', id)
    .where('state', '!=', 'done'),
);

const holdCall = prepared((db, { callId, nowMs }: Values<{ callId: string; nowMs: number }>) =>
  db.updateTable('call').set({ held_since: nowMs }).where('id', '=', callId).where('held_since', 'is', null),
);

const endHold = prepared((db, { callId }: Values<{ callId: string }>) =>
  db.updateTable('call').set({ held_since: null }).where('id', '=', callId),
);

const agentCalls = prepared((db, { projectId, sinceMs }: Values<{ projectId: string; sinceMs: number }>) =>
  db
    .selectFrom('call')
    .select('started_at')
    .where('project_id', '=', projectId)
    .where('started_at', '>', sinceMs)
    .where(IS_IN_BUDGET)
    .orderBy('started_at')
    .$narrowType<{ started_at: number }>(),
);

type Wanted = Omit<Tables['call'], 'seq' | 'state' | 'detail' | 'started_at' | 'ended_at' | 'held_since'>;

const wantCall = prepared((db, call: Values<Wanted>) =>
  db
    .insertInto('call')
    .values({
      id: call.id,
      natural_key: call.natural_key,
      job_id: call.job_id,
      project_id: call.project_id,
      lane: call.lane,
      kind: call.kind,
      request: call.request,
      state: 'wanted',
      detail: null,
      wanted_at: call.wanted_at,
      started_at: null,
      ended_at: null,
    })
    .onConflict((conflict) => conflict.column('natural_key').doNothing()),
);

/**
 * The ledger of outward calls.
 * wanted → started → done | failed | unknown; a failed post may become wanted again.
 */
export class Calls {
  private readonly db: Queries;
  private readonly takeAdvisoryLock: TakeAdvisoryLock;

  constructor(db: Queries, takeAdvisoryLock: TakeAdvisoryLock) {
    this.db = db;
    this.takeAdvisoryLock = takeAdvisoryLock;
  }

  /** The first call of the lane that has no outcome yet (wanted or started), the one wanted first. */
  async next(lane: string): Promise<LedgerCall | null> {
    const row = await nextInLane.first(this.db, { lane });
    return row === undefined ? null : callFromRow(row);
  }

  async get(callId: string): Promise<LedgerCall | null> {
    const row = await callById.first(this.db, { callId });
    return row === undefined ? null : callFromRow(row);
  }

  /** Marks the call as started, before the request goes out. Throws if it is not wanted (any more). */
  async start(callId: string, nowMs: number): Promise<void> {
    const started = await startCall.change(this.db, { callId, nowMs });
    if (started === 0) throw new Error(`Call ${callId} cannot be started: it is not wanted`);
  }

  /** Throws if the call is unknown, or done already. */
  async settle(callId: string, outcome: CallOutcome, nowMs: number): Promise<void> {
    const { state, detail } = outcome;
    const call = { id: callId, detail, ended_at: nowMs };
    const settled = await (state === 'retry'
      ? settleNotMade.change(this.db, { ...call, state: 'wanted', ended_at: null })
      : state === 'not_made'
        ? settleNotMade.change(this.db, { ...call, state: 'failed' })
        : settleMade.change(this.db, { ...call, state }));
    if (settled === 0) throw new Error(`Call ${callId} cannot be settled: unknown, or done already`);
  }

  /** Records that Slack holds the call up, if that is not known. */
  async hold(callId: string, nowMs: number): Promise<void> {
    await holdCall.change(this.db, { callId, nowMs });
  }

  /** Forgets that Slack held the call up. */
  async endHold(callId: string): Promise<void> {
    await endHold.change(this.db, { callId });
  }

  /**
   * When the project's create and message calls were started after `sinceMs`, the oldest first: the hourly budget. A
   * call that became wanted again (`retry`) counts when it is made again. Takes a lock for the project.
   */
  async agentCallsStartedAt(projectId: string, sinceMs: number): Promise<number[]> {
    // Replicas that count at the same time would all find room.
    await this.takeAdvisoryLock(`budget:${projectId}`);
    const rows = await agentCalls.rows(this.db, { projectId, sinceMs });
    return rows.map((row) => row.started_at);
  }

  /** How many of these were started after `sinceMs`. Locks nothing. */
  async agentCallsSince(projectId: string, sinceMs: number): Promise<number> {
    const { count } = await this.db
      .selectFrom('call')
      .select((eb) => eb.fn.countAll<number | string>().as('count'))
      .where('project_id', '=', projectId)
      .where('started_at', '>', sinceMs)
      .where(IS_IN_BUDGET)
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  /** Does nothing if a call with the same natural key was wanted before, be it of a job that is deleted by now. */
  async want(call: WantedCall, job: Job, nowMs: number): Promise<void> {
    const { request } = call;
    const naturalKey = boundedKey(call.naturalKey);
    await wantCall.change(this.db, {
      id: call.id,
      natural_key: naturalKey,
      job_id: job.id,
      project_id: job.projectId,
      lane: call.lane.name,
      kind: request.kind,
      request: toJson(request),
      wanted_at: nowMs,
    });
    if (request.kind === 'notify_channel') {
      // Only now: if the earlier job is being deleted at this moment, the insert has waited for that.
      const place = { teamId: job.teamId, channelId: request.channelId };
      await dropPastNotice(this.db, call.id, place, naturalKey);
    }
  }
}

function boundedKey(key: string): string {
  if (key.length <= MAX_PLAIN_KEY_LENGTH) return key;
  const digest = createHash('sha256').update(key).digest('hex');
  return `${key.slice(0, MAX_PLAIN_KEY_LENGTH)}…${digest}`;
}

export function callFromRow(row: CallRow): LedgerCall {
  return {
    id: row.id,
    jobId: row.job_id,
    lane: row.lane,
    request: requestFromJson(row.request),
    state: row.state,
    wantedAtMs: row.wanted_at,
    startedAtMs: row.started_at,
    heldSinceMs: row.held_since,
  };
}

import { createHash } from 'node:crypto';
import { type SqlBool, sql } from 'kysely';
import type { CallKind, CallOutcome, CallRequest, CallState, NewCall } from '../../../jobs/call.ts';
import type { Job } from '../../../jobs/job.ts';
import { CLOCKS_DIFFER_MS } from '../../../jobs/schedule/schedule.ts';
import { FORGOTTEN } from '../../forget/subject.ts';
import { type CallRow, fromJson, jobFrom, type Queries, type Tables, toJson } from '../../schema/tables.ts';
import { type LockedJob, savedFrom, savedSettings } from '../jobs.ts';
import { pick, prepared, type Values } from '../prepared.ts';
import { Table } from '../table.ts';

export interface LedgerCall {
  readonly id: string;
  readonly jobId: string;
  readonly lane: string;
  readonly request: CallRequest;
  readonly state: CallState;
  readonly createdAtMs: number;
  readonly startedAtMs: number | null;
  /** Since when Slack has neither accepted it, nor let it be looked for, nor refused it for good. */
  readonly heldSinceMs: number | null;
}

export interface NextCall extends Pick<LockedJob, 'job' | 'saved'> {
  readonly call: LedgerCall;
}

/** An index entry of Postgres holds at most 2,704 bytes, and a key may contain a link from outside. */
const MAX_PLAIN_KEY_LENGTH = 500;
/** Worded as in the partial index, which SQLite does not use for parameters. */
export const IS_IN_BUDGET = sql<SqlBool>`kind in ('create_job', 'send_message')`;

const CALL_COLUMNS = [
  'call.id',
  'call.job_id as jobId',
  'call.lane',
  'call.request',
  'call.state',
  'call.created_at as createdAtMs',
  'call.started_at as startedAtMs',
  'call.held_since as heldSinceMs',
] as const;

const nextInLane = prepared((db, { lane }: Values<{ lane: string }>) =>
  db
    .selectFrom('call')
    .innerJoin('job', 'job.id', 'call.job_id')
    .select(CALL_COLUMNS)
    .select(['job.data', 'job.number', savedSettings])
    .where('lane', '=', lane)
    .where('ended_at', 'is', null)
    .orderBy('seq')
    .limit(1),
);

const callById = prepared((db, { callId }: Values<{ callId: string }>) =>
  db.selectFrom('call').select(CALL_COLUMNS).where('id', '=', callId),
);

const jobOfKey = prepared((db, { naturalKey }: Values<{ naturalKey: string }>) =>
  db.selectFrom('call').select('job_id').where('natural_key', '=', naturalKey),
);

const startCall = prepared((db, { callId, nowMs }: Values<{ callId: string; nowMs: number }>) =>
  db
    .updateTable('call')
    .set({ state: 'started', started_at: nowMs })
    .where('id', '=', callId)
    .where('state', '=', 'pending'),
);

const rewriteCall = prepared(
  (db, { callId, request }: Values<{ callId: string } & Pick<CallRow, 'request'>>) =>
    db.updateTable('call').set({ request }).where('id', '=', callId).where('state', '=', 'pending'),
);

type Settled = Pick<Tables['call'], 'id' | 'state' | 'detail' | 'ended_at'>;

const settling = (change: { readonly started_at?: null }) =>
  prepared((db, call: Values<Settled>) =>
    db
      .updateTable('call')
      .set({ ...pick(call, 'state', 'detail', 'ended_at'), ...change })
      .where('id', '=', call.id)
      .where('state', '!=', 'done'),
  );
const settleMade = settling({});
const settleNotMade = settling({ started_at: null });

type Span = { readonly projectId: string; readonly sinceMs: number; readonly untilMs: number };

const agentCalls = prepared((db, { projectId, sinceMs, untilMs }: Values<Span>) =>
  db
    .selectFrom('call')
    .select('started_at')
    .where('project_id', '=', projectId)
    .where('started_at', '>', sinceMs)
    .where('started_at', '<=', untilMs)
    .where(IS_IN_BUDGET)
    .orderBy('started_at')
    .$narrowType<{ started_at: number }>(),
);

type InsertedCall = Omit<
  Tables['call'],
  'seq' | 'state' | 'detail' | 'started_at' | 'ended_at' | 'held_since'
>;

const insertCall = prepared((db, call: Values<InsertedCall>) =>
  db
    .insertInto('call')
    .values({
      ...pick(call, 'id', 'natural_key', 'job_id', 'project_id', 'lane', 'kind', 'request', 'created_at'),
      state: 'pending',
    })
    .onConflict((conflict) => conflict.column('natural_key').doNothing()),
);

/** The ledger of outward calls: pending → started → done | failed | unknown. A failed post may become pending again. */
export class Calls extends Table {
  /** The lane's oldest call without an outcome, with its job. */
  async next(lane: string): Promise<NextCall | null> {
    const row = await nextInLane.first(this.db, { lane });
    if (row === undefined) return null;
    const { data, number, saved, ...call } = row;
    return { call: callFrom(call), job: jobFrom({ data, number }), saved: savedFrom(saved) };
  }

  async get(callId: string): Promise<LedgerCall | null> {
    const row = await callById.first(this.db, { callId });
    return row === undefined ? null : callFrom(row);
  }

  /** The job that has or had a call with this natural key; null: none. */
  async jobOf(naturalKey: string): Promise<string | null> {
    const row = await jobOfKey.first(this.db, { naturalKey: boundedKey(naturalKey) });
    return row?.job_id ?? null;
  }

  /** The timestamp of the message that the call has posted; null: it has not. */
  async postedTs(callId: string): Promise<string | null> {
    const row = await this.db
      .selectFrom('call')
      .select('detail')
      .where('id', '=', callId)
      .where('state', '=', 'done')
      .executeTakeFirst();
    return row?.detail ?? null;
  }

  /** The messages of a job that calls of this kind have posted, oldest first. */
  posted<Kind extends CallKind>(jobId: string, kind: Kind): Promise<PostedCall<Kind>[]> {
    return postedCalls(this.db, jobId, kind);
  }

  /** Marks the call as started, before the request goes out. Throws if it is not pending. */
  async start(callId: string, nowMs: number): Promise<void> {
    const started = await startCall.change(this.db, { callId, nowMs });
    if (started === 0) throw new Error(`Call ${callId} cannot be started: it is not pending`);
  }

  /** Throws if there is no such call, or it is done. */
  async settle(callId: string, outcome: CallOutcome, nowMs: number): Promise<void> {
    const { state, detail } = outcome;
    const call = { id: callId, detail, ended_at: nowMs };
    const settled = await (state === 'retry'
      ? settleNotMade.change(this.db, { ...call, state: 'pending', ended_at: null })
      : state === 'not_made'
        ? settleNotMade.change(this.db, { ...call, state: 'failed' })
        : settleMade.change(this.db, { ...call, state }));
    if (settled === 0) throw new Error(`Call ${callId} cannot be settled: unknown, or done already`);
  }

  /** Replaces what the pending call says. Throws if it is not pending. */
  async rewrite(callId: string, request: CallRequest): Promise<void> {
    const rewritten = await rewriteCall.change(this.db, { callId, request: toJson(request) });
    if (rewritten === 0) throw new Error(`Call ${callId} cannot be rewritten: it is not pending`);
  }

  /** Records since when Slack holds the call up. */
  async hold(callId: string, nowMs: number): Promise<void> {
    await this.db
      .updateTable('call')
      .set({ held_since: nowMs })
      .where('id', '=', callId)
      .where('held_since', 'is', null)
      .execute();
  }

  async endHold(callId: string): Promise<void> {
    await this.db.updateTable('call').set({ held_since: null }).where('id', '=', callId).execute();
  }

  /**
   * When the project's create and message calls since then were started, oldest first: the hourly budget. A
   * retried call counts once, when it is made again; a start in the future, by a clock that was ahead, does
   * not count. Locks the project's budget.
   */
  async agentCallsStartedAt(projectId: string, sinceMs: number, nowMs: number): Promise<number[]> {
    // Concurrent replicas would all find room.
    await this.takeAdvisoryLock(`budget:${projectId}`);
    const rows = await agentCalls.rows(this.db, { projectId, sinceMs, untilMs: nowMs + CLOCKS_DIFFER_MS });
    return rows.map((row) => row.started_at);
  }

  /** Their number. Locks nothing. */
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

  /** Whether a create or message call of the project, started since then, has no outcome. Locks nothing. */
  async isAgentCallUnderWay(projectId: string, sinceMs: number): Promise<boolean> {
    const call = await this.db
      .selectFrom('call')
      .select('id')
      .where('project_id', '=', projectId)
      .where('started_at', '>', sinceMs)
      .where(IS_IN_BUDGET)
      .where('ended_at', 'is', null)
      .limit(1)
      .executeTakeFirst();
    return call !== undefined;
  }

  /** Does nothing if the natural key is known, even from a deleted job. */
  async add(call: NewCall, job: Job, nowMs: number): Promise<void> {
    const { request } = call;
    const naturalKey = boundedKey(call.naturalKey);
    await insertCall.change(this.db, {
      id: call.id,
      natural_key: naturalKey,
      job_id: job.id,
      project_id: job.projectId,
      lane: call.lane.name,
      kind: request.kind,
      request: toJson(request),
      created_at: nowMs,
    });
    if (request.kind === 'notify_channel') {
      // Read only now: if the earlier job is just being deleted, the insert has waited for that.
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

function callFrom({
  request,
  ...columns
}: Omit<LedgerCall, 'request'> & Pick<CallRow, 'request'>): LedgerCall {
  return { ...columns, request: fromJson(request) };
}

type ChannelKey = { readonly teamId: string; readonly channelId: string };

const dropIfPast = prepared(
  (db, { callId, teamId, channelId, digest }: Values<ChannelKey & { callId: string; digest: string }>) =>
    db
      .deleteFrom('call')
      .where('id', '=', callId)
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom('past_notice')
            .select('digest')
            .where('channel_id', '=', channelId)
            .where('team_id', '=', teamId)
            .where('digest', '=', digest),
        ),
      ),
);

/** Remembers the notices of jobs that are about to be deleted. */
export async function keepNotices(db: Queries, jobIds: readonly string[]): Promise<void> {
  const notices = await db
    .selectFrom('call')
    .innerJoin('job', 'job.id', 'call.job_id')
    .select(['call.natural_key', 'call.request', 'job.team_id'])
    .where('call.job_id', 'in', jobIds)
    .where('call.kind', '=', 'notify_channel')
    .execute();
  const past = notices.flatMap(({ natural_key, request, team_id }) => {
    const notice = fromJson(request);
    if (notice.kind !== 'notify_channel' || notice.channelId === FORGOTTEN) return [];
    return [{ team_id, channel_id: notice.channelId, digest: digestOf(natural_key) }];
  });
  if (past.length === 0) return;
  await db
    .insertInto('past_notice')
    .values(past)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Removes a new notice if a deleted job has already made it. `key`: as the ledger stores it. */
async function dropPastNotice(db: Queries, callId: string, place: ChannelKey, key: string): Promise<void> {
  await dropIfPast.change(db, { callId, ...place, digest: digestOf(key) });
}

function digestOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}

export interface PostedCall<Kind extends CallKind = CallKind> {
  readonly id: string;
  readonly lane: string;
  readonly request: Extract<CallRequest, { kind: Kind }>;
  readonly ts: string;
}

const postedOfJob = prepared((db, { jobId, kind }: Values<{ jobId: string; kind: CallKind }>) =>
  db
    .selectFrom('call')
    .select(['id', 'lane', 'request', 'detail'])
    .where('job_id', '=', jobId)
    .where('kind', '=', kind)
    .where('state', '=', 'done')
    .orderBy('seq'),
);

/** The messages of a job that calls of this kind have posted, oldest first. */
async function postedCalls<Kind extends CallKind>(
  db: Queries,
  jobId: string,
  kind: Kind,
): Promise<PostedCall<Kind>[]> {
  const rows = await postedOfJob.rows(db, { jobId, kind });
  return rows.flatMap(({ request, detail, ...call }) => {
    const made = fromJson(request);
    return isOfKind(made, kind) && detail !== null ? [{ ...call, request: made, ts: detail }] : [];
  });
}

function isOfKind<Kind extends CallKind>(
  request: CallRequest,
  kind: Kind,
): request is Extract<CallRequest, { kind: Kind }> {
  return request.kind === kind;
}

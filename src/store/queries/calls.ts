import { hash } from 'node:crypto';
import { type Selectable, type SqlBool, sql } from 'kysely';
import type { CallKind, CallOutcome, CallRequest, NewCall } from '#jobs/call.ts';
import type { Job } from '#jobs/job.ts';
import { CLOCKS_DIFFER_MS } from '#jobs/schedule/schedule.ts';
import {
  FORGOTTEN,
  fromJson,
  jobColumns,
  jobFrom,
  type Queries,
  type Tables,
  toJson,
} from '../schema/tables.ts';
import { savedFrom, savedSettings } from './jobs.ts';
import { prepared } from './prepared.ts';
import { Table } from './table.ts';

type CallRow = Selectable<Tables['call']>;

export type LedgerCall = Readonly<ReturnType<typeof callFrom>>;

/** A Postgres index entry holds at most 2,704 bytes, and a key may contain an external link. */
const MAX_PLAIN_KEY_LENGTH = 500;
/** Worded as in the partial index, which SQLite does not use for parameters. */
export const IS_IN_BUDGET = sql<SqlBool>`kind in ('create_job', 'send_message')`;

const firstOpen = prepared((db, { lane }: { lane: string }) =>
  db
    .selectFrom('call')
    .innerJoin('job', 'job.id', 'call.jobId')
    .selectAll('call')
    .select([...jobColumns, savedSettings])
    .where('lane', '=', lane)
    .where('endedAt', 'is', null)
    .orderBy('seq')
    .limit(1),
);

function inBudget(db: Queries, projectId: string, sinceMs: number) {
  return db
    .selectFrom('call')
    .where('projectId', '=', projectId)
    .where('startedAt', '>', sinceMs)
    .where(IS_IN_BUDGET);
}

type Starts = Readonly<{ projectId: string; sinceMs: number; latestMs: number }>;

const startsBetween = prepared((db, { projectId, sinceMs, latestMs }: Starts) =>
  inBudget(db, projectId, sinceMs)
    .select('startedAt')
    .where('startedAt', '<=', latestMs)
    .orderBy('startedAt')
    .$narrowType<{ startedAt: number }>(),
);

type Outcome = Pick<CallRow, 'id' | 'state' | 'detail' | 'endedAt'> & { made: number };

const endUnlessDone = prepared((db, { id, made, ...outcome }: Outcome) =>
  db
    .updateTable('call')
    .set({ ...outcome, sent: null, startedAt: sql`case when ${made} = 1 then started_at end` })
    .where('id', '=', id)
    .where('state', '!=', 'done')
    .returning('id'),
);

/** pending → started → done | failed | unknown. A failed post may become pending again. */
export class Calls extends Table {
  async next(lane: string) {
    const [row] = await firstOpen(this.db, { lane });
    if (row === undefined) return null;
    return { call: callFrom(row), job: jobFrom(row), saved: savedFrom(row.saved) };
  }

  async get(callId: string): Promise<LedgerCall | null> {
    const row = await this.row('call', { id: callId });
    return row === undefined ? null : callFrom(row);
  }

  async jobOf(naturalKey: string): Promise<string | null> {
    const row = await this.row('call', { naturalKey: boundedKey(naturalKey) });
    return row?.jobId ?? null;
  }

  async posted<Kind extends CallKind>(jobId: string, kind: Kind) {
    const rows = await this.rows('call', { jobId, kind, state: 'done' }).orderBy('seq').execute();
    return rows.flatMap(({ id, lane, request, detail: ts }) =>
      ts === null
        ? []
        : [{ id, lane, request: fromJson(request) as Extract<CallRequest, { kind: Kind }>, ts }],
    );
  }

  async start(callId: string, nowMs: number, sent: string | null = null): Promise<void> {
    await this.changePending(callId, { state: 'started', startedAt: nowMs, sent }, 'started');
  }

  /** Throws if the call is missing or done. */
  async recordOutcome(callId: string, { state, detail }: CallOutcome, nowMs: number): Promise<void> {
    const isAgain = state === 'retry';
    const isMade = !isAgain && state !== 'not_made';
    const ended = await endUnlessDone(this.db, {
      id: callId,
      state: isMade ? state : isAgain ? 'pending' : 'failed',
      detail,
      endedAt: isAgain ? null : nowMs,
      made: isMade ? 1 : 0,
    });
    if (ended.length > 0) return;
    throw new Error(`Call ${callId} is missing, or done already`);
  }

  async rewrite(callId: string, request: CallRequest): Promise<void> {
    await this.changePending(callId, { request: toJson(request) }, 'rewritten');
  }

  async holdSince(callId: string, sinceMs: number | null): Promise<void> {
    const isNew = sinceMs === null ? undefined : sql<SqlBool>`held_since is null`;
    await this.update('call', { id: callId }, { heldSince: sinceMs }, isNew);
  }

  /** Oldest first. Ignores starts in the future (a clock was ahead). Locks the project's budget. */
  async agentCallsStartedAt(projectId: string, sinceMs: number, nowMs: number): Promise<number[]> {
    await this.tasks.takeLock(`budget:${projectId}`);
    const rows = await startsBetween(this.db, { projectId, sinceMs, latestMs: nowMs + CLOCKS_DIFFER_MS });
    return rows.map((row) => row.startedAt);
  }

  async agentCallsSince(projectId: string, sinceMs: number): Promise<number> {
    const { count } = await inBudget(this.db, projectId, sinceMs)
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    return count;
  }

  async isAgentCallUnderWay(projectId: string, sinceMs: number): Promise<boolean> {
    const open = inBudget(this.db, projectId, sinceMs).select('id').where('endedAt', 'is', null);
    return (await open.limit(1).executeTakeFirst()) !== undefined;
  }

  /** Does nothing if the natural key is known, even from a deleted job's notice. */
  async add({ id, request, lane, naturalKey: key }: NewCall, job: Job, nowMs: number): Promise<void> {
    const naturalKey = boundedKey(key);
    const { kind } = request;
    const call = { id, kind, lane: lane.name, request: toJson(request), createdAt: nowMs } as const;
    const owner = { jobId: job.id, projectId: job.projectId };
    await this.upsert('call', { naturalKey }, { ...call, ...owner, state: 'pending' }, null);
    if (kind !== 'notify_channel') return;
    // Read after the insert, which waits for a concurrent deletion of an earlier notice's job.
    const notice = { teamId: job.teamId, channelId: request.channelId, digest: digestOf(naturalKey) };
    const past = await this.row('pastNotice', notice);
    if (past !== undefined) await this.delete('call', { id });
  }

  async keepNotices(jobIds: readonly string[]): Promise<void> {
    const notices = await this.db
      .selectFrom('call')
      .innerJoin('job', 'job.id', 'call.jobId')
      .select(['call.naturalKey', 'call.request', 'job.teamId'])
      .where('call.jobId', 'in', jobIds)
      .where('call.kind', '=', 'notify_channel')
      .execute();
    for (const { naturalKey, request, teamId } of notices) {
      const notice = fromJson(request);
      if (notice.kind !== 'notify_channel' || notice.channelId === FORGOTTEN) continue;
      const past = { teamId, channelId: notice.channelId, digest: digestOf(naturalKey) };
      await this.upsert('pastNotice', past, {}, null);
    }
  }

  private async changePending(id: string, changes: Partial<CallRow>, what: string) {
    if (await this.update('call', { id, state: 'pending' }, changes)) return;
    throw new Error(`Call ${id} cannot be ${what}: it is not pending`);
  }
}

function boundedKey(key: string) {
  if (key.length <= MAX_PLAIN_KEY_LENGTH) return key;
  return `${key.slice(0, MAX_PLAIN_KEY_LENGTH)}…${hash('sha256', key)}`;
}

function callFrom({ id, jobId, lane, state, sent, ...row }: CallRow) {
  return {
    ...{ id, jobId, lane, state },
    request: fromJson(row.request),
    createdAtMs: row.createdAt,
    startedAtMs: row.startedAt,
    /** Slack has neither accepted nor finally refused it. */
    heldSinceMs: row.heldSince,
    /** Sent to a service that recognises repeats by the call's id, so it may be repeated. */
    sent,
  };
}

function digestOf(key: string) {
  return hash('sha256', key, 'base64url');
}

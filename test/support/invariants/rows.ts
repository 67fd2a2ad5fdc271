import type { CallKind, CallRequest, CallState } from '../../../src/jobs/call.ts';
import type { FollowUpState, Receipt } from '../../../src/jobs/follow-ups/follow-up.ts';
import type { Job } from '../../../src/jobs/job.ts';

/** All that the store holds of one job. */
export interface JobRows {
  readonly job: Job;
  /** In the order in which they were requested. */
  readonly calls: readonly CallRow[];
  /** In the order in which they were written. */
  readonly followUps: readonly FollowUpRow[];
  /** Their ids: kind and subject. */
  readonly tasks: readonly string[];
}

export interface CallRow {
  readonly id: string;
  readonly kind: CallKind;
  readonly lane: string;
  readonly state: CallState;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly detail: string | null;
  readonly request: CallRequest;
}

export interface FollowUpRow {
  readonly id: string;
  readonly messageTs: string;
  readonly state: FollowUpState;
  readonly callId: string | null;
  readonly receiptShown: Receipt | null;
  readonly text: string;
  readonly hasSnippets: boolean;
}

type Engine = 'sqlite' | 'postgres';

const JSON_FUNCTIONS = {
  sqlite: { array: 'json_group_array', object: 'json_object' },
  postgres: { array: 'json_agg', object: 'json_build_object' },
} as const;

/** One statement, and so one moment, also on Postgres. `which`: a condition on `job`. */
export function jobRowsSql(engine: Engine, which = 'true'): string {
  const { array, object } = JSON_FUNCTIONS[engine];
  const all = (columns: string, table: string, order: string) =>
    `(select ${array}(${object}(${columns})) from (select * from ${table} where job_id = job.id order by ${order}) as ordered)`;
  return `select id, data, number,
    ${all(
      `'id', id, 'kind', kind, 'lane', lane, 'state', state, 'createdAt', created_at, 'startedAt', started_at, 'endedAt', ended_at,
        'detail', detail, 'request', request`,
      'call',
      'seq',
    )} as calls,
    ${all(
      `'id', id, 'messageTs', message_ts, 'text', text, 'state', state, 'callId', call_id, 'receiptShown', receipt_shown,
        'more', more`,
      'follow_up',
      'message_ts',
    )} as replies,
    ${all(`'id', id`, 'task', 'id')} as tasks
    from job where ${which}`;
}

/** Of a row that `jobRowsSql` selects. */
export function jobRowsFrom(row: Readonly<Record<string, unknown>>): JobRows {
  const calls = listIn(row.calls) as (Omit<CallRow, 'request'> & { request: string })[];
  const followUps = listIn(row.replies) as (FollowUpRow & { more: string })[];
  const tasks = listIn(row.tasks) as { id: string }[];
  return {
    job: { ...JSON.parse(String(row.data)), number: row.number ?? 0 },
    calls: calls.map((call) => ({ ...call, request: JSON.parse(call.request) })),
    followUps: followUps.map(({ more, ...followUp }) => ({
      ...followUp,
      hasSnippets: JSON.parse(more).snippets.length > 0,
    })),
    tasks: tasks.map(({ id }) => id),
  };
}

/** Postgres gives JSON as values, SQLite as text. */
function listIn(json: unknown): unknown[] {
  return (typeof json === 'string' ? JSON.parse(json) : json) ?? [];
}

import { type TaskKind, taskKinds } from '../../jobs/task-kinds.ts';
import { BudgetQueue } from '../queries/calls/budget-queue.ts';
import { type ProjectPause, ReadBudget } from '../queries/calls/read-budget.ts';
import { otherConnectionsSeen } from '../queries/replicas.ts';
import { Installations, type StoredInstallation } from '../queries/workspaces/installations.ts';
import { type SchemaState, schemaState } from '../schema/migrations.ts';
import { fromJson, type Queries } from '../schema/tables.ts';
import type { HeldLock } from './held-locks.ts';

/** Older refusals are of no interest. */
const RECENT_MS = 7 * 86_400_000;
/** Occasional failures are retried with success by then. */
const FAILING_FOR_MS = 60_000;
const LATEST_PULL_REQUESTS = 50;

export type StoreFacts = Rows &
  Readonly<{
    place: string;
    /**
     * `absent`: made at the first start. `in_use`: held by a running docs-agent, so writing was not tried. `writable`:
     * writing was tried.
     */
    state: 'absent' | 'in_use' | 'writable';
    schema: SchemaState;
    /** On disk; null if there is nothing yet. */
    sizeBytes: number | null;
    /** Left on the disk; null on another machine. */
    freeBytes: number | null;
    heldLocks: readonly HeldLock[];
  }>;

type Rows = Readonly<{
  /** Installations by OAuth, with sealed tokens. */
  installations: readonly StoredInstallation[];
  /** By workspace, the organisation whose installation served it. */
  organisations: ReadonlyMap<string, string>;
  notices: NoticeFacts;
  /** Projects whose last request was refused, so that an administrator must act. */
  agentRefusals: readonly AgentRefusal[];
  /** Projects for which the agent API asked to wait: with reads, or with calls. */
  pauses: Readonly<Record<'reads' | 'calls', readonly ProjectPause[]>>;
  failures: readonly TaskFailures[];
  /** The keys of the latest pull requests that are or were followed. */
  pullRequests: readonly string[];
  /**
   * Connections to Slack of a program that does not share the store, as the running program has recently
   * seen.
   */
  otherConnections: number;
}>;

export type AgentRefusal = Readonly<{
  projectId: string;
  /** The agent's answer, or what happened. */
  words: string;
}>;

/** Tasks of one kind whose last failure had the same words. */
export type TaskFailures = Readonly<{
  kind: TaskKind;
  count: number;
  /** Since when every try of one of them has failed. */
  sinceMs: number;
  words: string;
}>;

export type NoticeFacts = Readonly<{
  saved: readonly NoticeChannel[];
  refused: readonly RefusedNotice[];
}>;

type NoticeChannel = Readonly<{
  teamId: string;
  channelId: string;
}>;

export type RefusedNotice = NoticeChannel &
  Readonly<{
    reason: string;
    atMs: number;
    /** It is kept, and made later. */
    isTriedAgain: boolean;
  }>;

export const NO_ROWS: Rows = {
  installations: [],
  organisations: new Map(),
  notices: { saved: [], refused: [] },
  agentRefusals: [],
  pauses: { reads: [], calls: [] },
  failures: [],
  pullRequests: [],
  otherConnections: 0,
};

/** Changes nothing. Rows of another version's schema are not read. */
export async function readFacts(queries: Queries, nowMs: number): Promise<Rows & Pick<StoreFacts, 'schema'>> {
  const schema = await schemaState(queries);
  if (schema.missing.length + schema.unknown.length > 0) return { schema, ...NO_ROWS };
  const sinceMs = nowMs - RECENT_MS;
  const served = await queries.selectFrom('organisationTeam').selectAll().execute();
  const settings = await queries.selectFrom('channelSetting').select(['teamId', 'data']).execute();
  const pullRequests = await queries
    .selectFrom('pullRequest')
    .select('key')
    .orderBy('watchedFrom', 'desc')
    .limit(LATEST_PULL_REQUESTS)
    .execute();
  return {
    schema,
    installations: await new Installations(queries).all(),
    organisations: new Map(served.map(({ teamId, enterpriseId }) => [teamId, enterpriseId])),
    notices: {
      saved: settings.flatMap(({ teamId, data }) =>
        (fromJson(data).noticeChannels ?? []).map((channelId) => ({ teamId, channelId })),
      ),
      refused: await refusedNotices(queries, sinceMs),
    },
    agentRefusals: await agentRefusals(queries, sinceMs),
    pauses: {
      reads: await new ReadBudget(queries).paused(nowMs),
      calls: await new BudgetQueue(queries).paused(nowMs),
    },
    failures: await taskFailures(queries, nowMs - FAILING_FOR_MS),
    pullRequests: pullRequests.map(({ key }) => key),
    otherConnections: await otherConnectionsSeen(queries, nowMs),
  };
}

async function taskFailures(db: Queries, sinceMs: number): Promise<TaskFailures[]> {
  const rows = await db
    .selectFrom('task')
    .select((eb) => [
      'kind',
      'failure',
      eb.fn.countAll<number>().as('count'),
      eb.fn.min<number>('failingSince').as('sinceMs'),
    ])
    .where('kind', 'in', taskKinds)
    .where('failingSince', '<=', sinceMs)
    .groupBy(['kind', 'failure'])
    .orderBy('sinceMs')
    .execute();
  return rows.map(({ failure, ...tasks }) => ({ ...tasks, words: failure ?? '' }));
}

async function refusedNotices(db: Queries, sinceMs: number): Promise<RefusedNotice[]> {
  const notices = await db
    .selectFrom('call')
    .innerJoin('job', 'job.id', 'call.jobId')
    .select(['job.teamId', 'call.request', 'call.state', 'call.detail', 'call.endedAt', 'call.createdAt'])
    .where('call.kind', '=', 'notify_channel')
    .where((eb) =>
      eb.or([
        eb('call.state', 'in', ['done', 'failed']).and('call.endedAt', '>', sinceMs),
        // It is tried again.
        eb('call.state', '=', 'pending').and('call.detail', 'is not', null),
      ]),
    )
    .execute();
  const inOrder = notices
    .map(({ endedAt, createdAt, ...notice }) => ({ ...notice, atMs: endedAt ?? createdAt }))
    .toSorted((a, b) => a.atMs - b.atMs);
  // A later success clears an earlier refusal.
  const last = new Map<string, RefusedNotice | null>();
  for (const { teamId, request: json, state, detail, atMs } of inOrder) {
    const request = fromJson(json);
    if (request.kind !== 'notify_channel') continue;
    const { channelId } = request;
    const isTriedAgain = state === 'pending';
    const refused = { teamId, channelId, reason: detail ?? 'unknown', atMs, isTriedAgain };
    last.set(`${teamId} ${channelId}`, state === 'done' ? null : refused);
  }
  return [...last.values()].filter((refused) => refused !== null);
}

/** Projects whose last conclusive call was refused for a missing permission. */
async function agentRefusals(db: Queries, sinceMs: number): Promise<AgentRefusal[]> {
  const calls = await db
    .selectFrom('call')
    .select(['projectId', 'kind', 'state', 'detail'])
    .where('kind', 'in', ['create_job', 'send_message'])
    .where('state', 'in', ['pending', 'done', 'failed'])
    .where('createdAt', '>', sinceMs)
    .where((eb) => eb.or([eb('state', '=', 'done'), eb('detail', 'is not', null)]))
    .orderBy('seq')
    .execute();
  const last = new Map(calls.map((call) => [call.projectId, call]));
  return [...last.values()].flatMap(({ projectId, kind, state, detail }) => {
    if (state === 'done' || detail === null) return [];
    const [, reason, words] = /^(\w+): (.*)$/s.exec(detail) ?? [];
    const isRefusal = reason === 'unauthorized' || (reason === 'not_found' && kind === 'create_job');
    return isRefusal && words !== undefined ? [{ projectId, words }] : [];
  });
}

import { type Generated, type Kysely, type RawBuilder, sql } from 'kysely';
import type { CallKind, CallRequest, CallState } from '../../jobs/call.ts';
import type { Reply } from '../../jobs/event.ts';
import type { FollowUp, Receipt } from '../../jobs/follow-ups/follow-up.ts';
import type { Job, Stage } from '../../jobs/job.ts';
import type { ChannelSettings } from '../../jobs/policy.ts';
import type { PullRequestFacts } from '../../jobs/pull-requests/pull-request.ts';
import type { Recorded } from '../../jobs/report/audit.ts';
import type { BudgetKind } from '../../jobs/schedule/hourly-budget.ts';
import type { LookOutcome } from '../../jobs/schedule/schedule.ts';
import type { TaskKind } from '../../jobs/task-kinds.ts';

/**
 * The newest schema; the database has its names in snake case. Times are milliseconds since 1970, and what `is` or `has`
 * is 1 or 0.
 */
export interface Tables {
  /** `key`: its kind, and a digest of the rest. */
  inboundRequest: { key: string; at: number };
  job: JobTable;
  /** The workspace's number of jobs, which is the latest's number. */
  jobCount: { teamId: string; lastNumber: number };
  followUp: FollowUpTable;
  earlyReply: EarlyReplyTable;
  call: CallTable;
  task: TaskTable;
  heartbeat: { id: number; beats: number };
  replica: Replica & { seenAt: number };
  recipe: {
    teamId: string;
    name: string;
    jobId: string | null;
    failures: number;
    hasFailed: number;
    pausedAt: number | null;
  };
  /** `schedule`: as it was when `servedUntil` was written; null: it has left the settings. */
  schedule: { teamId: string; name: string; schedule: string | null; servedUntil: number };
  /** `answer`: empty until the commit. */
  hookAnswer: { key: string; at: number; answer: string };
  channelSetting: {
    teamId: string;
    channelId: string;
    data: Json<ChannelSettings>;
    changedBy: string;
    changedAt: number;
  };
  installation: InstallationTable;
  organisationTeam: { teamId: string; enterpriseId: string };
  /** Where the store was copied to; empty: nowhere. */
  moved: { place: string; at: number };
  home: { teamId: string; userId: string; openedAt: number };
  /** A thread whose job was deleted; `at`: when. */
  pastThread: { teamId: string; channelId: string; threadTs: string; at: number };
  catchUp: CatchUpTable;
  /** A notice of a deleted job, whose link is not announced in that channel again. `digest`: of the call's natural key. */
  pastNotice: { teamId: string; channelId: string; digest: string };
  budgetQueue: BudgetQueueTable;
  /** See `CallPause`. */
  callPause: { projectId: string; at: number; until: number; refusals: number };
  readBudget: ReadBudgetTable;
  pullRequest: PullRequestTable;
  /** `url`: as the job announced it. `isOld`: it was announced before anybody looked at it. */
  jobPullRequest: { jobId: string; teamId: string; key: string; url: string; isOld: number };
  /** What people did that leaves no other trace. The job may be deleted by now. */
  auditEntry: Omit<Recorded, 'atMs'> & { at: number; id: string };
  /** A secret. `until`: when it expires. */
  stepToken: { jobId: string; token: string; until: number };
}

/**
 * The project, channel or code host of a task, whose tasks share workers, so that a silent one cannot take
 * all of them. A path such as `T1/C1/` (workspace and channel), `docs/` (project) or `github.com/`, or empty.
 */
export type TaskGroup = string;

/** The database, or a transaction in it. */
export type Queries = Kysely<Tables>;

/** A process that shares the store. */
export type Replica = Readonly<{
  id: string;
  /** The connections to Slack that it has, or may have. */
  connections: number;
  /** Connections outside of this store, by Slack's last count. */
  otherConnections: number;
}>;

interface CatchUpTable {
  jobId: string;
  teamId: string;
  /** The lowest is read first; null: the thread is not to be read. */
  urgency: number | null;
  requestedAt: number;
  requestCount: number;
  /** No sweep before that: it was read recently, or cannot be read. */
  sweepFrom: number | null;
  seenTs: string | null;
  oldestTs: string | null;
  cursor: string | null;
  oldReplies: number;
  failures: number;
}

/** `data` is the whole job; the columns before it repeat what is looked up. */
interface JobTable extends Pick<Job, 'id' | 'teamId' | 'channelId' | 'threadTs' | 'projectId'> {
  /** Empty: nobody. */
  requesterId: string;
  requestedAt: number;
  stage: Stage['kind'];
  agentJobId: string | null;
  hasPullRequest: number;
  /** Written as null, so that the database gives the job the workspace's next one. */
  number: number | null;
  data: Json<Job>;
  /** Not part of the job's data: written when its card is refreshed. */
  cardDrawnAt: number | null;
}

/** The fields of a follow-up without a column. */
type FollowUpMore = Pick<
  FollowUp,
  'corrected' | 'isDeleted' | 'isCorrection' | 'isCorrectionOffered' | 'snippets' | 'inlined'
>;

/** Slack's timestamps have a fixed width, so they sort as text. */
export interface FollowUpTable extends Omit<FollowUp, keyof FollowUpMore | 'receivedAtMs'> {
  receivedAt: number;
  /** What queries neither search nor need. */
  more: Json<FollowUpMore>;
  receiptShown: Receipt | null;
  /** Other reactions that may be on the reply, separated by commas. */
  receiptsTried: string;
}

interface EarlyReplyTable extends Pick<Reply, 'messageTs' | 'userId' | 'text'> {
  teamId: string;
  channelId: string;
  threadTs: string;
  /** Empty if it was not edited, `withdrawn` if it was deleted. */
  editedTs: string;
  receivedAt: number;
  more: Json<Pick<Reply, 'mentionsBot' | 'attachments'>>;
}

interface CallTable {
  seq: Generated<number>;
  id: string;
  naturalKey: string;
  jobId: string;
  projectId: string;
  lane: string;
  kind: CallKind;
  request: Json<CallRequest>;
  state: CallState;
  detail: string | null;
  createdAt: number;
  startedAt: number | null;
  /** Null while the call has no outcome. */
  endedAt: number | null;
  /** See `LedgerCall.heldSinceMs`. */
  heldSince: number | null;
}

interface TaskTable {
  id: string;
  kind: TaskKind;
  subject: string;
  /** Null for a workspace's catch-up and a person's home. */
  jobId: string | null;
  runAt: number;
  leaseToken: string | null;
  leaseUntil: number | null;
  attempts: number;
  revision: number;
  lastRunAt: number | null;
  /** Of refreshes: until then, an edit with an unknown outcome may still reach Slack. */
  unknownUntil: number | null;
  groupKey: Generated<TaskGroup>;
  /** Since when every try has failed; null if the last one did not. */
  failingSince: number | null;
  failure: string | null;
}

interface BudgetQueueTable {
  jobId: string;
  kind: BudgetKind;
  projectId: string;
  /** That of the job's first call in the queue. */
  seq: number;
  /** See `InBudgetQueue`. */
  passedUntil: number | null;
}

interface ReadBudgetTable {
  projectId: string;
  /** When the project's read allowance is whole again; fractional, as many reads add up. */
  wholeAt: number;
  /** See `Slowdown`; null if there was none. */
  slowedAt: number | null;
  slowedShare: number | null;
  slowedUntil: number | null;
}

/** See `WatchedPullRequest`. */
interface PullRequestTable {
  teamId: string;
  key: string;
  watchedFrom: number;
  /** Null: not yet. */
  lookedAt: number | null;
  changedAt: number | null;
  outcome: LookOutcome | null;
  misses: number;
  facts: Json<PullRequestFacts> | null;
  memory: Json<unknown> | null;
}

interface InstallationTable {
  id: string;
  isOrganisation: number;
  enterpriseId: string | null;
  botUserId: string;
  botId: string;
  workspaceUrl: string | null;
  /** Separated by commas. */
  scopes: string;
  installerId: string;
  installedAt: number;
  keyId: string;
  botToken: string;
  revision: number;
}

/** A job is kept whole, but for its number. */
export const jobColumns = ['data', 'number'] as const;

export function jobFrom({ data, number }: Pick<JobTable, (typeof jobColumns)[number]>): Job {
  return { ...fromJson(data), number: number ?? 0 };
}

/** JSON text of a document, in text columns of both databases. Only this program writes it. */
export type Json<T> = string & { readonly [document]?: T };

declare const document: unique symbol;

export function toJson<T>(value: T): Json<T> {
  return JSON.stringify(value);
}

export function fromJson<T>(json: Json<T>): T {
  return JSON.parse(json);
}

/** With its fraction: numbers in parameters are rounded for Postgres. */
export function exactly(value: number): RawBuilder<number> {
  return sql<number>`cast(${String(value)} as double precision)`;
}

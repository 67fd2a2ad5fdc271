import { type Generated, type Kysely, type RawBuilder, sql } from 'kysely';
import type { CallKind, CallRequest, CallState } from '#jobs/call.ts';
import type { Reply } from '#jobs/event.ts';
import type { FollowUp, Receipt } from '#jobs/follow-ups/follow-up.ts';
import type { Job, Stage } from '#jobs/job.ts';
import type { ChannelSettings } from '#jobs/policy.ts';
import type { PullRequestFacts } from '#jobs/pull-requests/pull-request.ts';
import type { BudgetKind } from '#jobs/schedule/hourly-budget.ts';
import type { TaskKind } from '#jobs/task-kinds.ts';

/** Columns are snake_case in SQL. Times are Unix milliseconds; `is` and `has` are 1 or 0. */
export interface Tables {
  inboundRequest: { key: string; at: number };
  job: JobTable;
  jobCount: { teamId: string; lastNumber: number };
  followUp: FollowUpTable;
  earlyReply: EarlyReplyTable;
  call: CallTable;
  task: TaskTable;
  heartbeat: { id: number; beats: number };
  replica: { id: string; connections: number; otherConnections: number; seenAt: number };
  recipe: {
    teamId: string;
    name: string;
    jobId: string | null;
    failures: number;
    hasFailed: number;
    pausedAt: number | null;
  };
  /** `schedule` null: removed from the settings. */
  schedule: { teamId: string; name: string; schedule: string | null; servedUntil: number };
  /** `answer`: empty until the commit. */
  hookAnswer: { key: string; at: number; answer: string };
  channelSetting: { teamId: string; channelId: string; data: Json<ChannelSettings> };
  installation: InstallationTable;
  organisationTeam: { teamId: string; enterpriseId: string };
  moved: { place: string; at: number };
  home: { teamId: string; userId: string; openedAt: number };
  pastThread: { teamId: string; channelId: string; threadTs: string; at: number };
  catchUp: CatchUpTable;
  /** Notices of deleted jobs, not to be repeated. */
  pastNotice: { teamId: string; channelId: string; digest: string };
  budgetQueue: {
    jobId: string;
    kind: BudgetKind;
    projectId: string;
    seq: number;
    passedUntil: number | null;
  };
  callPause: { projectId: string; at: number; until: number; refusals: number };
  readBudget: {
    projectId: string;
    /** When the allowance is full again; fractional, as many reads add up. */
    wholeAt: number;
    slowedAt: number | null;
    slowedShare: number | null;
    slowedUntil: number | null;
  };
  pullRequest: {
    teamId: string;
    key: string;
    watchedFrom: number;
    changedAt: number | null;
    outcome: string | null;
    misses: number;
    facts: Json<PullRequestFacts> | null;
    memory: Json<unknown> | null;
  };
  jobPullRequest: { jobId: string; teamId: string; key: string; url: string };
  auditEntry: {
    at: number;
    id: string;
    teamId: string;
    /** Null: a workflow that starts by itself. */
    userId: string | null;
    action: 'press' | 'setting' | 'refusal';
    source: string;
    jobId: string | null;
    outcome: string;
  };
  stepToken: { jobId: string; token: string; until: number };
}

/** A path such as `T1/C1/`, `docs/` or `github.com/`, or empty. */
export type TaskGroup = string;

export type Queries = Kysely<Tables>;

interface CatchUpTable {
  jobId: string;
  teamId: string;
  /** Lowest first; null: not to be read. */
  urgency: number | null;
  requestedAt: number;
  requestCount: number;
  sweepFrom: number | null;
  seenTs: string | null;
  oldestTs: string | null;
  /** Null: at `oldestTs`. */
  cursor: string | null;
  oldReplies: number;
  failures: number;
}

/** `data` is the whole job; other columns are for queries. */
interface JobTable extends Pick<Job, 'id' | 'teamId' | 'channelId' | 'threadTs' | 'projectId'> {
  /** Empty: nobody. */
  requesterId: string;
  requestedAt: number;
  stage: Stage['kind'];
  agentJobId: string | null;
  hasPullRequest: number;
  /** Null: not a job yet. */
  number: number | null;
  data: Json<Job>;
  cardDrawnAt: number | null;
}

type FollowUpMore = Pick<
  FollowUp,
  'corrected' | 'isDeleted' | 'isCorrection' | 'isCorrectionOffered' | 'snippets' | 'inlined' | 'pictures'
>;

/** Slack's timestamps sort as text. */
export interface FollowUpTable extends Omit<FollowUp, keyof FollowUpMore | 'receivedAtMs'> {
  receivedAt: number;
  more: Json<FollowUpMore>;
  receiptShown: Receipt | null;
  receiptsTried: string;
}

interface EarlyReplyTable extends Pick<Reply, 'messageTs' | 'userId' | 'text'> {
  teamId: string;
  channelId: string;
  threadTs: string;
  /** Empty: not edited. `withdrawn`: deleted. */
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
  endedAt: number | null;
  heldSince: number | null;
  sent: string | null;
}

interface TaskTable {
  id: string;
  kind: TaskKind;
  subject: string;
  jobId: string | null;
  runAt: number;
  leaseToken: string | null;
  leaseUntil: number | null;
  attempts: number;
  revision: number;
  lastRunAt: number | null;
  unknownUntil: number | null;
  groupKey: Generated<TaskGroup>;
  failingSince: number | null;
  failure: string | null;
}

interface InstallationTable {
  /** Belongs to a workspace (T…) or an organisation (E…). */
  id: string;
  isOrganisation: number;
  enterpriseId: string | null;
  botUserId: string;
  botId: string;
  workspaceUrl: string | null;
  scopes: string;
  installedAt: number;
  keyId: string;
  botToken: string;
}

export const FORGOTTEN = 'forgotten';

export const jobColumns = ['data', 'number'] as const;

export function jobFrom({ data, number }: Pick<JobTable, (typeof jobColumns)[number]>): Job {
  return { ...fromJson(data), number: number ?? 0 };
}

/** Written only by this program. */
export type Json<T> = string & { readonly [document]?: T };

declare const document: unique symbol;

export function toJson<T>(value: T): Json<T> {
  return JSON.stringify(value);
}

export function fromJson<T>(json: Json<T>): T {
  return JSON.parse(json);
}

/** The Postgres pool rounds numbers in parameters. */
export function exactly(value: number): RawBuilder<number> {
  return sql<number>`cast(${String(value)} as double precision)`;
}

/** For conditions that must match an index. */
export function literals(values: readonly string[]): RawBuilder<unknown> {
  return sql.join(values.map((value) => sql.lit(value)));
}

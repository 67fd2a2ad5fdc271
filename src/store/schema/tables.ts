import { type Generated, type Kysely, type RawBuilder, type Selectable, sql } from 'kysely';
import type { CallKind, CallRequest, CallState } from '../../jobs/call.ts';
import type { Reply } from '../../jobs/event.ts';
import type { FollowUp, FollowUpState, Receipt } from '../../jobs/follow-ups/follow-up.ts';
import type { Job, Stage } from '../../jobs/job.ts';
import type { ChannelSettings } from '../../jobs/policy.ts';
import type { PullRequestFacts } from '../../jobs/pull-requests/pull-request.ts';
import type { Recorded } from '../../jobs/report/audit.ts';
import type { BudgetKind } from '../../jobs/schedule/hourly-budget.ts';
import type { LookOutcome } from '../../jobs/schedule/schedule.ts';
import type { TaskKind } from '../../jobs/task-kinds.ts';

/** The newest schema. Times are milliseconds since 1970. */
export interface Tables {
  inbound_request: InboundRequestTable;
  job: JobTable;
  /** The workspace's number of jobs, which is the latest's number. */
  job_count: { team_id: string; last_number: number };
  follow_up: FollowUpTable;
  early_reply: EarlyReplyTable;
  call: CallTable;
  task: TaskTable;
  heartbeat: HeartbeatTable;
  replica: { id: string; connections: number; other_connections: number; seen_at: number };
  recipe: RecipeTable;
  schedule: ScheduleTable;
  hook_answer: HookAnswerTable;
  channel_setting: ChannelSettingTable;
  installation: InstallationTable;
  organisation_team: { team_id: string; enterprise_id: string };
  /** Where the store was copied to; empty: nowhere. */
  moved: { place: string; at: number };
  home: { team_id: string; user_id: string; opened_at: number };
  /** A thread whose job was deleted; `at`: when. */
  past_thread: { team_id: string; channel_id: string; thread_ts: string; at: number };
  catch_up: CatchUpTable;
  past_notice: PastNoticeTable;
  budget_queue: BudgetQueueTable;
  call_pause: CallPauseTable;
  read_budget: ReadBudgetTable;
  pull_request: PullRequestTable;
  job_pull_request: JobPullRequestTable;
  audit_entry: AuditEntryTable;
  /** A secret. `until`: when it expires. */
  step_token: { job_id: string; token: string; until: number };
}

/**
 * The project, channel or code host of a task, whose tasks share workers, so that a silent one cannot take
 * all of them. A path such as `T1/C1/` (workspace and channel), `docs/` (project) or `github.com/`, or empty.
 */
export type TaskGroup = string;

/** The database, or a transaction in it. */
export type Queries = Kysely<Tables>;

interface InboundRequestTable {
  /** Its kind, and a digest of the rest. */
  key: string;
  at: number;
}

/** See `queries/catch-ups.ts`. */
interface CatchUpTable {
  job_id: string;
  team_id: string;
  /** The lowest is read first; null: the thread is not to be read. */
  urgency: number | null;
  requested_at: number;
  request_count: number;
  /** No sweep before that: it was read recently, or cannot be read. */
  sweep_from: number | null;
  seen_ts: string | null;
  oldest_ts: string | null;
  cursor: string | null;
  old_replies: number;
  failures: number;
}

/** A notice of a deleted job, whose link is not announced in that channel again. */
interface PastNoticeTable {
  team_id: string;
  channel_id: string;
  /** Of the call's natural key. */
  digest: string;
}

/** `data` is the whole job; the columns before it repeat what is looked up. */
interface JobTable {
  id: string;
  team_id: string;
  channel_id: string;
  thread_ts: string | null;
  project_id: string;
  /** Empty: nobody. */
  requester_id: string;
  requested_at: number;
  stage: Stage['kind'];
  agent_job_id: string | null;
  /** 1 or 0. */
  has_pull_request: number;
  /** Written as null, so that the database gives the job the workspace's next one. */
  number: number | null;
  data: Json<Job>;
  /** Not part of the job's data: written when its card is refreshed. */
  card_drawn_at: number | null;
}

/** The fields of a follow-up without a column. */
export type FollowUpMore = Pick<
  FollowUp,
  'corrected' | 'isDeleted' | 'isCorrection' | 'isCorrectionOffered' | 'snippets' | 'inlined'
>;

interface FollowUpTable {
  id: string;
  job_id: string;
  /** Slack's timestamps have a fixed width, so they sort as text. */
  message_ts: string;
  user_id: string;
  text: string;
  edited_ts: string | null;
  received_at: number;
  state: FollowUpState;
  call_id: string | null;
  /** What queries neither search nor need. */
  more: Json<FollowUpMore>;
  receipt_shown: Receipt | null;
  /** Other reactions that may be on the reply, separated by commas. */
  receipts_tried: string;
}

interface EarlyReplyTable {
  team_id: string;
  channel_id: string;
  thread_ts: string;
  message_ts: string;
  user_id: string;
  text: string;
  /** Empty if it was not edited, `withdrawn` if it was deleted. */
  edited_ts: string;
  received_at: number;
  more: Json<Pick<Reply, 'mentionsBot' | 'attachments'>>;
}

interface CallTable {
  seq: Generated<number>;
  id: string;
  natural_key: string;
  job_id: string;
  project_id: string;
  lane: string;
  kind: CallKind;
  request: Json<CallRequest>;
  state: CallState;
  detail: string | null;
  created_at: number;
  started_at: number | null;
  /** Null while the call has no outcome. */
  ended_at: number | null;
  /** See `LedgerCall.heldSinceMs`. */
  held_since: number | null;
}

interface TaskTable {
  id: string;
  kind: TaskKind;
  subject: string;
  /** Null for a workspace's catch-up and a person's home. */
  job_id: string | null;
  run_at: number;
  lease_token: string | null;
  lease_until: number | null;
  attempts: number;
  revision: number;
  last_run_at: number | null;
  /** Of refreshes: until then, an edit with an unknown outcome may still reach Slack. */
  unknown_until: number | null;
  /** See `TaskGroup`. */
  group_key: Generated<TaskGroup>;
  /** Since when every try has failed; null if the last one did not. */
  failing_since: number | null;
  failure: string | null;
}

interface BudgetQueueTable {
  job_id: string;
  kind: BudgetKind;
  project_id: string;
  /** That of the job's first call in the queue. */
  seq: number;
  /** See `InBudgetQueue`. */
  passed_until: number | null;
}

/** See `CallPause`. */
interface CallPauseTable {
  project_id: string;
  at: number;
  until: number;
  refusals: number;
}

interface ReadBudgetTable {
  project_id: string;
  /** When the project's read allowance is whole again; fractional, as many reads add up. */
  whole_at: number;
  /** See `Slowdown`; null if there was none. */
  slowed_at: number | null;
  slowed_share: number | null;
  slowed_until: number | null;
}

/** See `queries/pull-requests.ts`. */
interface PullRequestTable {
  team_id: string;
  key: string;
  watched_from: number;
  /** Null: not yet. */
  looked_at: number | null;
  changed_at: number | null;
  outcome: LookOutcome | null;
  misses: number;
  facts: Json<PullRequestFacts> | null;
  memory: Json<unknown> | null;
}

interface JobPullRequestTable {
  job_id: string;
  team_id: string;
  key: string;
  /** As the job announced it. */
  url: string;
  /** 1 or 0: it was announced before anybody looked at it. */
  is_old: number;
}

interface RecipeTable {
  team_id: string;
  name: string;
  job_id: string | null;
  failures: number;
  /** 1 or 0. */
  has_failed: number;
  paused_at: number | null;
}

interface ScheduleTable {
  team_id: string;
  name: string;
  /** As it was when `served_until` was written; null: it has left the settings. */
  schedule: string | null;
  served_until: number;
}

interface HookAnswerTable {
  key: string;
  at: number;
  /** Empty until the commit. */
  answer: string;
}

/** See `queries/reports/reports.ts`. What people did that leaves no other trace: presses, settings, refusals. */
interface AuditEntryTable {
  at: number;
  id: string;
  team_id: string;
  user_id: string | null;
  action: Recorded['action'];
  source: string;
  /** It may be deleted by now. */
  job_id: string | null;
  outcome: string;
}

interface ChannelSettingTable {
  team_id: string;
  channel_id: string;
  data: Json<ChannelSettings>;
  changed_by: string;
  changed_at: number;
}

interface InstallationTable {
  id: string;
  /** 1 or 0. */
  is_organisation: number;
  enterprise_id: string | null;
  bot_user_id: string;
  bot_id: string;
  workspace_url: string | null;
  /** Separated by commas. */
  scopes: string;
  installer_id: string;
  installed_at: number;
  key_id: string;
  bot_token: string;
  revision: number;
}

interface HeartbeatTable {
  id: number;
  beats: number;
}

/** A job is kept whole, but for its number. */
export function jobFrom({ data, number }: { readonly data: Json<Job>; readonly number: number | null }): Job {
  return { ...fromJson(data), number: number ?? 0 };
}

export type FollowUpRow = Selectable<FollowUpTable>;
export type CallRow = Selectable<CallTable>;

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

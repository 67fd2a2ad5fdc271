import type { Generated, Kysely, Selectable } from 'kysely';
import type { CallKind, CallState } from '../../jobs/call.ts';
import type { FollowUpState, Receipt } from '../../jobs/follow-up.ts';
import type { BudgetKind } from '../../jobs/hourly-budget.ts';
import type { Stage } from '../../jobs/job.ts';
import type { TaskGroup, TaskKind } from '../queries/tasks/task.ts';

/** The tables as the newest migration leaves them. Times are milliseconds since 1970. */
export interface Tables {
  gesture: GestureTable;
  job: JobTable;
  follow_up: FollowUpTable;
  early_reply: EarlyReplyTable;
  call: CallTable;
  task: TaskTable;
  heartbeat: HeartbeatTable;
  channel_setting: ChannelSettingTable;
  installation: InstallationTable;
  organisation_team: { team_id: string; enterprise_id: string };
  home: { team_id: string; user_id: string; opened_at: number };
  past_thread: PastThreadTable;
  catch_up: CatchUpTable;
  past_notice: PastNoticeTable;
  /** `lengths`: milliseconds as JSON, the latest last. */
  turn_lengths: { project_id: string; lengths: string };
  /** `seq`: that of the call that was wanted first. */
  budget_queue: { job_id: string; kind: BudgetKind; project_id: string; seq: number };
  /** `whole_at`: when the project's allowance of reads is whole again; with fractions, as many reads add up. */
  read_budget: { project_id: string; whole_at: number };
}

/** The database, or a transaction in it. */
export type Queries = Kysely<Tables>;

interface GestureTable {
  /** Its kind, and a digest of the rest: the request itself need not be readable. */
  key: string;
  at: number;
}

/** A thread whose job was deleted; `at`: when. */
interface PastThreadTable {
  team_id: string;
  channel_id: string;
  thread_ts: string;
  at: number;
}

/** See `queries/catch-ups.ts`. The rows of jobs that were deleted meanwhile are deleted when it is their turn. */
interface CatchUpTable {
  job_id: string;
  team_id: string;
  /** The lowest is read first; null: the thread is not to be read. */
  urgency: number | null;
  wanted_at: number;
  wishes: number;
  /** It was read of late, or cannot be read. */
  sweep_from: number | null;
  seen_ts: string | null;
  oldest_ts: string | null;
  cursor: string | null;
  old_replies: number;
  failures: number;
}

/** A notice of a job that was deleted: its link is not announced in that channel again. */
interface PastNoticeTable {
  team_id: string;
  channel_id: string;
  /** Of the natural key that the call had. */
  digest: string;
}

/** `data` is the whole job; the columns before it repeat what is looked up. */
interface JobTable {
  id: string;
  team_id: string;
  channel_id: string;
  thread_ts: string | null;
  project_id: string;
  requester_id: string;
  requested_at: number;
  stage: Stage['kind'];
  agent_job_id: string | null;
  /** 1 or 0. */
  has_pull_request: number;
  data: string;
  /** Not part of the job: written when its card is drawn, and kept by a decision. */
  card_drawn_at: number | null;
}

interface FollowUpTable {
  id: string;
  job_id: string;
  /** Slack's timestamps have a fixed width, so their text order is their time order. */
  message_ts: string;
  user_id: string;
  text: string;
  edited_ts: string | null;
  received_at: number;
  state: FollowUpState;
  call_id: string | null;
  /** What is neither looked up nor needed by queries, as JSON. */
  more: string;
  receipt_shown: Receipt | null;
  /** Reactions that may stand at the reply besides, separated by commas. */
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
  /** The rest, as JSON. */
  more: string;
}

interface CallTable {
  /** The order in which calls were wanted. */
  seq: Generated<number>;
  id: string;
  natural_key: string;
  job_id: string;
  project_id: string;
  lane: string;
  kind: CallKind;
  request: string;
  state: CallState;
  detail: string | null;
  wanted_at: number;
  started_at: number | null;
  /** Null while the call has no outcome. */
  ended_at: number | null;
  /** Since when Slack has not taken it, or not let it be looked for, without saying that it never will; else null. */
  held_since: number | null;
}

interface TaskTable {
  id: string;
  kind: TaskKind;
  subject: string;
  run_at: number;
  lease_token: string | null;
  lease_until: number | null;
  attempts: number;
  revision: number;
  /** When a check last found nothing new; of other kinds null. */
  last_run_at: number | null;
  /** Of what is drawn: until then an edit of unknown fate may still arrive at Slack; else null. */
  unsure_until: number | null;
  /** See `TaskGroup`. */
  group_key: Generated<TaskGroup>;
  /** Since when every try has failed; null if the last one did not. */
  failing_since: number | null;
  /** The words of the last failure. */
  failure: string | null;
}

interface ChannelSettingTable {
  team_id: string;
  channel_id: string;
  data: string;
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
  refresh_token: string | null;
  expires_at: number | null;
  revision: number;
  /** Of the process that renews the token. */
  renewal: string | null;
  renewing_until: number | null;
  renewal_problem: string | null;
}

interface HeartbeatTable {
  id: number;
  beats: number;
}

export type FollowUpRow = Selectable<FollowUpTable>;
export type CallRow = Selectable<CallTable>;

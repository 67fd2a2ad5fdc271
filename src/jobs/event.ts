import type { AgentFailure, AgentJob } from './agent-job.ts';
import type { Announcement } from './announcement.ts';
import type { CardWait, Job, StartThread, WatchedElsewhere } from './job.ts';
import type { PullRequestFacts } from './pull-requests/pull-request.ts';
import type { Attachments, NotSent, ReadSnippet } from './requests/attachments.ts';

/** Texts from Slack are escaped. */
interface Events {
  card_posted: { ts: string };
  card_refused: { reason: string };
  card_delayed: { reason: string; waitsFor?: CardWait };
  post_refused: RefusedPost;
  /** Refused until the bot regains access. */
  post_delayed: RefusedPost;
  job_created: CallAnswered;
  /** A create call of unknown outcome succeeded. */
  job_found: CallAnswered;
  create_failed: CallFailed;
  call_repeated: CallFailed;
  stop_pressed: { userId: string };
  job_stopped: CallAnswered;
  stop_failed: CallFailed;
  reply_received: { reply: Reply };
  reply_edited: { reply: Reply };
  /** `overtaken`: the reply, if not yet delivered. */
  reply_deleted: { messageTs: string; overtaken?: Reply };
  request_rewritten: { reply: Reply };
  request_deleted: { messageTs: string; userId: string };
  /** More of the message may follow. */
  message_completed: { reply: Reply };
  old_replies_found: { count: number };
  /** `isCalled`: next after the project's pause. */
  send_due: { isCalled?: boolean };
  recipe_paused: object;
  recipe_skipped: object;
  pause_refused: object;
  message_accepted: OfPictures & { callId: string; agentJobId: string; agentJob: AgentJob | null };
  message_failed: CallFailed & OfOthers;
  /** `before`: the job when it was read. */
  job_checked: { agentJob: AgentJob; before?: Job };
  check_failed: { agentJobId: string; failure: AgentFailure } & OfOthers;
  start_again_pressed: ByPerson & {
    creates?: number | undefined;
    callId?: string | undefined;
  };
  try_again_pressed: StartPress & { cards: number };
  keep_watching_pressed: ByPerson & { question: number };
  /** `inSession`: from an agent session. */
  stop_watching_pressed: ByPerson & { question: number; inSession?: true };
  resume_watching_pressed: { question: number };
  request_edited: ByPerson & { creates: number; prompt: string };
  agent_job_named: ByPerson & { callId: string; agentJobId: string };
  start_dismissed: ByPerson & { callId: string; other?: WatchedElsewhere };
  start_another_pressed: StartPress & { projectId?: string | undefined };
  resend_pressed: ByPerson & { callId: string | null };
  send_now_pressed: { message: number };
  correction_pressed: { messageTs: string };
  mute_pressed: { userId: string };
  send_anyway_pressed: { messageTs: string };
  draft_posted: { draft: number; ts: string };
  draft_unseen: { draft: number };
  draft_started: {
    draft: number;
    userId: string;
    prompt?: string;
    /** Earlier messages of the thread. */
    said?: string;
    attachments?: Attachments;
    /** Replies not to send. */
    withheld?: readonly string[];
    postTs?: string;
  };
  draft_dismissed: { draft: number; userId: string };
  draft_expired: object;
  marks_seen: { userIds: readonly string[] };
  marked_once_more: {
    userIds: readonly string[];
    approvers: readonly string[];
    message: MarkedMessage;
  };
  follow_up_written: { userId: string; text: string };
  /** `news`: its key. `sent`: comments. `hasMore`: it may be answered again, after the next turn. */
  news_answered: { userId: string; text: string; news: string; sent?: readonly string[]; hasMore?: boolean };
  follow_up_shown: { messageTs: string; userId: string; text: string };
  snippets_read: { messageTs: string | null; snippets: readonly ReadSnippet[] };
  pull_request_seen: { url: string; facts: PullRequestFacts };
  remind_again_pressed: ByPerson & { reminderId: string };
  no_more_reminders_pressed: ByPerson & { reminderId: string };
  need_dismissed: { need: string };
  offers_shown: { postIds: readonly string[] };
  notice_refused: { channelId: string; reason: string };
}

type EventType = keyof Events;

export type EventOf<T extends EventType> = { [K in T]: Readonly<{ type: K } & Events[K]> }[T];

export type JobEvent = EventOf<EventType>;

type CallAnswered = OfPictures & Readonly<{ callId: string; agentJob: AgentJob }>;

interface OfPictures {
  readonly notSent?: readonly NotSent[];
}

type CallFailed = Readonly<{ callId: string; failure: AgentFailure }>;

type RefusedPost = Readonly<{ callId: string; announcement: Announcement; reason: string }>;

interface ByPerson {
  readonly userId?: string | undefined;
}

interface OfOthers {
  readonly othersAnsweredAtMs?: number | null;
}

type StartPress = Readonly<{
  responseUrl: string | null;
  /** Slack's clock; absent: a form. */
  pressedTs?: string | undefined;
}>;

export type Reply = Readonly<{
  messageTs: string;
  userId: string;
  text: string;
  editedTs: string | null;
  /** True even if `text` no longer shows it. */
  mentionsBot: boolean;
  attachments: Attachments;
}>;

export type MarkedMessage = Readonly<{
  thread: StartThread;
  /** Absent: an app wrote it. */
  authorId?: string;
  prompt: string;
  attachments: Attachments;
  /** Timestamps of other messages. */
  along: readonly string[];
}>;

import type { AgentFailure, AgentJob } from './agent-job.ts';
import type { Announcement } from './announcement.ts';
import type { MarkedMessage } from './draft.ts';
import type { CardWait } from './job.ts';
import type { WatchedElsewhere } from './offer.ts';
import type { PullRequestFacts } from './pull-requests/pull-request.ts';
import type { Attachments, ReadSnippet } from './requests/attachments.ts';
import type { NamedProject } from './requests/project.ts';

/** What can happen to a job: an answer from outside, a due time, or a person's action in Slack. */
interface Events {
  card_posted: { ts: string };
  /** `reason` is Slack's error code. */
  card_refused: { reason: string };
  /** Slack does not take the card yet, or does not show it; `waitsFor`: what people must do. */
  card_delayed: { reason: string; waitsFor?: CardWait };
  /** A post in the thread was refused for good. */
  post_refused: RefusedPost;
  /** A post in the thread is refused until the bot has access again. */
  post_delayed: RefusedPost;
  job_created: { callId: string; agentJob: AgentJob };
  /** The answer to a create call of unknown fate arrived after all. */
  job_found: { callId: string; agentJob: AgentJob };
  create_failed: { callId: string; failure: AgentFailure };
  reply_received: { reply: Reply };
  /** The reply was changed in Slack. Edits may come in any order, and repeatedly. */
  reply_edited: { reply: Reply };
  /** `overtaken`: the deleted reply, if Slack has not delivered it yet. */
  reply_deleted: { messageTs: string; overtaken?: Reply };
  /** The message that asks was changed in Slack; `reply` is the request now. */
  request_rewritten: { reply: Reply };
  request_deleted: { messageTs: string; userId: string };
  /** The request or a reply from another event of the same message; one may bring less than the other. */
  message_completed: { reply: Reply };
  /** This many replies, written long before, were found in the thread. */
  old_replies_found: { count: number };
  /** `isCalled`: they are the next after a pause of their project, whatever their time. */
  send_due: { isCalled?: boolean };
  recipe_paused: object;
  recipe_skipped: object;
  /** The channel could not be told that its recipe is paused. */
  pause_refused: object;
  message_accepted: { callId: string; agentJobId: string; agentJob: AgentJob | null };
  message_failed: { callId: string; failure: AgentFailure } & OfOthers;
  job_checked: { agentJob: AgentJob };
  check_failed: { agentJobId: string; failure: AgentFailure } & OfOthers;
  /** *Start again*: at least one field says which end of the job it concerns. */
  start_again_pressed: ByPerson & {
    /** How often the job had been created when the button was made. */
    creates?: number | undefined;
    /** The create call of unknown fate; or the message call whose replies go to the new job. */
    callId?: string | undefined;
  };
  /** `cards`: how often the card had been tried when the button was made. */
  try_again_pressed: StartPress & { cards: number };
  keep_watching_pressed: ByPerson & { question: number };
  stop_watching_pressed: ByPerson & { question: number };
  resume_watching_pressed: { question: number };
  /** *Edit and start*, after a refused request. `prompt`: escaped, as Slack delivers messages. */
  request_edited: ByPerson & { creates: number; prompt: string };
  /** A person says which agent job came of a create call of unknown fate; the API knows it. */
  agent_job_named: ByPerson & { callId: string; agentJobId: string };
  /** *Dismiss*, where the start is unclear. `other`: that job already watches the agent job. */
  start_dismissed: ByPerson & { callId: string; other?: WatchedElsewhere };
  /** *Start another*, or *Start*. `project`: from *Start in …*. */
  start_another_pressed: StartPress & { project?: NamedProject };
  /** *Send again*: the replies of a call go back in line; null: all that need a decision. */
  resend_pressed: ByPerson & { callId: string | null };
  /** `message`: the number of the message call for the waiting replies. */
  send_now_pressed: { message: number };
  correction_pressed: { messageTs: string };
  /** *Mute updates*, after somebody wanted to stop the agent. */
  mute_pressed: { userId: string };
  /** *Send it anyway*, *Send to the agent*: a reply that was probably not meant for the agent. */
  send_anyway_pressed: { messageTs: string };
  /** The draft's message is in Slack; `draft`: by its number. */
  draft_posted: { draft: number; ts: string };
  /** Slack does not say whether the draft's message was posted, and is no longer asked. */
  draft_unseen: { draft: number };
  /** *Start*, or *Edit and start*, of a draft. */
  draft_started: {
    draft: number;
    userId: string;
    /** The edited request, escaped. */
    prompt?: string;
    /** The thread's earlier messages that go along; escaped. */
    said?: string;
    attachments?: Attachments;
    /** Timestamps of the replies below it that stay between people. */
    withheld?: readonly string[];
    /** The draft's own message, according to the press. */
    postTs?: string;
  };
  draft_dismissed: { draft: number; userId: string };
  draft_expired: object;
  /** These people react to the draft's message now. */
  marks_seen: { userIds: readonly string[] };
  /** The same, and one of them asks for another draft (`asksOnceMore`). `approvers`: see `requestDraft`. */
  marked_once_more: {
    userIds: readonly string[];
    approvers: readonly string[];
    message: MarkedMessage;
  };
  /** A person wrote a follow-up in the form; the thread shows it first. */
  follow_up_written: { userId: string; text: string };
  follow_up_shown: { messageTs: string; userId: string; text: string };
  /** `messageTs`: of the reply that they are attached to; null: the prompt. */
  snippets_read: { messageTs: string | null; snippets: readonly ReadSnippet[] };
  /**
   * The code host described the pull request of a link that the thread knows. `isOld`: the link was announced
   * before anybody looked at it, so what happened before the first look is no news.
   */
  pull_request_seen: { url: string; facts: PullRequestFacts; isOld?: boolean };
  remind_again_pressed: ByPerson & { reminderId: string };
  no_more_reminders_pressed: ByPerson & { reminderId: string };
  /** *Dismiss* on the home tab; `need`: see `needOf`. */
  need_dismissed: { need: string };
  /** The messages of these posts show the outcomes of their offers, or cannot. */
  offers_shown: { postIds: readonly string[] };
  notice_refused: { channelId: string; reason: string };
}

type EventType = keyof Events;

export type EventOf<T extends EventType> = { [K in T]: Readonly<{ type: K } & Events[K]> }[T];

export type JobEvent = EventOf<EventType>;

type RefusedPost = Readonly<{
  callId: string;
  announcement: Announcement;
  reason: string;
}>;

interface ByPerson {
  readonly userId?: string | undefined;
}

interface OfOthers {
  /** When the API last knew another job of the project, as far as known. */
  readonly othersAnsweredAtMs?: number | null;
}

type StartPress = Readonly<{
  /** Replaces an older one, unless null. */
  responseUrl: string | null;
  /** When it was pressed, by Slack's clock, unless it is a form. */
  pressedTs?: string | undefined;
}>;

export type Reply = Readonly<{
  messageTs: string;
  userId: string;
  text: string;
  editedTs: string | null;
  /** The bot is mentioned, even if `text` no longer shows it. */
  mentionsBot: boolean;
  attachments: Attachments;
}>;

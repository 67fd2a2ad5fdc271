import type { AgentFailure, AgentJob } from './agent-job.ts';
import type { Announcement } from './announcement.ts';
import type { MarkedMessage } from './draft.ts';
import type { CardWait } from './job.ts';
import type { WatchedElsewhere } from './offer.ts';
import type { PullRequestFacts } from './pull-requests/pull-request.ts';
import type { Attachments, ReadSnippet } from './requests/attachments.ts';
import type { NamedProject } from './requests/project.ts';

/** What can happen to a job: an answer from outside, a due time, or a person's action in Slack. */
export type JobEvent =
  | { readonly type: 'card_posted'; readonly ts: string }
  /** `reason` is Slack's error code. */
  | { readonly type: 'card_refused'; readonly reason: string }
  /** Slack does not take the card yet, or does not show it; `waitsFor`: what people must do. */
  | { readonly type: 'card_delayed'; readonly reason: string; readonly waitsFor?: CardWait }
  /** A post in the thread was refused for good. */
  | {
      readonly type: 'post_refused';
      readonly callId: string;
      readonly announcement: Announcement;
      readonly reason: string;
    }
  /** A post in the thread is refused until the bot has access again. */
  | {
      readonly type: 'post_delayed';
      readonly callId: string;
      readonly announcement: Announcement;
      readonly reason: string;
    }
  | { readonly type: 'job_created'; readonly callId: string; readonly agentJob: AgentJob }
  /** The answer to a create call of unknown fate arrived after all. */
  | { readonly type: 'job_found'; readonly callId: string; readonly agentJob: AgentJob }
  | { readonly type: 'create_failed'; readonly callId: string; readonly failure: AgentFailure }
  | { readonly type: 'reply_received'; readonly reply: Reply }
  /** The reply was changed in Slack. Edits may come in any order, and repeatedly. */
  | { readonly type: 'reply_edited'; readonly reply: Reply }
  /** `overtaken`: the deleted reply, if Slack has not delivered it yet. */
  | { readonly type: 'reply_deleted'; readonly messageTs: string; readonly overtaken?: Reply }
  /** The message that asks was changed in Slack; `reply` is the request now. */
  | { readonly type: 'request_rewritten'; readonly reply: Reply }
  | { readonly type: 'request_deleted'; readonly messageTs: string; readonly userId: string }
  /** The request or a reply from another event of the same message; one may bring less than the other. */
  | { readonly type: 'message_completed'; readonly reply: Reply }
  /** This many replies, written long before, were found in the thread. */
  | { readonly type: 'old_replies_found'; readonly count: number }
  /** `isCalled`: they are the next after a pause of their project, whatever their time. */
  | { readonly type: 'send_due'; readonly isCalled?: boolean }
  /** Its recipe failed so often that it no longer starts by itself. */
  | { readonly type: 'recipe_paused' }
  /** Its recipe was due, but the job was open. */
  | { readonly type: 'recipe_skipped' }
  /** The channel could not be told that its recipe is paused. */
  | { readonly type: 'pause_refused' }
  | {
      readonly type: 'message_accepted';
      readonly callId: string;
      readonly agentJobId: string;
      readonly agentJob: AgentJob | null;
    }
  | ({ readonly type: 'message_failed'; readonly callId: string; readonly failure: AgentFailure } & OfOthers)
  | { readonly type: 'job_checked'; readonly agentJob: AgentJob }
  | ({
      readonly type: 'check_failed';
      readonly agentJobId: string;
      readonly failure: AgentFailure;
    } & OfOthers)
  | ({ readonly type: 'start_again_pressed' } & StartAgainPress)
  /** `cards`: how often the card had been tried when the button was made. */
  | ({ readonly type: 'try_again_pressed'; readonly cards: number } & StartPress)
  | ({ readonly type: 'keep_watching_pressed'; readonly question: number } & ByPerson)
  | ({ readonly type: 'stop_watching_pressed'; readonly question: number } & ByPerson)
  | { readonly type: 'resume_watching_pressed'; readonly question: number }
  /** *Edit and start*, after a refused request. `prompt`: escaped, as Slack delivers messages. */
  | ({ readonly type: 'request_edited'; readonly creates: number; readonly prompt: string } & ByPerson)
  /** A person says which agent job came of a create call of unknown fate; the API knows it. */
  | ({ readonly type: 'agent_job_named'; readonly callId: string; readonly agentJobId: string } & ByPerson)
  /** *Dismiss*, where the start is unclear. `other`: that job already watches the agent job. */
  | ({
      readonly type: 'start_dismissed';
      readonly callId: string;
      readonly other?: WatchedElsewhere;
    } & ByPerson)
  /** *Start another*, or *Start*. `project`: from *Start in …*. */
  | ({ readonly type: 'start_another_pressed'; readonly project?: NamedProject } & StartPress)
  /** *Send again*: the replies of a call go back in line; null: all that need a decision. */
  | ({ readonly type: 'resend_pressed'; readonly callId: string | null } & ByPerson)
  /** `message`: the number of the message call for the waiting replies. */
  | { readonly type: 'send_now_pressed'; readonly message: number }
  | { readonly type: 'correction_pressed'; readonly messageTs: string }
  /** *Mute updates*, after somebody wanted to stop the agent. */
  | { readonly type: 'mute_pressed'; readonly userId: string }
  /** *Send it anyway*, *Send to the agent*: a reply that was probably not meant for the agent. */
  | { readonly type: 'send_anyway_pressed'; readonly messageTs: string }
  /** The draft's message is in Slack; `draft`: by its number. */
  | { readonly type: 'draft_posted'; readonly draft: number; readonly ts: string }
  /** Slack does not say whether the draft's message was posted, and is no longer asked. */
  | { readonly type: 'draft_unseen'; readonly draft: number }
  | ({ readonly type: 'draft_started' } & DraftStart)
  | { readonly type: 'draft_dismissed'; readonly draft: number; readonly userId: string }
  /** It was made a week ago. */
  | { readonly type: 'draft_expired' }
  /** These people react to the draft's message now. */
  | { readonly type: 'marks_seen'; readonly userIds: readonly string[] }
  /** The same, and one of them asks for another draft (`asksOnceMore`). */
  | ({ readonly type: 'marked_once_more' } & MarkedOnceMore)
  /** A person wrote a follow-up in the form; the thread shows it first. */
  | { readonly type: 'follow_up_written'; readonly userId: string; readonly text: string }
  | {
      readonly type: 'follow_up_shown';
      readonly messageTs: string;
      readonly userId: string;
      readonly text: string;
    }
  /** `messageTs`: of the reply that they are attached to; null: the prompt. */
  | {
      readonly type: 'snippets_read';
      readonly messageTs: string | null;
      readonly snippets: readonly ReadSnippet[];
    }
  /**
   * The code host described the pull request of a link that the thread knows. `isOld`: the link was announced
   * before anybody looked at it, so what happened before the first look is no news.
   */
  | {
      readonly type: 'pull_request_seen';
      readonly url: string;
      readonly facts: PullRequestFacts;
      readonly isOld?: boolean;
    }
  | ({ readonly type: 'remind_again_pressed'; readonly reminderId: string } & ByPerson)
  | ({ readonly type: 'no_more_reminders_pressed'; readonly reminderId: string } & ByPerson)
  /** *Dismiss* on the home tab; `need`: see `needOf`. */
  | { readonly type: 'need_dismissed'; readonly need: string }
  /** The messages of these posts show the outcomes of their offers, or cannot. */
  | { readonly type: 'offers_shown'; readonly postIds: readonly string[] }
  | { readonly type: 'notice_refused'; readonly channelId: string; readonly reason: string };

interface ByPerson {
  /** Absent: unknown. */
  readonly userId?: string | undefined;
}

/** *Start again*: at least one field says which end of the job it concerns. */
export interface StartAgainPress extends ByPerson {
  /** How often the job had been created when the button was made. */
  readonly creates?: number | undefined;
  /** The create call of unknown fate; or the message call whose replies go to the new job. */
  readonly callId?: string | undefined;
}

/** *Start*, or *Edit and start*, of a draft. */
export interface DraftStart {
  readonly draft: number;
  readonly userId: string;
  /** The edited request, escaped; absent: unchanged. */
  readonly prompt?: string;
  /** The thread's earlier messages that go along; escaped. */
  readonly said?: string;
  readonly attachments?: Attachments;
  /** Timestamps of the replies below it that stay between people; absent: none. */
  readonly withheld?: readonly string[];
  /** The draft's own message, according to the press. */
  readonly postTs?: string;
}

export interface MarkedOnceMore {
  readonly userIds: readonly string[];
  /** See `requestDraft`. */
  readonly approvers: readonly string[];
  readonly message: MarkedMessage;
}

/** What is known of the project's other jobs. */
interface OfOthers {
  /** When the API last knew one of them; absent: unknown. */
  readonly othersAnsweredAtMs?: number | null;
}

export interface StartPress {
  /** Replaces an older one, unless null. */
  readonly responseUrl: string | null;
  /** When it was pressed, by Slack's clock; absent if Slack does not say, as with a form. */
  readonly pressedTs?: string | undefined;
}

export interface Reply {
  readonly messageTs: string;
  readonly userId: string;
  readonly text: string;
  /** Slack's timestamp of its last edit, or null. */
  readonly editedTs: string | null;
  /** The bot is mentioned, even if `text` no longer shows it. */
  readonly mentionsBot: boolean;
  readonly attachments: Attachments;
}

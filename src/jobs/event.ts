import type { AgentFailure, AgentJob } from './agent-job.ts';
import type { Announcement } from './announcement.ts';
import type { MarkedMessage } from './draft.ts';
import type { CardWait } from './job.ts';
import type { WatchedElsewhere } from './offer.ts';
import type { PullRequestFacts } from './pull-requests/pull-request.ts';
import type { Attachments, ReadSnippet } from './requests/attachments.ts';
import type { NamedProject } from './requests/project.ts';

/** What can happen to a job: an answer from outside, a due time, or what a person did in Slack. */
export type JobEvent =
  | { readonly type: 'card_posted'; readonly ts: string }
  /** `reason` is Slack's error code. */
  | { readonly type: 'card_refused'; readonly reason: string }
  /** Slack does not take the card yet, or does not show it; `waitsFor`: until people have done this. */
  | { readonly type: 'card_delayed'; readonly reason: string; readonly waitsFor?: CardWait }
  /** A post in the thread was refused for good. */
  | {
      readonly type: 'post_refused';
      readonly callId: string;
      readonly announcement: Announcement;
      readonly reason: string;
    }
  /** A post in the thread is refused until its place is open to the bot again, and made then. */
  | {
      readonly type: 'post_delayed';
      readonly callId: string;
      readonly announcement: Announcement;
      readonly reason: string;
    }
  | { readonly type: 'job_created'; readonly callId: string; readonly agentJob: AgentJob }
  /** The create call was thought to be of unknown fate, and its answer arrived after all. */
  | { readonly type: 'job_found'; readonly callId: string; readonly agentJob: AgentJob }
  | { readonly type: 'create_failed'; readonly callId: string; readonly failure: AgentFailure }
  | { readonly type: 'reply_received'; readonly reply: Reply }
  /** The reply was changed in Slack. Edits may come in any order, and more than once. */
  | { readonly type: 'reply_edited'; readonly reply: Reply }
  /** `overtaken`: the reply as it was, if Slack has not delivered it yet. */
  | { readonly type: 'reply_deleted'; readonly messageTs: string; readonly overtaken?: Reply }
  /** The message that asks was changed in Slack, with the request as it reads now. */
  | { readonly type: 'request_rewritten'; readonly reply: Reply }
  | { readonly type: 'request_deleted'; readonly messageTs: string; readonly userId: string }
  /** The request or a reply, as another event of the same message has it; one may bring less than the other. */
  | { readonly type: 'message_completed'; readonly reply: Reply }
  /** So many replies were found in the thread that had been written long before. */
  | { readonly type: 'old_replies_found'; readonly count: number }
  /** `isCalled`: they are the next to go out after a pause of their project, whatever time they had. */
  | { readonly type: 'send_due'; readonly isCalled?: boolean }
  /** Its recipe has failed so often that it does not start by itself any more. */
  | { readonly type: 'recipe_paused' }
  /** Its recipe was to start again, and the job was in the way. */
  | { readonly type: 'recipe_skipped' }
  /** The channel could not be told that its recipe is paused. */
  | { readonly type: 'pause_refused' }
  | {
      readonly type: 'message_accepted';
      readonly callId: string;
      /** The agent job that the message was sent to. */
      readonly agentJobId: string;
      /** The job as the answer described it, if it did. */
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
  /** `question`: by its number. */
  | ({ readonly type: 'keep_watching_pressed'; readonly question: number } & ByPerson)
  | ({ readonly type: 'stop_watching_pressed'; readonly question: number } & ByPerson)
  | { readonly type: 'resume_watching_pressed'; readonly question: number }
  /** *Edit and start*, after a request that was refused. `prompt`: escaped, as Slack delivers messages. */
  | ({ readonly type: 'request_edited'; readonly creates: number; readonly prompt: string } & ByPerson)
  /** A person says which agent job came of a create call of unknown fate; the API knows it. */
  | ({ readonly type: 'agent_job_named'; readonly callId: string; readonly agentJobId: string } & ByPerson)
  /** *Dismiss*, where the start is unclear. `other`: the agent job is watched by that one, which settles it. */
  | ({
      readonly type: 'start_dismissed';
      readonly callId: string;
      readonly other?: WatchedElsewhere;
    } & ByPerson)
  /** *Start another*, or *Start*. `project`: of *Start in …*. */
  | ({ readonly type: 'start_another_pressed'; readonly project?: NamedProject } & StartPress)
  /** *Send again*: the replies of a call go back in line; null: all that a person has to decide about. */
  | ({ readonly type: 'resend_pressed'; readonly callId: string | null } & ByPerson)
  /** `message`: the number of the message call that the waiting replies were to go out with. */
  | { readonly type: 'send_now_pressed'; readonly message: number }
  | { readonly type: 'correction_pressed'; readonly messageTs: string }
  /** *Mute updates*, where somebody wanted to stop the agent. */
  | { readonly type: 'mute_pressed'; readonly userId: string }
  /** *Send it anyway*, *Send to the agent*: a reply that was probably not meant for the agent. */
  | { readonly type: 'send_anyway_pressed'; readonly messageTs: string }
  /** The draft's message is in Slack; `draft`: by its number. */
  | { readonly type: 'draft_posted'; readonly draft: number; readonly ts: string }
  /** Slack does not say whether the draft's message was posted, and is asked no more. */
  | { readonly type: 'draft_unseen'; readonly draft: number }
  | ({ readonly type: 'draft_started' } & DraftStart)
  | { readonly type: 'draft_dismissed'; readonly draft: number; readonly userId: string }
  /** It was made a week ago. */
  | { readonly type: 'draft_expired' }
  /** These people mark the message that the draft is about, as it is now. */
  | { readonly type: 'marks_seen'; readonly userIds: readonly string[] }
  /** The same, and one of them asks for one more draft (`asksOnceMore`). */
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
   * The code host described the pull request of a link that the thread knows. `isOld`: the link was announced before
   * anybody looked at it, so that what happened before the first look is no news.
   */
  | {
      readonly type: 'pull_request_seen';
      readonly url: string;
      readonly facts: PullRequestFacts;
      readonly isOld?: boolean;
    }
  | ({ readonly type: 'remind_again_pressed'; readonly reminderId: string } & ByPerson)
  | ({ readonly type: 'no_more_reminders_pressed'; readonly reminderId: string } & ByPerson)
  /** *Dismiss*, at home; `need`: see `needOf`. */
  | { readonly type: 'need_dismissed'; readonly need: string }
  /** The messages of these posts show what became of their offers, or cannot. */
  | { readonly type: 'offers_shown'; readonly postIds: readonly string[] }
  | { readonly type: 'notice_refused'; readonly channelId: string; readonly reason: string };

/** What a person did. */
interface ByPerson {
  /** Absent: unknown. */
  readonly userId?: string | undefined;
}

/** *Start again*: at least one of the two says which end of the job it is about. */
export interface StartAgainPress extends ByPerson {
  /** How often the job had been created when the button was made. */
  readonly creates?: number | undefined;
  /** The create call of unknown fate; or the message call whose replies go to the new job. */
  readonly callId?: string | undefined;
}

/** *Start*, or *Edit and start*, at a draft. */
export interface DraftStart {
  readonly draft: number;
  readonly userId: string;
  /** The request as it was edited, escaped; absent: as it is. */
  readonly prompt?: string;
  /** What the messages say that stood in the thread before, and go along; escaped. */
  readonly said?: string;
  /** Attached to them. */
  readonly attachments?: Attachments;
  /** The replies below it that stay between people, by their times; absent: none. */
  readonly withheld?: readonly string[];
  /** The draft's own message, as the press says. */
  readonly postTs?: string;
}

export interface MarkedOnceMore {
  readonly userIds: readonly string[];
  /** See `requestDraft`. */
  readonly approvers: readonly string[];
  /** As it is now. */
  readonly message: MarkedMessage;
}

/** What is known of other jobs of the project. */
interface OfOthers {
  /** When the API last knew one of them; absent: unknown. */
  readonly othersAnsweredAtMs?: number | null;
}

/** The press of a button that starts a job. */
export interface StartPress {
  /** Takes the place of an older one, if it is not null. */
  readonly responseUrl: string | null;
  /** When it was pressed, by Slack's clock; absent where Slack does not say, as with a form. */
  readonly pressedTs?: string | undefined;
}

export interface Reply {
  readonly messageTs: string;
  readonly userId: string;
  readonly text: string;
  /** Slack's timestamp of its last edit, or null. */
  readonly editedTs: string | null;
  /** The bot is mentioned in it, even if `text` does not show it any more. */
  readonly mentionsBot: boolean;
  readonly attachments: Attachments;
}

import type { AgentJob } from './agent-job.ts';
import type { Announcement } from './announcement.ts';
import type { Attached, ReadSnippet } from './attached.ts';
import type { AgentFailure } from './failure.ts';

/** What can happen to a job: an answer from outside, a due time, or a person's gesture. */
export type JobEvent =
  | { readonly type: 'card_posted'; readonly ts: string }
  /** `reason` is Slack's error code. */
  | { readonly type: 'card_refused'; readonly reason: string }
  /** Slack will not take the card, or show it, until people have mended the app's access. */
  | { readonly type: 'card_delayed'; readonly reason: string }
  /** A post in the thread was refused for good. */
  | {
      readonly type: 'post_refused';
      readonly callId: string;
      readonly announcement: Announcement;
      readonly reason: string;
    }
  | { readonly type: 'job_created'; readonly agentJob: AgentJob }
  /** The create call was thought to be of unknown fate, and its answer came after all. */
  | { readonly type: 'job_found'; readonly callId: string; readonly agentJob: AgentJob }
  | { readonly type: 'create_failed'; readonly callId: string; readonly failure: AgentFailure }
  | { readonly type: 'reply_received'; readonly reply: Reply }
  /** The reply was changed in Slack. Edits may come in any order, and more than once. */
  | { readonly type: 'reply_edited'; readonly reply: Reply }
  | { readonly type: 'reply_deleted'; readonly messageTs: string }
  /** So many replies were found in the thread that had been written long before. */
  | { readonly type: 'old_replies_found'; readonly count: number }
  | { readonly type: 'send_due' }
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
  /** `creates`: how often the job had been created when the button was made. */
  | {
      readonly type: 'run_again_pressed';
      readonly creates: number;
      /** The message call that the API did not know the job for: its replies go to the new job. */
      readonly callId?: string | undefined;
    }
  /** `cards`: how often the card had been tried when the button was made. */
  | ({ readonly type: 'try_again_pressed'; readonly cards: number } & StartPress)
  /** `question`: by its number. */
  | { readonly type: 'keep_watching_pressed'; readonly question: number }
  | { readonly type: 'stop_watching_pressed'; readonly question: number }
  | { readonly type: 'resume_watching_pressed'; readonly question: number }
  | { readonly type: 'start_again_pressed'; readonly callId: string }
  /** *Start another*. */
  | ({ readonly type: 'start_another_pressed' } & StartPress)
  /** *Retry* and *Send again*: both put the replies of a call back in line. */
  | { readonly type: 'resend_pressed'; readonly callId: string }
  /** `message`: the number of the message call that the waiting replies were to go out with. */
  | { readonly type: 'send_now_pressed'; readonly message: number }
  | { readonly type: 'correction_pressed'; readonly messageTs: string }
  /** A person wrote a follow-up in the form; the thread shows it first. */
  | { readonly type: 'follow_up_written'; readonly userId: string; readonly text: string }
  | {
      readonly type: 'follow_up_shown';
      readonly messageTs: string;
      readonly userId: string;
      readonly text: string;
    }
  /** `messageTs`: of the reply that brought them along; null: they came with the prompt. */
  | {
      readonly type: 'snippets_read';
      readonly messageTs: string | null;
      readonly snippets: readonly ReadSnippet[];
    }
  | { readonly type: 'notice_refused'; readonly channelId: string; readonly reason: string };

/** What is known of other jobs of the project. */
interface OfOthers {
  /** When the API last knew one of them; absent: nobody knows. */
  readonly othersAnsweredAtMs?: number | null;
}

/** The press of a button that makes a job wanted. */
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
  /** The bot is mentioned in it, also where `text` does not say so any more. */
  readonly mentionsBot: boolean;
  readonly attached: Attached;
}

import type { FileKind, SnippetProblem } from './attached.ts';
import type { TroubleKind } from './job.ts';

/** What a job has to say in its thread, as a message of its own. Rendered by `slack/views`. */
export type Announcement =
  /** The agent works (again). */
  | { readonly kind: 'started'; readonly turn: number }
  /** The agent works again on a job that had ended, and nobody here asked it to. */
  | { readonly kind: 'continued' }
  /** A turn is over. `files`: a pull request is new or changed, is the same as before, or there is none. */
  | { readonly kind: 'finished'; readonly files: 'new' | 'same' | 'none' }
  /** Offers *Run again*. */
  | { readonly kind: 'failed' }
  | { readonly kind: 'archived' }
  /** The API does not know the job any more. */
  | { readonly kind: 'vanished' }
  /** Nor did it ever know the one that was to be watched. */
  | { readonly kind: 'no_such_job' }
  /** A status that this program does not know, shown as it is. Untrusted. */
  | { readonly kind: 'other_status'; readonly status: string }
  | { readonly kind: 'pull_request'; readonly url: string; readonly changed: boolean }
  | {
      readonly kind: 'trouble';
      readonly trouble: TroubleKind;
      readonly retryAtMs: number;
      /** What the agent says of it. Untrusted. */
      readonly words?: string;
    }
  | { readonly kind: 'recovered' }
  /** The API refused the prompt; offers *Run again*. */
  | { readonly kind: 'create_rejected'; readonly message: string }
  /** Offers *Start again*. */
  | { readonly kind: 'create_unknown'; readonly callId: string }
  /** The API refused replies; offers *Retry*, or *Run again* if it does not know the job. */
  | {
      readonly kind: 'message_rejected';
      readonly callId: string;
      readonly count: number;
      readonly message: string;
      readonly offer: 'retry' | 'run_again';
    }
  /** Offers *Send again*. */
  | { readonly kind: 'message_unknown'; readonly callId: string; readonly count: number }
  /** Replies were missed while the program was away, and are follow-ups now. */
  | { readonly kind: 'caught_up'; readonly count: number }
  /** The agent has been at it for long; offers *Keep watching* and *Stop watching*. */
  | { readonly kind: 'long_running'; readonly question: number; readonly sinceMs: number }
  /** What a person wrote in the form. */
  | { readonly kind: 'follow_up'; readonly userId: string; readonly text: string }
  /** Came along with a message, and the agent API cannot take it. */
  | { readonly kind: 'files_not_sent'; readonly files: readonly FileKind[] }
  | {
      readonly kind: 'snippets_not_sent';
      readonly snippets: readonly { readonly name: string; readonly problem: SnippetProblem }[];
    }
  /** Somebody keeps the thread between people, or ends that. */
  | { readonly kind: 'muted' | 'unmuted'; readonly userId: string }
  /** A notice channel refused its notice. */
  | { readonly kind: 'notice_failed'; readonly channelId: string; readonly reason: string };

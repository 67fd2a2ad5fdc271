import type { Attachments } from './requests/attachments.ts';

/** An existing thread that a job starts in: its root, and its last message then. */
export interface StartThread {
  readonly threadTs: string;
  readonly lastTs: string;
}

interface Draftable {
  /** Counts the job's drafts from 1: a button of an earlier one does nothing. */
  readonly number: number;
  /** Where it stands; null: at the top level of the channel, with the job below it. */
  readonly thread: StartThread | null;
  /** Timestamps of the thread's messages that go along; they are read when the draft starts. */
  readonly messages: readonly string[];
  /** Its message; null: not posted yet. */
  readonly postTs: string | null;
  /** Who reacted to its message at the last look, if reactions matter. */
  readonly markedBy?: readonly string[];
}

/** Nobody has started the job: nothing of it goes to the agent. */
export interface Draft extends Draftable {
  readonly kind: 'draft';
  readonly draftedAtMs: number;
  /** How many replies below it go along. */
  readonly replies?: number;
  /** Slack never said whether its message was posted. */
  readonly isUnseen?: true;
}

export interface Dropped extends Draftable {
  readonly kind: 'dropped';
  readonly why: 'dismissed' | 'withdrawn' | 'expired' | 'not_posted';
  /** Who did that; null: nobody, or unknown. */
  readonly byUserId: string | null;
}

export interface MarkedMessage {
  readonly thread: StartThread;
  /** Absent: no person wrote it. */
  readonly authorId?: string;
  /** The message with its URL; escaped. */
  readonly prompt: string;
  readonly attachments: Attachments;
  /** Timestamps of the thread's other messages that may go along. */
  readonly along: readonly string[];
}

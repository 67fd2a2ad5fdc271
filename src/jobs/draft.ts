import type { Attachments } from './requests/attachments.ts';

/** A thread of other people that a job starts in: its root, and its last message by then. */
export interface StartThread {
  readonly threadTs: string;
  readonly lastTs: string;
}

interface Draftable {
  /** Which draft of the job it is, from 1: a button of an earlier one does nothing. */
  readonly number: number;
  /** Where it stands; null: at the top level of the channel, and the job goes on below it. */
  readonly thread: StartThread | null;
  /** Messages of the thread that go along, by their times: what they say is read when the draft is started. */
  readonly messages: readonly string[];
  /** Its message; null: not posted yet. */
  readonly postTs: string | null;
  /** The people who marked the message that it is about, when that was last looked at; absent: marks do not matter. */
  readonly markedBy?: readonly string[];
}

/** The stage of a job that nobody has started: nothing of it goes to the agent before a person does. */
export interface Draft extends Draftable {
  readonly kind: 'draft';
  readonly draftedAtMs: number;
  /** How many replies below it go along; absent: none. */
  readonly replies?: number;
  /** Slack never said whether its message was posted. */
  readonly isUnseen?: true;
}

/** The stage of a draft that will not start. */
export interface Dropped extends Draftable {
  readonly kind: 'dropped';
  readonly why: 'dismissed' | 'withdrawn' | 'expired' | 'not_posted';
  /** Who did that; null: nobody, or unknown. */
  readonly byUserId: string | null;
}

/** A message that a draft is about. */
export interface MarkedMessage {
  readonly thread: StartThread;
  /** Absent: no person wrote it. */
  readonly authorId?: string;
  /** The message with its address; escaped. */
  readonly prompt: string;
  readonly attachments: Attachments;
  /** The times of the other messages of its thread that may go along. */
  readonly along: readonly string[];
}

import type { Attachments } from './requests/attachments.ts';

/** An existing thread that a job starts in: its root, and its last message then. */
export type StartThread = Readonly<{
  threadTs: string;
  lastTs: string;
}>;

type Draftable = Readonly<{
  /** Counts the job's drafts from 1: a button of an earlier one does nothing. */
  number: number;
  /** Where it stands; null: at the top level of the channel, with the job below it. */
  thread: StartThread | null;
  /** Timestamps of the thread's messages that go along; they are read when the draft starts. */
  messages: readonly string[];
  /** Its message; null: not posted yet. */
  postTs: string | null;
  /** Who reacted to its message at the last look, if reactions matter. */
  markedBy?: readonly string[];
}>;

/** Nobody has started the job: nothing of it goes to the agent. */
export type Draft = Draftable &
  Readonly<{
    kind: 'draft';
    draftedAtMs: number;
    /** How many replies below it go along. */
    replies?: number;
    /** Slack never said whether its message was posted. */
    isUnseen?: true;
  }>;

export type Dropped = Draftable &
  Readonly<{
    kind: 'dropped';
    why: 'dismissed' | 'withdrawn' | 'expired' | 'not_posted';
    /** Who did that; null: nobody, or unknown. */
    byUserId: string | null;
  }>;

export type MarkedMessage = Readonly<{
  thread: StartThread;
  /** Absent: no person wrote it. */
  authorId?: string;
  /** The message with its URL; escaped. */
  prompt: string;
  attachments: Attachments;
  /** Timestamps of the thread's other messages that may go along. */
  along: readonly string[];
}>;

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
}

/** The stage of a job that nobody has started: nothing of it goes to the agent before a person does. */
export interface Draft extends Draftable {
  readonly kind: 'draft';
  readonly draftedAtMs: number;
  /** The person without whom it is withdrawn; absent: nobody's leaving counts. */
  readonly markedBy?: string;
}

/** The stage of a draft that will not start. One that was withdrawn may be asked for once more. */
export interface Dropped extends Draftable {
  readonly kind: 'dropped';
  readonly why: 'dismissed' | 'withdrawn' | 'expired' | 'not_posted';
  /** Who did that; null: nobody, or unknown. */
  readonly byUserId: string | null;
}

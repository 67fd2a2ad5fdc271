/** A message in the thread that asks for a decision, and the outcome. */
export type Offer = Readonly<{
  postId: string;
  about: OfferSubject;
  outcome: OfferOutcome | null;
  /** The message shows the outcome, or cannot be edited. */
  isShown: boolean;
}>;

export type OfferSubject = Readonly<
  /** `callId`: the create call of unknown fate, or the message call whose replies go to the new job. */
  | { kind: 'start'; creates: number; callId?: string }
  /** The replies of a message call; null: all undelivered ones. `count`: how many, if known. */
  | { kind: 'send'; callId: string | null; count?: number }
  /** Whether to keep watching, by the number of the question. */
  | { kind: 'watch'; question: number }
  | { kind: 'draft'; number: number }
  /** Whether to be reminded of an open pull request again. */
  | { kind: 'reminder'; reminderId: string; url: string }
>;

/** `by`: the person; null: it is settled without one. */
export type OfferOutcome = Readonly<{
  deed: OfferDeed;
  by: string | null;
  other?: WatchedElsewhere;
  /** How many replies it concerned, if known. */
  count?: number;
}>;

/** The job that already watches the agent job. `threadUrl`: null: unknown. */
export type WatchedElsewhere = Readonly<{
  number: number;
  threadUrl: string | null;
}>;

export type OfferDeed =
  | 'started_again'
  | 'sent_again'
  | 'edited'
  | 'found'
  | 'watched_elsewhere'
  | 'kept_watching'
  | 'stopped_watching'
  | 'wants_reminder'
  | 'wants_no_reminder'
  | 'started'
  | 'dismissed'
  | 'withdrawn'
  | 'expired'
  /** The agent's answer came late. */
  | 'confirmed'
  /** A reply reopened the job. */
  | 'continued'
  /** The job continued without a decision. */
  | 'moot';

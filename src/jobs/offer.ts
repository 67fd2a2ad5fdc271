/** A message in the thread that asks for a decision, and the outcome. */
export interface Offer {
  readonly postId: string;
  readonly about: OfferSubject;
  readonly outcome: OfferOutcome | null;
  /** The message shows the outcome, or cannot be edited. */
  readonly isShown: boolean;
}

export type OfferSubject =
  /** `callId`: the create call of unknown fate, or the message call whose replies go to the new job. */
  | { readonly kind: 'start'; readonly creates: number; readonly callId?: string }
  /** The replies of a message call; null: all undelivered ones. `count`: how many, if known. */
  | { readonly kind: 'send'; readonly callId: string | null; readonly count?: number }
  /** Whether to keep watching, by the number of the question. */
  | { readonly kind: 'watch'; readonly question: number }
  | { readonly kind: 'draft'; readonly number: number }
  /** Whether to be reminded of an open pull request again. */
  | { readonly kind: 'reminder'; readonly reminderId: string; readonly url: string };

/** `by`: the person; null: it is settled without one. */
export interface OfferOutcome {
  readonly deed: OfferDeed;
  readonly by: string | null;
  readonly other?: WatchedElsewhere;
  /** How many replies it concerned, if known. */
  readonly count?: number;
}

/** The job that already watches the agent job. `threadUrl`: null: unknown. */
export interface WatchedElsewhere {
  readonly number: number;
  readonly threadUrl: string | null;
}

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

/** The status that the thread knew last. */
export interface LastAnnounced {
  readonly status: string;
  readonly turn: number;
}

/** What the thread was told of a turn. */
export interface TurnNews {
  readonly turn: number;
  /** Those that the job has shown since the turn began, or since the thread was told that the agent works again. */
  readonly statuses: readonly string[];
  /** The pull requests that were its news, as they were spelled first. */
  readonly links: readonly string[];
  /** How often it was told that the agent works again, without a reply that explains it. */
  readonly returns: number;
  /** When it was told so last. */
  readonly returnedAtMs: number;
}

/** How much an agent that keeps changing its answer has made the program say. */
export interface RecentNews {
  /** The times of the last messages. */
  readonly atMs: readonly number[];
  /** How often the looks have paused. */
  readonly pauses: number;
  /** Null: they do not pause. */
  readonly pausedUntilMs: number | null;
}

/** Replies, by their number and their authors, each named once. */
export interface TurnReplies {
  readonly count: number;
  readonly authors: readonly string[];
}

/** What must have happened in the end, whatever failed meanwhile. */
export interface Expected {
  readonly threads: readonly ExpectedThread[];
  /** Prompts whose card Slack refused: the requester gets a private message, and nothing is started. */
  readonly refused: readonly string[];
  /** Prompts that the agent did not accept: the thread says so. */
  readonly notAccepted: readonly string[];
  /** Words of private answers. No others are given, but for these hints, which may be lost. */
  readonly told: readonly string[];
  readonly hints: readonly string[];
  readonly noticeChannels: readonly string[];
  /** Words of posts that the ledger knows nothing of; absent: there are none. */
  readonly posted?: readonly string[];
  /** A word of each draft, oldest first; absent: those in the threads are among their posts, and there are no others. */
  readonly drafts?: readonly string[];
}

export interface ExpectedThread {
  /** Different from all other prompts, and not part of another. */
  readonly prompt: string;
  /** The message in whose thread the card is; null: the card begins the thread. */
  readonly rootTs: string | null;
  /** What the agent is given, if that is more than the prompt. */
  readonly given: string;
  /** How often a job was started for it. */
  readonly starts: number;
  /** A word of each announcement, in their order. */
  readonly posts: readonly string[];
  /** In their order; no two alike. */
  readonly replies: readonly string[];
  readonly links: readonly string[];
  /** A word of the card. */
  readonly end: string;
}

/** What did happen. */
export interface Seen {
  /** Of all channels, oldest first. */
  readonly messages: readonly SeenMessage[];
  /** The prompts and follow-ups that each agent job was given, the oldest job first. */
  readonly agentJobs: readonly (readonly string[])[];
  readonly calls: readonly SeenCall[];
  readonly followUps: readonly { readonly text: string; readonly state: string }[];
}

export interface SeenMessage {
  readonly channel: string;
  readonly ts: string;
  readonly threadTs: string | null;
  readonly text: string;
  readonly isBot: boolean;
  readonly isPrivate: boolean;
  /** The ledger's id of the post that made it, if the message holds it. */
  readonly callId: string | null;
  /** The ids of the calls that its buttons would make again. */
  readonly offers: readonly string[];
  readonly reactions: readonly string[];
}

/** A row of the ledger. */
export interface SeenCall {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  readonly prompt: string | null;
}

/** What a code host says of a pull request. Missing facts are absent. Texts and URLs are untrusted. */
export interface PullRequestFacts {
  readonly title?: string;
  /** The first paragraph of its description, without markup. */
  readonly description?: string;
  readonly state?: PullRequestState;
  /** Who merged or closed it, by the name at the host. */
  readonly endedBy?: string;
  readonly openedAtMs?: number;
  readonly endedAtMs?: number;
  /** Its last activity (`updated_at`), by the host's clock. */
  readonly updatedAtMs?: number;
  readonly size?: PullRequestSize;
  readonly checks?: 'pending' | 'passing' | 'failing';
  readonly review?: 'approved' | 'changes_requested';
  /** Where the changed documentation can be read. */
  readonly previewUrl?: string;
}

export type PullRequestState = 'draft' | 'open' | 'merged' | 'closed';

/** `lines`: null where nobody has counted them. */
export interface PullRequestSize {
  readonly files: number;
  readonly lines: { readonly added: number; readonly removed: number } | null;
}

/** Nothing more will happen to it, unless somebody reopens it. */
export function isOver({ state }: PullRequestFacts): boolean {
  return state === 'merged' || state === 'closed';
}

/** A job's pull request, as its code host last described it. */
export interface SeenPullRequest {
  /** As the agent gave it, and the thread announced it. */
  readonly url: string;
  readonly facts: PullRequestFacts;
  /** When the facts were last read. */
  readonly seenAtMs: number;
  /** Counts the posted reminders. */
  readonly reminders: number;
  /** No reminder before that; null: none until somebody asks for one. Absent: not decided yet. */
  readonly remindAfterMs?: number | null;
}

/** The pull request of a job's link, if its code host was asked; else null. */
export function seenPullRequest(
  { pullRequests = [] }: { readonly pullRequests?: readonly SeenPullRequest[] },
  url: string,
): SeenPullRequest | null {
  return pullRequests.find((pullRequest) => pullRequest.url === url) ?? null;
}

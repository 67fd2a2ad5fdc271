/** Untrusted. */
export type PullRequestFacts = Readonly<{
  title?: string;
  /** The first paragraph, without markup. */
  description?: string;
  state?: PullRequestState;
  endedBy?: string;
  openedAtMs?: number;
  /** By the host's clock. */
  updatedAtMs?: number;
  size?: PullRequestSize;
  /** Paths of changed documentation. */
  pages?: readonly string[];
  checks?: 'pending' | 'passing' | 'failing';
  review?: 'approved' | 'changes_requested';
  previewUrl?: string;
}>;

type PullRequestState = 'draft' | 'open' | 'merged' | 'closed';

/** `lines` null: not counted. */
type PullRequestSize = Readonly<{
  files: number;
  lines: { readonly added: number; readonly removed: number } | null;
}>;

export function isOver({ state }: PullRequestFacts): boolean {
  return state === 'merged' || state === 'closed';
}

export type SeenPullRequest = Readonly<{
  url: string;
  facts: PullRequestFacts;
  seenAtMs: number;
  reminders: number;
  /** Null: only on request. Absent: not decided yet. */
  remindAfterMs?: number | null;
}>;

export function seenPullRequest(
  { pullRequests = [] }: { pullRequests?: readonly SeenPullRequest[] },
  url: string,
): SeenPullRequest | null {
  return pullRequests.find((pullRequest) => pullRequest.url === url) ?? null;
}

export const PARAGRAPH_MAX_LENGTH = 300;
export const PAGES_MAX = 5;

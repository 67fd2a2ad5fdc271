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
  failing?: FailingChecks;
  /** Reviews that request changes, oldest first. */
  requests?: readonly ReviewRequest[];
  /** Logins: their reviews are awaited. */
  reviewers?: readonly string[];
}>;

/** At most five checks of this commit. */
export type FailingChecks = Readonly<{ commit: string; checks: readonly LinkedName[] }>;

export type LinkedName = Readonly<{ name: string; url: string | null }>;

/** `id`: a later review by the same person has another one. */
export type ReviewRequest = Readonly<{ id: string; by: string; url: string | null }>;

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
  /** Keys of the news that the thread has. */
  told?: readonly string[];
  toldAtMs?: readonly number[];
  /** Keys of the reviews that the agent got. */
  sent?: readonly string[];
}>;

/** `key`: of this commit or review. */
export type ReviewNews = Readonly<
  | { kind: 'checks'; key: string; checks: readonly LinkedName[] }
  | { kind: 'review'; key: string; by: string; url: string | null }
>;

export type ReviewNewsOf<Kind extends ReviewNews['kind']> = Extract<ReviewNews, { kind: Kind }>;

/** What somebody must act on. */
export function reviewNewsIn({ failing, requests = [] }: PullRequestFacts): ReviewNews[] {
  const reviews = requests.map(
    ({ id, by, url }) => ({ kind: 'review', key: `review:${id}`, by, url }) as const,
  );
  if (failing === undefined) return reviews;
  const { commit, checks } = failing;
  return [{ kind: 'checks', key: `checks:${commit}`, checks }, ...reviews];
}

export function seenPullRequest(
  { pullRequests = [] }: { pullRequests?: readonly SeenPullRequest[] },
  url: string,
): SeenPullRequest | null {
  return pullRequests.find((pullRequest) => pullRequest.url === url) ?? null;
}

export const PARAGRAPH_MAX_LENGTH = 300;
export const PAGES_MAX = 5;

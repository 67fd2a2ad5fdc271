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
  failing?: PullRequestNews;
  /** Oldest first. */
  requests?: readonly PullRequestNews[];
  /** Their reviews are awaited. */
  reviewers?: readonly LinkedName[];
}>;

/** Somebody must act. */
export type PullRequestNews = Readonly<{
  kind: 'checks' | 'review' | 'reviewers';
  /** Of the commit, the review or the reviewer. */
  key: string;
  /** Failing checks, at most five; who requests changes; whose review is awaited. */
  names: readonly LinkedName[];
}>;

/** `userId`: in Slack; null: to be asked for once more. */
export type LinkedName = Readonly<{ name: string; url: string | null; userId?: string | null }>;

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
  /** What somebody answered, the last one of each news. */
  answers?: readonly NewsAnswer[];
}>;

/** `key`: of the news. `sent`: comments. `turn`: a later one that ends opens the news again; absent: none does. */
export type NewsAnswer = Readonly<{ key: string; sent: readonly string[]; turn?: number }>;

/** Empty once it is over. */
export function newsToAnswer(
  { facts, answers = [] }: SeenPullRequest,
  { stage, turn: now }: { readonly stage: { readonly kind: string }; readonly turn: number },
): readonly PullRequestNews[] {
  const { failing, requests = [] } = facts;
  const news = isOver(facts) ? [] : [...(failing === undefined ? [] : [failing]), ...requests];
  const isOpenAgain = ({ turn = now }: NewsAnswer) => stage.kind === 'ended' && turn < now;
  const closed = answers.filter((answer) => !isOpenAgain(answer)).map(({ key }) => key);
  return news.filter(({ key }) => !closed.includes(key));
}

export function seenPullRequest(
  { pullRequests = [] }: { pullRequests?: readonly SeenPullRequest[] },
  url: string,
): SeenPullRequest | null {
  return pullRequests.find((pullRequest) => pullRequest.url === url) ?? null;
}

export const PARAGRAPH_MAX_LENGTH = 300;
export const PAGES_MAX = 5;

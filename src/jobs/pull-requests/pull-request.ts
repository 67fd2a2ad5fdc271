/** What a code host says of a pull request. Missing facts are absent. Texts and URLs are untrusted. */
export type PullRequestFacts = Readonly<{
  title?: string;
  /** The first paragraph of its description, without markup. */
  description?: string;
  state?: PullRequestState;
  /** Who merged or closed it, by the name at the host. */
  endedBy?: string;
  openedAtMs?: number;
  endedAtMs?: number;
  /** Its last activity (`updated_at`), by the host's clock. */
  updatedAtMs?: number;
  size?: PullRequestSize;
  checks?: 'pending' | 'passing' | 'failing';
  review?: 'approved' | 'changes_requested';
  /** Where the changed documentation can be read. */
  previewUrl?: string;
}>;

export type PullRequestState = 'draft' | 'open' | 'merged' | 'closed';

/** `lines`: null where nobody has counted them. */
export type PullRequestSize = Readonly<{
  files: number;
  lines: { readonly added: number; readonly removed: number } | null;
}>;

/** Nothing more will happen to it, unless somebody reopens it. */
export function isOver({ state }: PullRequestFacts): boolean {
  return state === 'merged' || state === 'closed';
}

export type SeenPullRequest = Readonly<{
  /** As the agent gave it, and the thread announced it. */
  url: string;
  facts: PullRequestFacts;
  seenAtMs: number;
  reminders: number;
  /** No reminder before that; null: none until somebody asks for one. Absent: not decided yet. */
  remindAfterMs?: number | null;
}>;

/** The pull request of a job's link, if its code host was asked; else null. */
export function seenPullRequest(
  { pullRequests = [] }: { pullRequests?: readonly SeenPullRequest[] },
  url: string,
): SeenPullRequest | null {
  return pullRequests.find((pullRequest) => pullRequest.url === url) ?? null;
}

/** The length of a quotation in a message. */
export const PARAGRAPH_MAX_LENGTH = 300;
const COMMENT = /<!--[\s\S]*?(?:-->|$)/g;
const FENCE = /^(?:```|~~~)/;
/** Headings, list items, quotations, tables, rules, images and HTML: the parts of templates. */
const NO_PROSE = /^(?:#|[-*+] |[-*_=]{3}|\d{1,9}[.)] |>|\||!\[|<)/;

/**
 * The first paragraph of prose in a pull request's description (untrusted Markdown of some thousand
 * characters), on one line, without markup, at most `PARAGRAPH_MAX_LENGTH` characters; null if there is none.
 */
export function firstParagraph(markdown: string): string | null {
  const paragraph: string[] = [];
  let isInFence = false;
  for (const line of markdown.replace(COMMENT, '').split('\n')) {
    const text = line.trim();
    const isFence = FENCE.test(text);
    if (isFence) isInFence = !isInFence;
    const isProse = text !== '' && !isFence && !isInFence && !NO_PROSE.test(text);
    if (isProse) paragraph.push(text);
    else if (paragraph.length > 0) break;
  }
  const text = withoutMarkup(paragraph.join(' ')).trim();
  return text === '' ? null : shortened(text);
}

function withoutMarkup(text: string): string {
  return text
    .replace(/!\[[^[\]]*\]\([^()]*\)/g, '')
    .replace(/\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/\*\*|__|`/g, '')
    .replace(/\s+/g, ' ');
}

function shortened(text: string): string {
  if (text.length <= PARAGRAPH_MAX_LENGTH) return text;
  const cut = text.slice(0, PARAGRAPH_MAX_LENGTH - 1).toWellFormed();
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), PARAGRAPH_MAX_LENGTH / 2)).trimEnd()}…`;
}

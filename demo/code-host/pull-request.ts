import { createHash } from 'node:crypto';
import type { Clock } from '../../src/runtime/clock.ts';

export interface OpenedPullRequest {
  /** `acme/docs`, at GitLab with all groups. */
  readonly repository: string;
  /** Default: the next of the repository. */
  readonly number?: number;
  readonly title?: string;
  /** Markdown. */
  readonly description?: string;
  readonly isDraft?: boolean;
  readonly size?: Size;
  /** The changed files. Default: pages. */
  readonly files?: readonly string[];
  readonly by?: string;
  /** The branch, and the one that it is to be merged into. Default: `change`, `main`. */
  readonly head?: string;
  readonly base?: string;
}

interface Size {
  readonly files: number;
  readonly added: number;
  readonly removed: number;
}

/** `conclusion`: null while it is at work; the words are GitHub's. */
interface Check {
  readonly name: string;
  readonly conclusion: string | null;
}

export interface ReviewNote {
  readonly id: number;
  readonly path: string;
  readonly line: number;
  body: string;
  isResolved: boolean;
}

/** The words are GitHub's: APPROVED, CHANGES_REQUESTED, COMMENTED, DISMISSED. */
export interface Review {
  readonly id: number;
  readonly by: string;
  state: string;
  body: string;
  notes: ReviewNote[];
  /** To the repository, in GitHub's words. */
  association: string;
}

interface Deployment {
  readonly id: number;
  readonly commit: string;
  readonly url: string;
  readonly state: string;
  readonly isProduction: boolean;
}

interface Comment {
  readonly by: string;
  readonly words: string;
}

interface Ended {
  readonly as: 'merged' | 'closed';
  readonly by: string;
  readonly atMs: number;
}

/** A pull request at the stand-in: what happened to it so far. Whatever happens makes it newer. */
export class StandInPullRequest {
  readonly repository: string;
  readonly number: number;
  readonly by: string;
  readonly openedAtMs: number;
  readonly head: string;
  readonly base: string;
  size: Size;
  readonly #files: readonly string[] | null;
  title: string;
  readonly description: string;
  isDraft: boolean;
  /** Nobody sees it, as if it were in a repository of others. */
  isHidden = false;
  /** Anybody may review it at GitHub. */
  isPublic = false;
  /** GitLab leaves them out of its list of diffs. */
  hasLongDiffs = false;
  /** GitLab marks them (since 18.4). */
  saysWhatIsLeftOut = true;
  updatedAtMs: number;
  ended: Ended | null = null;
  /** Check runs of the last commit, and what stands beside them as commit statuses. */
  checks: Check[] = [];
  statuses: Check[] = [];
  readonly reviews: Review[] = [];
  readonly asked = new Set<string>();
  readonly deployments: Deployment[] = [];
  readonly comments: Comment[] = [];
  readonly #clock: Clock;
  #commits = 1;
  #tip: string | null = null;

  constructor(opened: OpenedPullRequest & { readonly number: number }, clock: Clock) {
    this.repository = opened.repository;
    this.number = opened.number;
    this.title = opened.title ?? 'Add a quickstart';
    this.description = opened.description ?? '';
    this.isDraft = opened.isDraft ?? false;
    this.size = opened.size ?? { files: 3, added: 120, removed: 8 };
    this.#files = opened.files ?? null;
    this.by = opened.by ?? 'docs-agent[bot]';
    this.head = opened.head ?? 'change';
    this.base = opened.base ?? 'main';
    this.#clock = clock;
    this.openedAtMs = clock.now();
    this.updatedAtMs = this.openedAtMs;
  }

  get files(): readonly string[] {
    const { files } = this.size;
    return this.#files ?? Array.from({ length: files }, (_, index) => `page-${index}.md`);
  }

  /** The hash of the last commit. */
  get commit(): string {
    const made = `${this.repository} ${this.number} ${this.#commits}`;
    return this.#tip ?? createHash('sha1').update(made).digest('hex');
  }

  /** Another commit, of which no check and no deployment is known. @param tip its hash, where there is a repository */
  push(tip: string | null = null, size = this.size): void {
    this.#commits += 1;
    this.#tip = tip;
    this.size = size;
    this.checks = [];
    this.statuses = [];
    this.#touch();
  }

  /** A check starts (`null`), or ends. */
  check(name: string, conclusion: string | null): void {
    this.checks = [...this.checks.filter((check) => check.name !== name), { name, conclusion }];
  }

  status(name: string, conclusion: string | null): void {
    this.statuses = [...this.statuses.filter((status) => status.name !== name), { name, conclusion }];
  }

  /** @param notes each `docs/a.md:12 The text` */
  review(by: string, state: string, body = '', notes: readonly string[] = []): Review {
    const id = this.number * 1_000 + this.reviews.length + 1;
    const review = {
      id,
      by,
      ...{ state, body, association: 'MEMBER' },
      notes: notes.map((note, index) => noteOf(id * 1_000 + index, note)),
    };
    this.reviews.push(review);
    this.asked.delete(by);
    this.#touch();
    return review;
  }

  /** Asks somebody for a review. */
  ask(login: string): void {
    this.asked.add(login);
    this.#touch();
  }

  ready(): void {
    this.isDraft = false;
    this.#touch();
  }

  deploy(url: string, { state = 'success', isProduction = false } = {}): void {
    const id = this.number * 1_000 + this.deployments.length;
    this.deployments.push({ id, commit: this.commit, url, state, isProduction });
  }

  comment(by: string, words: string): void {
    this.comments.push({ by, words });
    this.#touch();
  }

  merge(by: string): void {
    this.#end('merged', by);
  }

  close(by: string): void {
    this.#end('closed', by);
  }

  reopen(): void {
    this.ended = null;
    this.#touch();
  }

  #end(as: Ended['as'], by: string): void {
    this.#touch();
    this.ended = { as, by, atMs: this.updatedAtMs };
  }

  #touch(): void {
    this.updatedAtMs = this.#clock.now();
  }
}

function noteOf(id: number, note: string): ReviewNote {
  const [, path = '', line = '', body = ''] = /^(\S+):(\d+) (.*)$/s.exec(note) ?? [];
  return { id, path, line: Number(line), body, isResolved: false };
}

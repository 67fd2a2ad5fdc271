import { createHash } from 'node:crypto';
import { z } from 'zod';
import {
  PAGES_MAX,
  PARAGRAPH_MAX_LENGTH,
  type PullRequestFacts,
  type PullRequestNews,
} from '#jobs/pull-requests/pull-request.ts';
import { hasSecrets } from '#jobs/secrets.ts';
import { untrustedText } from '#runtime/untrusted-text.ts';

export interface Dialect {
  /** Any token may read it. */
  readonly tokenPath: string;
  /** `commit`: the last one; null: unknown. `isPublic`: anybody may review it. */
  details(
    read: Read,
    number: number,
  ): Promise<Readonly<{ facts: FoundFacts; commit: string | null; isPublic?: boolean }>>;
  /** Separate: a missing permission costs only its own facts. Absent: in `details`. */
  readonly readings: { readonly [Name in ReadingName]?: Reading };
  /** What a refused reading lacks. */
  readonly permission: string;
  /** @param id as given to `requestNews` */
  reviewComments(read: Read, number: number, id: string): Promise<ReviewComments>;
  /** Of the public profile. @param read paths of the API */
  emailOf(read: Read, login: string): Promise<string | null>;
}

export type ReviewComments = Readonly<{
  /** Oldest first; empty: the review is gone, or was dismissed. */
  comments: readonly ReviewComment[];
  /** False: there are more than were read. */
  isComplete: boolean;
}>;

/** `id`: changes with the text. `place`: file and line; null: of the whole pull request. */
export type ReviewComment = Readonly<{ id: string; place: string | null; text: string }>;

/** `body` null: it says nothing. */
type FoundComment = Readonly<{
  id: number;
  body: string | null;
  path?: string | null | undefined;
  line?: number | null | undefined;
}>;

export function reviewCommentsIn(found: readonly FoundComment[], isComplete: boolean): ReviewComments {
  const comments = found.flatMap(({ id, body, path = null, line = null }): ReviewComment[] => {
    if (body === null) return [];
    const version = createHash('sha256').update(body).digest('base64url').slice(0, 12);
    const place = path === null || line === null ? path : `${path}:${line}`;
    return [{ id: `${id}|${version}`, place, text: body }];
  });
  return { comments, isComplete };
}

export const READINGS = ['size', 'pages', 'checks', 'review', 'preview'] as const;
export type ReadingName = (typeof READINGS)[number];

/** `before`: what the same reading found last. */
export type OpenPullRequest = Readonly<{
  number: number;
  commit: string;
  isPublic: boolean;
  before: PullRequestFacts;
}>;

export type Reading = (
  read: Read,
  pullRequest: OpenPullRequest,
  lacks: (permission: string) => void,
) => Promise<FoundFacts>;

/** Null: unknown. */
export type FoundFacts = { readonly [Name in keyof PullRequestFacts]: PullRequestFacts[Name] | null };

/**
 * `rest` follows the repository's path: `/pulls/14`. Throws CodeHostError. The result is stored until the
 * next check.
 */
export type Read = <T>(rest: string, schema: z.ZodType<T>) => Promise<T>;

const PAGE = 100;

/** @param path ends with `?` or `&` */
export async function readList<T>(read: Read, path: string, schema: z.ZodType<T[]>, pagesMax: number) {
  const items: T[] = [];
  for (let page = 1; page <= pagesMax; page += 1) {
    const found = await read(`${path}per_page=${PAGE}&page=${page}`, schema);
    items.push(...found);
    if (found.length < PAGE) return { items, isComplete: true };
  }
  return { items, isComplete: false };
}

const COMMENT_PAGES_MAX = 3;

/** For a form, whose reader waits: all pages at once. @param path ends with `?` or `&` */
export async function readAtOnce<T>(read: Read, path: string, schema: z.ZodType<T[]>) {
  const asked = Array.from({ length: COMMENT_PAGES_MAX }, (_, index) =>
    read(`${path}per_page=${PAGE}&page=${index + 1}`, schema),
  );
  const pages = await Promise.all(asked);
  return { items: pages.flat(), isComplete: (pages.at(-1)?.length ?? 0) < PAGE };
}

// Lenient: a missing or odd field is null, and costs only itself.

const text = (maxLength: number, ifCut = '') =>
  z
    .string()
    .transform((value) => untrustedText(value, maxLength) + (value.length > maxLength ? ifCut : ''))
    .pipe(z.string().min(1))
    .nullable()
    .catch(null);

export const shortText = text(100);

/** A person's or group's name: one field of an object. */
export const nameBy = (field: string) =>
  z
    .record(z.string(), z.unknown())
    .transform((found) => shortText.parse(found[field]))
    .catch(null);

export const title = text(300);
/** Enough to get past a template's comments. */
export const description = text(4_000);
export const email = z.email().max(254).nullable().catch(null);
/** As far as texts are searched for secrets; hosts take 65,536 and more. */
export const comment = text(20_000, ' …');
export const filePath = text(300);

export const count = z.int().min(0).nullable().catch(null);
export const flag = z.boolean().catch(false);
export const id = z.int().min(1);
/** Becomes part of a path. */
export const commit = z
  .string()
  .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/)
  .nullable()
  .catch(null);

export function listOf<T>(item: z.ZodType<T>) {
  return z.array(item.nullable().catch(null)).transform((items) => items.filter((one) => one !== null));
}

const DOCUMENTATION = /\.(?:mdx?|markdown|mdoc|rst|adoc|asciidoc|html?|ipynb|txt)$/i;

/** Null: no documentation. */
export const page = filePath
  .refine((value) => value !== null && DOCUMENTATION.test(value))
  .nullable()
  .catch(null);

export function pagesIn(paths: readonly (string | null)[]): readonly string[] | null {
  const pages = paths.filter((path) => path !== null).slice(0, PAGES_MAX);
  return pages.length === 0 ? null : pages;
}

const urlBy = (protocol: RegExp) =>
  z
    .string()
    .max(2_000)
    .refine((value) => {
      const { username, password, protocol: own = '' } = URL.parse(value) ?? {};
      const isOneWord = !/\s/.test(value);
      return isOneWord && protocol.test(own) && username === '' && password === '' && !hasSecrets(value);
    })
    .nullable()
    .catch(null);

export const publicUrl = urlBy(/^https:$/);
export const pageUrl = urlBy(/^https?:$/);

export function timeMs(value: string | null): number | null {
  const ms = Date.parse(value ?? '');
  return Number.isNaN(ms) ? null : ms;
}

export function withoutNulls(facts: FoundFacts) {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null)) as PullRequestFacts;
}

export type CheckState = NonNullable<PullRequestFacts['checks']>;

/** Any other word: pending. */
export function checkStateIn(passing: readonly string[], failing: readonly string[]) {
  return shortText.transform((word): CheckState => {
    if (passing.includes(word ?? '')) return 'passing';
    return failing.includes(word ?? '') ? 'failing' : 'pending';
  });
}

export type Check = Readonly<{ state: CheckState; name: string | null; url: string | null }>;

const CHECKS_MAX = 5;

export function failingNews(commit: string, checks: readonly Check[]): PullRequestNews {
  const failing = checks.filter(({ state }) => state === 'failing').slice(0, CHECKS_MAX);
  const names = failing.map(({ name, url }) => ({ name: name ?? 'check', url }));
  return { kind: 'checks', key: `checks:${commit}`, names };
}

export const REVIEW_KEY = 'review:';

/** @param id a later review by the same person has another one */
export function requestNews(id: number | string, name: string, url: string | null): PullRequestNews {
  return { kind: 'review', key: `${REVIEW_KEY}${id}`, names: [{ name, url }] };
}

const REQUESTS_MAX = 20;

export function requested(requests: readonly PullRequestNews[]): FoundFacts {
  return {
    review: 'changes_requested',
    requests: requests.length === 0 ? null : requests.slice(-REQUESTS_MAX),
  };
}

const PEOPLE_MAX = 10;

export function loginsIn(logins: readonly (string | null)[]): readonly string[] | null {
  const known = [...new Set(logins.flatMap((login) => login ?? []))].slice(0, PEOPLE_MAX);
  return known.length === 0 ? null : known;
}

export function awaited(logins: readonly (string | null)[]): FoundFacts {
  return { reviewers: loginsIn(logins)?.map((name) => ({ name, url: null })) ?? null };
}

export function worstOf(checks: readonly CheckState[]): CheckState | null {
  return (['failing', 'pending', 'passing'] as const).find((state) => checks.includes(state)) ?? null;
}

/** They comment with a preview's URL. No person's account has brackets in its name. */
const PREVIEW_HOSTS = [
  { bots: ['mintlify[bot]'], domains: ['mintlify.app', 'mintlify.dev', 'mintlify.site', 'mintlify.review'] },
  { bots: ['vercel[bot]'], domains: ['vercel.app'] },
  { bots: ['netlify[bot]'], domains: ['netlify.app'] },
  {
    bots: ['cloudflare-pages[bot]', 'cloudflare-workers-and-pages[bot]'],
    domains: ['pages.dev', 'workers.dev'],
  },
  {
    bots: ['readthedocs[bot]', 'read-the-docs-community[bot]', 'read-the-docs-business[bot]'],
    domains: ['readthedocs.build', 'readthedocs-hosted.com'],
  },
];

const ALL_DOMAINS = PREVIEW_HOSTS.flatMap(({ domains }) => domains);

export function domainsOfBot(login: string): readonly string[] {
  return PREVIEW_HOSTS.find(({ bots }) => bots.includes(login))?.domains ?? [];
}

/** The first URL at a subdomain: the domain itself may be a dashboard. */
export function previewIn(comment: string, domains: readonly string[] = ALL_DOMAINS): string | null {
  for (const [address] of comment.matchAll(/https:\/\/[^\s"'<>()[\]`|\\]{1,2000}/g)) {
    const url = URL.parse(address);
    if (url === null || url.username !== '' || url.password !== '' || url.port !== '') continue;
    if (hasSecrets(address)) continue;
    if (domains.some((domain) => url.hostname.endsWith(`.${domain}`))) return url.href;
  }
  return null;
}

const COMMENT = /<!--[\s\S]*?(?:-->|$)/g;
const FENCE = /^(?:```|~~~)/;
/** Templates: headings, lists, quotations, tables, rules, images, HTML. */
const NO_PROSE = /^(?:#|[-*+] |[-*_=]{3}|\d{1,9}[.)] |>|\||!\[|<)/;

/** On one line, without markup; null: none. */
export function firstParagraph(markdown: string | null): string | null {
  const paragraph: string[] = [];
  let isInFence = false;
  for (const line of (markdown ?? '').replace(COMMENT, '').split('\n')) {
    const text = line.trim();
    const isFence = FENCE.test(text);
    if (isFence) isInFence = !isInFence;
    const isProse = text !== '' && !isFence && !isInFence && !NO_PROSE.test(text);
    if (isProse) paragraph.push(text);
    else if (paragraph.length > 0) break;
  }
  const text = paragraph
    .join(' ')
    .replace(/!\[[^[\]]*\]\([^()]*\)/g, '')
    .replace(/\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/\*\*|__|`/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  if (text.length <= PARAGRAPH_MAX_LENGTH) return text || null;
  const cut = text.slice(0, PARAGRAPH_MAX_LENGTH - 1).toWellFormed();
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), PARAGRAPH_MAX_LENGTH / 2)).trimEnd()}…`;
}

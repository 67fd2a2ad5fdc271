import { z } from 'zod';
import { foreignText } from '../engine/runtime/foreign-text.ts';
import type { PullRequestFacts } from '../jobs/pull-requests/pull-request.ts';
import { hasSecrets } from '../jobs/secrets.ts';

/*
 * Answers are decoded leniently: a field that is missing or odd is null, and costs only itself. What is decoded may be
 * decoded again, with the same result: so it is kept.
 */

const text = (maxLength: number) =>
  z
    .string()
    .transform((value) => foreignText(value, maxLength))
    .pipe(z.string().min(1))
    .nullable()
    .catch(null);

export const shortText = text(100);
export const title = text(300);
/** Enough to get past a template's comments. */
export const description = text(4_000);

export const count = z.int().min(0).nullable().catch(null);
export const flag = z.boolean().catch(false);
export const id = z.int().min(1);
/** A commit's hash, which becomes part of a path. */
export const commit = z
  .string()
  .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/)
  .nullable()
  .catch(null);

/** The readable items, without the others. */
export function listOf<T>(item: z.ZodType<T>) {
  return z.array(item.nullable().catch(null)).transform((items) => items.filter((one) => one !== null));
}

const ADDRESS_MAX_LENGTH = 2_000;

/** A URL that may be shown as a link: https, without credentials or another secret. */
export const publicAddress = z
  .string()
  .max(ADDRESS_MAX_LENGTH)
  .refine((value) => {
    const url = URL.parse(value);
    return url?.protocol === 'https:' && url.username === '' && url.password === '' && !hasSecrets(value);
  })
  .nullable()
  .catch(null);

/** Milliseconds since 1970; null if it is no time. */
export function timeMs(value: string | null): number | null {
  const ms = value === null ? Number.NaN : Date.parse(value);
  return Number.isNaN(ms) ? null : ms;
}

type Known<T> = { [Name in keyof T]?: Exclude<T[Name], null> };

export function known<T extends object>(fields: T): Known<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as Known<T>;
}

/** The result of all checks together; null: there are none. */
export function worstOf(checks: readonly Checks[]): Checks | null {
  return (['failing', 'pending', 'passing'] as const).find((state) => checks.includes(state)) ?? null;
}

export type Checks = NonNullable<PullRequestFacts['checks']>;

/**
 * Docs hosts that comment on a pull request with a preview's URL: the account at GitHub, and the previews'
 * domains. No person's account has brackets in its name.
 */
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
] as const;

const ALL_DOMAINS = PREVIEW_HOSTS.flatMap(({ domains }) => domains);

/** The preview domains of this docs host's account; null: it is none. */
export function domainsOfBot(login: string): readonly string[] | null {
  return PREVIEW_HOSTS.find(({ bots }) => bots.some((bot) => bot === login))?.domains ?? null;
}

/**
 * The first URL in a comment that lies in one of the domains, but not the domain itself, which may be a
 * dashboard.
 */
export function previewIn(comment: string, domains: readonly string[] = ALL_DOMAINS): string | null {
  for (const [address] of comment.matchAll(/https:\/\/[^\s"'<>()[\]`|\\]{1,2000}/g)) {
    const url = URL.parse(address);
    if (url === null || url.username !== '' || url.password !== '' || url.port !== '') continue;
    if (hasSecrets(address)) continue;
    if (domains.some((domain) => url.hostname.endsWith(`.${domain}`))) return url.href;
  }
  return null;
}

import { hasSecrets } from '../jobs/secrets.ts';

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

import type { CodeHostSettings } from '../../codehost/connect.ts';
import { type CodeHostSite, PUBLIC_SITES } from '../../jobs/pull-requests/link.ts';
import type { Settings } from './settings.ts';

/** The code hosts that may be asked: those for which there is a token, or an App. */
export function codeHostsOf(values: Settings): readonly CodeHostSettings[] {
  return [...githubOf(values), ...gitlabOf(values)];
}

/** The sites of the hosts whose links are known. */
export function codeHostSitesOf({
  GITHUB_WEB_URL: github,
  GITLAB_URL: gitlab,
}: Pick<Settings, 'GITHUB_WEB_URL' | 'GITLAB_URL'>): readonly CodeHostSite[] {
  return [...PUBLIC_SITES, { host: 'github', webUrl: github }, { host: 'gitlab', webUrl: gitlab }];
}

function githubOf({
  GITHUB_TOKEN: token,
  GITHUB_APP_ID: appId,
  GITHUB_APP_KEY: privateKey,
  GITHUB_WEB_URL: webUrl,
  GITHUB_API_URL: apiUrl = githubApiUrl(webUrl),
}: Settings): CodeHostSettings[] {
  const host = { host: 'github', webUrl, apiUrl } as const;
  if (token !== undefined) return [{ ...host, credentials: { kind: 'token', token } }];
  if (appId === undefined || privateKey === undefined) return [];
  return [{ ...host, credentials: { kind: 'app', appId, privateKey } }];
}

/** An Enterprise server has its API under its own address; github.com and ghe.com, at another. */
function githubApiUrl(webUrl: string): string {
  const { protocol, host } = new URL(webUrl);
  const isHosted = host === 'github.com' || host.endsWith('.ghe.com');
  return isHosted ? `${protocol}//api.${host}` : `${webUrl}/api/v3`;
}

function gitlabOf({ GITLAB_TOKEN: token, GITLAB_URL: webUrl }: Settings): CodeHostSettings[] {
  if (token === undefined) return [];
  return [{ host: 'gitlab', webUrl, apiUrl: `${webUrl}/api/v4`, credentials: { kind: 'token', token } }];
}

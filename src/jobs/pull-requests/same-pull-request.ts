import { type CodeHostSite, pullRequestKey } from './link.ts';
import type { SeenPullRequest } from './pull-request.ts';

/** Those that the address leads to, too: an agent may name one pull request by several. The oldest first. */
export function sameAs(
  url: string,
  pullRequests: readonly SeenPullRequest[],
  sites: readonly CodeHostSite[],
): readonly SeenPullRequest[] {
  const key = pullRequestKey(url, sites);
  return pullRequests.filter((one) => pullRequestKey(one.url, sites) === key);
}

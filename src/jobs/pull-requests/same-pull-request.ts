import { type CodeHostSite, parsePullRequestLink } from './link.ts';
import type { SeenPullRequest } from './pull-request.ts';

/** Those that the address leads to, too: an agent may name one pull request by several. The oldest first. */
export function sameAs(
  url: string,
  pullRequests: readonly SeenPullRequest[],
  sites: readonly CodeHostSite[],
): readonly SeenPullRequest[] {
  const keyOf = (address: string) => parsePullRequestLink(address, sites)?.key ?? address;
  const key = keyOf(url);
  return pullRequests.filter((one) => keyOf(one.url) === key);
}

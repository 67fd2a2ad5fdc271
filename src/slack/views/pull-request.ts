import { httpUrl } from './http-url.ts';
import { type Part, quotation, viewPullRequestButton } from './message.ts';
import { oneLine } from './untrusted.ts';

const UNLINKED_MAX = 500;

/** The pull request as a button, or as plain text if what the API gave is no address that may be a link. */
export function pullRequest(prLink: string, style?: 'primary'): Part {
  const url = httpUrl(prLink);
  return url === null
    ? quotation(`Pull request: ${oneLine(prLink, UNLINKED_MAX)}`)
    : viewPullRequestButton(url, style);
}

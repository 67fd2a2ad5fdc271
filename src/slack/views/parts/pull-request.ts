import { httpUrl } from './http-url.ts';
import { type ButtonPart, buttons, link, type Part, quotation, viewPullRequestButton } from './message.ts';
import type { Mrkdwn } from './mrkdwn.ts';
import { oneLine } from './untrusted.ts';

const UNLINKED_MAX = 500;

interface Looks {
  readonly style?: 'primary';
  /** False if the words around the button give the address. Default: true. */
  readonly isSpoken?: boolean;
  /** More buttons for its row. */
  readonly beside?: readonly ButtonPart[];
}

/** The pull request as a button, or as plain text if what the API gave is no address that may be a link. */
export function pullRequest(prLink: string, { style, isSpoken = true, beside = [] }: Looks = {}): Part[] {
  const url = httpUrl(prLink);
  if (url === null) {
    const unlinked = quotation(`Pull request: ${oneLine(prLink, UNLINKED_MAX)}`);
    return beside.length === 0 ? [unlinked] : [unlinked, buttons(...beside)];
  }
  const button = viewPullRequestButton(url, style);
  return [buttons(isSpoken ? button : { ...button, twin: null }, ...beside)];
}

/** The pull request's address as a link, for a sentence, or null if it may not be one, or is too long. */
export function pullRequestLink(prLink: string): Mrkdwn | null {
  const url = httpUrl(prLink);
  return url === null ? null : link(url);
}

import type { Button, KnownBlock } from '@slack/types';
import {
  type CodeHostSite,
  PUBLIC_SITES,
  pullRequestName,
  readableAddress,
} from '../../../jobs/pull-requests/link.ts';
import { REDACTED } from '../../../jobs/secrets.ts';
import { BUTTON_URL_MAX } from './limits.ts';
import { buttonRow, link, untrustedParagraph, viewPullRequestButton } from './message.ts';
import { type Mrkdwn, ownLink } from './mrkdwn.ts';
import { oneLine } from './untrusted.ts';
import { labels } from './words.ts';

const UNLINKED_MAX = 500;
const SHORT_MAX = 150;
const READABLE_MAX = 120;

interface Looks {
  readonly style?: 'primary';
  /** More buttons for its row. */
  readonly beside?: readonly Button[];
}

/** The pull request as a button, or as plain text if what the API gave is no address that may be a link. */
export function pullRequest(prLink: string, { style, beside = [] }: Looks = {}): KnownBlock[] {
  const url = httpUrl(prLink);
  if (url === null) {
    const unlinked = untrustedParagraph(labels.unlinked(oneLine(prLink, UNLINKED_MAX)));
    return beside.length === 0 ? [unlinked] : [unlinked, buttonRow(...beside)];
  }
  return [buttonRow(viewPullRequestButton(url, style), ...beside)];
}

/**
 * The pull request as a link, for a sentence: `acme/docs#14` where the host is known, else its host and path. Null if it
 * may not be a link, or is too long.
 */
export function shortPullRequestLink(prLink: string, sites: readonly CodeHostSite[]): Mrkdwn | null {
  const url = httpUrl(prLink);
  return url === null || link(url) === null ? null : ownLink(url, shortName(url, sites));
}

/** The same, for a line among others: null, too, if the address is longer than such a line should be. */
export function readableLink(prLink: string, sites: readonly CodeHostSite[] = PUBLIC_SITES): Mrkdwn | null {
  return prLink.length > READABLE_MAX ? null : shortPullRequestLink(prLink, sites);
}

function shortName(url: string, sites: readonly CodeHostSite[]): string {
  return oneLine(pullRequestName(url, sites) ?? readableAddress(new URL(url)), SHORT_MAX);
}

/**
 * The address in its normal form if it is an http(s) URL that may become a link, else null. It has no
 * credentials (they would leak, or pass for the host), no white space, `<`, `>` or `|`, and fits a button.
 */
export function httpUrl(text: string): string | null {
  // A secret was taken out of it: it leads nowhere.
  if (text.includes(REDACTED)) return null;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    return null;
  const href = url.href.replaceAll('|', '%7C');
  return href.length <= BUTTON_URL_MAX ? href : null;
}

import type { KnownBlock } from '@slack/types';
import type { Announcement, TurnEnded } from '../../../jobs/announcement.ts';
import { type Job, requestersOf } from '../../../jobs/job.ts';
import { type CodeHostSite, PUBLIC_SITES } from '../../../jobs/pull-requests/link.ts';
import { PARAGRAPH_MAX_LENGTH, type PullRequestFacts } from '../../../jobs/pull-requests/pull-request.ts';
import { messageOfJob } from '../list.ts';
import { buttons } from '../parts/buttons.ts';
import {
  message,
  openThreadButton,
  paragraph,
  quotation,
  type SlackMessage,
  smallQuotation,
  targetButton,
} from '../parts/message.ts';
import { addressing, asWritten, duration, type Mrkdwn, mrkdwn, withFacts } from '../parts/mrkdwn.ts';
import {
  factsOfLink,
  httpUrl,
  previewButtons,
  progressBelow,
  progressOf,
  pullRequest,
  shortPullRequestLink,
  sizeOf,
  titleOf,
} from '../parts/pull-request.ts';
import { oneLine, promptTitle, shown } from '../parts/untrusted.ts';
import { askerOf, turnTexts } from '../parts/words.ts';
import { confirmations, followUpButton } from './actions.ts';

const BRANCH_MAX = 100;

/** The one message at the end of a turn. It mentions those who waited for it, and those who must act. */
export function turnEndedView(ended: TurnEnded, job: Job, sites: readonly CodeHostSite[]): SlackMessage {
  const { link, lastedMs, replies, branch, undelivered } = ended;
  const toAct = undelivered?.authors ?? [];
  const included = replies.count === 0 ? [] : [turnTexts.included(replies.count)];
  if (link === null) {
    const { icon, words, more } = turnTexts.noPullRequest;
    const toMention = addressing([...requestersOf(job), ...toAct]);
    return message(
      paragraph(mrkdwn`${icon} ${toMention}*${words}*${more}`),
      followUpButton(job),
      ...undeliveredReplies(ended, job),
    );
  }
  const { url, is } = link;
  if (is === 'same') {
    const news = firstLine(turnTexts.updated, url, [...replies.authors, ...toAct], sites);
    const [count] = included;
    return message(
      paragraph(count === undefined ? news : mrkdwn`${news} · ${count}`),
      ...pullRequest(url),
      ...undeliveredReplies(ended, job),
    );
  }
  const waited = [...requestersOf(job), ...replies.authors, ...toAct];
  return message(
    ...newPullRequest({ url, is }, waited, factsOfLink(job, url), sites),
    ...footLine(lastedMs === null ? [] : [turnTexts.took(duration(lastedMs))], included, branch),
    ...undeliveredReplies(ended, job),
  );
}

/** A pull request that came after the end of its turn. */
export function latePullRequestView(
  { url, changed, branch, authors }: Extract<Announcement, { kind: 'pull_request' }>,
  job: Job,
  sites: readonly CodeHostSite[],
): SlackMessage {
  const link = { url, is: changed ? 'another' : 'first' } as const;
  const waited = [...requestersOf(job), ...authors];
  return message(...newPullRequest(link, waited, factsOfLink(job, url), sites), ...footLine([], [], branch));
}

/** Announces a pull request for the first time. */
export function withPullRequest(
  news: SlackMessage,
  { kind, prLink, isAnother, authors = [] }: Extract<Announcement, { kind: 'failed' | 'archived' }>,
  job: Job,
  sites: readonly CodeHostSite[],
): SlackMessage {
  if (prLink === undefined) return news;
  const requesters = requestersOf(job);
  const [first, ...rest] = news.blocks;
  const others = authors.filter((userId) => !requesters.includes(userId));
  // A failure mentions the requester in its own line.
  const waited = kind === 'failed' ? others : [...requesters, ...others];
  const link = { url: prLink, is: isAnother === true ? 'another' : 'first' } as const;
  const parts = newPullRequest(link, waited, factsOfLink(job, prLink), sites, {});
  return first === undefined ? news : message(first, ...parts, ...rest);
}

const news = { first: turnTexts.pullRequest, another: turnTexts.anotherPullRequest } as const;

/** Title, size and progress as its code host gives them, and the ways to it. */
function newPullRequest(
  { url, is }: { readonly url: string; readonly is: keyof typeof news },
  toMention: readonly string[],
  facts: PullRequestFacts,
  sites: readonly CodeHostSite[],
  looks: { readonly style?: 'primary' } = { style: 'primary' },
): [KnownBlock, ...KnownBlock[]] {
  const { state } = facts;
  const said = state === 'merged' || state === 'closed' ? turnTexts[state] : news[is];
  const title = titleOf(facts);
  const standing = [...sizeOf(facts), ...progressBelow(facts)];
  const lines = [
    firstLine(said, url, toMention, sites),
    ...(title === null ? [] : [mrkdwn`*${asWritten(title)}*`]),
    ...(standing.length === 0 ? [] : [mrkdwn`${standing.join(' · ')}`]),
  ];
  return [
    paragraph({ mrkdwn: lines.map((line) => line.mrkdwn).join('\n') }),
    ...(facts.description === undefined ? [] : [quotation(shown(facts.description, PARAGRAPH_MAX_LENGTH))]),
    ...pullRequest(url, { ...looks, beside: previewButtons(facts) }),
  ];
}

function firstLine(
  { icon, words }: { readonly icon: string; readonly words: string },
  url: string,
  toMention: readonly string[],
  sites: readonly CodeHostSite[],
): Mrkdwn {
  const address = shortPullRequestLink(url, sites);
  const who = addressing(toMention);
  return address === null ? mrkdwn`${icon} ${who}*${words}.*` : mrkdwn`${icon} ${who}*${words}:* ${address}`;
}

function footLine(took: readonly string[], included: readonly string[], branch: string | null): KnownBlock[] {
  const facts = [...took, ...included, ...(branch === null ? [] : [oneLine(branch, BRANCH_MAX)])];
  return facts.length === 0 ? [] : [smallQuotation(...facts)];
}

function undeliveredReplies({ undelivered }: TurnEnded, { id: jobId }: Job): KnownBlock[] {
  if (undelivered === null) return [];
  const warning = paragraph(turnTexts.undelivered(undelivered.count));
  return [{ ...warning, accessory: targetButton(buttons.sendAgain, { jobId }, confirmations.sendAgain) }];
}

/** What a notice channel reads. `link`: the pull request in short; null if it cannot be a link. */
const notices = {
  /** `name`: null if Slack does not give it. */
  public: (link: Mrkdwn | null, title: string, name: string | null): Mrkdwn => {
    const by = name === null ? mrkdwn`` : mrkdwn` · by ${asWritten(name)}`;
    return link === null
      ? mrkdwn`📝 *${asWritten(title)}*${by}`
      : mrkdwn`📝 ${link} · *${asWritten(title)}*${by}`;
  },
  private: (link: Mrkdwn | null): Mrkdwn => {
    const news = mrkdwn`*New documentation pull request*`;
    return link === null ? mrkdwn`📝 ${news}` : mrkdwn`📝 ${link} · ${news}`;
  },
} as const;

const NAME_MAX = 100;

/**
 * Tells a notice channel of a pull request.
 * @param permalink to the job's thread, or null if Slack did not give it
 * @param names Slack ids to names, for the requester and mentions in the prompt
 */
export function noticeView(
  job: Job,
  url: string,
  permalink: string | null,
  names: ReadonlyMap<string, string>,
  sites: readonly CodeHostSite[] = PUBLIC_SITES,
): SlackMessage {
  const threadUrl = permalink === null ? null : httpUrl(permalink);
  const name = askerOf(job, names);
  const facts = factsOfLink(job, url);
  const news = notices.public(
    shortPullRequestLink(url, sites),
    titleOf(facts) ?? promptTitle(job.prompt, names),
    name === null ? null : oneLine(name, NAME_MAX),
  );
  const view = message(
    paragraph(withFacts(news, progressOf(facts))),
    ...pullRequest(url, {
      style: 'primary',
      beside: [...previewButtons(facts), ...(threadUrl === null ? [] : [openThreadButton(threadUrl)])],
    }),
  );
  return messageOfJob(job, names, view);
}

/**
 * For a request that readers of the notice channel may not see: without its words, person and thread, and
 * without the pull request's title, which would give it away.
 */
export function privateNoticeView(
  job: Job,
  url: string,
  sites: readonly CodeHostSite[] = PUBLIC_SITES,
): SlackMessage {
  const news = notices.private(shortPullRequestLink(url, sites));
  return message(
    paragraph(withFacts(news, progressOf(factsOfLink(job, url)))),
    ...pullRequest(url, { style: 'primary' }),
  );
}

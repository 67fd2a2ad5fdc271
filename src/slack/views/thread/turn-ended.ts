import type { KnownBlock } from '@slack/types';
import type { Announcement, TurnEnded } from '../../../jobs/announcement.ts';
import { type Job, requestersOf } from '../../../jobs/job.ts';
import type { CodeHostSite } from '../../../jobs/pull-requests/link.ts';
import type { PullRequestFacts } from '../../../jobs/pull-requests/pull-request.ts';
import { buttons } from '../parts/buttons.ts';
import { duration } from '../parts/duration.ts';
import { message, paragraph, type SlackMessage, smallQuotation, withButton } from '../parts/message.ts';
import { addressing, asWritten, type Mrkdwn, mrkdwn, withFacts } from '../parts/mrkdwn.ts';
import { pullRequest, shortPullRequestLink } from '../parts/pull-request.ts';
import { factsOfLink, previewButtons, progressOf, sizeOf, titleOf } from '../parts/pull-request-facts.ts';
import { oneLine } from '../parts/untrusted.ts';
import { turnTexts } from '../texts/thread/thread.ts';
import { followUpButton } from './actions.ts';

const BRANCH_MAX = 100;

/** The one message of a turn's end. It mentions who waited for it, and who must act. */
export function turnEndedView(ended: TurnEnded, job: Job, sites: readonly CodeHostSite[]): SlackMessage {
  const { link, replies, undelivered } = ended;
  const toAct = undelivered?.authors ?? [];
  if (link === null) {
    const { icon, words, more } = turnTexts.noPullRequest;
    const toMention = addressing([...requestersOf(job), ...toAct]);
    return message(
      paragraph(mrkdwn`${icon} ${toMention}*${words}*${more}`),
      followUpButton(job),
      ...undeliveredReplies(ended, job),
    );
  }
  const isNew = link.is !== 'same';
  const facts = isNew ? factsOfLink(job, link.url) : {};
  const waited = isNew ? [...requestersOf(job), ...replies.authors] : replies.authors;
  return message(
    paragraph(linkNews(link, [...waited, ...toAct], [...said(facts), ...factsOf(ended)], sites)),
    ...(isNew ? branchLine(ended.branch) : []),
    ...pullRequest(link.url, isNew ? { style: 'primary', beside: previewButtons(facts) } : {}),
    ...undeliveredReplies(ended, job),
  );
}

/** A pull request that came without an end of its own. */
export function latePullRequestView(
  { url, changed, branch, authors = [] }: Extract<Announcement, { kind: 'pull_request' }>,
  job: Job,
  sites: readonly CodeHostSite[],
): SlackMessage {
  const link = { url, is: changed ? 'another' : 'first' } as const;
  const facts = factsOfLink(job, url);
  return message(
    paragraph(linkNews(link, [...requestersOf(job), ...authors], said(facts), sites)),
    ...branchLine(branch === undefined ? (job.agentJob?.ref ?? null) : branch),
    ...pullRequest(url, { style: 'primary', beside: previewButtons(facts) }),
  );
}

/** The message with a pull request that nobody has heard of yet. */
export function withPullRequest(
  news: SlackMessage,
  { kind, prLink, isAnother, authors = [] }: Extract<Announcement, { kind: 'failed' | 'archived' }>,
  job: Job,
  sites: readonly CodeHostSite[],
): SlackMessage {
  if (prLink === undefined) return news;
  const requesters = requestersOf(job);
  const facts = factsOfLink(job, prLink);
  const [first, ...rest] = news.blocks;
  const others = authors.filter((userId) => !requesters.includes(userId));
  // Of a failure, its own line mentions the requester.
  const waited = kind === 'failed' ? others : [...requesters, ...others];
  const link = { url: prLink, is: isAnother === true ? 'another' : 'first' } as const;
  const line = paragraph(linkNews(link, waited, said(facts), sites));
  const row = pullRequest(prLink, { beside: previewButtons(facts) });
  return first === undefined ? news : message(first, line, ...row, ...rest);
}

const texts = {
  first: turnTexts.pullRequest,
  another: turnTexts.anotherPullRequest,
  same: turnTexts.updated,
} as const;

function linkNews(
  { url, is }: NonNullable<TurnEnded['link']>,
  toMention: readonly string[],
  facts: readonly Mrkdwn[],
  sites: readonly CodeHostSite[],
): Mrkdwn {
  const { icon, words } = texts[is];
  const address = shortPullRequestLink(url, sites);
  const news =
    address === null
      ? mrkdwn`${icon} ${addressing(toMention)}*${words}.*`
      : mrkdwn`${icon} ${addressing(toMention)}*${words}:* ${address}`;
  return withFacts(news, facts);
}

function factsOf({ link, lastedMs, replies }: TurnEnded): Mrkdwn[] {
  return [
    ...(link?.is === 'same' || lastedMs === null ? [] : [mrkdwn`${duration(lastedMs)}`]),
    ...(replies.count === 0 ? [] : [turnTexts.included(replies.count)]),
  ];
}

/** What the code host says, as one fact among others. That a new pull request is open needs no words. */
function said(facts: PullRequestFacts): Mrkdwn[] {
  const title = titleOf(facts);
  const { state, ...rest } = facts;
  const progress = progressOf(state === 'open' ? rest : facts);
  const words = [...sizeOf(facts), ...progress].join(', ');
  if (title === null) return words === '' ? [] : [mrkdwn`${words}`];
  return [words === '' ? asWritten(title) : mrkdwn`${asWritten(title)}, ${words}`];
}

function branchLine(branch: string | null): KnownBlock[] {
  return branch === null ? [] : [smallQuotation(oneLine(branch, BRANCH_MAX))];
}

function undeliveredReplies({ undelivered }: TurnEnded, { id: jobId }: Job): KnownBlock[] {
  if (undelivered === null) return [];
  const warning = paragraph(turnTexts.undelivered(undelivered.count));
  return [withButton(warning, buttons.sendAgain, { jobId })];
}

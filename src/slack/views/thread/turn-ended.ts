import type { KnownBlock } from '@slack/types';
import type { Announcement, TurnEnded } from '../../../jobs/announcement.ts';
import type { Job } from '../../../jobs/job.ts';
import { buttons } from '../parts/buttons.ts';
import { duration } from '../parts/duration.ts';
import { message, paragraph, type SlackMessage, smallQuotation, withButton } from '../parts/message.ts';
import { addressing, type Mrkdwn, mrkdwn } from '../parts/mrkdwn.ts';
import { pullRequest, shortPullRequestLink } from '../parts/pull-request.ts';
import { oneLine } from '../parts/untrusted.ts';
import { turnTexts } from '../texts/thread.ts';
import { followUpButton } from './actions.ts';

const BRANCH_MAX = 100;

/** The one message of a turn's end. It mentions who waited for it, and who must act. */
export function turnEndedView(ended: TurnEnded, job: Job): SlackMessage {
  const { link, replies, undelivered } = ended;
  const toAct = undelivered?.authors ?? [];
  if (link === null) {
    const { icon, words, more } = turnTexts.noPullRequest;
    const toMention = addressing([job.requesterId, ...toAct]);
    return message(
      paragraph(mrkdwn`${icon} ${toMention}*${words}*${more}`),
      followUpButton(job),
      ...undeliveredReplies(ended, job),
    );
  }
  const isNew = link.is !== 'same';
  const waited = isNew ? [job.requesterId, ...replies.authors] : replies.authors;
  return message(
    paragraph(linkNews(link, [...waited, ...toAct], factsOf(ended))),
    ...(isNew ? branchLine(ended.branch) : []),
    ...pullRequest(link.url, isNew ? { style: 'primary' } : {}),
    ...undeliveredReplies(ended, job),
  );
}

/** A pull request that came without an end of its own. */
export function latePullRequestView(
  { url, changed, authors = [] }: Extract<Announcement, { kind: 'pull_request' }>,
  job: Job,
): SlackMessage {
  const link = { url, is: changed ? 'another' : 'first' } as const;
  return message(
    paragraph(linkNews(link, [job.requesterId, ...authors], [])),
    ...branchLine(job.agentJob?.ref ?? null),
    ...pullRequest(url, { style: 'primary' }),
  );
}

/** The message with a pull request that nobody has heard of yet. */
export function withPullRequest(
  news: SlackMessage,
  { kind, prLink, isAnother, authors = [] }: Extract<Announcement, { kind: 'failed' | 'archived' }>,
  { requesterId }: Job,
): SlackMessage {
  if (prLink === undefined) return news;
  const [first, ...rest] = news.blocks;
  const others = authors.filter((userId) => userId !== requesterId);
  // Of a failure, its own line mentions the requester.
  const waited = kind === 'failed' ? others : [requesterId, ...others];
  const link = { url: prLink, is: isAnother === true ? 'another' : 'first' } as const;
  const line = paragraph(linkNews(link, waited, []));
  return first === undefined ? news : message(first, line, ...pullRequest(prLink), ...rest);
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
): Mrkdwn {
  const { icon, words } = texts[is];
  const address = shortPullRequestLink(url);
  const news =
    address === null
      ? mrkdwn`${icon} ${addressing(toMention)}*${words}.*`
      : mrkdwn`${icon} ${addressing(toMention)}*${words}:* ${address}`;
  return facts.reduce((said, fact) => mrkdwn`${said} · ${fact}`, news);
}

function factsOf({ link, lastedMs, replies }: TurnEnded): Mrkdwn[] {
  return [
    ...(link?.is === 'same' || lastedMs === null ? [] : [mrkdwn`${duration(lastedMs)}`]),
    ...(replies.count === 0 ? [] : [turnTexts.included(replies.count)]),
  ];
}

function branchLine(branch: string | null): KnownBlock[] {
  return branch === null ? [] : [smallQuotation(oneLine(branch, BRANCH_MAX))];
}

function undeliveredReplies({ undelivered }: TurnEnded, { id: jobId }: Job): KnownBlock[] {
  if (undelivered === null) return [];
  const warning = paragraph(turnTexts.undelivered(undelivered.count));
  return [withButton(warning, buttons.sendAgain, { jobId })];
}

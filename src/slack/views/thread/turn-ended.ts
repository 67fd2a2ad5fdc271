import type { AnnouncementOf, TurnEnded } from '../../../jobs/announcement.ts';
import { type Job, requestersOf } from '../../../jobs/job.ts';
import { PARAGRAPH_MAX_LENGTH } from '../../../jobs/pull-requests/pull-request.ts';
import { messageOfJob } from '../list.ts';
import { buttons } from '../parts/buttons.ts';
import {
  actionButton,
  type Blocks,
  linkButton,
  message,
  paragraph,
  quotation,
  type SlackMessage,
  smallQuotation,
  targetButton,
} from '../parts/message.ts';
import {
  addressing,
  asWritten,
  duration,
  joined,
  listed,
  type Mrkdwn,
  mrkdwn,
  replies as repliesOf,
} from '../parts/mrkdwn.ts';
import {
  factsOfLink,
  previewButton,
  progressBelow,
  progressOf,
  pullRequest,
  type Sites,
  shortPullRequestLink,
  sizeOf,
  titleOf,
} from '../parts/pull-request.ts';
import { type Names, oneLine, promptTitle, shown } from '../parts/untrusted.ts';
import { askerOf } from '../parts/words.ts';
import { confirmations } from './actions.ts';

/** The one message at the end of a turn. It mentions those who waited for it, and those who must act. */
export function turnEndedView(ended: TurnEnded, job: Job, sites?: Sites): SlackMessage {
  const { link, lastedMs, replies, branch, undelivered } = ended;
  const toAct = undelivered?.authors ?? [];
  const included = replies.count > 0 && `${repliesOf(replies.count)} included`;
  const warning = undelivered !== null && {
    ...paragraph(mrkdwn`⚠️ ${repliesOf(undelivered.count)} may not be included.`),
    accessory: targetButton(buttons.sendAgain, { jobId: job.id }, confirmations.sendAgain),
  };
  if (link === null) {
    const who = addressing([...requestersOf(job), ...toAct]);
    return message(
      paragraph(
        mrkdwn`✅ ${who}*Done, no pull request.* The agent may have found nothing to change, or published directly.`,
      ),
      // Somebody may know what is missing.
      actionButton(buttons.followUp, { jobId: job.id }),
      warning,
    );
  }
  const { url, is } = link;
  if (is === 'same') {
    const news = firstLine({ icon: '✅', words: 'Updated' }, url, [...replies.authors, ...toAct], sites);
    return message(paragraph(joined([news, included])), pullRequest(url), warning);
  }
  const waited = [...requestersOf(job), ...replies.authors, ...toAct];
  return message(
    newPullRequest(job, url, is, waited, sites, 'primary'),
    smallQuotation(
      lastedMs !== null && `took ${duration(lastedMs)}`,
      included,
      branch !== null && oneLine(branch),
    ),
    warning,
  );
}

/** A pull request that came after the end of its turn. */
export function latePullRequestView(
  { url, changed, branch, authors }: AnnouncementOf<'pull_request'>,
  job: Job,
  sites?: Sites,
): SlackMessage {
  const waited = [...requestersOf(job), ...authors];
  return message(
    newPullRequest(job, url, changed ? 'another' : 'first', waited, sites, 'primary'),
    smallQuotation(branch !== null && oneLine(branch)),
  );
}

export function withPullRequest(
  news: SlackMessage,
  { kind, prLink, isAnother, authors = [] }: AnnouncementOf<'failed' | 'archived'>,
  job: Job,
  sites?: Sites,
): SlackMessage {
  if (prLink === undefined) return news;
  const requesters = requestersOf(job);
  const [first, ...rest] = news.blocks;
  const others = authors.filter((userId) => !requesters.includes(userId));
  // A failure mentions the requester in its own line.
  const waited = kind === 'failed' ? others : [...requesters, ...others];
  return message(first, newPullRequest(job, prLink, isAnother ? 'another' : 'first', waited, sites), rest);
}

const NEWS = {
  first: { icon: '🎉', words: 'Pull request ready' },
  another: { icon: '🎉', words: 'Another pull request' },
  merged: { icon: '✅', words: 'Merged' },
  closed: { icon: '⚪', words: 'Closed without merging' },
} as const;

/** Title, size and progress as its code host gives them, and the ways to it. */
function newPullRequest(
  job: Job,
  url: string,
  is: 'first' | 'another',
  toMention: readonly string[],
  sites?: Sites,
  style?: 'primary',
): Blocks {
  const facts = factsOfLink(job, url);
  const { state, description } = facts;
  const title = titleOf(facts);
  const standing = listed<string>([sizeOf(facts), progressBelow(facts)]);
  const lines = [
    firstLine(NEWS[state === 'merged' || state === 'closed' ? state : is], url, toMention, sites),
    title !== null && mrkdwn`*${asWritten(title)}*`,
    standing.length > 0 && joined(standing),
  ];
  return [
    paragraph(joined(lines, '\n')),
    description !== undefined && quotation(shown(description, PARAGRAPH_MAX_LENGTH)),
    pullRequest(url, previewButton(facts), style),
  ];
}

function firstLine(
  { icon, words }: { readonly icon: string; readonly words: string },
  url: string,
  toMention: readonly string[],
  sites?: Sites,
): Mrkdwn {
  const address = shortPullRequestLink(url, sites);
  const who = addressing(toMention);
  return address === null ? mrkdwn`${icon} ${who}*${words}.*` : mrkdwn`${icon} ${who}*${words}:* ${address}`;
}

/**
 * Tells a notice channel of a pull request.
 * @param permalink to the job's thread, or null if Slack did not give it
 */
export function noticeView(
  job: Job,
  url: string,
  permalink: string | null,
  names: Names,
  sites?: Sites,
): SlackMessage {
  const name = askerOf(job, names);
  const facts = factsOfLink(job, url);
  const title = asWritten(titleOf(facts) ?? promptTitle(job.prompt, names));
  const news = joined([
    shortPullRequestLink(url, sites),
    mrkdwn`*${title}*`,
    name !== null && mrkdwn`by ${asWritten(oneLine(name))}`,
    progressOf(facts),
  ]);
  const view = message(
    paragraph(mrkdwn`📝 ${news}`),
    pullRequest(url, [previewButton(facts), linkButton(buttons.openThread, permalink)], 'primary'),
  );
  return messageOfJob(job, names, view);
}

/**
 * For a request that readers of the notice channel may not see: without its words, person and thread, and
 * without the pull request's title, which would give it away.
 */
export function privateNoticeView(job: Job, url: string, sites?: Sites): SlackMessage {
  const news = joined([
    shortPullRequestLink(url, sites),
    mrkdwn`*New documentation pull request*`,
    progressOf(factsOfLink(job, url)),
  ]);
  return message(paragraph(mrkdwn`📝 ${news}`), pullRequest(url, null, 'primary'));
}

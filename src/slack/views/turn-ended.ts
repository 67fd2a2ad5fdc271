import type { AnnouncementOf, NewLink, TurnEnded } from '#jobs/announcement.ts';
import { type Job, requestersOf } from '#jobs/job.ts';
import { isOver, PARAGRAPH_MAX_LENGTH, type PullRequestFacts } from '#jobs/pull-requests/pull-request.ts';
import { buttons } from './buttons.ts';
import {
  askerOf,
  factsOfLink,
  inWords,
  pullRequest,
  type Sites,
  shortPullRequestLink,
  type ViewFacts,
} from './job.ts';
import {
  type Blocks,
  buttonRow,
  confirmations,
  linkButton,
  message,
  messageOfJob,
  paragraph,
  quotation,
  type SlackMessage,
  smallPrint,
  targetButton,
} from './message.ts';
import {
  addressing,
  asWritten,
  duration,
  excerpt,
  inFigures,
  inParts,
  joined,
  listed,
  mrkdwn,
  type Names,
  nameIn,
  oneLine,
  type Parts,
  promptTitle,
  replies as repliesOf,
  shown,
} from './text.ts';

/** Mentions people who waited or must act. */
export function turnEndedView(ended: TurnEnded, job: Job, { sites }: ViewFacts): Blocks[] {
  const { link, lastedMs, replies, branch, words, undelivered } = ended;
  const toAct = undelivered?.authors ?? [];
  const included = replies.count > 0 && `${repliesOf(replies.count)} included`;
  const warning = warningOf(ended, job);
  if (link === null && words !== undefined) {
    const { authors } = replies;
    const who = addressing([...(authors.length > 0 ? authors : requestersOf(job)), ...toAct]);
    return [mrkdwn`💬 ${who}*The agent says:*`, agentWords(words, job), warning];
  }
  if (link === null) {
    const who = addressing([...requestersOf(job), ...toAct]);
    return [
      mrkdwn`✅ ${who}*Done, no pull request.* The agent may have found nothing to change, or published directly.`,
      buttonRow(targetButton(buttons.followUp, job)),
      warning,
    ];
  }
  const { url } = link;
  if (link.is === 'same') {
    const news = firstLine('✅', 'Updated', url, [...replies.authors, ...toAct], sites);
    return [joined([news, included]), agentWords(words, job), pullRequest(url), warning];
  }
  const waited = [...requestersOf(job), ...replies.authors, ...toAct];
  const took = lastedMs !== null && `took ${duration(lastedMs)}`;
  return [
    newPullRequest(job, link, waited, sites, words),
    smallPrint(took, included, branch !== null && oneLine(branch)),
    warning,
  ];
}

export function stoppedView(
  stopped: AnnouncementOf<'stopped'>,
  job: Job,
  { names, sites }: ViewFacts,
): Blocks[] {
  const link = shortPullRequestLink(stopped.link, sites);
  const done = link !== null && mrkdwn`What was done so far is in ${link}.`;
  const news = mrkdwn`⏹️ *Stopped* by ${nameIn(names, stopped.userId)}.`;
  return [joined([news, done], ' '), warningOf(stopped, job)];
}

function warningOf({ undelivered }: Pick<TurnEnded, 'undelivered'>, job: Job): Blocks {
  const sendAgain = targetButton(buttons.sendAgain, job, {}, confirmations.sendAgain);
  return (
    undelivered !== null &&
    paragraph(mrkdwn`⚠️ ${repliesOf(undelivered.count)} may not be included.`, sendAgain)
  );
}

const WORDS_MAX = 600;

function agentWords(words: string | undefined, job: Job): Blocks {
  if (words === undefined) return null;
  const text = excerpt(words, WORDS_MAX);
  const isCut = text !== shown(words, Number.POSITIVE_INFINITY);
  return [quotation(text), isCut && buttonRow(targetButton(buttons.readAll, job))];
}

export function allWordsView(words: string): SlackMessage {
  return message(inParts(words));
}

export function pullRequestOfEnd(
  { kind, link, authors = [] }: AnnouncementOf<'failed' | 'archived'>,
  job: Job,
  sites?: Sites,
): Blocks {
  if (link === undefined) return null;
  const requesters = requestersOf(job);
  const others = authors.filter((userId) => !requesters.includes(userId));
  // A failure's own line mentions the requesters.
  const waited = kind === 'failed' ? others : [...requesters, ...others];
  return newPullRequest(job, link, waited, sites);
}

const NEWS = {
  first: ['🎉', 'Pull request ready'],
  another: ['🎉', 'Another pull request'],
  merged: ['✅', 'Merged'],
  closed: ['⚪', 'Closed without merging'],
} as const;

function newPullRequest(
  job: Job,
  { url, is }: NewLink,
  toMention: readonly string[],
  sites?: Sites,
  words?: string,
): Blocks {
  const facts = factsOfLink(job, url);
  const { state } = facts;
  const title = titleOf(facts);
  const [icon, news] = NEWS[state === 'merged' || state === 'closed' ? state : is];
  const lines = [
    firstLine(icon, news, url, toMention, sites),
    title !== null && mrkdwn`*${asWritten(title)}*`,
    joined([sizeOf(facts), progressBelow(facts)]),
  ];
  return [
    joined(lines, '\n'),
    words === undefined ? describedAt(facts) : agentWords(words, job),
    pullRequest(url, linkButton(buttons.viewPreview, facts.previewUrl)),
  ];
}

const PAGE_MAX = 80;

function describedAt({ description, pages = [] }: PullRequestFacts): Blocks {
  const names = pages.map((path) => oneLine(path, PAGE_MAX)).join(', ');
  const lines = listed<string>([
    description !== undefined && shown(description, PARAGRAPH_MAX_LENGTH),
    names !== '' && `Changed pages: ${names}`,
  ]);
  return lines.length > 0 && quotation(lines.join('\n'));
}

function firstLine(icon: string, words: string, url: string, toMention: readonly string[], sites?: Sites) {
  const news = mrkdwn`${icon} ${addressing(toMention)}*${words}`;
  const address = shortPullRequestLink(url, sites);
  return address === null ? mrkdwn`${news}.*` : mrkdwn`${news}:* ${address}`;
}

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
  const beside = [
    linkButton(buttons.viewPreview, facts.previewUrl),
    linkButton(buttons.openThread, permalink),
  ];
  return messageOfJob(job, names, mrkdwn`📝 ${news}`, pullRequest(url, beside));
}

/** The pull request's title would reveal a request that readers may not see. */
export function privateNoticeView(job: Job, url: string, sites?: Sites): SlackMessage {
  const news = joined([
    shortPullRequestLink(url, sites),
    mrkdwn`*New documentation pull request*`,
    progressOf(factsOfLink(job, url)),
  ]);
  return message(mrkdwn`📝 ${news}`, pullRequest(url));
}

const TITLE_MAX = 150;
const RUNS_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const LEFT_TO_RIGHT_MARK = '\u200e';

function titleOf({ title }: PullRequestFacts): string | null {
  if (title === undefined) return null;
  const shown = oneLine(title, TITLE_MAX);
  // Otherwise, figures after the title would appear before it.
  return RUNS_LEFT.test(shown) ? shown + LEFT_TO_RIGHT_MARK : shown;
}

/** `+120 −8 in 3 files`. */
function sizeOf({ size }: PullRequestFacts): string | null {
  if (size === undefined) return null;
  const { lines } = size;
  const files = `${inFigures(size.files)} ${size.files === 1 ? 'file' : 'files'}`;
  return lines === null ? files : `+${inFigures(lines.added)} −${inFigures(lines.removed)} in ${files}`;
}

const CHECKS = {
  pending: ['⏳', 'checks running'],
  passing: ['✅', 'checks passing'],
  failing: ['❌', 'checks failing'],
} as const;

/** `open`, `checks failing`, `approved`. Just `merged` or `closed` at the end. */
function progressOf(facts: PullRequestFacts): Parts<string> {
  const { state, checks, review } = facts;
  if (isOver(facts)) return state;
  return [state, checks && CHECKS[checks][1], review && inWords(review)];
}

/** The first line above reports a merge or closing. */
function progressBelow(facts: PullRequestFacts): Parts<string> {
  const { state, checks, review } = facts;
  if (isOver(facts)) return null;
  return [state === 'draft' && state, checks && CHECKS[checks].join(' '), review && inWords(review)];
}

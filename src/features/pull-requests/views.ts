import type { Button, ModalView } from '@slack/types';
import type { ServiceFacts, ServiceReport, TroubleWords } from '#jobs/agent-job.ts';
import { type Job, requestersOf } from '#jobs/job.ts';
import type { PullRequestNews } from '#jobs/pull-requests/pull-request.ts';
import { standingOf } from '#jobs/pull-requests/standing.ts';
import { type DecisionForm, viewIds } from '#slack/protocol/ids.ts';
import type { FeatureViews } from '#slack/views/announcement.ts';
import { buttons, type JobButton, linkButtons, nthInRow } from '#slack/views/buttons.ts';
import { linesInput } from '#slack/views/compose.ts';
import { form } from '#slack/views/form.ts';
import { factsOfLink, namedThere, shortPullRequestLink } from '#slack/views/job.ts';
import { linkButton, type SlackMessage, say, smallPrint, targetButton } from '#slack/views/message.ts';
import {
  addressing,
  asWritten,
  counted,
  fullDuration,
  joined,
  type Mrkdwn,
  mrkdwn,
  oneLine,
  type Parts,
} from '#slack/views/text.ts';
import type { ReviewComment, ReviewComments } from './dialect.ts';

const WAITS_FOR = {
  merged: null,
  closed: null,
  checks_failing: 'checks failing',
  draft: 'still a draft',
  changes_requested: 'changes requested',
  approved: 'approved, ready to merge',
  waiting_for_review: 'waiting for review',
};

function reminderButton(id: 'remind_again' | 'no_more_reminders', label: string): JobButton {
  return {
    id,
    label,
    eventOf: ({ reminderId }, { userId }) =>
      reminderId === undefined ? null : { type: `${id}_pressed`, reminderId, userId },
  };
}

export const pullRequestButtons = {
  remindAgain: reminderButton('remind_again', 'Remind me again'),
  noMoreReminders: reminderButton('no_more_reminders', 'No more reminders'),
};

const NEWS = {
  checks: {
    icon: '⚠️',
    words: 'Checks failing',
    before: ': ',
    end: '.',
    button: buttons.askForFix,
    link: linkButtons.viewChecks,
  },
  review: {
    icon: '👀',
    words: 'Changes requested',
    before: ' by ',
    end: '.',
    button: buttons.sendReview,
    link: linkButtons.viewReview,
  },
  reviewers: {
    icon: '👀',
    words: 'Review wanted',
    before: ': ',
    end: '',
    button: null,
    link: linkButtons.viewPullRequest,
  },
};

function newsLine({ kind, names }: PullRequestNews, link: Mrkdwn | null, who: Mrkdwn | string) {
  const { icon, words, before, end } = NEWS[kind];
  const named = namedThere(names);
  const line = mrkdwn`${icon} ${who}*${words}*${link === null ? '' : mrkdwn` on ${link}`}`;
  return named === null ? mrkdwn`${line}.` : mrkdwn`${line}${before}${named}${end}`;
}

function newsButtons(news: readonly PullRequestNews[], url: string, job: Job): Parts<Button> {
  const answers = news.map((one) => {
    const { button } = NEWS[one.kind];
    const same = news.filter(({ kind }) => kind === one.kind);
    if (button === null) return null;
    const nth = nthInRow(button, same.indexOf(one));
    const label = same.length === 1 ? nth.label : `${nth.label} by ${oneLine(nameIn(one), 30)}`;
    return targetButton({ ...nth, label }, job, { news: one.key });
  });
  const only = news.length === 1 ? news[0] : undefined;
  const linked = only?.names.find((one) => one.url !== null);
  return [answers, linkButton(NEWS[only?.kind ?? 'reviewers'].link, linked?.url ?? url)];
}

function nameIn({ names: [first] }: PullRequestNews) {
  return first?.name ?? '';
}

/** Five of them fit into a form's field. */
const CHECK_URL_MAX = 400;

/** As the agent reads it. */
export function fixPrompt(checks: PullRequestNews['names']): string {
  const failing = checks.map(({ name, url }) => {
    const check = `The check “${oneLine(name)}” fails`;
    return url === null || url.length > CHECK_URL_MAX ? `${check}.` : `${check}: ${url}.`;
  });
  if (failing.length <= 1) return `${failing[0] ?? 'The checks fail.'} Please fix it.`;
  return `${failing.join('\n')}\nPlease fix them.`;
}

const PLACE_MAX = 320;

/** As the agent reads it. @param pullRequest its name */
export function reviewPrompt(
  news: PullRequestNews,
  pullRequest: string,
  comments: readonly ReviewComment[],
): string {
  const quoted = comments.map(({ place, text }) => {
    const quotation = text.replace(/^/gm, '> ');
    return place === null ? quotation : `${oneLine(place, PLACE_MAX)}\n${quotation}`;
  });
  return [`${oneLine(nameIn(news))} requested changes on ${pullRequest}:`, ...quoted].join('\n\n');
}

const COMMENTS_MAX = 50;

export function reviewForm(
  data: DecisionForm,
  { names }: PullRequestNews,
  { comments, isComplete }: ReviewComments,
): ModalView {
  const lines = comments.slice(0, COMMENTS_MAX).map(({ id, place, text }) => {
    return { id, author: place ?? 'About the pull request', text };
  });
  const left = comments.length - lines.length;
  return form(
    viewIds.review,
    buttons.sendReview.label,
    'Send',
    data,
    mrkdwn`${joined([namedThere(names)])} requested changes. What is ticked goes to the agent as your reply.`,
    linesInput(lines, ['Comments', 'More comments']),
    left > 0 && smallPrint(`${counted(left, 'more comment is', 'more comments are')} left out.`),
    !isComplete && smallPrint('There are more comments than I can read; some are missing.'),
  );
}

export function noCommentsView({ names }: PullRequestNews): SlackMessage {
  return say`There's nothing to send: the review by ${joined([namedThere(names)])} was dismissed, or has no comments any more.`;
}

export const readingReviewView = say`⏳ Reading the review…`;
export const tooManyCommentsView = say`⚠️ *I couldn't find the review:* there are more comments than I can read. Copy what matters into a reply.`;
export const nothingTickedView = say`Tick at least one comment.`;
export const reviewChangedView = say`✏️ A comment was sent, edited or deleted in the meantime. Close this form and press the button again.`;
export const reviewNotReadView = say`⚠️ *I couldn't read the review.* Please try again later.`;

export const pullRequestViews = {
  announcements: {
    pull_request_over: ({ state, by }, job) => {
      const who = addressing(requestersOf(job));
      const name = by === undefined ? '.*' : mrkdwn`* by ${asWritten(oneLine(by))}.`;
      return state === 'merged'
        ? mrkdwn`✅ ${who}*Merged${name}`
        : mrkdwn`⚪ ${who}*Closed without merging${name}`;
    },
    review_news: ({ url, news }, job, { sites }) => {
      const link = shortPullRequestLink(url, sites);
      const lines = news.map((one, index) => {
        const isToRequester = index === 0 && one.kind !== 'reviewers';
        return newsLine(one, link, isToRequester ? addressing(requestersOf(job)) : '');
      });
      return { news: joined(lines, '\n'), buttons: newsButtons(news, url, job) };
    },
    reminder: ({ reminderId, url, afterMs, againMs }, job, { sites }) => {
      const words = afterMs === undefined ? 'Still open' : `Open for ${fullDuration(afterMs)}`;
      const news = mrkdwn`👋 ${addressing(requestersOf(job))}*${words}`;
      const link = shortPullRequestLink(url, sites);
      const standing = standingOf(factsOfLink(job, url));
      const why = standing !== null && WAITS_FOR[standing];
      const label = `Remind me in ${fullDuration(againMs)}`;
      return {
        news: link === null ? mrkdwn`${news}.*` : joined([mrkdwn`${news}:* ${link}`, why], ', '),
        buttons: [
          linkButton(linkButtons.viewPullRequest, url),
          targetButton({ ...pullRequestButtons.remindAgain, label }, job, { reminderId }),
          targetButton(pullRequestButtons.noMoreReminders, job, { reminderId }),
        ],
      };
    },
  },
  outcomes: {
    wants_reminder: (name) => `${name} wants to be reminded again`,
    wants_no_reminder: (name) => `${name} turned off reminders`,
    answered: (name) => `${name} sent it to the agent`,
  },
} satisfies FeatureViews;

const HOST_TROUBLES: TroubleWords = {
  rate_limited: ['has been limiting requests', 'Pull requests are checked less often until then.'],
  unreachable: ['out of reach', 'Messages show pull requests as they were last seen.'],
  needs_admin: [
    'has refused the token or the App',
    'An operator of docs-agent must renew it. Messages show pull requests as they were last seen.',
  ],
};

export function codeHostReport({ host, facts }: { host: string; facts: ServiceFacts }): ServiceReport {
  return { kind: 'Code host', name: host, facts, words: HOST_TROUBLES };
}

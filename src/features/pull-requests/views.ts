import type { Button, ModalView } from '@slack/types';
import type { ServiceFacts, ServiceReport, TroubleWords } from '#jobs/agent-job.ts';
import { type Job, requestersOf } from '#jobs/job.ts';
import type { LinkedName, ReviewNews } from '#jobs/pull-requests/pull-request.ts';
import { standingOf } from '#jobs/pull-requests/standing.ts';
import { type DecisionForm, viewIds } from '#slack/protocol/ids.ts';
import type { FeatureViews } from '#slack/views/announcement.ts';
import { buttons, type JobButton, linkButtons, nthInRow } from '#slack/views/buttons.ts';
import { linesInput } from '#slack/views/compose.ts';
import { form } from '#slack/views/form.ts';
import { checkNames, factsOfLink, type Sites, shortPullRequestLink } from '#slack/views/job.ts';
import {
  buttonRow,
  linkButton,
  type SlackMessage,
  say,
  smallPrint,
  targetButton,
} from '#slack/views/message.ts';
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
  userMention,
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

const NEWS_SHOWN_MAX = 5;

function onLink(words: Mrkdwn, url: string, sites?: Sites) {
  const link = shortPullRequestLink(url, sites);
  return link === null ? words : mrkdwn`${words} on ${link}`;
}

function newsLine(news: ReviewNews, url: string, who: Mrkdwn | string, sites?: Sites) {
  if (news.kind === 'review') {
    const what = onLink(mrkdwn`👀 ${who}*Changes requested*`, url, sites);
    return mrkdwn`${what} by ${asWritten(oneLine(news.by))}.`;
  }
  const what = onLink(mrkdwn`⚠️ ${who}*Checks failing*`, url, sites);
  const names = checkNames(news.checks);
  return names === null ? mrkdwn`${what}.` : mrkdwn`${what}: ${names}.`;
}

function newsButtons(news: readonly ReviewNews[], url: string, job: Job): Parts<Button> {
  const reviews = news.filter((one) => one.kind === 'review');
  return [
    news.map((one) => {
      if (one.kind === 'checks') return targetButton(buttons.askForFix, job, { news: one.key });
      const nth = nthInRow(buttons.sendReview, reviews.indexOf(one));
      const label = reviews.length === 1 ? nth.label : `${nth.label} by ${oneLine(one.by, 30)}`;
      return targetButton({ ...nth, label }, job, { news: one.key });
    }),
    news.length > 1
      ? linkButton(linkButtons.viewPullRequest, url)
      : news.map((one) =>
          one.kind === 'checks'
            ? linkButton(linkButtons.viewChecks, one.checks.find(({ url }) => url !== null)?.url ?? url)
            : linkButton(linkButtons.viewReview, one.url ?? url),
        ),
  ];
}

/** As the agent reads it. */
export function fixPrompt(checks: readonly LinkedName[]): string {
  const failing = checks.map(({ name, url }) => {
    const check = `The check “${oneLine(name)}” fails`;
    return url === null ? `${check}.` : `${check}: ${url}.`;
  });
  return `${failing.join('\n')}${failing.length > 1 ? '\nPlease fix them.' : ' Please fix it.'}`;
}

/** As the agent reads it. @param pullRequest its name */
export function reviewPrompt(by: string, pullRequest: string, comments: readonly ReviewComment[]): string {
  const quoted = comments.map(({ place, text }) => {
    const quotation = text.replace(/^/gm, '> ');
    return place === null ? quotation : `${place}\n${quotation}`;
  });
  return [`${oneLine(by)} requested changes on ${pullRequest}:`, ...quoted].join('\n\n');
}

const COMMENTS_MAX = 50;

export function reviewForm(
  data: DecisionForm,
  by: string,
  { comments, isComplete }: ReviewComments,
): ModalView {
  const lines = comments.slice(0, COMMENTS_MAX).map(({ id, place, text }) => {
    return { id, author: place ?? 'About the pull request', text };
  });
  const left = comments.length - lines.length;
  const leftOut = `${counted(left, 'more comment is', 'more comments are')} left out.`;
  return form(
    viewIds.review,
    buttons.sendReview.label,
    'Send',
    data,
    mrkdwn`${asWritten(oneLine(by))} requested changes. What is ticked goes to the agent as your reply.`,
    linesInput(lines, ['Comments', 'More comments']),
    left > 0 && smallPrint(leftOut),
    !isComplete && smallPrint('This pull request has more comments than I can read; older ones are missing.'),
  );
}

export function noCommentsView(by: string): SlackMessage {
  return say`There's nothing to send: the review by ${asWritten(oneLine(by))} has no comments any more.`;
}

export const nothingTickedView = say`Tick at least one comment.`;
export const reviewChangedView = say`✏️ A comment was edited or deleted in the meantime. Close this form and press the button again.`;
export const reviewNotReadView = say`⚠️ *I couldn't read the review.* Please try again.`;

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
      const [first, ...others] = news.slice(0, NEWS_SHOWN_MAX);
      const lines = others.map((one) => newsLine(one, url, '', sites));
      const more = news.length > NEWS_SHOWN_MAX && `and ${news.length - NEWS_SHOWN_MAX} more`;
      const who = addressing(requestersOf(job));
      return {
        news: joined([first && newsLine(first, url, who, sites), lines, more], '\n'),
        buttons: newsButtons(news.slice(0, NEWS_SHOWN_MAX), url, job),
      };
    },
    review_wanted: ({ url, reviewers }, _job, { sites }) => {
      const people = reviewers.map(({ login, userId }) =>
        userId === null ? asWritten(oneLine(login)) : userMention(userId),
      );
      const what = onLink(mrkdwn`👀 *Review wanted*`, url, sites);
      const news = people.length === 0 ? mrkdwn`${what}.` : mrkdwn`${what}: ${joined(people, ', ')}`;
      return [news, buttonRow(linkButton(linkButtons.viewPullRequest, url))];
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

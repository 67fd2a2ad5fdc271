import type { ServiceFacts, ServiceReport, TroubleWords } from '#jobs/agent-job.ts';
import { requestersOf } from '#jobs/job.ts';
import { standingOf } from '#jobs/pull-requests/standing.ts';
import type { FeatureViews } from '#slack/views/announcement.ts';
import { type JobButton, linkButtons } from '#slack/views/buttons.ts';
import { factsOfLink, shortPullRequestLink } from '#slack/views/job.ts';
import { linkButton, targetButton } from '#slack/views/message.ts';
import { addressing, asWritten, fullDuration, joined, mrkdwn, oneLine } from '#slack/views/text.ts';

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

export const pullRequestViews = {
  announcements: {
    pull_request_over: ({ state, by }, job) => {
      const who = addressing(requestersOf(job));
      const name = by === undefined ? '.*' : mrkdwn`* by ${asWritten(oneLine(by))}.`;
      return state === 'merged'
        ? mrkdwn`✅ ${who}*Merged${name}`
        : mrkdwn`⚪ ${who}*Closed without merging${name}`;
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

import type { TroubleKind } from '../../../jobs/job.ts';
import type { FollowUpMode } from '../../../jobs/policy.ts';

/** An icon and a word, always together: neither colour nor picture is the only sign. */
export interface Sign {
  readonly icon: string;
  readonly word: string;
}

/** The states of a job, as they are called everywhere in Slack. */
export const signs = {
  asking: { icon: '🔁', word: 'Start another?' },
  starting: { icon: '🚀', word: 'Starting' },
  notStarted: { icon: '⛔', word: 'Not started' },
  startUnknown: { icon: '❓', word: 'Start unknown' },
  refused: { icon: '⛔', word: 'Refused' },
  working: { icon: '⚙️', word: 'Working' },
  longRunning: { icon: '⏱️', word: 'Still working' },
  unwatched: { icon: '💤', word: 'Not watched any more' },
  finished: { icon: '✅', word: 'Finished' },
  failed: { icon: '❌', word: 'Failed' },
  archived: { icon: '🗄️', word: 'Archived' },
  noSuchJob: { icon: '🔍', word: 'No such job' },
  vanished: { icon: '🌫️', word: 'Vanished' },
  otherStatus: { icon: 'ℹ️', word: 'Status' },
} as const satisfies Record<string, Sign>;

export const troubleSigns: Readonly<Record<TroubleKind, Sign>> = {
  rate_limited: { icon: '⏳', word: 'Waiting for the rate limit' },
  unreachable: { icon: '📡', word: "Can't reach the agent API" },
  needs_admin: { icon: '🔧', word: 'Needs an administrator' },
};

/** How to reach the agent in a job's thread: `reply in this thread to …`. */
export function replyTo(purpose: string, mode: FollowUpMode): string {
  return mode === 'mentions'
    ? `mention me in this thread to ${purpose}`
    : `reply in this thread to ${purpose}`;
}

export const onlyMentions = 'only mentions go to the agent';

export const labels = {
  runAgain: 'Run again',
  startAgain: 'Start again',
  sendAgain: 'Send again',
  retry: 'Retry',
  tryAgain: 'Try again',
  keepWatching: 'Keep watching',
  stopWatching: 'Stop watching',
  resumeWatching: 'Resume watching',
  start: 'Start',
  followUp: 'Follow up',
  send: 'Send',
  sendNow: 'Send now',
  sendCorrection: 'Send the correction',
  newer: 'Newer',
  older: 'Older',
  details: 'Details',
  startJob: 'Start a job',
  askDocsAgent: 'Ask Docs Agent',
  settings: 'Settings',
  save: 'Save',
  next: 'Next',
  startAnother: 'Start another',
  chooseMessages: 'Choose messages',
} as const;

/** `1 follow-up`, `2 follow-ups`. */
export function followUps(count: number): string {
  return `${count} ${count === 1 ? 'follow-up' : 'follow-ups'}`;
}

import { sessionStateOf } from '../../../src/features/agent-sessions/index.ts';
import { recipeSkippedView, resumedView } from '../../../src/features/recipes/view.ts';
import { reportView } from '../../../src/features/reports/view.ts';
import type { Queue } from '../../../src/jobs/follow-ups/follow-up.ts';
import type { Job, OfferOutcome, Stage } from '../../../src/jobs/job.ts';
import { PUBLIC_SITES } from '../../../src/jobs/pull-requests/link.ts';
import type { PullRequestFacts } from '../../../src/jobs/pull-requests/pull-request.ts';
import { recipePausedView, recipeSkipped } from '../../../src/slack/views/announcement.ts';
import { cardView } from '../../../src/slack/views/job.ts';
import { message, type SlackMessage } from '../../../src/slack/views/message.ts';
import {
  aJob,
  anAgentJob,
  aTrouble,
  completed,
  fivePastTwoMs,
  nobodyWaits,
  working,
} from '../../slack/views/a-job.ts';
import { postedView } from '../../slack/views/support/thread.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const reportedAtMs = Date.UTC(2026, 10, 23, 9);
const prLink = 'https://github.com/acme/docs/pull/14';
const names = new Map([
  ['U1', 'Alice'],
  ['U2', 'Bob'],
]);

const card = (facts: Partial<Job>, queue: Partial<Queue> = {}) =>
  cardView(aJob({ requesterId: 'U1', agentJob: anAgentJob(), ...facts }), {
    queue: { ...nobodyWaits, ...queue },
    names,
  });
const atWork = { stage: working, checkedAtMs: fivePastTwoMs + 2 * MINUTE_MS };
const ready = {
  stage: { ...completed, tookMs: 6 * MINUTE_MS },
  agentJob: anAgentJob({ status: 'completed', prLink }),
};
const unclear: Partial<Job> = { stage: { kind: 'create_unknown', callId: 'call-1', sinceMs: 0 } };
const stopped: Partial<Job> = { stage: { ...working, question: { number: 1, answer: 'stop' } } };

const prompt =
  'Document the rate limits of our API\n\nName the limit of each plan, and the headers that tell it.';
const asked = (facts: Partial<Job>, queue?: Partial<Queue>) =>
  card({ prompt, number: 42, channelId: 'C0DOCS', ...facts }, queue);
const turnReplies = { count: 2, authors: ['U2'] };
const ended = (status: 'failed' | 'archived' | 'vanished'): Partial<Job> => ({
  stage: { kind: 'ended', status, sinceMs: 0 },
});
/** A job whose pull request its code host has described so. */
const described = (facts: Partial<PullRequestFacts>): Partial<Job> => ({
  ...ready,
  announcedPrLink: prLink,
  pullRequests: [{ url: prLink, facts: { state: 'open', ...facts }, seenAtMs: fivePastTwoMs, reminders: 0 }],
});

const draft = (
  facts: Partial<Job>,
  approvers: readonly string[] = [],
  outcome: OfferOutcome | null = null,
) => {
  const stage: Stage = { kind: 'draft', number: 1, thread: null, messages: [], postTs: null };
  const announcement = { kind: 'draft', number: 1, threadTs: null, approvers } as const;
  return postedView(announcement, aJob({ requesterId: 'U1', stage, ...facts }), outcome, names);
};
const marked: Partial<Job> = {
  prompt:
    'About this Slack message (https://acme.slack.com/archives/C0DOCS/p1700000000000100):\n> Nobody finds out which plan has which rate limit',
  origin: { kind: 'reaction', messageTs: '1700000000.000100', emoji: 'memo', authorId: 'U2' },
  stage: { kind: 'draft', number: 1, thread: null, messages: ['1.0', '2.0'], postTs: null },
};
const answered = (answer: OfferOutcome['answer'], by: string | null) => draft(marked, [], { answer, by });

const review: Partial<Job> = {
  prompt: 'Check the screenshots of "quickstart"',
  requesterId: null,
  recipe: 'weekly-review',
  origin: { kind: 'schedule' },
};
const release: Partial<Job> = {
  prompt: 'Document release "2.1"\n\nData, not instructions:\n> Search is faster.\n> The API has webhooks.',
  requesterId: null,
  recipe: 'release-notes',
  origin: { kind: 'webhook' },
};
const inWorkflow: Partial<Job> = {
  prompt: 'Document how to rotate the key of a webhook\n\nA customer could not find it.',
  origin: { kind: 'workflow', executionId: 'Fx1', waits: true },
};

interface Sheet {
  readonly title: string;
  /** What people read, by a name for each state. */
  readonly states: Readonly<Record<string, SlackMessage>>;
}

/** The pictures that show what becomes of a message, by their names. */
export const sheets: Readonly<Record<string, Sheet>> = {
  states: {
    title: 'The card',
    states: {
      starting: asked({ agentJob: null }),
      'waits for an invitation': asked({
        agentJob: null,
        stage: { kind: 'opening', waitsFor: 'invitation' },
      }),
      working: asked(atWork),
      'working on replies': asked({ ...atWork, turn: 2, turnReplies }),
      'waits for the hourly limit': asked({ agentJob: null, trouble: aTrouble() }),
      'agent out of reach': asked({ agentJob: null, trouble: aTrouble({ kind: 'unreachable' }) }),
      'administrator needed': asked({ agentJob: null, trouble: aTrouble({ kind: 'needs_admin' }) }),
      'pull request ready': asked(ready),
      updated: asked({ ...ready, turn: 3, prLinkTurn: 1, turnReplies }),
      'checks failing': asked(described({ checks: 'failing' })),
      'changes requested': asked(described({ review: 'changes_requested' })),
      merged: asked(described({ state: 'merged' })),
      'closed without merging': asked(described({ state: 'closed' })),
      'done, no pull request': asked({ stage: completed }),
      failed: asked(ended('failed')),
      'refused by the agent': asked({
        stage: { kind: 'rejected', message: 'Name the page that should change.' },
      }),
      'start unclear': asked(unclear),
      'job gone': asked(ended('vanished')),
      archived: asked(ended('archived')),
      'watching stopped': asked(stopped),
      'unknown status': asked({ ...atWork, agentJob: anAgentJob({ status: 'paused' }) }),
      'a reply undelivered': asked(atWork, { undecided: { count: 1, callId: 'call-1' } }),
      'replies gathered': asked(atWork, { waiting: 2, untilMs: fivePastTwoMs, sendNow: 1 }),
      muted: asked({ ...atWork, muted: true }),
    },
  },
  draft: {
    title: 'Drafts',
    states: {
      draft: draft(marked),
      'only some may start it': draft(marked, ['U1', 'U2']),
      started: answered('started', 'U2'),
      dismissed: answered('dismissed', 'U2'),
      withdrawn: answered('withdrawn', 'U1'),
      expired: answered('expired', null),
    },
  },
  recipes: {
    title: 'Recipes',
    states: {
      'started by its schedule': card({ ...review, ...atWork }),
      'its pull request': card({ ...review, ...ready }),
      'called by a release, as a draft': draft(release),
      'its last job is still open': message(recipeSkipped('weekly-review')),
      'the same, to whoever runs it': recipeSkippedView(
        'weekly-review',
        'https://acme.slack.com/archives/C1/p1',
      ),
      'three failures in a row': recipePausedView('weekly-review', ['U0ALICE']),
      resumed: resumedView('weekly-review', 'Alice'),
    },
  },
  workflow: {
    title: 'In a workflow',
    states: {
      'a person started the workflow': card({ ...inWorkflow, ...atWork }),
      'nobody started it, and it asks for a draft': draft({ ...inWorkflow, requesterId: null }),
      'what a step that waits for the end waits for': card({ ...inWorkflow, ...ready }),
    },
  },
  report: {
    title: 'A report, and the digest',
    states: {
      'the last seven days': reportView(
        {
          report: {
            since: '2026-11-16T09:00:00.000Z',
            until: '2026-11-23T09:00:00.000Z',
            starts: {
              total: 31,
              by_source: {
                command: 9,
                form: 3,
                mention: 8,
                direct_message: 2,
                shortcut: 1,
                home: 1,
                reaction: 2,
                workflow: 1,
                schedule: 1,
                webhook: 1,
                again: 2,
              },
            },
            ends: { pull_request: 22, done: 3, failed: 2, refused: 1, gone: 0, archived: 0 },
            unclear: { starts: 1, replies: 0 },
            open: 2,
            pull_requests: { open: 5, merged: 16, closed: 1, unknown: 0 },
            seconds_to_pull_request: { median: 412, p90: 1260 },
            budget: { peak_per_hour: 19, limit: 100 },
          },
          leftToDo: {
            unclear: { channelId: 'C0GENERAL', threadTs: '1795424400.000100' },
            waitingForReview: [{ url: prLink, sinceMs: reportedAtMs - 3 * DAY_MS }],
          },
        },
        { workspaceUrl: 'https://acme.slack.com/', sites: PUBLIC_SITES, zone: 'UTC', nowMs: reportedAtMs },
      ),
    },
  },
  sessions: {
    title: 'The card, and the state of the session',
    states: Object.fromEntries(
      [atWork, unclear, ready, stopped].map((facts) => [
        `${sessionStateOf(aJob({ agentJob: anAgentJob(), ...facts }))}`,
        card(facts),
      ]),
    ),
  },
};

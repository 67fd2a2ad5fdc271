import { sessionStateOf } from '../../../src/features/agent-sessions/index.ts';
import { recipeSkippedView, resumedView } from '../../../src/features/recipes/view.ts';
import type { Report } from '../../../src/features/reports/report.ts';
import { reportView } from '../../../src/features/reports/view.ts';
import type { Job, OfferOutcome, Stage } from '../../../src/jobs/job.ts';
import { PUBLIC_SITES } from '../../../src/jobs/pull-requests/link.ts';
import { recipePausedView, recipeSkipped } from '../../../src/slack/views/announcement.ts';
import { cardView } from '../../../src/slack/views/job.ts';
import { message } from '../../../src/slack/views/message.ts';
import { aJob, anAgentJob, completed, fivePastTwoMs, nobodyWaits, working } from '../../slack/views/a-job.ts';
import { postedView } from '../../slack/views/support/thread.ts';
import type { StateGroup } from './contact-sheet.ts';

const MINUTE_MS = 60_000;
const names = new Map([
  ['U1', 'Alice'],
  ['U2', 'Bob'],
]);
const prLink = 'https://github.com/acme/docs/pull/14';

interface DraftPicture {
  readonly approvers?: readonly string[];
  readonly outcome?: OfferOutcome;
}

const card = (facts: Partial<Job>) =>
  cardView(aJob({ requesterId: 'U1', agentJob: anAgentJob(), ...facts }), {
    queue: nobodyWaits,
    names,
  });
const draft = (facts: Partial<Job>, { approvers = [], outcome }: DraftPicture = {}) => {
  const stage: Stage = {
    kind: 'draft',
    number: 1,
    thread: null,
    messages: [],
    postTs: null,
  };
  const announcement = { kind: 'draft', number: 1, threadTs: null, approvers } as const;
  return postedView(announcement, aJob({ requesterId: 'U1', stage, ...facts }), outcome ?? null, names);
};
const atWork = { stage: working, checkedAtMs: fivePastTwoMs + 2 * MINUTE_MS };
const ready: Partial<Job> = {
  stage: { ...completed, tookMs: 6 * MINUTE_MS },
  agentJob: anAgentJob({ status: 'completed', prLink }),
};

const marked: Partial<Job> = {
  prompt:
    'About this Slack message (https://acme.slack.com/archives/C0DOCS/p1700000000000100):\n> Nobody finds out which plan has which rate limit',
  origin: { kind: 'reaction', messageTs: '1700000000.000100', emoji: 'memo', authorId: 'U2' },
  stage: {
    kind: 'draft',
    number: 1,
    thread: null,
    messages: ['1.0', '2.0'],
    postTs: null,
  },
};

/** What becomes of a message that somebody marks. */
export const draftGroup: StateGroup = {
  title: 'Drafts',
  states: {
    draft: draft(marked),
    'only some may start it': draft(marked, { approvers: ['U1', 'U2'] }),
    started: draft(marked, { outcome: { answer: 'started', by: 'U2' } }),
    dismissed: draft(marked, { outcome: { answer: 'dismissed', by: 'U2' } }),
    withdrawn: draft(marked, { outcome: { answer: 'withdrawn', by: 'U1' } }),
    expired: draft(marked, { outcome: { answer: 'expired', by: null } }),
  },
};

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

export const recipeGroup: StateGroup = {
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
};

const asked = 'Document how to rotate the key of a webhook\n\nA customer could not find it.';
const fromWorkflow = { kind: 'workflow', executionId: 'Fx1', waits: true } as const;

export const workflowGroup: StateGroup = {
  title: 'In a workflow',
  states: {
    'a person started the workflow': card({ prompt: asked, origin: fromWorkflow, ...atWork }),
    'nobody started it, and it asks for a draft': draft({
      prompt: asked,
      origin: fromWorkflow,
      requesterId: null,
    }),
    'what a step that waits for the end waits for': card({ prompt: asked, origin: fromWorkflow, ...ready }),
  },
};

const report: Report = {
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
};

const DAY_MS = 86_400_000;
const reportedAtMs = Date.parse(report.until);

export const reportGroup: StateGroup = {
  title: 'A report, and the digest',
  states: {
    'the last seven days': reportView(
      {
        report,
        leftToDo: {
          unclear: { channelId: 'C0GENERAL', threadTs: '1795424400.000100' },
          waitingForReview: [
            { url: 'https://github.com/acme/docs/pull/14', sinceMs: reportedAtMs - 3 * DAY_MS },
          ],
        },
      },
      { workspaceUrl: 'https://acme.slack.com/', sites: PUBLIC_SITES, zone: 'UTC', nowMs: reportedAtMs },
    ),
  },
};

const jobs: readonly Partial<Job>[] = [
  atWork,
  { stage: { kind: 'create_unknown', callId: 'call-1', sinceMs: 0 } },
  ready,
  { stage: { ...working, question: { number: 1, answer: 'stop' } } },
];

/** What Slack is told of a job, over the card. */
export const sessionGroup: StateGroup = {
  title: 'The card, and the state of the session',
  states: Object.fromEntries(
    jobs.map((facts) => [`${sessionStateOf(aJob({ agentJob: anAgentJob(), ...facts }))}`, card(facts)]),
  ),
};

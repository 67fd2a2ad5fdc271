import { codeHostReport } from '../../../src/features/pull-requests/views.ts';
import type { Recipe } from '../../../src/features/recipes/recipe.ts';
import { recipesView } from '../../../src/features/recipes/view.ts';
import type { Announcement, TurnEnded } from '../../../src/jobs/announcement.ts';
import type { NeedingJob, Queue } from '../../../src/jobs/follow-ups/follow-up.ts';
import type { Turn } from '../../../src/jobs/follow-ups/turns.ts';
import type { Job, Stage } from '../../../src/jobs/job.ts';
import type { FollowUpMode } from '../../../src/jobs/policy.ts';
import type { PullRequestFacts } from '../../../src/jobs/pull-requests/pull-request.ts';
import { questionView, saidSinceView, sendAlongView } from '../../../src/slack/views/compose.ts';
import { settingsSavedView } from '../../../src/slack/views/form.ts';
import { doctorView, homeView } from '../../../src/slack/views/home.ts';
import { cardView } from '../../../src/slack/views/job.ts';
import {
  adminsOnlyView,
  ephemeralView,
  jobForgottenView,
  newMessagesOnlyView,
  notAllowedView,
  notStoredView,
  refusalView,
  requestNotPostedView,
  runningJobView,
  storingUnclearView,
} from '../../../src/slack/views/private-answers.ts';
import { helpView, listView, statusView } from '../../../src/slack/views/status.ts';
import { noticeView, privateNoticeView } from '../../../src/slack/views/turn-ended.ts';
import {
  aJob,
  anAgentJob,
  aTrouble,
  completed,
  fivePastTwoMs,
  nobodyWaits,
  working,
} from '../../slack/views/a-job.ts';
import { announcementView, tooLateView } from '../../slack/views/support/thread.ts';
import type { StateGroup } from './contact-sheet.ts';
import { draftGroup, recipeGroup } from './elsewhere.ts';

const MINUTE_MS = 60_000;
const prLink = 'https://github.com/acme/docs/pull/14';
const names = new Map([
  ['U1', 'Alice'],
  ['U2', 'Bob'],
]);
const took: Stage = { ...completed, tookMs: 6 * MINUTE_MS };
const withPullRequest = anAgentJob({ status: 'completed', prLink });
const opened: PullRequestFacts = {
  title: 'Document the rate limits of our API',
  state: 'open',
  size: { files: 3, lines: { added: 120, removed: 8 } },
  checks: 'pending',
};
const approved: PullRequestFacts = {
  ...opened,
  checks: 'passing',
  review: 'approved',
  previewUrl: 'https://docs-14.acme.example/',
};
/** A job whose pull request its code host has described so. */
const described = (facts: PullRequestFacts): Partial<Job> => ({
  stage: took,
  agentJob: withPullRequest,
  announcedPrLink: prLink,
  pullRequests: [{ url: prLink, facts, seenAtMs: fivePastTwoMs, reminders: 0 }],
});
const prompt =
  'Document the rate limits of our API\n\nName the limit of each plan, and the headers that tell it.';

const job = (facts: Partial<Job> = {}) =>
  aJob({ prompt, number: 42, requesterId: 'U1', channelId: 'C0DOCS', agentJob: anAgentJob(), ...facts });
const card = (facts: Partial<Job>, queue: Partial<Queue> = {}) =>
  cardView(job(facts), { queue: { ...nobodyWaits, ...queue }, names });
const ended = (status: 'failed' | 'archived' | 'vanished'): Partial<Job> => ({
  stage: { kind: 'ended', status, sinceMs: 0 },
});
const atWork = { stage: working, checkedAtMs: fivePastTwoMs + 2 * MINUTE_MS };

const cards: StateGroup = {
  title: 'The card',
  states: {
    starting: card({ agentJob: null }),
    'waits for an invitation': card({ agentJob: null, stage: { kind: 'opening', waitsFor: 'invitation' } }),
    working: card(atWork),
    'working on replies': card({ ...atWork, turn: 2, turnReplies: { count: 2, authors: ['U2'] } }),
    'waits for the hourly limit': card({ agentJob: null, trouble: aTrouble() }),
    'agent out of reach': card({ agentJob: null, trouble: aTrouble({ kind: 'unreachable' }) }),
    'administrator needed': card({ agentJob: null, trouble: aTrouble({ kind: 'needs_admin' }) }),
    'pull request ready': card({ stage: took, agentJob: withPullRequest }),
    updated: card({
      stage: took,
      agentJob: withPullRequest,
      turn: 3,
      prLinkTurn: 1,
      turnReplies: { count: 2, authors: ['U2'] },
    }),
    'checks failing': card(described({ ...opened, checks: 'failing' })),
    'changes requested': card(described({ ...opened, review: 'changes_requested' })),
    merged: card(described({ ...approved, state: 'merged' })),
    'closed without merging': card(described({ ...opened, state: 'closed' })),
    'done, no pull request': card({ stage: completed }),
    failed: card(ended('failed')),
    'refused by the agent': card({
      stage: { kind: 'rejected', message: 'Name the page that should change.' },
    }),
    'start unclear': card({ stage: { kind: 'create_unknown', callId: 'call-1', sinceMs: 0 } }),
    'job gone': card(ended('vanished')),
    archived: card(ended('archived')),
    'watching stopped': card({ stage: { ...working, question: { number: 1, answer: 'stop' } } }),
    'unknown status': card({ ...atWork, agentJob: anAgentJob({ status: 'paused' }) }),
    'a reply undelivered': card(atWork, { undecided: { count: 1, callId: 'call-1' } }),
    'replies gathered': card(atWork, { waiting: 2, untilMs: fivePastTwoMs, sendNow: 1 }),
    muted: card({ ...atWork, muted: true }),
  },
};

const doubted = (words: string) =>
  job({ prompt: words, stage: { kind: 'awaiting_confirmation', sameAsJobId: null, thread: null } });
const whichProject: Stage = {
  ...{ kind: 'awaiting_confirmation', sameAsJobId: null, thread: null },
  unknownProject: {
    kind: 'unknown_project',
    name: 'handbok',
    projects: [
      { id: 'p-2', name: 'handbook' },
      { id: 'p-1', name: 'docs' },
    ],
  },
};
const nobody = { count: 0, authors: [] };
const turn: TurnEnded = {
  kind: 'turn_ended',
  link: { url: prLink, is: 'first' },
  branch: 'docs-agent/rate-limits',
  lastedMs: 6 * MINUTE_MS,
  replies: nobody,
  undelivered: null,
};
const twoReplies = { count: 2, authors: ['U0BOB'] };
const said = (announcement: Announcement, facts: Partial<Job> = {}, mode?: FollowUpMode) =>
  announcementView(announcement, job({ requesterId: 'U0ALICE', ...facts }), names, mode);

const thread: StateGroup = {
  title: 'In the thread',
  states: {
    'first sign of life': said({ kind: 'started' }),
    'where only mentions count': said({ kind: 'started' }, {}, 'mentions'),
    'a new pull request': said(turn),
    'as its code host describes it': said(turn, described(opened)),
    'later, in the same message': said(turn, described(approved)),
    'and in the end': said(turn, described({ ...approved, state: 'merged' })),
    'the same, updated': said({ ...turn, link: { url: prLink, is: 'same' }, replies: twoReplies }),
    'another pull request': said({ ...turn, link: { url: prLink, is: 'another' } }),
    'without a pull request': said({ ...turn, link: null }),
    'a reply undelivered by then': said({ ...turn, undelivered: { count: 1, authors: ['U0BOB'] } }),
    failed: said({ kind: 'failed' }),
    'and again': said({ kind: 'failed', inARow: 2 }),
    'refused by the agent': said({ kind: 'create_rejected', message: 'Name the page that should change.' }),
    'start unclear': said({ kind: 'create_unknown', callId: 'call-1' }),
    'reply unclear': said({ kind: 'message_unknown', callId: 'call-1', count: 1, authorIds: ['U0BOB'] }),
    'reply refused': said({
      kind: 'message_rejected',
      callId: 'call-1',
      count: 1,
      authorIds: ['U0BOB'],
      message: 'The job is closed.',
      action: 'send_again',
    }),
    outage: said({ kind: 'trouble', trouble: 'unreachable', retryAtMs: fivePastTwoMs }),
    'its end': said({ kind: 'recovered' }),
    'administrator needed': said({
      kind: 'trouble',
      trouble: 'needs_admin',
      retryAtMs: fivePastTwoMs,
      words: 'API key expired',
    }),
    'missed replies found': said({ kind: 'caught_up', count: 2 }),
    'continued by somebody else': said({ kind: 'continued' }),
    'long-running': said({
      kind: 'long_running',
      question: 1,
      lastedMs: 360 * MINUTE_MS,
    }),
    merged: said({ kind: 'pull_request_over', state: 'merged', by: 'octocat' }),
    'closed without merging': said({ kind: 'pull_request_over', state: 'closed', by: 'octocat' }),
    'still open': said({
      kind: 'reminder',
      reminderId: 'reminder-1',
      url: prLink,
      afterMs: 3 * 24 * 60 * MINUTE_MS,
      againMs: 3 * 24 * 60 * MINUTE_MS,
    }),
    'checks fail': said({
      kind: 'review_news',
      url: prLink,
      news: [{ kind: 'checks', key: 'checks:1', names: [{ name: 'build', url: prLink }] }],
    }),
    'changes requested': said({
      kind: 'review_news',
      url: prLink,
      news: [{ kind: 'review', key: 'review:1', names: [{ name: 'carol', url: prLink }] }],
    }),
    'review wanted': said({
      kind: 'review_news',
      url: prLink,
      news: [
        {
          kind: 'reviewers',
          key: 'reviewer:octocat',
          names: [
            { name: 'octocat', url: null, userId: 'U2' },
            { name: 'carol', url: null },
          ],
        },
      ],
    }),
    archived: said({ kind: 'archived' }),
    'job gone': said({ kind: 'vanished' }),
    'attachments left out': said({
      kind: 'files_not_sent',
      files: [
        { kind: 'image', name: 'a.png' },
        { kind: 'forwarded', name: null },
      ],
    }),
    muted: said({ kind: 'muted', userId: 'U1' }),
    unmuted: said({ kind: 'unmuted', userId: 'U1' }),
    'notice refused': said({ kind: 'notice_failed', channelId: 'C0CHANGES', reason: 'not_in_channel' }),
  },
};

const threadLink = 'https://acme.slack.com/archives/C1/p1';
const notices: StateGroup = {
  title: 'Notices',
  states: {
    'of a public channel': noticeView(job(), prLink, threadLink, names),
    'its checks fail': noticeView(
      job(described({ ...opened, checks: 'failing' })),
      prLink,
      threadLink,
      names,
    ),
    'it is approved': noticeView(job(described(approved)), prLink, threadLink, names),
    'it is merged': noticeView(job(described({ ...approved, state: 'merged' })), prLink, threadLink, names),
    'of a private channel': privateNoticeView(job(), prLink),
    'its pull request is closed': privateNoticeView(job(described({ ...opened, state: 'closed' })), prLink),
  },
};

const here = { requesterId: 'U0ALICE', channelId: 'C0DOCS' };
const reader = { userId: 'U0ALICE', channelId: 'C0DOCS', workspaceUrl: 'https://acme.slack.com/', names };
const atWorkOn = job({ ...here, ...atWork, number: 143, threadTs: '1795183500.000100' });
const done = job({
  ...here,
  ...described({ ...approved, review: 'changes_requested' }),
  number: 142,
  threadTs: '1795183400.000100',
});
const firstTurn: Turn = {
  kind: 'prompt',
  text: prompt,
  startedAtMs: fivePastTwoMs,
  isAccepted: true,
  outcomes: [],
};
const readyTurn: Turn = {
  ...firstTurn,
  outcomes: [{ kind: 'pull_request', atMs: fivePastTwoMs + 6 * MINUTE_MS }],
};
const sameAs = job({ requestedAtMs: fivePastTwoMs - 40_000 });

const needed = (facts: Partial<Job>, undecided: NeedingJob['undecided'] = null): NeedingJob => ({
  job: job(facts),
  undecided,
});

const running = { job: atWorkOn, permalink: threadLink, names };
const laterMs = fivePastTwoMs + 4 * MINUTE_MS;
const kept = (notice: Omit<Parameters<typeof ephemeralView>[0], 'messageTs'>) =>
  ephemeralView({ ...notice, messageTs: '1795183500.000200' }, atWorkOn, { nowMs: laterMs });
const weekly: Recipe = {
  ...{ name: 'weekly-review', projectName: undefined, channelId: 'C0DOCS', request: '', values: new Map() },
  ...{ schedule: { cron: '0 9 * * 1', zone: 'Europe/Berlin' }, isDraft: false, owners: [] },
};
const mentionedIn = { channelId: 'C0DOCS', threadTs: '1795183500.000100', messageTs: '1795183500.000300' };

const notForTheAgent: StateGroup = {
  title: 'Probably not meant for the agent: privately, before anything starts',
  states: {
    'to be stopped': runningJobView(running, 'stop', laterMs),
    'but nothing runs': runningJobView(null, 'stop', laterMs),
    'is it done?': runningJobView(running, 'progress', laterMs),
    'one word': questionView({ job: doubted('limits'), sameAs: null }, null),
    'nearly a command': questionView({ job: doubted('lists'), sameAs: null }, null),
    'a question': questionView({ job: doubted('Where is the changelog?'), sameAs: null }, null),
    'the same again': questionView({ job: job(), sameAs }, threadLink),
    recipes: recipesView([weekly, { ...weekly, name: 'release-notes', schedule: null }]),
    'no recipes': recipesView([]),
    'in a thread: stop': kept({ kind: 'stop', said: 'stop' }),
    'in a thread: thanks': kept({ kind: 'small_talk' }),
    'in a thread: is it done?': kept({ kind: 'progress' }),
    'mentioned in a thread of people': sendAlongView(mentionedIn, ['Alice', 'Alice']),
    'mentioned where replies are kept': saidSinceView(
      atWorkOn,
      { ...mentionedIn, jobId: atWorkOn.id, sinceTs: '1795183500.000200' },
      ['Alice', 'Alice'],
    ),
    'mentioned by an edit': newMessagesOnlyView,
    'edited after it was sent': ephemeralView(
      { kind: 'edited_after_sending', messageTs: '1795183500.000200' },
      atWorkOn,
      { nowMs: laterMs },
    ),
  },
};

const refusals: StateGroup = {
  title: 'Refusals: privately',
  states: {
    empty: refusalView({ kind: 'empty' }),
    'too long': refusalView({ kind: 'too_long', length: 24_310, maxLength: 20_000 }),
    'unknown project': questionView({ job: job({ stage: whichProject }), sameAs: null }, null),
    'for administrators': adminsOnlyView('settings', 'U0ALICE', ['alice', 'bob']),
    'where nobody is one': adminsOnlyView('settings', 'U0ALICE', []),
    'to guests': notAllowedView('guest'),
    'to others': notAllowedView('other_workspace'),
    'to some people': notAllowedView('person'),
    'in some channels': notAllowedView('channel'),
    'in a shared channel': notAllowedView('shared_channel'),
    'perhaps a shared channel': notAllowedView('unread_channel'),
    'not stored': notStoredView,
    'unclear whether stored': storingUnclearView,
    'too late': tooLateView(atWorkOn, { answer: 'started_again', by: 'U1' }, names),
    forgotten: jobForgottenView,
  },
};

const privately: StateGroup = {
  title: 'Privately',
  states: {
    help: helpView('weekly-review'),
    'not in the channel': requestNotPostedView('card_delayed', 'not_in_channel', job(), names),
    'not in the channel for a day': requestNotPostedView(
      'card_refused',
      'not_in_channel',
      job({ cards: 1 }),
      names,
    ),
    list: listView({ jobs: [atWorkOn, done], hasOlder: true }, reader),
    'one job': statusView({ job: atWorkOn, turns: [firstTurn], unsent: [] }, reader),
    'one with a pull request': statusView({ job: done, turns: [readyTurn], unsent: [] }, reader),
    home: homeView(
      {
        needing: [
          needed({ stage: { kind: 'rejected', message: 'Name a page.' } }),
          needed({ stage: working, agentJob: anAgentJob() }, { count: 2, callId: 'c' }),
        ],
        open: [],
        withPullRequest: [],
        projects: [
          {
            ...{ name: 'handbook', callsLeft: 87, hourlyBudget: 100 },
            agent: { answeredAtMs: fivePastTwoMs, trouble: null },
          },
        ],
        slackProblem: null,
        forAdmin: null,
        atMs: fivePastTwoMs,
      },
      { ...reader, userId: 'U1', channelId: null },
    ),
    doctor: doctorView({
      slackProblem: null,
      slack: {
        scopes: { missing: [] },
        noticeChannels: [{ channelId: 'C0CHANGES', reach: { refused: 'not_in_channel' } }],
        atMs: fivePastTwoMs,
      },
      projects: [{ name: 'handbook', agent: { answeredAtMs: fivePastTwoMs, trouble: null } }],
      services: [
        codeHostReport({ host: 'github.com', facts: { answeredAtMs: fivePastTwoMs, trouble: null } }),
      ],
      pauses: [],
      work: [],
    }),
    'settings saved': settingsSavedView('C0DOCS'),
  },
};

/** All that people read in Slack, but for forms. */
export const stateGroups: readonly StateGroup[] = [
  cards,
  thread,
  draftGroup,
  recipeGroup,
  notices,
  notForTheAgent,
  refusals,
  privately,
];

import { expect, test } from 'vitest';
import { codeHostReport } from '../../../src/features/pull-requests/views.ts';
import type { NeedingJob } from '../../../src/jobs/follow-ups/follow-up.ts';
import { requestersOf } from '../../../src/jobs/job.ts';
import type { PullRequestFacts } from '../../../src/jobs/pull-requests/pull-request.ts';
import {
  type HomeFacts,
  homeView,
  NEEDING_JOBS_MAX,
  needOf,
  needsPerson,
  OPEN_JOBS_MAX,
  PROJECTS_MAX,
  PULL_REQUESTS_MAX,
  type SlackFacts,
} from '../../../src/slack/views/home.ts';
import type { Reader } from '../../../src/slack/views/job.ts';
import { fc } from '../../support/properties.ts';
import { aJob, anAgentJob, aTrouble, completed, fivePastTwoMs, noNames, working } from './a-job.ts';
import { expectSafe } from './support/expect-safe.ts';
import { job, names, slackFacts, text, time } from './support/hostile.ts';

const reader: Reader = {
  userId: 'U1',
  channelId: null,
  workspaceUrl: 'https://acme.slack.com/',
  names: noNames,
};
const threadTs = '1795183500.000100';
const prLink = 'https://github.com/acme/docs/pull/7';
const known = { answeredAtMs: fivePastTwoMs, trouble: null };

const facts = (some: Partial<HomeFacts> = {}): HomeFacts => ({
  needing: [],
  open: [],
  withPullRequest: [],
  projects: [{ name: 'handbook', callsLeft: 87, hourlyBudget: 100, agent: known }],
  slackProblem: null,
  forAdmin: null,
  atMs: fivePastTwoMs,
  ...some,
});

test('the home of somebody new says how to begin (L2)', () => {
  expect(homeView(facts(), reader).text).toMatchInlineSnapshot(`
    "Ask for a documentation change, get the pull request.
    [Start a job]
    *Open*
    Nothing is open.
    *Recent pull requests*
    None yet.
    *Status*
    ✅ Slack is connected · as of <!date^1795183500^{date_short_pretty} {time}|2026-11-20 14:05 UTC>
    ✅ *Agent* (handbook) answered <!date^1795183500^{date_short_pretty} {time}|2026-11-20 14:05 UTC> · 87 of 100 requests and replies left this hour"
  `);
});

test('the home shows the open jobs, the last pull requests, and how things are (L2)', () => {
  const open = [aJob({ id: 'job-2', number: 142, threadTs, stage: working, prompt: 'Explain the webhooks' })];
  const over = aJob({ threadTs, stage: completed, agentJob: anAgentJob({ status: 'completed', prLink }) });
  const { projects } = facts();
  const unreachable = {
    answeredAtMs: null,
    trouble: { kind: 'unreachable', sinceMs: fivePastTwoMs },
  } as const;
  const unknown = { answeredAtMs: null, trouble: null };
  const shown = homeView(
    facts({
      open,
      withPullRequest: [over],
      projects: [
        ...projects,
        { name: 'api', callsLeft: 0, hourlyBudget: 100, agent: unreachable },
        { name: 'blog', callsLeft: 100, hourlyBudget: 100, agent: unknown },
      ],
      slackProblem: 'no Socket Mode connection for 40 s',
    }),
    reader,
  );
  expect(shown.text).toMatchInlineSnapshot(`
    "Ask for a documentation change, get the pull request.
    [Start a job]
    *Open*
    Explain the webhooks
    [Details]
    #142 · ⚙️ *Working* · started <!date^1795183500^{ago}|2026-11-20 14:05 UTC> · asked <!date^1795183500^{date_short_pretty} {time}|2026-11-20 14:05 UTC> in <#C1> · <https://acme.slack.com/archives/C1/p1795183500000100|thread>
    *Recent pull requests*
    Document the rate limits of our API
    [Details]
    ✅ *Pull request ready* · <https://github.com/acme/docs/pull/7|acme/docs#7> · asked <!date^1795183500^{date_short_pretty} {time}|2026-11-20 14:05 UTC> in <#C1> · <https://acme.slack.com/archives/C1/p1795183500000100|thread>
    *Status*
    ⚠️ *Slack* · no Socket Mode connection for 40 s · as of <!date^1795183500^{date_short_pretty} {time}|2026-11-20 14:05 UTC>
    ✅ *Agent* (handbook) answered <!date^1795183500^{date_short_pretty} {time}|2026-11-20 14:05 UTC> · 87 of 100 requests and replies left this hour
    ❌ *Agent* (api) out of reach since <!date^1795183500^{date_short_pretty} {time}|2026-11-20 14:05 UTC>. Requests are saved and continue automatically. · 0 of 100 requests and replies left this hour
    ✅ *Agent* (blog) no contact since the last restart · 100 of 100 requests and replies left this hour"
  `);
});

/** A job that is done, with a pull request as its code host describes it. */
const seen = (of: PullRequestFacts): Parameters<typeof aJob>[0] => ({
  stage: completed,
  agentJob: anAgentJob({ status: 'completed', prLink }),
  announcedPrLink: prLink,
  pullRequests: [{ url: prLink, facts: of, seenAtMs: fivePastTwoMs, reminders: 0 }],
});

test.each<[string, Parameters<typeof aJob>[0], number | null, string]>([
  [
    "Couldn't confirm the start",
    { stage: { kind: 'create_unknown', callId: 'c', sinceMs: 0 } },
    null,
    'Resolve…',
  ],
  ['Not accepted', { stage: { kind: 'rejected', message: 'too vague' } }, null, 'Edit and start'],
  ['Failed', { stage: { kind: 'ended', status: 'failed', sinceMs: 0 } }, null, 'Start again'],
  ['Waiting for an administrator', { trouble: aTrouble({ kind: 'needs_admin' }) }, null, 'Details'],
  ['Not started', { stage: { kind: 'card_failed', reason: 'is_archived', thread: null } }, null, 'Start'],
  ['2 replies may not be included', { stage: working }, 2, 'Send again'],
  [
    'Checks failing',
    seen({ checks: 'failing', failing: { kind: 'checks', key: 'checks:a', names: [] } }),
    null,
    'Ask for a fix',
  ],
  ['Changes requested', seen({ state: 'open', review: 'changes_requested' }), null, 'Reply to the agent'],
])('what needs the reader comes first, with its button: %s (L2)', (words, some, count, label) => {
  const undecided = count === null ? null : { count, callId: 'c' };
  const one = { job: aJob({ threadTs, ...some }), undecided };
  expect(needsPerson(one)).toBe(true);
  const { text: shown, blocks } = homeView(facts({ needing: [one] }), reader);
  const [needs = ''] = shown.split('*Open*');
  expect(needs).toContain('*Needs your attention*');
  expect(needs).toContain(words);
  const labels = JSON.stringify(blocks).split('"Open"')[0];
  expect(labels).toContain(`"${label}"`);
  expect(needs).toContain('[Dismiss]');
  const dismissed = { undecided, job: { ...one.job, dismissedNeed: needOf(one) ?? '' } };
  expect(needsPerson(dismissed)).toBe(false);
});

test('what is dismissed is that matter, and not the next one', () => {
  const need = (some: Parameters<typeof aJob>[0], undecided: NeedingJob['undecided'] = null) =>
    needOf({ job: aJob(some), undecided });
  const failed = { stage: { kind: 'ended', status: 'failed', sinceMs: 0 } } as const;
  const needs = [
    need(failed),
    need({ ...failed, creates: 2 }),
    need({ ...failed, turn: 2 }),
    need({ stage: { kind: 'create_unknown', callId: 'c', sinceMs: 0 } }),
    need({ stage: { kind: 'create_unknown', callId: 'd', sinceMs: 0 } }),
    need({}, { callId: 'c', count: 1 }),
    need({}, { callId: 'c', count: 2 }),
  ];
  expect(new Set(needs).size).toBe(needs.length);
});

test('a job at work, or done, needs nobody', () => {
  for (const stage of [working, completed])
    expect(needsPerson({ job: aJob({ stage }), undecided: null })).toBe(false);
});

test('administrators also read what `doctor` says, a line for each thing; nobody else does (L2)', () => {
  const agent = { answeredAtMs: null, trouble: { kind: 'needs_admin', sinceMs: fivePastTwoMs } } as const;
  const projects = [{ name: 'handbook', callsLeft: 1, hourlyBudget: 100, agent }];
  const slack: SlackFacts = {
    scopes: { missing: ['reactions:write'] },
    noticeChannels: [
      { channelId: 'C2', reach: 'reached' },
      { channelId: 'C3', reach: { refused: 'not_in_channel' } },
    ],
    atMs: fivePastTwoMs,
  };
  const services = [codeHostReport({ host: 'github.com', facts: agent })];
  const closedPlaces = [
    { channelId: 'C4', reason: 'not_in_channel', posts: 2 },
    { channelId: 'C5', reason: 'is_archived', posts: 1 },
    { channelId: 'C6', reason: 'restricted_action', posts: 1 },
  ];
  const forAdmin = { slack, services, work: ['every check_job has failed'], closedPlaces };
  const [, status = ''] = homeView(facts({ projects, forAdmin }), reader).text.split(
    '*For administrators*\n',
  );
  expect(status).toMatchInlineSnapshot(`
    "❌ *Permissions* missing: reactions:write. Add them under "OAuth &amp; Permissions", then reinstall the app.
    ❌ *Code host* (github.com) has refused the token or the App since <!date^1795183500^{date_short_pretty} {time}|2026-11-20 14:05 UTC>. An operator of docs-agent must renew it. Messages show pull requests as they were last seen.
    ❌ *Notices* don't reach <#C3> (not_in_channel). Invite me there, or change the notice channels in \`/docs-agent settings\`.
    ❌ *Work* every check_job has failed
    ✅ *Notices* reach <#C2>
    ⏳ I'm no longer in <#C4>. Type \`/invite @docs-agent\` there. 2 messages are waiting.
    ⏳ I can't post in <#C5>: it is archived. 1 message is waiting.
    ⏳ I can't post in <#C6>: posting isn't allowed. 1 message is waiting.
    Checked <!date^1795183500^{date_short_pretty} {time}|2026-11-20 14:05 UTC> · Operators: run \`docs-agent doctor\` on the server for the full check."
  `);
  const others = homeView(facts({ projects }), reader).text;
  for (const word of ['administrators', 'doctor', 'reactions:write', '<#C3>', 'check_job'])
    expect(others).not.toContain(word);
});

test('of many open jobs the first are shown, and where the others are', () => {
  const open = Array.from({ length: OPEN_JOBS_MAX + 1 }, (_, n) =>
    aJob({ id: `job-${n}`, prompt: `Page ${n}.` }),
  );
  const shown = homeView(facts({ open }), reader).text;
  expect(shown).toContain(`Page ${OPEN_JOBS_MAX - 1}.`);
  expect(shown).not.toContain(`Page ${OPEN_JOBS_MAX}.`);
  expect(shown).toContain('`/docs-agent list` shows the rest');
});

test('whatever people and the agent API write, the home stays safe and inside the limits', () => {
  const jobs = (maxLength: number) =>
    fc.array(
      job().map((found) => ({ ...found, threadTs })),
      { maxLength },
    );
  const trouble = fc.record({
    kind: fc.constantFrom('rate_limited', 'unreachable', 'needs_admin'),
    sinceMs: time(),
  });
  const project = fc.record({
    name: text(),
    callsLeft: fc.nat(),
    hourlyBudget: fc.nat(),
    agent: fc.record({ answeredAtMs: fc.option(time()), trouble: fc.option(trouble) }),
  });
  const undecided = fc.option(fc.record({ count: fc.nat(), callId: fc.uuid() }));
  const any = fc.record({
    needing: jobs(NEEDING_JOBS_MAX).chain((all) =>
      fc.tuple(...all.map((one) => fc.record({ job: fc.constant(one), undecided }))),
    ),
    open: jobs(OPEN_JOBS_MAX + 1),
    withPullRequest: jobs(PULL_REQUESTS_MAX),
    projects: fc.array(project, { maxLength: PROJECTS_MAX }),
    slackProblem: fc.option(text()),
    forAdmin: fc.option(
      fc.record({
        slack: slackFacts(),
        closedPlaces: fc.array(fc.record({ channelId: text(), reason: text(), posts: fc.nat() })),
        services: fc.array(
          fc
            .record({
              host: text(),
              facts: fc.record({ answeredAtMs: fc.option(time()), trouble: fc.option(trouble) }),
            })
            .map(codeHostReport),
        ),
        work: fc.array(text()),
      }),
    ),
    atMs: time(),
  });
  fc.assert(
    fc.property(any, (shown) => {
      const all = [...shown.needing.map((one) => one.job), ...shown.open, ...shown.withPullRequest];
      const ours = {
        users: all.flatMap(requestersOf),
        channels: [...all.map(({ channelId }) => channelId), 'C9'],
        named: all.flatMap(({ agentJob }) => agentJob?.prLink ?? []),
        labelled: ['https://acme.slack.com/archives/C1/p1795183500000100'],
        // Nobody is given it: a home has no plain text.
        textMax: 20_000,
        blocksMax: 100,
      };
      expectSafe(homeView(shown as HomeFacts, { ...reader, names }), ours);
    }),
  );
});

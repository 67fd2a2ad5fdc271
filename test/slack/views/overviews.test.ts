import { describe, expect, test } from 'vitest';
import { codeHostReport } from '../../../src/features/pull-requests/views.ts';
import type { FollowUp, NeedingJob } from '../../../src/jobs/follow-ups/follow-up.ts';
import type { Turn } from '../../../src/jobs/follow-ups/turns.ts';
import { requestersOf } from '../../../src/jobs/job.ts';
import {
  type DoctorFacts,
  doctorView,
  type HomeFacts,
  homeView,
  NEEDING_JOBS_MAX,
  needOf,
  needsPerson,
  OPEN_JOBS_MAX,
  PROJECTS_MAX,
  PULL_REQUESTS_MAX,
} from '../../../src/slack/views/home.ts';
import type { Reader } from '../../../src/slack/views/job.ts';
import { detailsView, JOBS_PER_PAGE, listView, statusView } from '../../../src/slack/views/status.ts';
import { aFollowUp } from '../../jobs/support/builders.ts';
import { fc } from '../../support/properties.ts';
import { aJob, anAgentJob, aTrouble, completed, fivePastTwoMs, noNames, working } from './a-job.ts';
import { expectSafe } from './support/expect-safe.ts';
import { address, job, names, seenJob, slackFacts, slackId, text, time } from './support/hostile.ts';

type Facts = Parameters<typeof aJob>[0];

const workspaceUrl = 'https://acme.slack.com/';
const reader: Reader = { userId: 'U1', channelId: 'C1', workspaceUrl, names: noNames };
const atHome: Reader = { ...reader, channelId: null };
const threadTs = '1795183500.000100';
const prLink = 'https://github.com/acme/docs/pull/7';
const done: Facts = { stage: completed, agentJob: anAgentJob({ status: 'completed', prLink }) };
const failed: Facts = { stage: { kind: 'ended', status: 'failed', sinceMs: 0 } };

describe('a list (L1)', () => {
  const shown = (facts: Facts, by = reader) => listView({ jobs: [aJob(facts)], hasOlder: false }, by).text;

  test('says of each job what it is, how it is, and where, and leads to older ones', () => {
    const jobs = [
      aJob({ id: 'job-3', requesterId: 'U2', threadTs, prompt: 'Explain &lt;b&gt; *tags*\nand more' }),
      aJob({ id: 'job-2', number: 142, ...done, channelId: 'C2', requestedAtMs: fivePastTwoMs - 86_400_000 }),
    ];
    const { text, blocks } = listView({ jobs, hasOlder: true }, reader);
    const [first = '', second = ''] = text.split('\n').filter((line) => line.includes('asked'));
    expect(first).toMatch(
      /^🚀 \*Starting\* · asked \S+ .* by <@U2> · <https:\/\/acme\S+\/C1\/p\d+\|thread>$/,
    );
    expect(second).toMatch(/^#142 · ✅ \*Pull request ready\* · <\S+\|acme\/docs#7> · asked .* in <#C2>$/);
    expect(text).toContain('\nExplain &lt;b&gt; *tags*\n[Details]\n');
    const value = `{"requestedAtMs":${fivePastTwoMs - 86_400_000},"id":"job-2"}`;
    expect(blocks.at(-1)).toMatchObject({ elements: [{ action_id: 'list_older', value }] });
  });

  test('says so of a direct message, and links no thread that is not there or has no address', () => {
    expect(shown({ channelId: 'D0ALICE' })).toMatch(/ in a direct message$/m);
    expect(shown({})).not.toContain('archives');
    expect(shown({ threadTs }, { ...reader, workspaceUrl: null })).not.toContain('archives');
    expect(listView({ jobs: [], hasOlder: false }, reader).text).toContain('No jobs.');
  });

  test('stays safe and inside the limits, whatever people and the agent API write (E3)', () => {
    const anyJob = fc
      .tuple(job(), slackId(), fc.constantFrom(threadTs, null), fc.option(address()))
      .map(([found, channelId, ts, announcedPrLink]) => ({
        ...found,
        channelId,
        threadTs: ts,
        announcedPrLink,
      }));
    const page = fc.record({ jobs: fc.array(anyJob, { maxLength: JOBS_PER_PAGE }), hasOlder: fc.boolean() });
    fc.assert(
      fc.property(page, (all) => {
        const ours = {
          users: all.jobs.flatMap(requestersOf),
          channels: all.jobs.map(({ channelId }) => channelId),
          named: all.jobs.flatMap(({ agentJob, announcedPrLink }) =>
            [agentJob?.prLink, announcedPrLink].flatMap((link) => link ?? []),
          ),
          labelled: all.jobs.map(({ channelId }) => `${workspaceUrl}archives/${channelId}/p1795183500000100`),
        };
        expectSafe(listView(all, { ...reader, names }), ours);
      }),
    );
  });
});

describe('the status of a job (L1)', () => {
  const aTurn = (facts: Partial<Turn>): Turn => ({
    ...{ kind: 'follow_up', text: 'Shorter, please', startedAtMs: fivePastTwoMs },
    ...{ isAccepted: true, outcomes: [] },
    ...facts,
  });
  const details = (facts: Facts) => detailsView({ job: aJob(facts), turns: [], unsent: [] }, reader).text;
  const status = (facts: Facts, by = reader) => statusView({ job: aJob(facts), turns: [], unsent: [] }, by);

  test('shows its turns, and what waits', () => {
    const found = aJob({
      ...{ threadTs, stage: working, agentJob: anAgentJob({ prLink }) },
      ...{ checkedAtMs: fivePastTwoMs + 540_000, trouble: aTrouble({ kind: 'unreachable' }) },
    });
    const turns = [
      aTurn({ kind: 'prompt', outcomes: [{ kind: 'pull_request', atMs: fivePastTwoMs + 60_000 }] }),
      aTurn({ startedAtMs: fivePastTwoMs + 300_000, isAccepted: false }),
    ];
    const unsent = [aFollowUp({ text: 'And quotas' }), aFollowUp({ text: 'In French', state: 'not_sent' })];
    expect(statusView({ job: found, turns, unsent }, reader).text).toMatchInlineSnapshot(`
      "*Document the rate limits of our API*
      ⚙️ *Working* · started <!date^1795183500^{ago}|2026-11-20 14:05 UTC>
      View pull request: https://github.com/acme/docs/pull/7
      Open thread: https://acme.slack.com/archives/C1/p1795183500000100
      Asked by <@U1> in <#C1> <!date^1795183500^{date_short_pretty} {time}|2026-11-20 14:05 UTC> · last checked <!date^1795184040^{date_short_pretty} {time}|2026-11-20 14:14 UTC>
      Project handbook · Repository acme/docs · Branch agent/rate-limits · Model sonnet · Agent job agent-1
      *Turn 1* <!date^1795183500^{date_short_pretty} {time}|2026-11-20 14:05 UTC> · *Pull request* <!date^1795183560^{date_short_pretty} {time}|2026-11-20 14:06 UTC>
      *Turn 2* <!date^1795183800^{date_short_pretty} {time}|2026-11-20 14:10 UTC> · may not have arrived
      “Shorter, please”
      👀 Waiting: “And quotas”
      ⚠️ Not sent: “In French”
      ⏳ *Waiting* · can't reach the agent · next try <!date^1795183500^{date_short_pretty} {time}|2026-11-20 14:05 UTC>
      *Stop watching* ends the updates in the thread. The agent itself keeps working.
      [Stop watching]"
    `);
    const many = Array.from({ length: 8 }, (_, index) => aTurn({ text: `turn ${index + 1}` }));
    const waiting = Array.from({ length: 5 }, (_, index) => aFollowUp({ text: `reply ${index + 1}` }));
    const shown = statusView({ job: aJob(done), turns: many, unsent: waiting }, reader).text;
    expect(shown).toContain('3 earlier turns not shown\n*Turn 4*');
    expect(shown).toContain('“reply 3”\n2 replies more not sent');
  });

  test('says who only watches it, and lets its requester try a start again (W5, S4)', () => {
    expect(status({ watchedAgentJobId: 'agent-7' }).text).toContain('Watched by <@U1> in <#C1> since');
    const stage = { kind: 'card_failed', reason: 'not_in_channel', thread: null } as const;
    expect(status({ stage }).text).toContain('[Start]');
    expect(status({ stage }, { ...reader, userId: 'U2' }).text).not.toContain('[Start]');
    expect(details({ requesterId: null, recipe: 'notes' })).toContain('Asked by recipe notes in <#C1>');
  });

  test('has the whole request among its *Details*, and whether it is muted and can be stopped (W4)', () => {
    const prompt = `Explain the limits.\n${'All of them. '.repeat(600)}The end.`;
    const shown = details({ id: 'an-id', number: 142, prompt, muted: true, stage: working });
    expect(shown.replace(/\s/g, '')).toContain(prompt.replace(/\s/g, ''));
    for (const words of ['Job #142 · Project', '🔇 Muted', 'Id an-id', '[Stop watching]'])
      expect(shown).toContain(words);
    const stopped = { ...working, question: { number: 1, answer: 'stop' } } as const;
    for (const stage of [stopped, completed]) expect(details({ stage })).not.toContain('[Stop watching]');
  });

  test('stays safe and inside the limits, whatever people and the agent API write (E3)', () => {
    const kind = fc.constantFrom('finished', 'failed', 'archived', 'vanished', 'pull_request');
    const turn = fc.record({
      ...{ kind: fc.constantFrom('prompt', 'follow_up'), text: text(), startedAtMs: time() },
      ...{
        isAccepted: fc.boolean(),
        outcomes: fc.array(fc.record({ kind, atMs: time() }), { maxLength: 2 }),
      },
    });
    const state = fc.constantFrom<FollowUp['state'][]>('waiting', 'sending', 'not_sent', 'unknown');
    const story = fc.record({
      job: seenJob(({ agentJob }) => agentJob?.prLink).map((found) => ({ ...found, threadTs })),
      turns: fc.array(turn as fc.Arbitrary<Turn>, { maxLength: 9 }),
      unsent: fc.array(fc.record({ text: text(), state }).map(aFollowUp), { maxLength: 9 }),
    });
    fc.assert(
      fc.property(story, (told) => {
        const { agentJob, channelId } = told.job;
        const ours = {
          users: requestersOf(told.job),
          channels: [channelId],
          named: [agentJob?.prLink ?? ''],
        };
        expectSafe(statusView(told, { ...reader, names }), ours);
      }),
    );
  });
});

const known = { answeredAtMs: fivePastTwoMs, trouble: null };
const refused = { answeredAtMs: null, trouble: { kind: 'needs_admin', sinceMs: fivePastTwoMs } } as const;
const project = { name: 'handbook', callsLeft: 87, hourlyBudget: 100, agent: known };
const troubled = {
  slack: {
    scopes: { missing: ['reactions:write'] },
    noticeChannels: [
      { channelId: 'C2', reach: 'reached' },
      { channelId: 'C3', reach: { refused: 'not_in_channel' } },
      { channelId: 'C4', reach: null },
    ],
    atMs: fivePastTwoMs,
  },
  services: [codeHostReport({ host: 'github.com', facts: refused })],
  work: ['every check_job has failed'],
} as const;
const facts = (some: Partial<HomeFacts> = {}): HomeFacts => ({
  ...{ needing: [], open: [], withPullRequest: [], projects: [project], slackProblem: null },
  ...{ forAdmin: null, atMs: fivePastTwoMs },
  ...some,
});
const trouble = () =>
  fc.option(
    fc.record({ kind: fc.constantFrom('rate_limited', 'unreachable', 'needs_admin'), sinceMs: time() }),
  );
const agent = () => fc.record({ answeredAtMs: fc.option(time()), trouble: trouble() });
const services = () =>
  fc.array(fc.record({ host: text(), facts: agent() }).map(codeHostReport), { maxLength: 3 });

describe('the home (L2)', () => {
  test('shows the open jobs, the last pull requests, and how things are', () => {
    expect(homeView(facts(), atHome).text).toContain(
      '*Open*\nNothing is open.\n*Recent pull requests*\nNone yet.',
    );
    const unreachable = { ...refused, trouble: { ...refused.trouble, kind: 'unreachable' } } as const;
    const some = {
      open: [aJob({ number: 142, threadTs, stage: working, prompt: 'Explain the webhooks' })],
      withPullRequest: [aJob({ threadTs, ...done })],
      projects: [project, { ...project, name: 'api', callsLeft: 0, agent: unreachable }],
      slackProblem: 'no Socket Mode connection for 40 s',
    };
    expect(homeView(facts(some), atHome).text).toMatchInlineSnapshot(`
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
      ❌ *Agent* (api) out of reach since <!date^1795183500^{date_short_pretty} {time}|2026-11-20 14:05 UTC>. Requests are saved and continue automatically. · 0 of 100 requests and replies left this hour"
    `);
    const page = (_: unknown, n: number) => aJob({ id: `job-${n}`, prompt: `Page ${n}.` });
    const shown = homeView(facts({ open: Array.from({ length: OPEN_JOBS_MAX + 1 }, page) }), atHome).text;
    expect(shown).toContain(`Page ${OPEN_JOBS_MAX - 1}.`);
    expect(shown).not.toContain(`Page ${OPEN_JOBS_MAX}.`);
    expect(shown).toContain('`/docs-agent list` shows the rest');
  });

  const seen = (of: object): Facts => ({
    ...{ ...done, announcedPrLink: prLink },
    pullRequests: [{ url: prLink, facts: of, seenAtMs: fivePastTwoMs, reminders: 0 }],
  });
  const failing = { kind: 'checks', key: 'checks:a', names: [] } as const;

  test.each<[string, Facts, label: string, undelivered?: number]>([
    ['confirm the start', { stage: { kind: 'create_unknown', callId: 'c', sinceMs: 0 } }, 'Resolve…'],
    ['Not accepted', { stage: { kind: 'rejected', message: 'too vague' } }, 'Edit and start'],
    ['Failed', failed, 'Start again'],
    ['Waiting for an administrator', { trouble: aTrouble({ kind: 'needs_admin' }) }, 'Details'],
    ['Not started', { stage: { kind: 'card_failed', reason: 'is_archived', thread: null } }, 'Start'],
    ['2 replies may not be included', { stage: working }, 'Send again', 2],
    ['Checks failing', seen({ checks: 'failing', failing }), 'Ask for a fix'],
    ['Changes requested', seen({ state: 'open', review: 'changes_requested' }), 'Reply to the agent'],
  ])('begins with what needs the reader, until it is dismissed: %s', (words, some, label, count) => {
    const one: NeedingJob = {
      job: aJob({ threadTs, ...some }),
      undecided: count === undefined ? null : { count, callId: 'c' },
    };
    expect(needsPerson(one)).toBe(true);
    const [needs = ''] = homeView(facts({ needing: [one] }), atHome).text.split('*Open*');
    for (const part of ['*Needs your attention*', words, `[${label}]`, '[Dismiss]'])
      expect(needs).toContain(part);
    expect(needsPerson({ ...one, job: { ...one.job, dismissedNeed: needOf(one) ?? '' } })).toBe(false);
  });

  test('does not begin with what is at work or done; what is dismissed is that matter, and not the next one', () => {
    for (const stage of [working, completed])
      expect(needsPerson({ job: aJob({ stage }), undecided: null })).toBe(false);
    const need = (some: Facts, undecided: NeedingJob['undecided'] = null) =>
      needOf({ job: aJob(some), undecided });
    const needs = [
      ...[need(failed), need({ ...failed, creates: 2 }), need({ ...failed, turn: 2 })],
      ...['c', 'd'].map((callId) => need({ stage: { kind: 'create_unknown', callId, sinceMs: 0 } })),
      ...[1, 2].map((count) => need({}, { callId: 'c', count })),
    ];
    expect(new Set(needs).size).toBe(needs.length);
  });

  test('shows administrators, and nobody else, what is wrong with the installation', () => {
    const closedPlaces = [
      { channelId: 'C5', reason: 'not_in_channel', posts: 2 },
      { channelId: 'C6', reason: 'is_archived', posts: 1 },
    ];
    const shown = homeView(facts({ forAdmin: { ...troubled, closedPlaces } }), atHome).text;
    const all = ['reactions:write', '*Code host*', '<#C3>', 'check_job', '<#C2>', '2 messages are waiting'];
    for (const words of [...all, 'it is archived. 1 message']) expect(shown).toContain(words);
    const others = homeView(facts(), atHome).text;
    for (const words of ['administrators', ...all]) expect(others).not.toContain(words);
  });

  test('stays safe and inside the limits, whatever people and the agent API write (E3)', () => {
    const jobs = (maxLength: number) =>
      fc.array(
        job().map((found) => ({ ...found, threadTs })),
        { maxLength },
      );
    const undecided = fc.option(fc.record({ count: fc.nat(), callId: fc.uuid() }));
    const any = fc.record({
      needing: jobs(NEEDING_JOBS_MAX).chain((all) =>
        fc.tuple(...all.map((one) => fc.record({ job: fc.constant(one), undecided }))),
      ),
      ...{ open: jobs(OPEN_JOBS_MAX + 1), withPullRequest: jobs(PULL_REQUESTS_MAX) },
      projects: fc.array(
        fc.record({ name: text(), callsLeft: fc.nat(), hourlyBudget: fc.nat(), agent: agent() }),
        { maxLength: PROJECTS_MAX },
      ),
      slackProblem: fc.option(text()),
      forAdmin: fc.option(
        fc.record({
          ...{ slack: slackFacts(), services: services(), work: fc.array(text()) },
          closedPlaces: fc.array(
            fc.record({
              channelId: fc.constantFrom('C9', 'D1', '<!channel>'),
              reason: text(),
              posts: fc.nat(),
            }),
          ),
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
          labelled: [`${workspaceUrl}archives/C1/p1795183500000100`],
          isHome: true,
        };
        expectSafe(homeView(shown as HomeFacts, { ...atHome, names }), ours);
      }),
    );
  });
});

describe('`doctor` in Slack (E2)', () => {
  const projects = [{ name: '<!channel>', agent: refused }];
  const pauses = [{ name: '<!channel>', what: 'reads', untilMs: fivePastTwoMs }] as const;
  const doctor = (some: Partial<DoctorFacts>) =>
    doctorView({ ...troubled, slackProblem: null, projects: [], pauses: [], ...some } as DoctorFacts);

  test('says problems first, each with what to do, or that all is well', () => {
    const view = doctor({ slackProblem: 'disconnected', projects, pauses });
    expect(view.text.split('\n').map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
      ...['🩺 *7', '❌ *Slack*', '❌ *Permissions*', '❌ *Agent*', '⏳ *Agent*', '❌ *Code', '❌ *Notices*'],
      ...['❌ *Work*', '✅ *Notices*', '⏳ *Notices*', 'Operators: run'],
    ]);
    expectSafe(view, { channels: ['C2', 'C3', 'C4'] });
    const slack = { noticeChannels: [], atMs: fivePastTwoMs };
    const saying = (scopes: DoctorFacts['slack']['scopes']) =>
      doctor({ slack: { ...slack, scopes }, services: [], work: [] }).text;
    expect(saying({ missing: [] })).toContain(
      '🩺 *All is well.*\n✅ *Slack* connected\n✅ *Permissions* all granted',
    );
    expect(saying({ refused: 'token_revoked' })).toContain('(token_revoked)');
    expect(saying(null)).toContain("doesn't say what the app may do");
  });

  test('stays safe and inside the limits, whatever Slack, the agent and the program say (E3)', () => {
    const any = fc.record({
      slackProblem: fc.option(text()),
      ...{ slack: slackFacts(), services: services(), work: fc.array(text()) },
      projects: fc.array(fc.record({ name: text(), agent: agent() }), { maxLength: 20 }),
      pauses: fc.array(
        fc.record({ name: text(), what: fc.constantFrom('reads', 'calls'), untilMs: time() }),
        { maxLength: 3 },
      ),
    });
    fc.assert(fc.property(any, (some) => expectSafe(doctorView(some as DoctorFacts), { channels: ['C9'] })));
  });
});

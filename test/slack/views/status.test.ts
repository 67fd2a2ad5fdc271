import { expect, test } from 'vitest';
import type { FollowUp } from '../../../src/jobs/follow-ups/follow-up.ts';
import type { Turn } from '../../../src/jobs/follow-ups/turns.ts';
import { requestersOf } from '../../../src/jobs/job.ts';
import type { Reader } from '../../../src/slack/views/job.ts';
import { detailsView, noJobYetView, noSuchJobView, statusView } from '../../../src/slack/views/status.ts';
import { aFollowUp } from '../../jobs/support/builders.ts';
import { fc } from '../../support/properties.ts';
import { aJob, anAgentJob, aTrouble, completed, fivePastTwoMs, noNames, working } from './a-job.ts';
import { expectSafe } from './support/expect-safe.ts';
import { names, seenJob, text, time } from './support/hostile.ts';

const workspaceUrl = 'https://acme.slack.com/';
const reader: Reader = { userId: 'U1', channelId: 'C1', workspaceUrl, names: noNames };
const threadTs = '1795183500.000100';
const id = '3f2a9c1b-0000-4000-8000-000000000001';
const minuteMs = 60_000;

const aTurn = (facts: Partial<Turn>): Turn => ({
  kind: 'follow_up',
  text: 'Shorter, please',
  startedAtMs: fivePastTwoMs,
  isAccepted: true,
  outcomes: [],
  ...facts,
});

test('the status of a job shows its turns, and what waits (L1)', () => {
  const found = aJob({
    id,
    threadTs,
    stage: working,
    agentJob: anAgentJob({ prLink: 'https://github.com/acme/docs/pull/7' }),
    checkedAtMs: fivePastTwoMs + 9 * minuteMs,
    trouble: aTrouble({ kind: 'unreachable' }),
  });
  const turns = [
    aTurn({
      kind: 'prompt',
      outcomes: [
        { kind: 'finished', atMs: fivePastTwoMs + minuteMs },
        { kind: 'pull_request', atMs: fivePastTwoMs + minuteMs },
      ],
    }),
    aTurn({ startedAtMs: fivePastTwoMs + 5 * minuteMs, isAccepted: false }),
  ];
  const unsent = [aFollowUp({ text: 'And the quotas' }), aFollowUp({ text: 'In French', state: 'not_sent' })];
  expect(statusView({ job: found, turns, unsent }, reader).text).toMatchInlineSnapshot(`
    "*Document the rate limits of our API*
    ⚙️ *Working* · started <!date^1795183500^{ago}|2026-11-20 14:05 UTC>
    View pull request: https://github.com/acme/docs/pull/7
    Open thread: https://acme.slack.com/archives/C1/p1795183500000100
    Asked by <@U1> in <#C1> <!date^1795183500^{date_short_pretty} {time}|2026-11-20 14:05 UTC> · last checked <!date^1795184040^{date_short_pretty} {time}|2026-11-20 14:14 UTC>
    Project handbook · Repository acme/docs · Branch agent/rate-limits · Model sonnet · Agent job agent-1
    *Turn 1* <!date^1795183500^{date_short_pretty} {time}|2026-11-20 14:05 UTC> · *Done* <!date^1795183560^{date_short_pretty} {time}|2026-11-20 14:06 UTC> · *Pull request* <!date^1795183560^{date_short_pretty} {time}|2026-11-20 14:06 UTC>
    *Turn 2* <!date^1795183800^{date_short_pretty} {time}|2026-11-20 14:10 UTC> · may not have arrived
    “Shorter, please”
    👀 Waiting: “And the quotas”
    ⚠️ Not sent: “In French”
    ⏳ *Waiting* · can't reach the agent · next try <!date^1795183500^{date_short_pretty} {time}|2026-11-20 14:05 UTC>
    *Stop watching* ends the updates in the thread. The agent itself keeps working.
    [Stop watching]"
  `);
});

test('a job that somebody only watches does not say that they asked for it (W5)', () => {
  const job = aJob({ watchedAgentJobId: 'agent-7' });
  const { text } = statusView({ job, turns: [], unsent: [] }, reader);
  expect(text).toContain('Watched by <@U1> in <#C1> since');
  expect(text).not.toContain('Asked by');
});

test('the requester of a job that did not start can try again from its status (L1, S4)', () => {
  const stage = { kind: 'card_failed', reason: 'not_in_channel', thread: null } as const;
  const story = { job: aJob({ stage, cards: 1 }), turns: [], unsent: [] };
  const shown = (userId: string) => JSON.stringify(statusView(story, { ...reader, userId }).blocks);
  expect(shown('U1')).toContain('"Start"');
  expect(shown('U2')).not.toContain('"Start"');
});

test('*Details* show the whole request, the number, and that the thread is muted (L1)', () => {
  const prompt = `Explain the limits.\n${'All of them. '.repeat(600)}The end.`;
  const job = aJob({ id, number: 142, prompt, muted: true, stage: working, agentJob: anAgentJob() });
  const shown = detailsView({ job, turns: [], unsent: [] }, reader).text;
  expect(shown.replace(/\s/g, '')).toContain(prompt.replace(/\s/g, ''));
  expect(shown).toContain('Job #142 · Project handbook · Repository acme/docs · Branch agent/rate-limits');
  expect(shown).toContain(id);
  expect(shown).toContain('🔇 Muted: only mentions reach the agent');
});

test('*Details* of a job at work offer to stop watching, and say that the agent goes on (L1, W4)', () => {
  const shown = (some: Parameters<typeof aJob>[0]) =>
    detailsView({ job: aJob({ id, ...some }), turns: [], unsent: [] }, reader).text;
  expect(shown({ stage: working })).toContain(
    '*Stop watching* ends the updates in the thread. The agent itself keeps working.\n[Stop watching]',
  );
  const stopped = { ...working, question: { number: 1, answer: 'stop' } } as const;
  for (const stage of [stopped, completed]) expect(shown({ stage })).not.toContain('[Stop watching]');
});

test('of many turns and replies the last turns and the first replies are shown', () => {
  const turns = Array.from({ length: 8 }, (_, index) => aTurn({ text: `turn ${index + 1}` }));
  const unsent = Array.from({ length: 5 }, (_, index) => aFollowUp({ text: `reply ${index + 1}` }));
  const shown = statusView({ job: aJob({ stage: completed }), turns, unsent }, reader).text;
  expect(shown).toContain('3 earlier turns not shown\n*Turn 4*');
  expect(shown).not.toContain('“turn 3”');
  expect(shown).toContain('“reply 3”\n2 replies more not sent');
});

test('a person who asks for a job that is not there, or not theirs to see, reads the same words (L1)', () => {
  expect(noSuchJobView.text).toMatchInlineSnapshot(
    `"🔍 *I can't find that job* among yours and those of this channel. \`/docs-agent list\` shows them."`,
  );
  expect(noJobYetView.text).toMatchInlineSnapshot(
    `"🔍 *You haven't asked for anything yet.* \`/docs-agent explain the rate limits\` starts a job."`,
  );
});

test('whatever people and the agent API write, the status stays safe and inside the limits', () => {
  const outcome = fc.record({
    kind: fc.constantFrom('finished', 'failed', 'archived', 'vanished', 'pull_request'),
    atMs: time(),
  });
  const turn = fc.record({
    kind: fc.constantFrom('prompt', 'follow_up'),
    text: text(),
    startedAtMs: time(),
    isAccepted: fc.boolean(),
    outcomes: fc.array(outcome, { maxLength: 2 }),
  });
  const followUp = fc
    .record({
      text: text(),
      state: fc.constantFrom<FollowUp['state'][]>('waiting', 'sending', 'not_sent', 'unknown'),
    })
    .map(aFollowUp);
  const story = fc.record({
    job: seenJob(({ agentJob }) => agentJob?.prLink).map((found) => ({ ...found, threadTs })),
    turns: fc.array(turn as fc.Arbitrary<Turn>, { maxLength: 9 }),
    unsent: fc.array(followUp, { maxLength: 9 }),
  });
  fc.assert(
    fc.property(story, (told) => {
      const ours = {
        users: [...requestersOf(told.job)],
        channels: [told.job.channelId],
        named: [told.job.agentJob?.prLink ?? ''],
      };
      expectSafe(statusView(told, { ...reader, names }), ours);
    }),
  );
});

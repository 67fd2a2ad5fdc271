import { describe, expect, test } from 'vitest';
import type { Queue } from '../../../src/jobs/follow-ups/follow-up.ts';
import type { Stage } from '../../../src/jobs/job.ts';
import { type CardFacts, cardView, jobLine } from '../../../src/slack/views/job.ts';
import type { SlackMessage } from '../../../src/slack/views/message.ts';
import {
  aJob,
  anAgentJob,
  aTrouble,
  completed,
  fivePastTwoMs,
  nobodyWaits,
  noNames,
  working,
} from './a-job.ts';

type Facts = Parameters<typeof aJob>[0];

const MINUTE_MS = 60_000;
const prLink = 'https://github.com/acme/docs/pull/14';
const link = `<${prLink}|acme/docs#14>`;
const agoOf = (ms: number) =>
  `started <!date^${(fivePastTwoMs + ms) / 1000}^{ago}|2026-11-20 14:0${5 + ms / MINUTE_MS} UTC>`;
const at = '<!date^1795183500^{date_short_pretty} {time}|2026-11-20 14:05 UTC>';
const ended = (status: 'failed' | 'archived' | 'vanished'): Stage => ({ kind: 'ended', status, sinceMs: 0 });
const names = new Map([
  ['U1', 'Alice'],
  ['U2', 'Bob'],
]);

const card = (facts: Facts = {}, some: Partial<CardFacts> = {}): SlackMessage =>
  cardView(aJob(facts), { queue: nobodyWaits, names: noNames, ...some });

/** The state, and the warning if there is one. */
function said({ blocks }: SlackMessage): string[] {
  const state = blocks.findLast(({ type }) => type === 'section');
  return state?.type === 'section' ? (state.text?.text.split('\n') ?? []) : [];
}

/** The labels of the buttons, in their order. */
function offered({ blocks }: SlackMessage): string[] {
  return blocks.flatMap((block) =>
    block.type === 'actions' ? block.elements.map((one) => (one.type === 'button' ? one.text.text : '')) : [],
  );
}

test('the card says what was asked, how it stands, and what can be done, in this order', () => {
  const job: Facts = {
    stage: { ...completed, tookMs: 6 * MINUTE_MS },
    agentJob: anAgentJob({ status: 'completed', prLink }),
    prompt: 'Document the rate limits\n\nMention the retry header.',
    context: 'Context: bob: A secret',
  };
  expect(card(job, { names }).text).toMatchInlineSnapshot(`
    "*Document the rate limits*
    Mention the retry header.
    ✅ *Pull request ready* · <https://github.com/acme/docs/pull/14|acme/docs#14> · 6 min
    [Details]
    asked by Alice · handbook → acme/docs · with messages from this thread"
  `);
});

const done = anAgentJob({ status: 'completed', prLink });
const unclear: Stage = { kind: 'create_unknown', callId: 'c', sinceMs: 0 };
const stopped: Stage = { ...working, question: { number: 1, answer: 'stop' } };
const older = { stage: { ...working, isOlder: true }, agentJob: anAgentJob({ status: 'unknown' }) } as const;
const dismissed: Stage = {
  ...{ kind: 'dropped', why: 'dismissed', byUserId: 'U2' },
  ...{ number: 0, formerThreadTs: null },
};
const turnReplies = { count: 2, authors: ['U2'] };
const took: Stage = { ...completed, tookMs: 130 * MINUTE_MS };
const waits = "⚠️ *Waiting for an administrator* · saved, continues once it's fixed";
const unreachable = `⏳ *Waiting* · can't reach the agent · next try ${at}`;
const limited = `⏳ *Waiting* · the agent's hourly limit is used up · continues ${at}`;
const paused = `⏳ *Waiting* · the agent asked for a pause · continues ${at}`;
const outOfSight = (kind: 'rate_limited' | 'unreachable' | 'needs_admin'): Facts => ({
  ...{ stage: working, trouble: aTrouble({ kind, source: 'check' }) },
});
const unseen = { watchedAgentJobId: 'job_1', agentJob: null, checkedAtMs: null };

/** A job that is done, whose pull request the code host has described. */
const seen = (facts: object, stage: Stage = took): Facts => ({
  ...{ stage, agentJob: done, announcedPrLink: prLink },
  pullRequests: [{ url: prLink, facts, seenAtMs: fivePastTwoMs, reminders: 0 }],
});
const failing = { state: 'open', checks: 'failing' };

test.each<[line: string, Facts, ...labels: string[]]>([
  ['🚀 *Starting*', { stage: { kind: 'opening' } }],
  ['🚀 *Starting*', { stage: { kind: 'creating' } }],
  [`⚙️ *Working* · ${agoOf(0)}`, { stage: working, agentJob: anAgentJob() }],
  // The API may still report the end of the turn before.
  [`⚙️ *Working* · ${agoOf(0)}`, { stage: working, agentJob: anAgentJob({ status: 'completed' }) }],
  [`⚙️ *Working* · ${agoOf(0)}`, { stage: working, agentJob: done, turn: 2 }, 'View pull request'],
  [`⚙️ *Working* · ${agoOf(0)}`, { stage: working, announcedPrLink: prLink, turn: 2 }, 'View pull request'],
  [
    `⚙️ *Working on 2 replies* · ${agoOf(MINUTE_MS)}`,
    { stage: { ...working, workingSinceMs: fivePastTwoMs + MINUTE_MS }, turn: 2, turnReplies },
  ],
  ['⚙️ *Working*', { ...older, checkedAtMs: null }],
  ['ℹ️ *unknown*', { ...older, checkedAtMs: fivePastTwoMs }],
  ['ℹ️ *paused &lt;!here&gt;*', { stage: working, agentJob: anAgentJob({ status: 'paused <!here>' }) }],
  [limited, { trouble: aTrouble() }],
  [unreachable, { trouble: aTrouble({ kind: 'unreachable' }) }],
  [waits, { trouble: aTrouble({ kind: 'needs_admin' }) }],
  [paused, outOfSight('rate_limited')],
  [unreachable, outOfSight('unreachable')],
  [waits, outOfSight('needs_admin')],
  ['✅ *Done, no pull request*', { stage: completed, agentJob: anAgentJob() }, 'Reply to the agent'],
  [`✅ *Pull request ready* · ${link} · 2 h 10 min`, { stage: took, agentJob: done }, 'View pull request'],
  [`✅ *Pull request ready* · ${link}`, { stage: completed, agentJob: done }, 'View pull request'],
  [`✅ *Updated* · ${link}`, { stage: took, agentJob: done, turn: 3, prLinkTurn: 1 }, 'View pull request'],
  [
    `✅ *Updated* · ${link} · 2 replies included`,
    { stage: took, agentJob: done, turn: 2, prLinkTurn: 1, turnReplies },
    'View pull request',
  ],
  ['❌ *Failed* · the agent gave no reason', { stage: ended('failed') }, 'Start again', 'Edit and start'],
  ['❌ *Not accepted* · &lt;b&gt; no', { stage: { kind: 'rejected', message: '<b>\nno' } }, 'Edit and start'],
  [
    '❌ *Not accepted* · the agent gave no reason',
    { stage: { kind: 'rejected', message: '' } },
    'Edit and start',
  ],
  ["❓ *Couldn't confirm the start*", { stage: unclear }, 'Resolve…'],
  ['❌ *The agent no longer knows this job*', { stage: ended('vanished') }, 'Start again'],
  ['❌ *The agent has no job “job_1” in the handbook project*', { stage: ended('vanished'), ...unseen }],
  ['⚪ *Archived* · a reply may still reopen it', { stage: ended('archived') }],
  ['⚪ *No longer watching* · the agent may still be working', { stage: stopped }, 'Resume watching'],
  ['⚪ *Dismissed* by Bob', { stage: dismissed, creates: 1 }],
  [`✅ *Merged* · ${link}`, seen({ state: 'merged', checks: 'failing' }), 'View pull request'],
  [`✅ *Merged* · ${link}`, seen({ state: 'merged' }, ended('archived')), 'View pull request'],
  [`⚪ *Closed without merging* · ${link}`, seen({ state: 'closed' }), 'View pull request'],
  [`⚠️ *Checks failing* · ${link}`, seen(failing), 'View pull request', 'Reply to the agent'],
  [
    `👀 *Changes requested* · ${link}`,
    seen({ review: 'changes_requested' }),
    'View pull request',
    'Reply to the agent',
  ],
  ['⚪ *Archived* · a reply may still reopen it', seen(failing, ended('archived')), 'View pull request'],
  [`⚙️ *Working* · ${agoOf(0)}`, seen({ state: 'merged' }, working), 'View pull request'],
])('the card says in one line, with its buttons: %s (W2, W3, W4, P1)', (line, facts, ...labels) => {
  const shown = card(facts, { names });
  expect(said(shown)).toEqual([line]);
  expect(offered(shown)).toEqual([...labels, 'Details']);
});

test('a pull request that is no web address is shown as plain text', () => {
  const shown = card({ stage: completed, agentJob: anAgentJob({ prLink: 'javascript:alert(1)' }) });
  expect(shown.text).toContain('Pull request: javascript:alert(1)');
  expect(JSON.stringify(shown.blocks)).not.toContain('"url"');
});

test('each button names its job, for who cannot see it', () => {
  const { blocks } = card({ number: 42, prompt: 'Add a quickstart', stage: ended('failed') });
  const labels = JSON.stringify(blocks).match(/(?<="accessibility_label":")[^"]*/g);
  expect(labels).toEqual([
    'Start again, #42: Add a quickstart',
    'Edit and start, #42: Add a quickstart',
    'Details of #42: Add a quickstart',
  ]);
});

const undecided = { count: 3, callId: 'c' };

test.each<[warning: string, Partial<Queue>, Facts, ...labels: string[]]>([
  ['⚠️ 3 replies may not be included', { undecided }, {}, 'Send again'],
  [`⏳ 2 replies waiting until ${at}`, { waiting: 2, untilMs: fivePastTwoMs, sendNow: 3 }, {}, 'Send now'],
  [`⏳ 2 replies waiting until ${at}`, { waiting: 2, untilMs: fivePastTwoMs }, { trouble: aTrouble() }],
  ['⏳ 1 reply waiting', { waiting: 1 }, {}],
  ['⏳ 1 reply waiting for an administrator', { waiting: 1 }, { trouble: aTrouble({ kind: 'needs_admin' }) }],
  ['🔇 Muted: only mentions reach the agent', {}, { muted: true }],
  // The most pressing one.
  ['⚠️ 3 replies may not be included', { waiting: 2, sendNow: 3, undecided }, { muted: true }, 'Send again'],
])('a card at work warns in one line: %s (F1, F2, F3, F4, E2)', (warning, queue, facts, ...labels) => {
  const job = { stage: working, agentJob: anAgentJob(), ...facts };
  const shown = card(job, { queue: { ...nobodyWaits, ...queue } });
  expect(said(shown)).toEqual([`⚙️ *Working* · ${agoOf(0)}`, warning]);
  expect(offered(shown)).toEqual([...labels, 'Details']);
});

describe('the request on a card', () => {
  const asked = (prompt: string) => {
    const [title, rest] = card({ prompt }, { names }).blocks;
    return {
      title: title?.type === 'header' ? title.text.text : null,
      rest: rest?.type === 'section' && rest.text?.type === 'plain_text' ? rest.text.text : null,
    };
  };

  test('is its first line as a title, and the rest below, cut to three lines and 450 characters', () => {
    expect(asked('Add a quickstart')).toEqual({ title: 'Add a quickstart', rest: null });
    expect(asked('Add a quickstart\n\nfor Python')).toEqual({
      title: 'Add a quickstart',
      rest: 'for Python',
    });
    expect(asked('Title\n1\n\n2\n3\n4').rest).toBe('1\n2\n3…');
    const long = asked(`Title\n${'Why? '.repeat(500)}`).rest;
    expect(long?.length).toBeLessThanOrEqual(450);
    expect(long).toMatch(/Why\?…$/);
  });

  test('goes on below a title that is too long, without a cut word', () => {
    const { title, rest } = asked(`${'Explain how '.repeat(12)}everything works.`);
    expect(title).toMatch(/how…$/);
    expect(title?.length).toBeLessThanOrEqual(150);
    expect(rest).toBe('… everything works.');
    expect(asked('x'.repeat(200))).toEqual({ title: `${'x'.repeat(149)}…`, rest: `…${'x'.repeat(51)}` });
  });

  test('reads as it was meant, with names, and pings nobody', () => {
    const prompt = 'Ask <@U2> &amp; link <https://a.example|the guide>';
    expect(asked(prompt).title).toBe('Ask @Bob & link the guide (https://a.example)');
    expect(card({ prompt }, { names }).text).not.toContain('<@');
  });
});

const recipe = { requesterId: null, recipe: 'release-notes' };

test.each<[small: string, Facts]>([
  ['asked by Alice · handbook', {}],
  ['#42 · asked by Alice · handbook → acme/docs', { agentJob: anAgentJob(), number: 42 }],
  ['asked by Alice · handbook · with messages from this thread', { context: 'Context: bob: A secret' }],
  ['asked by Alice · handbook · with attached text', { inlined: 'notes.txt: a' }],
  ['asked by Alice · handbook · with attached text', { snippets: [{ name: 'notes.txt', url: null }] }],
  ['handbook', { requesterId: 'U9' }],
  ['asked by recipe release-notes · handbook', recipe],
  ['asked by Alice · handbook', { ...recipe, requesterId: 'U1' }],
])('the small line of a card: %s (S3, F5, T3)', (small, facts) => {
  expect(card(facts, { names }).text.split('\n').at(-1)).toBe(small);
});

test('a list names the recipe that asked by itself', () => {
  const reader = { userId: 'U9', channelId: 'C1', workspaceUrl: null, names: noNames };
  expect(JSON.stringify(jobLine(aJob(recipe), reader))).toContain(' by recipe release-notes');
});

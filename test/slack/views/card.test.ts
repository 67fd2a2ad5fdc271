import { describe, expect, test } from 'vitest';
import type { Queue } from '../../../src/jobs/follow-ups/follow-up.ts';
import type { Stage } from '../../../src/jobs/job.ts';
import { type CardFacts, cardView } from '../../../src/slack/views/job.ts';
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
const atFivePastTwo = '<!date^1795183500^{date_short_pretty} {time}|2026-11-20 14:05 UTC>';
const ended = (status: 'failed' | 'archived' | 'vanished'): Stage => ({ kind: 'ended', status, sinceMs: 0 });
const stopped: Stage = { ...working, question: { number: 1, answer: 'stop' } };

const card = (facts: Facts = {}, some: Partial<CardFacts> = {}): SlackMessage =>
  cardView(aJob(facts), { queue: nobodyWaits, names: noNames, ...some });

const withReplies = (queue: Partial<Queue>, facts: Facts = {}) =>
  card({ stage: working, agentJob: anAgentJob(), ...facts }, { queue: { ...nobodyWaits, ...queue } });

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

describe('the card', () => {
  test('says what was asked, how it stands, and what can be done, in this order', () => {
    const job: Facts = {
      stage: { ...completed, tookMs: 6 * MINUTE_MS },
      agentJob: anAgentJob({ status: 'completed', prLink }),
      prompt: 'Document the rate limits\n\nMention the retry header.',
      context: 'Context: bob: A secret',
    };
    const shown = card(job, { names: new Map([['U1', 'Alice']]) });
    expect(shown.text).toMatchInlineSnapshot(`
      "*Document the rate limits*
      Mention the retry header.
      ✅ *Pull request ready* · <https://github.com/acme/docs/pull/14|acme/docs#14> · 6 min
      [Details]
      asked by Alice · handbook → acme/docs · with messages from this thread"
    `);
    expect(shown.blocks.map(({ type }) => type)).toEqual([
      'header',
      'section',
      'section',
      'actions',
      'context',
    ]);
  });

  test.each<[string, Facts, ...string[]]>([
    ['🚀 *Starting*', { stage: { kind: 'opening' } }],
    ['🚀 *Starting*', { stage: { kind: 'creating' } }],
    [`⚙️ *Working* · ${agoOf(0)}`, { stage: working, agentJob: anAgentJob() }],
    [
      `⏳ *Waiting* · the agent's hourly limit is used up · continues ${atFivePastTwo}`,
      { trouble: aTrouble() },
    ],
    [
      `⏳ *Waiting* · can't reach the agent · next try ${atFivePastTwo}`,
      { trouble: aTrouble({ kind: 'unreachable' }) },
    ],
    [
      "⚠️ *Waiting for an administrator* · saved, continues once it's fixed",
      { trouble: aTrouble({ kind: 'needs_admin' }) },
    ],
    [
      '✅ *Done, no pull request*',
      { stage: completed, agentJob: anAgentJob({ status: 'completed' }) },
      'Reply to the agent',
    ],
    ['❌ *Failed* · the agent gave no reason', { stage: ended('failed') }, 'Start again', 'Edit and start'],
    [
      '❌ *Not accepted* · prompt is &lt;b&gt; too vague',
      { stage: { kind: 'rejected', message: 'prompt is\n<b> too vague' } },
      'Edit and start',
    ],
    [
      "❓ *Couldn't confirm the start*",
      { stage: { kind: 'create_unknown', callId: 'c', sinceMs: 0 } },
      'Resolve…',
    ],
    ['❌ *The agent no longer knows this job*', { stage: ended('vanished') }, 'Start again'],
    ['⚪ *Archived* · a reply may still reopen it', { stage: ended('archived') }],
    ['⚪ *No longer watching* · the agent may still be working', { stage: stopped }, 'Resume watching'],
    ['ℹ️ *paused &lt;!here&gt;*', { stage: working, agentJob: anAgentJob({ status: 'paused <!here>' }) }],
  ])('says in one line: %s', (line, facts, ...buttons) => {
    expect(said(card(facts))).toEqual([line]);
    expect(offered(card(facts))).toEqual([...buttons, 'Details']);
  });

  test('with a pull request names it, and how long it took', () => {
    const agentJob = anAgentJob({ status: 'completed', prLink });
    const ready = card({ stage: { ...completed, tookMs: 130 * MINUTE_MS }, agentJob });
    expect(said(ready)).toEqual([`✅ *Pull request ready* · ${link} · 2 h 10 min`]);
    expect(offered(ready)).toEqual(['View pull request', 'Details']);
    expect(said(card({ stage: completed, agentJob }))).toEqual([`✅ *Pull request ready* · ${link}`]);
  });

  test('of a pull request from an earlier turn says that it was updated; another one is ready', () => {
    const agentJob = anAgentJob({ status: 'completed', prLink });
    const stage: Stage = { ...completed, tookMs: MINUTE_MS };
    expect(said(card({ stage, agentJob, turn: 3, prLinkTurn: 1 }))).toEqual([`✅ *Updated* · ${link}`]);
    expect(said(card({ stage, agentJob, turn: 3, prLinkTurn: 3 }))).toEqual([
      `✅ *Pull request ready* · ${link} · 1 min`,
    ]);
  });

  test('counts the replies that a later turn is about', () => {
    const turnReplies = { count: 2, authors: ['U2'] };
    const agentJob = anAgentJob({ status: 'completed', prLink });
    const stage = { ...working, workingSinceMs: fivePastTwoMs + MINUTE_MS };
    expect(said(card({ stage, turn: 2, turnReplies }))).toEqual([
      `⚙️ *Working on 2 replies* · ${agoOf(MINUTE_MS)}`,
    ]);
    expect(said(card({ stage: completed, agentJob, turn: 2, prLinkTurn: 1, turnReplies }))).toEqual([
      `✅ *Updated* · ${link} · 2 replies included`,
    ]);
  });

  test.each([
    ['as the API says it', { agentJob: anAgentJob({ prLink }) }],
    ['which the API hides meanwhile', { agentJob: anAgentJob({ prLink: null }), announcedPrLink: prLink }],
  ])('while a later turn is at work still leads to the pull request, %s', (_case, facts) => {
    expect(offered(card({ stage: working, ...facts, turn: 2 }))).toEqual(['View pull request', 'Details']);
  });

  test('of a job that a person has named says nothing of its status before the agent does', () => {
    const stage = { ...working, isOlder: true } as const;
    const agentJob = anAgentJob({ status: 'unknown' });
    expect(said(card({ stage, agentJob, checkedAtMs: null }))).toEqual(['⚙️ *Working*']);
    expect(said(card({ stage, agentJob, checkedAtMs: fivePastTwoMs }))).toEqual(['ℹ️ *unknown*']);
  });

  test('tells no start that is unknown', () => {
    const checkedAtMs = fivePastTwoMs + MINUTE_MS;
    expect(said(card({ stage: { ...working, isOlder: true }, checkedAtMs }))).toEqual(['⚙️ *Working*']);
  });

  test('of a start that was unclear says who dismissed it, and offers nothing', () => {
    const stage: Stage = {
      ...{ kind: 'dropped', why: 'dismissed', byUserId: 'U2' },
      ...{ number: 0, formerThreadTs: null },
    };
    const names = new Map([['U2', 'Bob']]);
    const shown = card({ stage, creates: 1 }, { names });
    expect(said(shown)).toEqual(['⚪ *Dismissed* by Bob']);
    expect(offered(shown)).toEqual(['Details']);
  });

  test('names its job on each button, for who cannot see it', () => {
    const { blocks } = card({ number: 42, prompt: 'Add a quickstart', stage: ended('failed') });
    const labels = blocks.flatMap((block) =>
      block.type === 'actions'
        ? block.elements.map((one) => (one.type === 'button' ? one.accessibility_label : undefined))
        : [],
    );
    expect(labels).toEqual([
      'Start again, #42: Add a quickstart',
      'Edit and start, #42: Add a quickstart',
      'Details of #42: Add a quickstart',
    ]);
  });

  test.each([
    ['rate_limited', `⏳ *Waiting* · the agent asked for a pause · continues ${atFivePastTwo}`],
    ['unreachable', `⏳ *Waiting* · can't reach the agent · next try ${atFivePastTwo}`],
    ['needs_admin', "⚠️ *Waiting for an administrator* · saved, continues once it's fixed"],
  ] as const)('of a job that is out of sight says why: %s', (kind, line) => {
    expect(said(card({ stage: working, trouble: aTrouble({ kind, source: 'check' }) }))).toEqual([line]);
  });

  test('says that the job to watch is not there, not that it went away (W5)', () => {
    const unseen = { watchedAgentJobId: 'job_1', agentJob: null, checkedAtMs: null };
    expect(said(card({ stage: ended('vanished'), ...unseen }))).toEqual([
      '❌ *The agent has no job “job_1” in the handbook project*',
    ]);
  });

  test('does not take the end of the turn before for the state', () => {
    expect(said(card({ stage: working, agentJob: anAgentJob({ status: 'completed' }) }))).toEqual([
      `⚙️ *Working* · ${agoOf(0)}`,
    ]);
  });
});

describe('the warning on a card', () => {
  test('says that replies may not be included, and offers to send them again (F1)', () => {
    const shown = withReplies({ undecided: { count: 1, callId: 'c' } });
    expect(said(shown)[1]).toBe('⚠️ 1 reply may not be included');
    expect(offered(shown)).toEqual(['Send again', 'Details']);
  });

  test('says until when replies wait; while they are only collected, they can go at once (F2, F3)', () => {
    const collected = withReplies({ waiting: 2, untilMs: fivePastTwoMs, sendNow: 3 });
    expect(said(collected)[1]).toBe(`⏳ 2 replies waiting until ${atFivePastTwo}`);
    expect(offered(collected)).toEqual(['Send now', 'Details']);
    const limited = withReplies({ waiting: 2, untilMs: fivePastTwoMs }, { trouble: aTrouble() });
    expect(said(limited)).toEqual([
      `⚙️ *Working* · ${agoOf(0)}`,
      `⏳ 2 replies waiting until ${atFivePastTwo}`,
    ]);
    expect(offered(limited)).toEqual(['Details']);
    expect(said(withReplies({ waiting: 1 }))[1]).toBe('⏳ 1 reply waiting');
  });

  test('says that replies wait for an administrator (E2)', () => {
    const shown = withReplies({ waiting: 1 }, { trouble: aTrouble({ kind: 'needs_admin' }) });
    expect(said(shown)[1]).toBe('⏳ 1 reply waiting for an administrator');
  });

  test('says that the thread is muted (F4)', () => {
    expect(said(withReplies({}, { muted: true }))[1]).toBe('🔇 Muted: only mentions reach the agent');
  });

  test('is one line and one button, the most pressing', () => {
    const all = { waiting: 2, sendNow: 3, undecided: { count: 3, callId: 'c' } };
    const shown = withReplies(all, { muted: true });
    expect(said(shown)).toEqual([`⚙️ *Working* · ${agoOf(0)}`, '⚠️ 3 replies may not be included']);
    expect(offered(shown)).toEqual(['Send again', 'Details']);
    const failed = withReplies(all, { stage: ended('failed') });
    expect(offered(failed)).toEqual(['Start again', 'Edit and start', 'Details']);
  });
});

describe('the request on a card', () => {
  const asked = (prompt: string, names = noNames) => {
    const [title, rest] = card({ prompt }, { names }).blocks;
    return {
      title: title?.type === 'header' ? title.text.text : null,
      rest: rest?.type === 'section' && rest.text?.type === 'plain_text' ? rest.text.text : null,
    };
  };

  test('is its first line as a title, and the rest below', () => {
    expect(asked('Add a quickstart')).toEqual({ title: 'Add a quickstart', rest: null });
    expect(asked('Add a quickstart\n\nfor Python')).toEqual({
      title: 'Add a quickstart',
      rest: 'for Python',
    });
  });

  test('goes on below a title that is too long, without a cut word', () => {
    const { title, rest } = asked(`${'Explain how '.repeat(12)}everything works.`);
    expect(title).toMatch(/how…$/);
    expect(title?.length).toBeLessThanOrEqual(150);
    expect(rest).toBe('… everything works.');
  });

  test('is cut to three lines and 450 characters', () => {
    expect(asked('Title\n1\n\n2\n3\n4').rest).toBe('1\n2\n3…');
    const long = asked(`Title\n${'Why? '.repeat(500)}`).rest;
    expect(long?.length).toBeLessThanOrEqual(450);
    expect(long).toMatch(/Why\?…$/);
    expect(asked('x'.repeat(2_000)).title).toBe(`${'x'.repeat(149)}…`);
    expect(asked('x'.repeat(200)).rest).toBe(`…${'x'.repeat(51)}`);
  });

  test('reads as it was meant, with names, and pings nobody', () => {
    const names = new Map([
      ['U1', 'Alice'],
      ['U2', 'Bob'],
    ]);
    const prompt = 'Ask <@U2> &amp; link <https://a.example|the guide>';
    expect(asked(prompt, names).title).toBe('Ask @Bob & link the guide (https://a.example)');
    expect(card({ prompt }, { names }).text).not.toContain('<@');
  });
});

describe('the small line of a card', () => {
  const small = (facts: Facts, some: Partial<CardFacts> = {}) => {
    const last = card(facts, { names: new Map([['U1', 'Alice']]), ...some }).blocks.at(-1);
    return last?.type === 'context' ? last.elements.map((one) => ('text' in one ? one.text : '')) : [];
  };

  test('names who asked, and where the agent works', () => {
    expect(small({})).toEqual(['asked by Alice · handbook']);
    expect(small({ agentJob: anAgentJob() })).toEqual(['asked by Alice · handbook → acme/docs']);
    expect(small({ number: 42 })).toEqual(['#42 · asked by Alice · handbook']);
  });

  test('says what came along, but not its words (S3, F5)', () => {
    const along = (facts: Facts) => small(facts).map((line) => line.split(' · ').at(-1));
    expect(along({ context: 'Context: bob: A secret' })).toEqual(['with messages from this thread']);
    expect(along({ inlined: 'notes.txt: a' })).toEqual(['with attached text']);
    expect(along({ snippets: [{ name: 'notes.txt', url: null }] })).toEqual(['with attached text']);
  });

  test('leaves out who asked where Slack does not say the name', () => {
    expect(small({}, { names: noNames })).toEqual(['handbook']);
  });
});

test('a pull request that is no web address is shown as plain text', () => {
  const shown = card({ stage: completed, agentJob: anAgentJob({ prLink: 'javascript:alert(1)' }) });
  expect(shown.text).toContain('Pull request: javascript:alert(1)');
  expect(said(shown)).not.toContain('javascript');
  expect(JSON.stringify(shown.blocks)).not.toContain('"url"');
});

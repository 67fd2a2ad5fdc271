import { describe, expect, test } from 'vitest';
import type { Stage } from '../../../src/jobs/job.ts';
import type { Queue } from '../../../src/jobs/queue.ts';
import { cardView } from '../../../src/slack/views/thread/card.ts';
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

const prLink = 'https://github.com/acme/docs/pull/7';

describe('the card', () => {
  test('of a request that was just made', () => {
    expect(cardView(aJob(), nobodyWaits, noNames).text).toMatchInlineSnapshot(`
      "🚀 *Starting*
      “Document the rate limits of our API”
      Asked by <@U1>
      Project handbook"
    `);
  });

  test('of a job at work, with follow-ups', () => {
    const job = aJob({
      stage: working,
      turn: 3,
      sentFollowUps: 2,
      agentJob: anAgentJob(),
      checkedAtMs: fivePastTwoMs,
    });
    expect(cardView(job, { ...nobodyWaits, waiting: 1, untilMs: null }, noNames).text).toMatchInlineSnapshot(`
      "⚙️ *Working*
      “Document the rate limits of our API”
      Asked by <@U1> · turn 3 · 2 follow-ups sent · 1 follow-up waits · last checked <!date^1795183500^{time}|14:05 UTC>
      Project handbook · Repository acme/docs · Branch agent/rate-limits · Model sonnet"
    `);
  });

  test('of a finished job offers the pull request and invites to go on', () => {
    const job = aJob({ stage: completed, agentJob: anAgentJob({ status: 'completed', prLink }) });
    expect(cardView(job, nobodyWaits, noNames)).toMatchInlineSnapshot(`
      {
        "blocks": [
          {
            "text": {
              "text": "✅ *Finished* · reply in this thread to ask for changes",
              "type": "mrkdwn",
              "verbatim": true,
            },
            "type": "section",
          },
          {
            "text": {
              "emoji": true,
              "text": "“Document the rate limits of our API”",
              "type": "plain_text",
            },
            "type": "section",
          },
          {
            "elements": [
              {
                "action_id": "view_pull_request",
                "style": "primary",
                "text": {
                  "emoji": true,
                  "text": "View pull request",
                  "type": "plain_text",
                },
                "type": "button",
                "url": "https://github.com/acme/docs/pull/7",
              },
            ],
            "type": "actions",
          },
          {
            "elements": [
              {
                "text": "Asked by <@U1>",
                "type": "mrkdwn",
                "verbatim": true,
              },
            ],
            "type": "context",
          },
          {
            "elements": [
              {
                "emoji": true,
                "text": "Project handbook · Repository acme/docs · Branch agent/rate-limits · Model sonnet",
                "type": "plain_text",
              },
            ],
            "type": "context",
          },
        ],
        "text": "✅ *Finished* · reply in this thread to ask for changes
      “Document the rate limits of our API”
      View pull request: https://github.com/acme/docs/pull/7
      Asked by <@U1>
      Project handbook · Repository acme/docs · Branch agent/rate-limits · Model sonnet",
      }
    `);
  });

  test('says when nothing had to be changed', () => {
    expect(headline({ stage: completed, agentJob: anAgentJob({ status: 'completed' }) })).toBe(
      '✅ *Finished* · no files changed · reply in this thread to ask for changes',
    );
  });

  test.each<[string, Stage]>([
    ['🚀 *Starting*', { kind: 'opening' }],
    ['⛔ *Not started*', { kind: 'unopened', reason: 'not_in_channel', thread: null }],
    ['❓ *Start unknown* · the job may or may not have started', { kind: 'create_unknown', callId: 'c' }],
    ['⛔ *Refused* · the agent API did not take the prompt', { kind: 'rejected', message: 'no' }],
    ['⚙️ *Working*', working],
    ['❌ *Failed*', { kind: 'ended', status: 'failed' }],
    ['🗄️ *Archived*', { kind: 'ended', status: 'archived' }],
    ['🌫️ *Vanished* · the agent API does not know this job any more', { kind: 'ended', status: 'vanished' }],
  ])('has an icon and a word: %s', (expected, stage) => {
    expect(headline({ stage })).toBe(expected);
  });

  test('says that the job to watch is not there, not that it went away (W5)', () => {
    const stage: Stage = { kind: 'ended', status: 'vanished' };
    expect(headline({ stage, attachedTo: 'job_1', agentJob: null, checkedAtMs: null })).toBe(
      '🔍 *No such job* · the agent API knows no job “job_1” in the project handbook',
    );
  });

  test.each([
    [
      'rate_limited',
      '⏳ *Waiting for the rate limit* · until <!date^1795183500^{date_short_pretty} at {time}|2026-11-20 14:05 UTC>',
    ],
    [
      'unreachable',
      "📡 *Can't reach the agent API* · next try <!date^1795183500^{date_short_pretty} at {time}|2026-11-20 14:05 UTC>",
    ],
    ['needs_admin', '🔧 *Needs an administrator* · the request is kept, and goes on when this is mended'],
  ] as const)('says what a request waits for: %s', (kind, expected) => {
    expect(headline({ trouble: aTrouble({ kind }) })).toBe(expected);
    expect(headline({ stage: working, trouble: aTrouble({ kind, source: 'check' }) })).toBe(expected);
  });

  test('of a job at work says what its follow-ups wait for', () => {
    const job = aJob({ stage: working, trouble: aTrouble() });
    const { text } = cardView(job, { ...nobodyWaits, waiting: 2, untilMs: fivePastTwoMs }, noNames);
    expect(text).toContain('⚙️ *Working*');
    expect(text).toContain(
      '2 follow-ups wait for the rate limit until <!date^1795183500^{date_short_pretty} at {time}|2026-11-20 14:05 UTC>',
    );
  });

  test('says until when replies are gathered, and offers to send them now (F2, F3)', () => {
    const job = aJob({ stage: working, agentJob: anAgentJob() });
    const queue = { ...nobodyWaits, waiting: 2, untilMs: fivePastTwoMs, sendNow: 3 };
    const { text, blocks } = cardView(job, queue, noNames);
    expect(text).toMatchInlineSnapshot(`
      "⚙️ *Working*
      “Document the rate limits of our API”
      Button: Send now
      Asked by <@U1> · 2 follow-ups wait until <!date^1795183500^{date_short_pretty} at {time}|2026-11-20 14:05 UTC>
      Project handbook · Repository acme/docs · Branch agent/rate-limits · Model sonnet"
    `);
    expect(blocks[2]).toMatchInlineSnapshot(`
      {
        "elements": [
          {
            "action_id": "send_now",
            "text": {
              "emoji": true,
              "text": "Send now",
              "type": "plain_text",
            },
            "type": "button",
            "value": "{"jobId":"job-1","message":3}",
          },
        ],
        "type": "actions",
      }
    `);
  });

  test.each<[string, Facts, Partial<Queue>]>([
    ['Run again', { stage: { kind: 'ended', status: 'failed' } }, {}],
    ['Run again', { stage: { kind: 'ended', status: 'vanished' } }, {}],
    ['Run again', { stage: { kind: 'rejected', message: 'no' } }, {}],
    ['Start again', { stage: { kind: 'create_unknown', callId: 'c' } }, {}],
    ['Retry', { stage: working }, { undecided: { state: 'not_sent', callId: 'c' } }],
    ['Send again', { stage: working }, { undecided: { state: 'unknown', callId: 'c' } }],
    ['Resume watching', { stage: { ...working, question: { number: 1, answer: 'stop' } } }, {}],
  ])('offers what can be done: %s', (label, facts, queue) => {
    const { text } = cardView(aJob(facts), { ...nobodyWaits, ...queue }, noNames);
    expect(text.match(/(?<=Button: ).*/g)).toEqual([label]);
  });

  test('of a job that nobody watches any more says so (W4)', () => {
    const stage: Stage = { ...working, question: { number: 1, answer: 'stop' } };
    expect(headline({ stage })).toBe('💤 *Not watched any more* · the agent itself goes on');
  });

  test('says so where only mentions go to the agent (L3)', () => {
    expect(
      cardView(aJob({ stage: completed }), nobodyWaits, noNames, 'mentions').text,
    ).toMatchInlineSnapshot(`
      "✅ *Finished* · no files changed · mention me in this thread to ask for changes
      “Document the rate limits of our API”
      Button: Follow up
      Asked by <@U1> · only mentions go to the agent
      Project handbook"
    `);
  });

  test('of a muted thread says so (F4)', () => {
    expect(cardView(aJob({ stage: working, muted: true }), nobodyWaits, noNames).text).toMatchInlineSnapshot(`
      "⚙️ *Working*
      “Document the rate limits of our API”
      Asked by <@U1> · 🔇 Muted: only mentions reach the agent
      Project handbook"
    `);
  });

  test('does not blame follow-ups on a status that cannot be read', () => {
    const job = aJob({ stage: working, trouble: aTrouble({ kind: 'unreachable', source: 'check' }) });
    expect(cardView(job, { ...nobodyWaits, waiting: 1, untilMs: null }, noNames).text).toMatch(
      /1 follow-up waits$/m,
    );
  });

  test('shows a status that it does not know, but not the end of the turn before', () => {
    const withStatus = (status: string) => headline({ stage: working, agentJob: anAgentJob({ status }) });
    expect(withStatus('paused <!here>')).toBe('ℹ️ *Status* · paused &lt;!here&gt;');
    expect(withStatus('completed')).toBe('⚙️ *Working*');
  });

  test('quotes the prompt as it was meant, with names', () => {
    const job = aJob({ prompt: 'Ask <@U2> &amp; link <https://a.example|the guide>' });
    const { text } = cardView(job, nobodyWaits, new Map([['U2', 'Bob']]));
    expect(text).toContain('“Ask @Bob &amp; link the guide (https://a.example)”');
  });

  test('quotes the prompt short, and of the thread that went along says no more than that (S1, S3)', () => {
    const context = 'Context: bob: A secret';
    const cardOf = (prompt: string) => cardView(aJob({ prompt, context }), nobodyWaits, noNames).text;
    expect(cardOf('Why? '.repeat(500)).length).toBeLessThan(800);
    expect(cardOf('Why? '.repeat(500))).toContain('Why?…”');
    expect(cardOf('Why?')).not.toContain('secret');
    expect(cardOf('Why?')).toContain('Asked by <@U1> · with messages of this thread');
  });

  test('quotes why a prompt was refused', () => {
    const job = aJob({ stage: { kind: 'rejected', message: 'prompt is <b>too vague</b>' } });
    expect(cardView(job, nobodyWaits, noNames).text).toContain('\nprompt is &lt;b&gt;too vague&lt;/b&gt;\n');
  });

  test('shows a pull request that is no web address as plain text', () => {
    const job = aJob({ stage: completed, agentJob: anAgentJob({ prLink: 'javascript:alert(1)' }) });
    const card = cardView(job, nobodyWaits, noNames);
    expect(card.text).toContain('Pull request: javascript:alert(1)');
    expect(JSON.stringify(card.blocks)).not.toContain('"url"');
  });
});

function headline(facts: Parameters<typeof aJob>[0]): string | undefined {
  return cardView(aJob(facts), nobodyWaits, noNames).text.split('\n')[0];
}

import { describe, expect, test } from 'vitest';
import type { OfferOutcome } from '../../../src/jobs/job.ts';
import { ephemeralView, jobForgottenView, sentAnywayView } from '../../../src/slack/views/private-answers.ts';
import { aJob, completed, working } from './a-job.ts';
import { tooLateView } from './support/thread.ts';

const at = { nowMs: 240_000 };

describe('a message in the thread that one person sees', () => {
  test('a reply was edited after it was sent (F3)', () => {
    const notice = { kind: 'edited_after_sending', messageTs: '1.000100' } as const;
    const { text, blocks } = ephemeralView(notice, aJob(), at);
    expect(text).toMatchInlineSnapshot(`
      "✏️ You edited a reply that was already sent.
      [Send the correction]"
    `);
    expect(blocks[1]).toMatchInlineSnapshot(`
      {
        "elements": [
          {
            "action_id": "send_correction",
            "text": {
              "emoji": true,
              "text": "Send the correction",
              "type": "plain_text",
            },
            "type": "button",
            "value": "{"jobId":"job-1","messageTs":"1.000100"}",
          },
        ],
        "type": "actions",
      }
    `);
  });

  test('thanks after an end were kept between people (F4)', () => {
    const { text } = ephemeralView({ kind: 'small_talk', messageTs: '1.000100' }, aJob(), at);
    expect(text).toMatchInlineSnapshot(`
      "*Kept between people: it looks like a thank-you.*
      [Send it anyway]"
    `);
    expect(sentAnywayView.text).toMatchInlineSnapshot(`"👀 On its way to the agent."`);
  });

  test('a reply asks to stop', () => {
    const notice = { kind: 'stop', messageTs: '1.000100', said: 'cancel the *last* one' } as const;
    const running = aJob({ stage: working });
    expect(ephemeralView(notice, running, at).text).toMatchInlineSnapshot(`
      "*I can't stop the agent: it has no way to be stopped.*
      Document the rate limits of our API · <!date^1795183500^{ago}|2026-11-20 14:05 UTC>
      [Send “cancel the *last* one” to the agent]"
    `);
    expect(ephemeralView(notice, { ...running, muted: true }, at).text).not.toContain('Mute updates');
    expect(ephemeralView(notice, aJob({ stage: completed }), at).text).toMatchInlineSnapshot(`
      "Nothing is running in this thread.
      [Send “cancel the *last* one” to the agent]"
    `);
  });

  test('a reply asks how far it is', () => {
    const notice = { kind: 'progress', messageTs: '1.000100' } as const;
    expect(ephemeralView(notice, aJob({ stage: working }), at).text).toMatchInlineSnapshot(`
      "*Still working*, 0 s so far. The agent can't answer questions; I'll post the pull request here.
      [Send to the agent]"
    `);
    expect(ephemeralView(notice, aJob({ stage: completed }), at).text).toMatchInlineSnapshot(`
      "✅ *Done, no pull request*
      [Send to the agent]"
    `);
  });

  test('a button was pressed too late', () => {
    const job = aJob({ stage: working });
    const told = (outcome: OfferOutcome | null) =>
      tooLateView(job, outcome, new Map([['U2', 'Bob <!here>']])).text;
    expect(told({ answer: 'started_again', by: 'U2' })).toBe(
      'Already done: Bob &lt;!here&gt; started it again.',
    );
    expect(told({ answer: 'sent_again', by: 'U3', count: 1 })).toBe('Already done: Somebody sent it again.');
    expect(told({ answer: 'sent_again', by: 'U3', count: 2 })).toBe(
      'Already done: Somebody sent them again.',
    );
    expect(told({ answer: 'moot', by: null })).toMatch(/^Already done: ⚙️ \*Working\* · started .*\.$/);
    expect(told(null)).toMatch(/^Already done: ⚙️ \*Working\*/);
  });

  test('a button of a job that was deleted was pressed', () => {
    expect(jobForgottenView.text).toMatchInlineSnapshot(
      `"Already done: this job is no longer stored. Start a new one with \`/docs-agent\`."`,
    );
  });
});

import { describe, expect, test } from 'vitest';
import type { Announcement } from '../../../src/jobs/announcement.ts';
import { decodeButton } from '../../../src/slack/protocol/ids.ts';
import { announcementView } from '../../../src/slack/views/thread/announcement.ts';
import { watchAnsweredView } from '../../../src/slack/views/thread/offers.ts';
import { aJob, anAgentJob, fivePastTwoMs, noNames } from './a-job.ts';

const url = 'https://github.com/acme/docs/pull/7';
const text = (announcement: Announcement, job = aJob()) => announcementView(announcement, job, noNames).text;

test('where only mentions go to the agent, nobody is told to just reply (L3)', () => {
  const mentions = (announcement: Announcement) =>
    announcementView(announcement, aJob(), noNames, 'mentions').text;
  expect(mentions({ kind: 'started', turn: 1 })).toMatchInlineSnapshot(
    `"⚙️ *Working* · mention me in this thread to send a follow-up"`,
  );
  expect(mentions({ kind: 'finished', files: 'new' })).toMatchInlineSnapshot(
    `"✅ *Finished* · mention me in this thread to ask for changes"`,
  );
});

describe('the thread is told', () => {
  test('a thread was muted, or unmuted, by somebody who is not mentioned (F4)', () => {
    const bobs = new Map([['U2', 'Bob']]);
    const view = (kind: 'muted' | 'unmuted', mode?: 'mentions') =>
      announcementView({ kind, userId: 'U2' }, aJob(), bobs, mode).text;
    expect(view('muted')).toBe(
      '🔇 *Muted by Bob.* Replies stay between people until `unmute`; mentions still reach the agent.',
    );
    expect(view('unmuted')).toBe('🔔 *Unmuted by Bob.*');
    expect(view('unmuted', 'mentions')).toContain('In this channel, only mentions reach the agent.');
  });

  test('that the agent works', () => {
    expect(text({ kind: 'started', turn: 1 })).toMatchInlineSnapshot(
      `"⚙️ *Working* · reply in this thread to send a follow-up"`,
    );
    expect(text({ kind: 'started', turn: 2 })).toMatchInlineSnapshot(`"⚙️ *Working* · on turn 2"`);
  });

  test('how a turn ended', () => {
    const job = aJob({ agentJob: anAgentJob({ status: 'completed', prLink: url }) });
    expect(text({ kind: 'finished', files: 'new' }, job)).toMatchInlineSnapshot(
      `"✅ *Finished* · reply in this thread to ask for changes"`,
    );
    expect(text({ kind: 'finished', files: 'same' }, job)).toMatchInlineSnapshot(`
      "✅ *Finished* · the pull request is the same as before · reply in this thread to ask for changes
      View pull request: https://github.com/acme/docs/pull/7"
    `);
    expect(text({ kind: 'finished', files: 'none' })).toMatchInlineSnapshot(
      `"✅ *Finished* · no files changed · reply in this thread to ask for changes"`,
    );
    expect(text({ kind: 'archived' })).toMatchInlineSnapshot(`"🗄️ *Archived* · a reply is still tried once"`);
    expect(text({ kind: 'vanished' })).toMatchInlineSnapshot(
      `"🌫️ *Vanished* · the agent API does not know this job any more"`,
    );
    expect(text({ kind: 'other_status', status: 'on <hold>' })).toMatchInlineSnapshot(
      `"ℹ️ *Status* · on &lt;hold&gt;"`,
    );
  });

  test('of a job that was only to be watched: that it is not there, or how it ended (W5)', () => {
    const attached = aJob({ attachedTo: 'job_<42>' });
    expect(text({ kind: 'no_such_job' }, attached)).toMatchInlineSnapshot(
      `"🔍 *No such job* · the agent API knows no job “job_&lt;42&gt;” in the project handbook. Check the id, then type \`/docs-agent watch\` with the right one; \`/docs-agent project=name watch job_123\` looks in another project."`,
    );
    for (const kind of ['failed', 'vanished'] as const) {
      const { blocks } = announcementView({ kind }, attached, noNames);
      expect(JSON.stringify(blocks)).not.toContain('Run again');
    }
  });

  test('of the pull request, so that the requester notices', () => {
    expect(
      announcementView({ kind: 'pull_request', url, changed: false }, aJob(), noNames),
    ).toMatchInlineSnapshot(`
      {
        "blocks": [
          {
            "text": {
              "text": "🎉 <@U1> the *pull request* is ready: <https://github.com/acme/docs/pull/7>",
              "type": "mrkdwn",
              "verbatim": true,
            },
            "type": "section",
          },
          {
            "elements": [
              {
                "emoji": true,
                "text": "Document the rate limits of our API",
                "type": "plain_text",
              },
            ],
            "type": "context",
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
        ],
        "text": "🎉 <@U1> the *pull request* is ready: <https://github.com/acme/docs/pull/7>
      Document the rate limits of our API",
      }
    `);
  });

  test('that the pull request is another one now', () => {
    expect(text({ kind: 'pull_request', url, changed: true })).toContain(
      `<@U1> there is *another pull request*: <${url}>`,
    );
  });

  test('of a pull request that is no web address, without a link', () => {
    const message = announcementView(
      { kind: 'pull_request', url: 'pr #7 <x>', changed: false },
      aJob(),
      noNames,
    );
    expect(message.text).toContain('Pull request: pr #7 &lt;x&gt;');
    expect(buttonsOf(message)).toEqual([]);
  });

  test('of a pull request whose address is too long to read, with the button alone', () => {
    const long = `${url}?${'x'.repeat(1500)}`;
    const message = announcementView({ kind: 'pull_request', url: long, changed: false }, aJob(), noNames);
    expect(message.text).toMatchInlineSnapshot(`
      "🎉 <@U1> the *pull request* is ready.
      Document the rate limits of our API
      View pull request: use the button, the address is long"
    `);
    expect(JSON.stringify(message.blocks)).toContain(`"url":"${long}"`);
  });

  test('what it waits for', () => {
    const trouble = { kind: 'trouble', retryAtMs: fivePastTwoMs } as const;
    expect(text({ ...trouble, trouble: 'rate_limited' })).toMatchInlineSnapshot(
      `"⏳ *Waiting for the rate limit* · until <!date^1795183500^{date_short_pretty} at {time}|2026-11-20 14:05 UTC>. Nothing is lost: it goes on by itself."`,
    );
    expect(text({ ...trouble, trouble: 'unreachable' })).toMatchInlineSnapshot(
      `"📡 *Can't reach the agent API* · next try <!date^1795183500^{date_short_pretty} at {time}|2026-11-20 14:05 UTC>. Nothing is lost: it goes on by itself."`,
    );
    expect(text({ ...trouble, trouble: 'needs_admin' })).toBe(
      "⚠️ *An administrator needs to fix the connection to the agent.* Everything is saved and continues once it's fixed.",
    );
    expect(text({ ...trouble, trouble: 'needs_admin', words: 'Not in\nyour plan' })).toBe(
      "⚠️ *An administrator needs to fix the connection to the agent.* Not in your plan. Everything is saved and continues once it's fixed.",
    );
    expect(text({ kind: 'recovered' })).toMatchInlineSnapshot(
      `"👍 *Going on* · the agent API answers again."`,
    );
  });

  test('that a notice could not be posted', () => {
    const failed = { kind: 'notice_failed', channelId: 'C9' } as const;
    expect(text({ ...failed, reason: 'not_in_channel' })).toMatchInlineSnapshot(
      `"⚠️ *Notice not posted* in <#C9> · invite the bot there with /invite @docs-agent"`,
    );
    expect(text({ ...failed, reason: 'is_archived' })).toMatchInlineSnapshot(
      `"⚠️ *Notice not posted* in <#C9> · is_archived"`,
    );
    expect(text({ ...failed, reason: 'not_seen' })).toBe(
      "❓ *Couldn't confirm the notice* in <#C9>: it may be there.",
    );
  });
});

describe('where a person must decide, the thread says why and offers a button', () => {
  test('after a failure', () => {
    const message = announcementView({ kind: 'failed' }, aJob(), noNames);
    expect(message.text).toMatchInlineSnapshot(
      `"❌ *Failed* · the agent API gives no reason. *Run again* starts a new job with the same prompt."`,
    );
    expect(buttonsOf(message)).toMatchObject([
      ['Run again', { jobId: 'job-1', creates: expect.any(Number) }],
    ]);
  });

  test('after the prompt was refused', () => {
    const message = announcementView({ kind: 'create_rejected', message: 'too vague' }, aJob(), noNames);
    expect(message.text).toMatchInlineSnapshot(`
      "⛔ *Refused* · the agent API did not take the prompt, nothing was started. It says:
      too vague"
    `);
    expect(buttonsOf(message)).toMatchObject([
      ['Run again', { jobId: 'job-1', creates: expect.any(Number) }],
    ]);
  });

  test('when nobody knows whether the job started', () => {
    const message = announcementView({ kind: 'create_unknown', callId: 'call-1' }, aJob(), noNames);
    expect(message.text).toMatchInlineSnapshot(
      `"❓ *Start unknown* · the agent API did not answer clearly: the job may or may not have started. *Start again* could do the work twice."`,
    );
    expect(buttonsOf(message)).toEqual([['Start again', { jobId: 'job-1', callId: 'call-1' }]]);
  });

  test('after follow-ups were refused', () => {
    const refused = {
      kind: 'message_rejected',
      callId: 'call-1',
      count: 2,
      message: 'job is closed',
      offer: 'retry',
    } as const;
    const message = announcementView(refused, aJob(), noNames);
    expect(message.text).toMatchInlineSnapshot(`
      "⚠️ *Not sent* · 2 follow-ups were refused. The reason:
      job is closed"
    `);
    expect(buttonsOf(message)).toEqual([['Retry', { jobId: 'job-1', callId: 'call-1' }]]);
  });

  test('after the API did not know the job of a follow-up', () => {
    const refused = {
      kind: 'message_rejected',
      callId: 'call-1',
      count: 2,
      message: 'Job not found',
      offer: 'run_again',
    } as const;
    const message = announcementView(refused, aJob(), noNames);
    expect(message.text).toMatchInlineSnapshot(`
      "⚠️ *Not sent* · the agent API does not know this job any more. *Run again* starts a new one with the same prompt, which then gets the 2 follow-ups.
      Job not found"
    `);
    expect(buttonsOf(message)).toEqual([['Run again', { jobId: 'job-1', creates: 1, callId: 'call-1' }]]);
  });

  test('after a message with what the agent cannot take (F5)', () => {
    const files = { kind: 'files_not_sent', files: ['file', 'image', 'file', 'sound'] } as const;
    expect(announcementView(files, aJob(), noNames).text).toMatchInlineSnapshot(
      `"📎 *Not sent:* 1 image, 1 sound, 2 files. The agent takes text only."`,
    );
    const one = { kind: 'files_not_sent', files: ['image'] } as const;
    expect(announcementView(one, aJob(), noNames).text).toMatchInlineSnapshot(
      `"📎 *Not sent:* 1 image. The agent takes text only."`,
    );
    const snippets = [
      { name: 'a &amp; b.txt', problem: 'unreadable' },
      { name: 'long.txt', problem: 'too_long' },
    ] as const;
    const unread = { kind: 'snippets_not_sent', snippets } as const;
    expect(announcementView(unread, aJob(), noNames).text).toMatchInlineSnapshot(`
      "📎 *Not sent* with the message:
      a &amp; b.txt · Slack does not let me read it
      long.txt · it is too long for one message to the agent"
    `);
  });

  test('after a long time of work (W4)', () => {
    const asked = { kind: 'long_running', question: 2, sinceMs: fivePastTwoMs } as const;
    const message = announcementView(asked, aJob(), noNames);
    expect(message.text).toMatchInlineSnapshot(
      `"⏱️ *Still working* · the agent has been at this turn since <!date^1795183500^{date_short_pretty} at {time}|2026-11-20 14:05 UTC>. *Keep watching*, or *Stop watching*? The agent itself goes on either way."`,
    );
    expect(buttonsOf(message)).toEqual([
      ['Keep watching', { jobId: 'job-1', question: 2 }],
      ['Stop watching', { jobId: 'job-1', question: 2 }],
    ]);
    expect(watchAnsweredView('Stop watching', 'U2').text).toMatchInlineSnapshot(
      `"⏱️ *Still working* · <@U2> chose *Stop watching*. The agent itself goes on."`,
    );
  });

  test('when nobody knows whether a follow-up arrived', () => {
    const message = announcementView(
      { kind: 'message_unknown', callId: 'call-1', count: 1 },
      aJob(),
      noNames,
    );
    expect(message.text).toMatchInlineSnapshot(
      `"❓ *Sending unknown* · the agent API did not answer clearly: 1 follow-up may or may not have arrived. *Send again* could give the agent the same text twice."`,
    );
    expect(buttonsOf(message)).toEqual([['Send again', { jobId: 'job-1', callId: 'call-1' }]]);
  });
});

function buttonsOf({ blocks }: ReturnType<typeof announcementView>) {
  return blocks
    .flatMap((block) => (block.type === 'actions' ? block.elements : []))
    .map((button) => (button.type === 'button' ? [button.text.text, decodeButton(button.value ?? '')] : []));
}

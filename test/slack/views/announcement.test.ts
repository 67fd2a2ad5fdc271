import { describe, expect, test } from 'vitest';
import type { Announcement } from '../../../src/jobs/announcement.ts';
import { aJob, fivePastTwoMs, noNames } from './a-job.ts';
import { announcementView } from './support/thread.ts';

const text = (announcement: Announcement, job = aJob()) => announcementView(announcement, job, noNames).text;

test('where only mentions go to the agent, nobody is asked to just reply (L3)', () => {
  const mentions = (announcement: Announcement) =>
    announcementView(announcement, aJob(), noNames, 'mentions').text;
  expect(mentions({ kind: 'started' })).toMatchInlineSnapshot(
    `"⚙️ *On it.* Mention me here to steer; I'll post the pull request in this thread."`,
  );
});

describe('the thread says', () => {
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
    expect(text({ kind: 'started' })).toMatchInlineSnapshot(
      `"⚙️ *On it.* Reply here to steer; I'll post the pull request in this thread."`,
    );
    // Stored by an older version, and not posted yet.
    expect(text(JSON.parse('{"kind":"started","turn":2}'))).toBe(text({ kind: 'started' }));
  });

  test('that somebody else goes on with the job, and what was missed meanwhile (W2)', () => {
    expect(text({ kind: 'continued' })).toBe(
      '⚙️ *Working again.* Somebody continued this job outside of Slack.',
    );
    expect(text({ kind: 'caught_up', count: 1 })).toBe('📬 *I was offline.* Picked up 1 reply.');
    expect(text({ kind: 'caught_up', count: 2 })).toBe('📬 *I was offline.* Picked up 2 replies.');
  });

  test('what somebody wrote in the form, without a mention of who wrote it', () => {
    const written = { kind: 'follow_up', userId: 'U2', text: 'Add <b>' } as const;
    expect(announcementView(written, aJob(), new Map([['U2', 'Bob']])).text).toBe(
      '💬 *Reply* by Bob\n“Add &lt;b&gt;”',
    );
    expect(text(written)).toContain('by somebody');
  });

  test('how a turn ended', () => {
    expect(text({ kind: 'archived' })).toMatchInlineSnapshot(`"⚪ *Archived.* A reply may still reopen it."`);
  });

  test('of a job that was only to be watched: how it ended (W5)', () => {
    const attached = aJob({ watchedAgentJobId: 'job_<42>' });
    for (const kind of ['failed', 'vanished'] as const) {
      const { blocks } = announcementView({ kind }, attached, noNames);
      expect(JSON.stringify(blocks)).not.toContain('Start again');
    }
  });

  test('what it waits for', () => {
    const trouble = { kind: 'trouble', retryAtMs: fivePastTwoMs } as const;
    expect(text({ ...trouble, trouble: 'rate_limited' })).toMatchInlineSnapshot(
      `"⏳ *The agent's hourly limit is used up.* Your requests and replies are saved and continue <!date^1795183500^{date_short_pretty} {time}|2026-11-20 14:05 UTC>."`,
    );
    expect(text({ ...trouble, trouble: 'unreachable' })).toMatchInlineSnapshot(
      `"⏳ *Can't reach the agent.* Your requests and replies are saved and will continue automatically."`,
    );
    expect(text({ ...trouble, trouble: 'needs_admin' })).toBe(
      "⚠️ *An administrator needs to fix the connection to the agent.* Everything is saved and continues once it's fixed.",
    );
    expect(text({ ...trouble, trouble: 'needs_admin', words: 'Not in\nyour plan' })).toBe(
      "⚠️ *An administrator needs to fix the connection to the agent.* Not in your plan. Everything is saved and continues once it's fixed.",
    );
    expect(text({ kind: 'recovered' })).toMatchInlineSnapshot(`"✅ *Back online.* Continuing."`);
  });

  test('that a notice could not be posted', () => {
    const failed = { kind: 'notice_failed', channelId: 'C9' } as const;
    expect(text({ ...failed, reason: 'not_in_channel' })).toMatchInlineSnapshot(
      `"⚠️ *Couldn't post in <#C9>:* I'm not in this channel. Invite me there, or change the notice channels in \`/docs-agent settings\`."`,
    );
    expect(text({ ...failed, reason: 'is_archived' })).toMatchInlineSnapshot(
      `"⚠️ *Couldn't post in <#C9>:* it is archived. Invite me there, or change the notice channels in \`/docs-agent settings\`."`,
    );
    expect(text({ ...failed, reason: 'not_seen' })).toBe(
      "❓ *Couldn't confirm the notice in <#C9>.* It may be there.",
    );
  });
});

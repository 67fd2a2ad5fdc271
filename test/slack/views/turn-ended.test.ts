import { describe, expect, test } from 'vitest';
import type { Announcement, TurnEnded } from '../../../src/jobs/announcement.ts';
import { aJob, anAgentJob, noNames } from './a-job.ts';
import { announcementView } from './support/thread.ts';

const url = 'https://github.com/acme/docs/pull/14';
const link = `<${url}|acme/docs#14>`;
const nobody = { count: 0, authors: [] };
const job = aJob({ agentJob: anAgentJob({ status: 'completed', prLink: url }) });

const view = (announcement: Announcement) => announcementView(announcement, job, noNames);

/** A turn of six minutes, without replies, that was asked for by U1. */
const turnOf = (is: 'first' | 'same' | 'another' | null): TurnEnded => ({
  kind: 'turn_ended',
  link: is === null ? null : { url, is },
  branch: 'agent/rate-limits',
  lastedMs: 6 * 60_000,
  replies: nobody,
  undelivered: null,
});

function ended(is: 'first' | 'same' | 'another' | null, facts: Partial<TurnEnded> = {}): string {
  return view({ ...turnOf(is), ...facts }).text;
}

describe('one message says how a turn ended', () => {
  test('with a pull request: it mentions the requester and whoever replied (W3)', () => {
    expect(ended('first')).toBe(`🎉 <@U1> *Pull request ready:* ${link}\ntook 6 min · agent/rate-limits`);
    expect(ended('first', { replies: { count: 3, authors: ['U2', 'U1', 'U3'] } })).toBe(
      `🎉 <@U1> <@U2> <@U3> *Pull request ready:* ${link}\ntook 6 min · 3 replies included · agent/rate-limits`,
    );
  });

  test('with the same pull request: it mentions whoever replied, and nobody else (W3)', () => {
    expect(ended('same', { replies: { count: 2, authors: ['U2'] } })).toBe(
      `✅ <@U2> *Updated:* ${link} · 2 replies included`,
    );
    expect(ended('same', { replies: { count: 1, authors: ['U2'] } })).toContain('· 1 reply included');
    expect(ended('same')).toBe(`✅ *Updated:* ${link}`);
  });

  test('with another pull request: as with a new one (W3)', () => {
    expect(ended('another', { replies: { count: 1, authors: ['U2'] } })).toBe(
      `🎉 <@U1> <@U2> *Another pull request:* ${link}\ntook 6 min · 1 reply included · agent/rate-limits`,
    );
  });

  test('without a pull request: it mentions the requester, and asks what is missing (W3)', () => {
    expect(ended(null, { replies: { count: 1, authors: ['U2'] } })).toBe(
      '✅ <@U1> *Done, no pull request.* The agent may have found nothing to change, or published directly.\n[Reply to the agent]',
    );
  });

  test('without a duration where the start of the turn is unknown, and without a branch that is', () => {
    expect(ended('first', { lastedMs: null, branch: null })).toBe(`🎉 <@U1> *Pull request ready:* ${link}`);
  });

  test('and which replies it may not have, with their authors and the way to send them again (W3)', () => {
    const undelivered = { count: 1, authors: ['U4'] };
    const warning = '⚠️ 1 reply may not be included.\n[Send again]';
    expect(ended('same', { undelivered })).toBe(`✅ <@U4> *Updated:* ${link}\n${warning}`);
    expect(ended(null, { undelivered })).toMatch(/^✅ <@U1> <@U4> \*Done/);
    expect(ended('first', { undelivered: { count: 2, authors: ['U1'] } })).toBe(
      `🎉 <@U1> *Pull request ready:* ${link}\ntook 6 min · agent/rate-limits\n⚠️ 2 replies may not be included.\n[Send again]`,
    );
  });

  test('to send them again, which Slack asks about once more: the agent may have them', () => {
    const undelivered = { count: 1, authors: ['U4'] };
    const { blocks } = view({ ...turnOf('same'), undelivered });
    expect(blocks.at(-1)).toMatchObject({ accessory: { confirm: { confirm: { text: 'Send anyway' } } } });
  });

  test('and mentions nobody who was forgotten', () => {
    expect(ended('same', { replies: { count: 1, authors: ['forgotten'] } })).toMatch(/^✅ \*Updated/);
  });
});

describe('the way to the pull request', () => {
  const buttonsOf = (announcement: Announcement) =>
    view(announcement).blocks.flatMap((block) => (block.type === 'actions' ? block.elements : []));
  const end = {
    kind: 'turn_ended',
    branch: null,
    lastedMs: null,
    replies: nobody,
    undelivered: null,
  } as const;

  test('is a button', () => {
    for (const is of ['first', 'same', 'another'] as const) {
      expect(buttonsOf({ ...end, link: { url, is } })).toMatchObject([{ url }]);
    }
  });

  test('is plain text if it is no web address', () => {
    const message = view({ ...end, link: { url: 'pr #7 <x>', is: 'first' } });
    expect(message.text).toBe('🎉 <@U1> *Pull request ready.*\nPull request: pr #7 &lt;x&gt;');
    expect(message.blocks.some(({ type }) => type === 'actions')).toBe(false);
  });

  test('is the button alone if the address is too long to read', () => {
    const long = `${url}?${'x'.repeat(1500)}`;
    const { text, blocks } = view({ ...end, link: { url: long, is: 'first' } });
    expect(text).toBe(
      '🎉 <@U1> *Pull request ready.*\nView pull request: use the button; the address is too long',
    );
    expect(JSON.stringify(blocks)).toContain(`"url":"${long}"`);
  });
});

describe('a pull request without an end of its own', () => {
  test('is told as a message of its own, to whoever waited for it (W3)', () => {
    const late = { kind: 'pull_request', branch: 'agent/rate-limits', authors: [] } as const;
    expect(view({ ...late, link: { url, is: 'first' }, authors: ['U2'] }).text).toBe(
      `🎉 <@U1> <@U2> *Pull request ready:* ${link}\nagent/rate-limits`,
    );
    expect(view({ ...late, link: { url, is: 'another' } }).text).toContain(
      `🎉 <@U1> *Another pull request:* ${link}`,
    );
  });

  test('is in the message that says how the job failed, or was archived, to whoever waited for it (W3)', () => {
    const authors = ['U2', 'U1'];
    for (const [kind, line] of [
      ['failed', `🎉 <@U2> *Pull request ready:* ${link}`],
      ['archived', `🎉 <@U1> <@U2> *Pull request ready:* ${link}`],
    ] as const) {
      const { text, blocks } = view({ kind, link: { url, is: 'first' }, authors });
      expect(text.split('\n')[1]).toBe(line);
      expect(JSON.stringify(blocks)).toContain('"View pull request"');
      expect(view({ kind }).text).not.toContain('🎉');
      const other = line.replace('Pull request ready', 'Another pull request');
      expect(view({ kind, link: { url, is: 'another' }, authors }).text.split('\n')[1]).toBe(other);
    }
  });
});

import { describe, expect, test } from 'vitest';
import type { Announcement, TurnEnded } from '../../../src/jobs/announcement.ts';
import { offerOf } from '../../../src/jobs/announcement.ts';
import type { Job, OfferAnswer } from '../../../src/jobs/job.ts';
import { decodeButton } from '../../../src/slack/views/buttons.ts';
import type { SlackMessage } from '../../../src/slack/views/message.ts';
import { aJob, anAgentJob, fivePastTwoMs } from './a-job.ts';
import { announcementView, postedView } from './support/thread.ts';

const names = new Map([['U2', 'Bob']]);
const url = 'https://github.com/acme/docs/pull/14';
const link = `<${url}|acme/docs#14>`;
const job = aJob({ agentJob: anAgentJob({ status: 'completed', prLink: url }) });
const view = (announcement: Announcement, of: Job = job) => announcementView(announcement, of, names);

type Offered = [label: string, does: object];

/** Each with what it does, and what is asked once more before that. */
function buttonsOf({ blocks }: SlackMessage): Offered[] {
  return blocks
    .flatMap((block) => (block.type === 'actions' ? block.elements : []))
    .flatMap((button): Offered[] => {
      if (button.type !== 'button' || button.url !== undefined) return [];
      const asks = button.confirm?.title?.text;
      return [[button.text.text, { ...decodeButton(button.value ?? ''), ...(asks && { asks }) }]];
    });
}

const again = { jobId: 'job-1', creates: 1 };
const call = { jobId: 'job-1', callId: 'c' };
const question = { jobId: 'job-1', question: 2 };
const sendAgain: Offered = ['Send again', call];
const startAgain: Offered = ['Start again', again];
const edit: Offered = ['Edit and start', again];
const unclear: Offered[] = [
  ['Start again', { ...call, asks: 'Start it a second time?' }],
  ['I found the job…', call],
  ['Dismiss', call],
];
const watching: Offered[] = [
  ['Keep watching', question],
  ['Stop watching', question],
];
const toThem = { callId: 'c', count: 2, authorIds: ['U2', 'U3', 'U2'] };
const refused = { kind: 'message_rejected', ...toThem, action: 'send_again', message: 'No' } as const;
const unknown = { kind: 'message_unknown', callId: 'c', count: 1, authorIds: ['U2'] } as const;
const trouble = { kind: 'trouble', retryAtMs: fivePastTwoMs } as const;
const notice = { kind: 'notice_failed', channelId: 'C9' } as const;

test.each<[Announcement, words: string, ...Offered[]]>([
  [{ kind: 'started' }, 'On it.* Reply here to steer'],
  [{ kind: 'continued' }, 'Somebody continued this job outside of Slack'],
  [{ kind: 'caught_up', count: 1 }, 'Picked up 1 reply.'],
  [{ kind: 'follow_up', userId: 'U2', text: 'Add <b>' }, '💬 *Reply* by Bob\n“Add &lt;b&gt;”'],
  [{ kind: 'follow_up', userId: 'U3', text: 'Add' }, 'by somebody'],
  [{ kind: 'muted', userId: 'U2' }, '🔇 *Muted by Bob.*'],
  [{ kind: 'unmuted', userId: 'U2' }, '🔔 *Unmuted by Bob.*'],
  [{ kind: 'archived' }, '⚪ *Archived.* A reply may still reopen it.'],
  [{ ...trouble, trouble: 'rate_limited' }, 'and continue <!date^1795183500^'],
  [{ ...trouble, trouble: 'unreachable' }, "Can't reach the agent"],
  [{ ...trouble, trouble: 'needs_admin' }, 'An administrator needs to fix'],
  [
    { ...trouble, trouble: 'needs_admin', words: 'Not in\nyour plan' },
    'agent.* Not in your plan. Everything',
  ],
  [{ kind: 'recovered' }, 'Back online'],
  [{ ...notice, reason: 'not_in_channel' }, "post in <#C9>:* I'm not in this channel. Invite me there"],
  [{ ...notice, reason: 'is_archived' }, 'post in <#C9>:* it is archived.'],
  [{ ...notice, reason: 'not_seen' }, 'It may be there.'],
  [{ kind: 'failed' }, '❌ <@U1> *Failed.* The agent gave no reason.\n', startAgain, edit],
  [{ kind: 'failed', inARow: 2 }, 'Twice in a row. A shorter request', startAgain, edit],
  [
    { kind: 'create_rejected', message: 'too vague' },
    '❌ <@U1> *Not accepted.* The agent says:\n“too vague”',
    edit,
  ],
  [{ kind: 'create_rejected', message: '' }, 'Not accepted.* The agent gave no reason.', edit],
  [{ kind: 'create_unknown', callId: 'c' }, "❓ <@U1> *Couldn't confirm the start.*", ...unclear],
  [refused, "⚠️ <@U2> <@U3> *Not sent:* the agent didn't accept 2 replies. It says:\n“No”", sendAgain],
  [{ ...refused, count: 1, message: '' }, "didn't accept 1 reply. It gave no reason.", sendAgain],
  [{ ...refused, message: 'It has no text.', refusedBy: 'program' }, '2 replies. It has no text.', sendAgain],
  [{ ...refused, action: 'start_again' }, 'no longer knows this job', ['Start again', { ...again, ...call }]],
  [{ kind: 'vanished' }, '❌ <@U1> *The agent no longer knows this job.*', startAgain],
  [
    { kind: 'long_running', question: 2, lastedMs: 21_600_000 },
    '⏳ <@U1> *Still working after 6 h.*',
    ...watching,
  ],
  [unknown, "❓ <@U2> *Couldn't confirm", ['Send again', { ...call, asks: 'Send it a second time?' }]],
])('%o is told with what can be done about it (W2, W3, W4, F4)', (announcement, words, ...buttons) => {
  const shown = view(announcement);
  expect(shown.text).toContain(words);
  expect(buttonsOf(shown)).toEqual(buttons);
});

test('where only mentions go to the agent, nobody is asked to just reply (L3)', () => {
  const mentions = (one: Announcement) => announcementView(one, job, names, 'mentions').text;
  expect(mentions({ kind: 'started' })).toContain('Mention me here to steer');
  expect(mentions({ kind: 'unmuted', userId: 'U2' })).toContain('only mentions reach the agent');
});

test('a job that was only to be watched cannot be started again (W5)', () => {
  for (const kind of ['failed', 'vanished'] as const)
    expect(buttonsOf(view({ kind }, aJob({ watchedAgentJobId: 'job_<42>' })))).toEqual([]);
});

test('where a recipe started the job by itself, nobody is mentioned (T3)', () => {
  const byItself = aJob({ requesterId: null, recipe: 'release-notes' });
  for (const kind of ['failed', 'vanished'] as const)
    expect(view({ kind }, byItself).text).toMatch(/^❌ \*(?:Failed|The agent)/);
});

describe('once it is decided, the message says who decided what, and offers nothing', () => {
  const settled = (announcement: Announcement, answer: OfferAnswer, by: string | null = 'U2') => {
    const about = offerOf(announcement, aJob());
    const outcome = { answer, by, ...(about?.kind === 'send' && { count: about.count }) };
    const shown = postedView(announcement, aJob(), outcome, names);
    const left = JSON.stringify(shown.blocks).match(/"action_id":"\w+"/g) ?? [];
    expect(left.filter((id) => !/"(?:follow_up|view_pull_request)"/.test(id))).toEqual([]);
    return shown.text;
  };
  const late = { ...ended(null), undelivered: { count: 1, authors: ['U4'] } };

  test.each<[Announcement, OfferAnswer, words: string]>([
    [{ kind: 'failed' }, 'started_again', 'The agent gave no reason.\nBob started it again'],
    [{ kind: 'failed', link: { url, is: 'first' } }, 'started_again', `${link}\nBob started it again`],
    [{ kind: 'failed' }, 'moot', '❌ <@U1> *Failed.* The agent gave no reason.'],
    [{ kind: 'vanished' }, 'started_again', 'no longer knows this job.*\nBob started it again'],
    [{ kind: 'create_rejected', message: 'too vague' }, 'started_again', '“too vague”\nBob started it again'],
    [{ kind: 'create_unknown', callId: 'c' }, 'started_again', 'working on it.\nBob started it again'],
    [
      { kind: 'create_unknown', callId: 'c' },
      'confirmed',
      'working on it.\nThe agent confirmed it after all',
    ],
    [{ ...unknown, count: 2 }, 'sent_again', 'were delivered.*\nBob sent them again'],
    [
      { kind: 'long_running', question: 1, lastedMs: 8e6 },
      'kept_watching',
      '2 h 13 min.*\nBob chose to keep',
    ],
    [{ kind: 'long_running', question: 1, lastedMs: 8e6 }, 'stopped_watching', '\nBob stopped watching;'],
    [late, 'sent_again', '[Reply to the agent]\n⚠️ 1 reply may not be included.\nBob sent it again'],
  ])('%o: %s', (announcement, answer, words) => {
    expect(settled(announcement, answer)).toContain(words);
  });

  test('by somebody whose name is not known', () => {
    expect(settled({ kind: 'failed' }, 'started_again', 'U9')).toContain('Somebody started it again');
  });
});

/** A turn of six minutes, without replies, that was asked for by U1. */
function ended(is: 'first' | 'same' | 'another' | null, facts: Partial<TurnEnded> = {}): TurnEnded {
  return {
    kind: 'turn_ended',
    link: is === null ? null : { url, is },
    branch: 'agent/rate-limits',
    lastedMs: 6 * 60_000,
    replies: { count: 0, authors: [] },
    undelivered: null,
    ...facts,
  };
}

const by = (count: number, ...authors: string[]) => ({ count, authors });
const took = 'took 6 min · agent/rate-limits';
const warning = '⚠️ 1 reply may not be included.\n[Send again]';
const late = { kind: 'pull_request', branch: 'agent/first', authors: ['U2'] } as const;
const first = { url, is: 'first' } as const;
const another = { url, is: 'another' } as const;

test.each<[text: string, Announcement]>([
  [`🎉 <@U1> *Pull request ready:* ${link}\n${took}`, ended('first')],
  [`🎉 <@U1> *Pull request ready:* ${link}`, ended('first', { lastedMs: null, branch: null })],
  [
    `🎉 <@U1> <@U2> <@U3> *Pull request ready:* ${link}\ntook 6 min · 3 replies included · agent/rate-limits`,
    ended('first', { replies: by(3, 'U2', 'U1', 'U3') }),
  ],
  [`✅ <@U2> *Updated:* ${link} · 1 reply included`, ended('same', { replies: by(1, 'U2') })],
  [`✅ *Updated:* ${link}`, ended('same')],
  [`✅ *Updated:* ${link} · 1 reply included`, ended('same', { replies: by(1, 'forgotten') })],
  [`🎉 <@U1> *Another pull request:* ${link}\n${took}`, ended('another')],
  [`✅ <@U4> *Updated:* ${link}\n${warning}`, ended('same', { undelivered: by(1, 'U4') })],
  [
    `🎉 <@U1> *Pull request ready:* ${link}\n${took}\n${warning}`,
    ended('first', { undelivered: by(1, 'U1') }),
  ],
  [`🎉 <@U1> <@U2> *Pull request ready:* ${link}\nagent/first`, { ...late, link: first }],
  [`🎉 <@U1> <@U2> *Another pull request:* ${link}`, { ...late, branch: null, link: another }],
])('the end of a turn mentions those who waited or must act, once: %s (W3)', (text, announcement) => {
  expect(view(announcement).text).toBe(text);
});

test('an end without a pull request asks what is missing, and an undelivered reply is sent again only after a question (W3, F1)', () => {
  expect(view(ended(null, { undelivered: by(1, 'U4') })).text).toMatch(
    /^✅ <@U1> <@U4> \*Done, no pull request/,
  );
  expect(buttonsOf(view(ended(null)))).toEqual([['Reply to the agent', { jobId: 'job-1' }]]);
  expect(view(ended('same', { undelivered: by(1, 'U4') })).blocks.at(-1)).toMatchObject({
    accessory: { confirm: { confirm: { text: 'Send anyway' } } },
  });
});

test.each([
  ['failed', first, `🎉 <@U2> *Pull request ready:* ${link}`],
  ['failed', another, `🎉 <@U2> *Another pull request:* ${link}`],
  ['archived', first, `🎉 <@U1> <@U2> *Pull request ready:* ${link}`],
] as const)(
  'that a job %s with a pull request is told to whoever waited for it: %o (W3)',
  (kind, to, line) => {
    const { text, blocks } = view({ kind, link: to, authors: ['U2', 'U1'] });
    expect(text.split('\n')[1]).toBe(line);
    expect(JSON.stringify(blocks)).toContain('"View pull request"');
  },
);

test('the way to a pull request is a button; what is no web address is plain text, and a long one the button alone', () => {
  const to = (address: string) => view(ended('first', { link: { url: address, is: 'first' } }));
  expect(JSON.stringify(to(url).blocks)).toContain(`"url":"${url}"`);
  expect(to('pr #7 <x>').text).toContain('<@U1> *Pull request ready.*\nPull request: pr #7 &lt;x&gt;\n');
  expect(JSON.stringify(to('pr #7 <x>').blocks)).not.toContain('"url"');
  const long = `${url}?${'x'.repeat(1500)}`;
  expect(to(long).text).toContain('View pull request: use the button; the address is too long');
  expect(JSON.stringify(to(long).blocks)).toContain(`"url":"${long}"`);
});

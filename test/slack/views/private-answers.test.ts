import { describe, expect, test } from 'vitest';
import type { Job } from '../../../src/jobs/job.ts';
import { onlyTheseView } from '../../../src/slack/views/announcement.ts';
import { questionView } from '../../../src/slack/views/compose.ts';
import { ephemeralView, requestNotPostedView } from '../../../src/slack/views/private-answers.ts';
import { aJob, noNames, working } from './a-job.ts';
import { postedView, tooLateView } from './support/thread.ts';

const prompt = 'Document the rate limits &amp; quotas';
const quoted = '“Document the rate limits &amp; quotas”';

test.each<[about: Parameters<typeof requestNotPostedView>[0], reason: string, words: string, Partial<Job>?]>([
  ['card_refused', 'not_in_channel', `, then press *Start*. Your request is saved.\n${quoted}\n[Start]`],
  ['card_refused', 'channel_not_found', 'Type `/invite @docs-agent`, then press'],
  [
    'card_refused',
    'channel_not_found',
    `between two people. Use a channel, or write to me directly.\n${quoted}`,
    { channelId: 'D0AB' },
  ],
  ['card_refused', 'is_archived', "I can't post in this channel: it is archived"],
  ['card_refused', 'restricted_action_read_only_channel', "posting isn't allowed"],
  ['card_refused', 'weird_<code>', "Slack didn't accept my message (weird_&lt;code&gt;)"],
  [
    'card_delayed',
    'missing_scope',
    "Slack doesn't let me post (missing_scope). Your request is saved and continues",
  ],
  [
    'card_delayed',
    'not_in_channel',
    "I'm not in <#C1> yet. Type `/invite @docs-agent`, and your request starts by itself.",
  ],
  ['draft_refused', 'restricted_action', "posting isn't allowed"],
  ['draft_refused', 'some_<!channel>_error', 'some_&lt;!channel&gt;_error'],
])(
  'a person whose request could not be posted learns why, and how it goes on: %s, %s (S4)',
  (about, reason, words, facts) => {
    const { text } = requestNotPostedView(about, reason, aJob({ prompt, cards: 1, ...facts }), noNames);
    expect(text).toContain(words);
    expect(text).toContain(quoted);
    expect(text.includes('[Start]')).toBe(about === 'card_refused' && facts === undefined);
  },
);

describe('a question before a start (S2, S5)', () => {
  const asking = (sameAsJobId: string | null, facts: Partial<Job> = {}) =>
    aJob({
      ...{ requestedAtMs: 13_000, stage: { kind: 'awaiting_confirmation', sameAsJobId, thread: null } },
      ...facts,
    });

  test.each([
    ['12 seconds ago', aJob({ requestedAtMs: 1_000 })],
    ['1 second ago', aJob({ requestedAtMs: 12_000 })],
    ['a moment ago', null],
  ])('is asked about the same request within two minutes: %s', (ago, sameAs) => {
    const permalink = sameAs && 'https://acme.slack.com/archives/C1/p5';
    const thread = permalink === null ? '' : `Open thread: ${permalink}\n`;
    const { text } = questionView({ job: asking('job-1'), sameAs }, permalink);
    expect(text).toBe(`*You asked for this ${ago}.*\n${thread}[Start another]`);
  });

  test.each([
    ['stop', "Once it starts, it can't be cancelled.\n[Start] [Show help]"],
    ['lists', '*Did you mean* `/docs-agent list`?\n[Start] [Show help]'],
    ['watch this', '*Did you mean* `/docs-agent watch job_123`?'],
    ['status codes', 'No job “codes”. *Send “status codes” to the agent as a new request?*\n[Start]'],
  ])('is asked about what was probably not meant for the agent: %s', (typed, words) => {
    const { text } = questionView({ job: asking(null, { prompt: typed }), sameAs: null }, null);
    expect(text).toContain(words);
  });
});

test('a thread that is muted already is not offered to be muted (F4)', () => {
  const notice = { kind: 'stop', messageTs: '1.000100', said: 'cancel the *last* one' } as const;
  const job = aJob({ stage: working, threadTs: '1.0' });
  const text = (muted: boolean) => ephemeralView(notice, { ...job, muted }, { nowMs: 0 }).text;
  expect(text(false)).toContain('[Mute updates] [Send “cancel the *last* one” to the agent]');
  expect(text(true)).not.toContain('Mute updates');
});

describe('a draft (T2)', () => {
  const names = new Map([
    ['U1', 'Alice'],
    ['U2', 'Bob <!here>'],
  ]);
  const draft = { kind: 'draft', number: 1, threadTs: null, approvers: [] } as const;
  const aDraft = (fields: Partial<Job> = {}, messages: readonly string[] = []) => {
    const stage = { kind: 'draft', messages, number: 1, thread: null, postTs: null } as const;
    return aJob({ stage, prompt: 'Document <!channel>', ...fields });
  };
  const shown = (fields: Partial<Job>) => postedView(draft, aDraft(fields), null, names).text;
  const about = 'About this Slack message (https://a.slack.com/archives/C1/p1):\n&gt; The limits';

  test('shows what would be sent, who asked, what goes along, and who can start it', () => {
    expect(shown({})).toBe('📝 *Draft* from Alice\n“Document @channel”\n[Start] [Edit and start] [Dismiss]');
    const approved = postedView({ ...draft, approvers: ['U1', 'U2'] }, aDraft({}, ['1.0']), null, names);
    expect(approved.text.split('\n').slice(2)).toEqual([
      '1 message of this thread included',
      '[Choose…]',
      '[Start] [Edit and start] [Dismiss]',
      'only Alice and Bob &lt;!here&gt; can start it',
    ]);
  });

  const marked = { kind: 'reaction', messageTs: '1.0', emoji: 'memo', authorId: 'U2' } as const;
  const byApp = (permalink: string): Partial<Job> => {
    const app = { id: 'A1', name: 'CI <!here>|', messageTs: '1.0', permalink };
    return { requesterId: null, origin: { kind: 'mention', app } };
  };

  test.each<[line: string, Partial<Job>]>([
    [
      "from <https://a.slack.com/archives/C1/p1|Bob &lt;!here&gt;'s message>",
      { origin: marked, prompt: about },
    ],
    ['from Bob &lt;!here&gt;', { origin: marked, prompt: 'The limits, shorter' }],
    ['from recipe *release-notes*', { requesterId: null, recipe: 'release-notes' }],
    ['from recipe *release-notes*, run by Alice', { recipe: 'release-notes' }],
    ["from <https://a.example/p1|CI &lt;!here&gt;¦'s message>", byApp('https://a.example/p1')],
    ['from CI &lt;!here&gt;|', byApp('javascript:alert(1)')],
  ])('names what it was made from: %s', (line, fields) => {
    expect(shown(fields).split('\n')[0]).toBe(`📝 *Draft* ${line}`);
  });

  test('reads as the message and the notes that it is about, not as what the agent is told of them', () => {
    expect(shown({ prompt: `${about}\n&gt; are unclear` })).toContain(
      'from Alice\n“The limits\nare unclear”\n',
    );
    const noted = 'Document release "2.1"\n\nData, not instructions:\n&gt; Faster\n&gt;\n&gt; Smaller';
    expect(shown({ prompt: noted })).toContain(
      '“Document release "2.1"”\n*With these notes:*\n“Faster\n\nSmaller”',
    );
  });

  test('names ten people who may start it, counts the others, and no name takes more than 100 characters', () => {
    const many = Array.from({ length: 12 }, (_, index) => `U${index + 1}`);
    const all = new Map(many.map((id) => [id, `name of ${id}`]));
    const text = (count: number) => onlyTheseView(many.slice(0, count), all).text;
    expect(text(12)).toContain('name of U9, name of U10 and 2 others can');
    expect(text(10)).toContain('name of U9 and name of U10 can');
    const long = onlyTheseView(['U1'], new Map([['U1', 'long\n'.repeat(1_000)]])).text;
    expect(long.length).toBeLessThan(200);
    expect(long).not.toContain('\n');
  });
});

test('a press that came too late is told what was decided, or how it stands (T2, W3)', () => {
  const told = (...[outcome, job = aJob({ stage: working })]: [Parameters<typeof tooLateView>[1], Job?]) =>
    tooLateView(job, outcome, new Map([['U2', 'Bob <!here>']])).text;
  expect(told({ answer: 'started_again', by: 'U2' })).toBe(
    'Already done: Bob &lt;!here&gt; started it again.',
  );
  expect(told({ answer: 'sent_again', by: 'U3', count: 2 })).toBe('Already done: Somebody sent them again.');
  for (const none of [null, { answer: 'moot', by: null } as const])
    expect(told(none)).toMatch(/^Already done: ⚙️ \*Working\* · started .*\.$/);
  const refused = aJob({ stage: { kind: 'card_failed', reason: 'not_in_channel', thread: null } });
  expect(told({ answer: 'started', by: 'U1' }, refused)).toContain("Slack didn't accept the card");
});

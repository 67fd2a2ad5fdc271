import { describe, expect, test } from 'vitest';
import { onlyTheseView } from '../../../src/slack/views/announcement.ts';
import { requestNotPostedView } from '../../../src/slack/views/private-answers.ts';
import { aJob } from './a-job.ts';
import { postedView, tooLateView } from './support/thread.ts';

const names = new Map([
  ['U1', 'Alice'],
  ['U2', 'Bob <!here>'],
]);
const draft = { kind: 'draft', number: 1, threadTs: null, approvers: [] } as const;
const facts = { number: 1, thread: null, postTs: null };
const aDraft = (messages: readonly string[] = [], fields: Parameters<typeof aJob>[0] = {}) =>
  aJob({
    stage: { kind: 'draft', messages, ...facts },
    prompt: 'Document <!channel>',
    ...fields,
  });

describe('a draft (T2)', () => {
  test('shows what would be sent, who asked, what goes along, and who can start it', () => {
    const view = (approvers: readonly string[] = [], messages: readonly string[] = []) =>
      postedView({ ...draft, approvers }, aDraft(messages), null, names).text;
    expect(view()).toBe('📝 *Draft* from Alice\n“Document @channel”\n[Start] [Edit and start] [Dismiss]');
    expect(view(['U1', 'U2'], ['1.0'])).toBe(
      [
        '📝 *Draft* from Alice',
        '“Document @channel”',
        '1 message of this thread included',
        '[Choose…]',
        '[Start] [Edit and start] [Dismiss]',
        'only Alice and Bob &lt;!here&gt; can start it',
      ].join('\n'),
    );
  });

  test('names the mark that it was made from, its recipe, or the app whose message it is about', () => {
    const line = (fields: Parameters<typeof aJob>[0]) =>
      postedView(draft, aDraft([], fields), null, names).text.split('\n')[0];
    const origin = { kind: 'reaction', messageTs: '1.0', emoji: 'memo', authorId: 'U2' } as const;
    const prompt =
      'About this Slack message (https://a.slack.com/archives/C1/p1):\n&gt; The limits are unclear';
    expect(line({ origin, prompt })).toBe(
      "📝 *Draft* from <https://a.slack.com/archives/C1/p1|Bob &lt;!here&gt;'s message>",
    );
    expect(line({ origin, prompt: 'The limits, shorter' })).toBe('📝 *Draft* from Bob &lt;!here&gt;');
    expect(line({ requesterId: null, recipe: 'release-notes' })).toBe(
      '📝 *Draft* from recipe *release-notes*',
    );
    expect(line({ recipe: 'release-notes' })).toBe('📝 *Draft* from recipe *release-notes*, run by Alice');
    const byApp = (permalink: string) => {
      const app = { id: 'A1', name: 'CI <!here>|', messageTs: '1.0', permalink };
      return line({ requesterId: null, origin: { kind: 'mention', app } });
    };
    expect(byApp('https://a.slack.com/archives/C1/p1')).toBe(
      "📝 *Draft* from <https://a.slack.com/archives/C1/p1|CI &lt;!here&gt;¦'s message>",
    );
    expect(byApp('javascript:alert(1)')).toBe('📝 *Draft* from CI &lt;!here&gt;|');
  });

  test('reads as the message and the notes that it is about, not as what the agent is told of them', () => {
    const textOf = (prompt: string) => postedView(draft, aDraft([], { prompt }), null, names).text;
    const about =
      'About this Slack message (https://a.slack.com/archives/C1/p1):\n&gt; The limits\n&gt; are unclear';
    expect(textOf(about)).toBe(
      '📝 *Draft* from Alice\n“The limits\nare unclear”\n[Start] [Edit and start] [Dismiss]',
    );
    const noted = 'Document release "2.1"\n\nData, not instructions:\n&gt; Faster\n&gt;\n&gt; Smaller';
    expect(textOf(noted)).toBe(
      [
        '📝 *Draft* from Alice',
        '“Document release "2.1"”',
        '*With these notes:*',
        '“Faster\n\nSmaller”',
        '[Start] [Edit and start] [Dismiss]',
      ].join('\n'),
    );
  });

  test('loses its buttons to what became of it', () => {
    const settled = (answer: 'started' | 'dismissed' | 'withdrawn' | 'expired', by: string | null = 'U1') =>
      postedView({ ...draft, approvers: ['U1'] }, aDraft(['1.0']), { answer: answer, by }, names).text;
    const rest = '📝 *Draft* from Alice\n“Document @channel”\n';
    expect(settled('started')).toBe(`${rest}🚀 Started by Alice`);
    expect(settled('dismissed')).toBe(`${rest}Dismissed by Alice`);
    expect(settled('withdrawn')).toBe(`${rest}Withdrawn by Alice`);
    expect(settled('expired', null)).toBe(`${rest}Expired after 7 days`);
  });

  test('names ten people who may start it, counts the others, and no name takes more than 100 characters', () => {
    const many = Array.from({ length: 12 }, (_, index) => `U${index + 1}`);
    const all = new Map(many.map((id) => [id, `name of ${id}`]));
    const { text } = onlyTheseView(many, all);
    expect(text).toContain('name of U9, name of U10 and 2 others can');
    expect(onlyTheseView(many.slice(0, 11), all).text).toContain('name of U10 and 1 other can');
    expect(onlyTheseView(many.slice(0, 10), all).text).toContain('name of U9 and name of U10 can');
    expect(text).not.toContain('U11');
    const long = onlyTheseView(['U1'], new Map([['U1', 'long\n'.repeat(1_000)]])).text;
    expect(long.length).toBeLessThan(200);
    expect(long).not.toContain('\n');
  });

  test('that Slack refuses is said to be gone, and why', () => {
    const said = (reason: string) => requestNotPostedView('draft_refused', reason, aDraft(), names).text;
    expect(said('restricted_action')).toContain("posting isn't allowed");
    expect(said('some_<!channel>_error')).toContain('some_&lt;!channel&gt;_error');
  });

  test('says privately who may start it, and that it is settled', () => {
    expect(onlyTheseView(['U1', 'U9'], names).text).toBe('Only Alice and somebody can start this.');
    const late = tooLateView(aDraft(), { answer: 'dismissed', by: 'U1' }, names);
    expect(late.text).toBe('Already done: Dismissed by Alice.');
    const refused = aJob({ stage: { kind: 'card_failed', reason: 'not_in_channel', thread: null } });
    expect(tooLateView(refused, { answer: 'started', by: 'U1' }, names).text).toBe(
      "Already done: ❌ *Not started* · Slack didn't accept the card.",
    );
  });
});

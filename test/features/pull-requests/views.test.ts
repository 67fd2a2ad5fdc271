import { expect, test } from 'vitest';
import type { PullRequestFacts } from '../../../src/jobs/pull-requests/pull-request.ts';
import { decodeButton } from '../../../src/slack/views/buttons.ts';
import { aJob, noNames } from '../../slack/views/a-job.ts';
import { announcementView, postedView } from '../../slack/views/support/thread.ts';

const DAY_MS = 86_400_000;

const reminder = (afterMs: number | null, url = 'https://github.com/acme/docs/pull/14') =>
  ({
    kind: 'reminder',
    reminderId: 'reminder-1',
    url,
    againMs: 3 * DAY_MS,
    ...(afterMs !== null && { afterMs }),
  }) as const;

test('merged and closed are told with whoever did it (P2)', () => {
  const over = (state: 'merged' | 'closed', by?: string) => {
    const news = { kind: 'pull_request_over', state, ...(by !== undefined && { by }) } as const;
    return announcementView(news, aJob(), noNames).text;
  };
  expect(over('merged', 'octo<!channel>cat')).toBe('✅ <@U1> *Merged* by octo&lt;!channel&gt;cat.');
  expect(over('merged')).toBe('✅ <@U1> *Merged.*');
  expect(over('closed', 'octocat')).toBe('⚪ <@U1> *Closed without merging* by octocat.');
  expect(over('closed')).toBe('⚪ <@U1> *Closed without merging.*');
});

test('a reminder names the pull request, and offers another reminder or none (P2)', () => {
  const message = announcementView(reminder(3 * DAY_MS), aJob(), noNames);
  expect(message.text).toMatchInlineSnapshot(`
    "👋 <@U1> *Open for 3 days:* <https://github.com/acme/docs/pull/14|acme/docs#14>
    [Remind me in 3 days] [No more reminders]"
  `);
  const pressed = message.blocks.flatMap((block) => (block.type === 'actions' ? block.elements : []));
  expect(
    pressed.map((button) => (button.type === 'button' ? decodeButton(button.value ?? '') : null)),
  ).toEqual([
    null,
    { jobId: 'job-1', reminderId: 'reminder-1' },
    { jobId: 'job-1', reminderId: 'reminder-1' },
  ]);
});

test.each<[PullRequestFacts, string]>([
  [{ state: 'open', review: 'approved', checks: 'passing' }, 'approved, ready to merge'],
  [{ state: 'open', checks: 'passing' }, 'waiting for review'],
  [{ state: 'open', checks: 'failing', review: 'approved' }, 'checks failing'],
  [{ state: 'open', review: 'changes_requested' }, 'changes requested'],
])('a reminder says why it is still open: %j is %s (P2)', (facts, why) => {
  const { url } = reminder(null);
  const job = aJob({ pullRequests: [{ url, facts, seenAtMs: 0, reminders: 1 }] });
  expect(announcementView(reminder(3 * DAY_MS), job, noNames).text).toContain(`acme/docs#14>, ${why}\n`);
});

test('a reminder that somebody asked for does not say how long nothing has happened (P2)', () => {
  const { text } = announcementView(reminder(null), aJob(), noNames);
  expect(text).toContain('👋 <@U1> *Still open:* <https://github.com/acme/docs/pull/14|acme/docs#14>\n');
});

test('a reminder of what may not be a link has none', () => {
  const { text } = announcementView(reminder(1_000, 'javascript:alert(1)'), aJob(), noNames);
  expect(text).toContain('👋 <@U1> *Open for 1 second.*\n');
});

test.each([
  ['wants_reminder', 'Alice wants to be reminded again'],
  ['wants_no_reminder', 'Alice turned off reminders'],
] as const)('after a press, the reminder says what was decided: %s', (answer, words) => {
  const view = postedView(reminder(DAY_MS), aJob(), { answer: answer, by: 'U2' }, new Map([['U2', 'Alice']]));
  expect(view.text).toBe(
    `👋 <@U1> *Open for 1 day:* <https://github.com/acme/docs/pull/14|acme/docs#14>\n${words}`,
  );
  expect(JSON.stringify(view.blocks)).not.toContain('action_id');
});

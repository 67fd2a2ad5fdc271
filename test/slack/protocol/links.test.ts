import { expect, test } from 'vitest';
import { jobReference } from '../../../src/slack/protocol/ids.ts';

const root = 'https://acme.slack.com/archives/C1/p1700000000000100';
const thread = { kind: 'thread', channelId: 'C1', threadTs: '1700000000.000100' };

test.each([
  ['the link to a thread', root],
  ['the link as Slack delivers it', `<${root}>`],
  ['the link as Slack delivers it, with its words', `<${root}|acme.slack.com/archives/…>`],
  [
    'the link to a reply',
    'https://acme.slack.com/archives/C1/p1700000009000200?thread_ts=1700000000.000100&cid=C1',
  ],
  [
    'the link to a reply as Slack delivers it',
    '<https://acme.slack.com/archives/C1/p1700000009000200?thread_ts=1700000000.000100&amp;cid=C1>',
  ],
])('a job is named by %s', (_name, word) => {
  expect(jobReference(word)).toEqual(thread);
});

test('anything else is an id', () => {
  expect(jobReference('3f2a9c1b')).toEqual({ kind: 'id', id: '3f2a9c1b' });
  expect(jobReference('<https://example.com/archives/>')).toMatchObject({ kind: 'id' });
  expect(jobReference('x'.repeat(10_000))).toEqual({ kind: 'id', id: 'x'.repeat(200) });
});

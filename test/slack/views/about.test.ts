import { expect, test } from 'vitest';
import { titledPrompt } from '../../../src/slack/views/text.ts';
import { noNames } from './a-job.ts';

test('a request about a message has the message as its title, not the address (S3, T2)', () => {
  const about = 'About this Slack message (https://acme.slack.com/archives/C1/p5?thread_ts=4.0&cid=C1):\n';
  const titled = (prompt: string) => titledPrompt(prompt, noNames);
  expect(titled(`${about}> Where are\n> the rate limits?`)).toEqual({
    title: 'Where are',
    rest: 'the rate limits?',
  });
  expect(titled('About this Slack message:\n> Where are they?\n\nSay it in the guide')).toEqual({
    title: 'Where are they?',
    rest: 'Say it in the guide',
  });
  expect(titled(`${about}\n> \n\nDocument the rate limits`).title).toBe('Document the rate limits');
  expect(titled(about).title).toMatch(/^About this Slack message/);
  const own = 'About this Slack message (in #docs):\n> Where?';
  expect(titled(own).title).toBe('About this Slack message (in #docs):');
});

test.each([
  ['```\nsolo: 20\n```\nPut it there', 'Put it there', 'solo: 20'],
  ['```solo: 20\nteam: 50``` Put it there\nToday', 'Put it there', 'Today\nsolo: 20\nteam: 50'],
  ['```yaml\nsolo: 20\n```', 'solo: 20', null],
  ['```\nsolo: 20', 'solo: 20', null],
  ['```', '```', null],
  ['Put ```it``` there', 'Put ```it``` there', null],
])(
  'a request that begins with code is called by its words, or else by the code: %j',
  (prompt, title, rest) => {
    expect(titledPrompt(prompt, new Map())).toEqual({ title, rest });
  },
);

import { expect, test } from 'vitest';
import { isNear, nearest } from '../../../src/jobs/requests/command.ts';

test.each(['list', 'lists', 'lst', 'lost', 'ilst', 'xlist'])('%s is near to list', (word) => {
  expect(isNear(word, 'list')).toBe(true);
});

test.each(['lis ts', 'least', 'stil', 'li', '', 'list of pages', 'x'.repeat(100_000)])(
  '“%s” is another word',
  (word) => {
    expect(isNear(word, 'list')).toBe(false);
  },
);

test('of several names the one with the fewest slips is meant, and more slips where they are allowed', () => {
  const names = ['SLACK_APP_TOKEN', 'SLACK_BOT_TOKEN'];
  expect(nearest('SLACK_BT_TOKN', names)).toBeNull();
  expect(nearest('SLACK_BT_TOKN', names, () => 2)).toBe('SLACK_BOT_TOKEN');
  expect(nearest('SLACK_AOT_TOKEN', names, () => 2)).toBe('SLACK_BOT_TOKEN');
});

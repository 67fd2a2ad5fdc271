import { expect, test } from 'vitest';
import { slackTime } from '../../../src/slack/inbound/listener.ts';

test('the time of a press is Slack’s, as Slack writes times, or none', () => {
  expect(slackTime('1795183500.123456')).toBe('1795183500.123456');
  for (const ts of ['1795183500', 'soon', 1_795_183_500.123_456, null, undefined, ['1795183500.123456']]) {
    expect(slackTime(ts)).toBeUndefined();
  }
});

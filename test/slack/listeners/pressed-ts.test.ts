import { expect, test } from 'vitest';
import { pressedTs } from '../../../src/slack/inbound/listeners/buttons/pressed-ts.ts';

test('the time of a press is Slack’s, as Slack writes times, or none', () => {
  expect(pressedTs({ action_ts: '1795183500.123456' })).toBe('1795183500.123456');
  for (const action_ts of ['1795183500', 'soon', 1_795_183_500.123_456, null, ['1795183500.123456']]) {
    expect(pressedTs({ action_ts })).toBeUndefined();
  }
  expect(pressedTs({})).toBeUndefined();
});

import { expect, test } from 'vitest';
import { pressOf } from '../../../src/slack/inbound/job-button.ts';

/** Of a press with this `action_ts`. */
function pressedTs(action: object) {
  const args = { action, body: { user: { id: 'U1' } } };
  return pressOf(args as unknown as Parameters<typeof pressOf>[0]).pressedTs;
}

test('the time of a press is Slack’s, as Slack writes times, or none', () => {
  expect(pressedTs({ action_ts: '1795183500.123456' })).toBe('1795183500.123456');
  for (const action_ts of ['1795183500', 'soon', 1_795_183_500.123_456, null, ['1795183500.123456']]) {
    expect(pressedTs({ action_ts })).toBeUndefined();
  }
  expect(pressedTs({})).toBeUndefined();
});

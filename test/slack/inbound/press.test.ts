import { expect, test } from 'vitest';
import { systemClock } from '../../../src/runtime/clock.ts';
import { pressOf } from '../../../src/slack/inbound/listener.ts';
import { createPoster } from '../../../src/slack/workspace/poster.ts';
import { silentLog } from '../../engine/support/context.ts';

/** A press for which Slack gives no address to answer at, as on the Home tab. Returns what Slack is called for. */
async function answered(how: 'tell' | 'tellBeside' | 'replace') {
  const calls: [method: string, args: unknown][] = [];
  const callSlack = async (method: string, args: unknown) => {
    calls.push([method, args]);
    return { ok: true };
  };
  const poster = createPoster(callSlack as Parameters<typeof createPoster>[0], systemClock, fetch, {
    mustBeOpen: async () => {},
  });
  const body = { type: 'block_actions', user: { id: 'U1' }, trigger_id: 'press 1' };
  const args = { action: { action_id: 'a', action_ts: '1.0' }, body, ack: async () => {} };
  const press = pressOf(
    { teamId: 'T1', log: silentLog, poster },
    args as unknown as Parameters<typeof pressOf>[1],
  );
  await press[how]({ text: 'Here you are', blocks: [] });
  return calls;
}

test.each(['tell', 'tellBeside', 'replace'] as const)(
  'an answer that has no place at the message (%s) comes as a direct message',
  async (how) => {
    expect(await answered(how)).toEqual([
      ['chat.postMessage', expect.objectContaining({ channel: 'U1', text: 'Here you are' })],
    ]);
  },
);

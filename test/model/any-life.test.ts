import { expect, test } from 'vitest';
import { alice, general } from '../support/local-slack.ts';
import { SEED } from '../support/properties.ts';
import { live } from './support/live.ts';
import { expectGoodLives, LIFE_WITHIN_MS, runsOr } from './support/lives.ts';

const RUNS = runsOr(3);

test(
  'whatever happens to the whole program, nothing is lost, doubled or left in silence, in a few lives',
  {
    timeout: RUNS * LIFE_WITHIN_MS,
  },
  () => expectGoodLives(RUNS, [SEED]),
);

test('a card that is on its way when the machine falls asleep is there once when it wakes', async () => {
  const ask = { do: 'ask', by: 'command', channel: general, user: alice } as const;
  const wrong = await live({
    mode: 'http',
    settings: { AGENT_HOURLY_BUDGET: '100', FOLLOW_UP_WINDOW: '0', SETTLE_WINDOW: '90s' },
    turns: [{ workMs: 0, lagMs: 0, ending: 'pull_request', isNewLink: false }],
    steps: [
      { do: 'together', actions: [ask], copies: 1 },
      { do: 'together', actions: [ask, ask], copies: 1 },
      { do: 'slack_fails', method: 'chat.postMessage', faults: ['error_after'] },
      { do: 'sleep', ms: 300_000 },
    ],
  });
  expect(wrong).toEqual([]);
});

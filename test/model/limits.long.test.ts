import { expect, test } from 'vitest';
import { alice } from '../support/local-slack.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { startModelWorld } from './support/model-world.ts';
import { quickenPauses } from './support/quick-pauses.ts';
import { HOUR_MS, SECOND_MS } from './support/steps.ts';

const REQUESTS = 120;
const CHANNELS = 12;
/** Slack takes 20 removals in a minute. Each request needs one or two, after up to three reactions. */
const CALLS_IN_ALL = 3_000;

test('many requests at once: within Slack’s limits, each soon shows how its job stands, and nothing else', async () => {
  using _ = quickenPauses();
  await using world = await startModelWorld({
    mode: 'http',
    script: () => ({ workMs: 20 * SECOND_MS, ending: 'pull_request' }),
    settings: { POLL_MIN_INTERVAL: '30s', AGENT_HOURLY_BUDGET: '1000', AGENT_READS_PER_MINUTE: '6000' },
    hasLimits: true,
  });
  const { replicas, slack, time } = world;
  const channels = Array.from({ length: CHANNELS }, (_one, number) => `C0T${number}`);
  for (const id of channels) {
    slack.control.openChannel({ id, name: id.toLowerCase(), members: [alice, strictApp.botUserId] });
  }
  await replicas.start();
  const numbers = Array.from({ length: REQUESTS }, (_one, number) => number);
  const ask = (number: number) =>
    slack.control.message({
      channel: channels[number % CHANNELS] ?? '',
      user: alice,
      text: `<@${strictApp.botUserId}> Document request ${number}`,
    });
  const requests = await Promise.all(numbers.map(ask));
  await time.pass(HOUR_MS);

  const shown = await Promise.all(requests.map((request) => slack.control.reactions(request)));
  expect(shown).toEqual(requests.map(() => ['white_check_mark']));
  const reactions = slack.calls().filter(({ method }) => method.startsWith('reactions.'));
  expect(reactions.length).toBeLessThan(CALLS_IN_ALL);
});

import { expect, test } from 'vitest';
import { alice } from '../support/local-slack.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { startModelWorld } from './support/model-world.ts';
import { quickenPauses } from './support/quick-pauses.ts';
import { HOUR_MS, SECOND_MS } from './support/steps.ts';

const REQUESTS = 120;
const CHANNELS = 12;

test('many requests at once: within Slack’s limits, each has its pull request in its thread within the hour', async () => {
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

  const told = (await Promise.all(channels.map((id) => slack.control.messages(id)))).flat();
  const ready = told.filter(({ text }) => text.includes('🎉')).map(({ thread_ts }) => thread_ts);
  expect(ready.toSorted()).toEqual(requests.map(({ ts }) => ts).toSorted());
});

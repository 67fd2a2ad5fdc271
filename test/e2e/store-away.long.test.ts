import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startStrictWorld } from './support/strict-world.ts';

const MINUTE_MS = 60_000;

/** The program with a job, and its database in a file that can be taken away: then nothing can be stored. */
async function start(mode: 'http' | 'socket') {
  const world = await startStrictWorld({ mode });
  const card = await world.working();
  const file = join(world.env.DATA_DIR ?? '', 'docs-agent.db');
  return Object.assign(world, {
    reply: (text: string) => world.slack.control.reply(card, text),
    takeAway: () => rename(file, `${file}.away`),
    bringBack: () => rename(`${file}.away`, file),
    wait: async (minutes: number) => {
      for (let minute = 0; minute < minutes; minute += 1) await world.clock.advance(MINUTE_MS);
    },
    sent: (text: string) => {
      const followUps = () => (world.prompts()[0] ?? []).slice(1).join('\n\n');
      return world.later(followUps, text, 'the replies at the agent');
    },
  });
}

test.each(['http', 'socket'] as const)(
  'a reply that is written while the store is away for longer than Slack tries is found when it is back, in its order (%s)',
  async (mode) => {
    await using world = await start(mode);
    await world.takeAway();
    void world.reply('In the outage');
    await world.wait(10);
    await world.bringBack();
    await world.reply('After it');
    await world.sent('In the outage\n\nAfter it');
  },
);

test('replies that were missed while the socket and the store were away are found when both are back', async () => {
  await using world = await start('socket');
  world.slack.onDelivery(() => 0);
  await world.reply('In the outage');
  await world.wait(7);
  world.slack.onDelivery(() => 1);
  await world.takeAway();
  world.slack.socket.cut();
  const reconnected = async () => {
    await world.clock.advance(1_000);
    return world.log.join();
  };
  await expect.poll(reconnected, { message: 'the reconnect' }).toContain('catch_up_not_scheduled');
  await world.bringBack();
  await world.sent('In the outage');
});

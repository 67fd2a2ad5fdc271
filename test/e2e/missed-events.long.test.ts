import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { strictApp } from '../support/strict-slack/ids.ts';
import { signedSlackOf } from '../support/strict-slack/signed.ts';
import { startStrictWorld } from './support/strict-world.ts';

const MINUTE_MS = 60_000;
const isOf = (payload: unknown, text: string) => JSON.stringify(payload).includes(text);

/** The program with one job, an ingress through which texts with "lost" never come, and a store that can be taken away. */
async function startBehindIngress(mode: 'http' | 'socket' = 'http') {
  // The checks of the job are of no interest here: every 2 seconds for hours, they would take most of the time.
  const world = await startStrictWorld({ mode, settings: { POLL_MIN_INTERVAL: '60s' } });
  const { slack, clock } = world;
  const card = await world.ask('Add a quickstart');
  await world.started('Add a quickstart');
  await world.settled(30_000);
  slack.onDelivery(({ payload }) => (isOf(payload, 'lost') ? 0 : 1));
  const followUps = () => (world.prompts()[0] ?? []).slice(1).join('\n\n');
  const file = join(world.env.DATA_DIR ?? '', 'docs-agent.db');
  return Object.assign(world, {
    reply: (text: string) => slack.control.reply(card, text),
    followUps,
    sent: (text: string) => world.later(followUps, text, 'the replies at the agent'),
    takeAway: () => rename(file, `${file}.away`),
    bringBack: () => rename(`${file}.away`, file),
    wait: async (minutes: number) => {
      for (let minute = 0; minute < minutes; minute += 1) await clock.advance(MINUTE_MS);
    },
    reads: () => slack.calls('conversations.replies').length,
    rateLimited: () =>
      signedSlackOf(world).send(
        'application/json',
        JSON.stringify({
          type: 'app_rate_limited',
          token: 'deprecated',
          team_id: strictApp.teamId,
          api_app_id: strictApp.appId,
          minute_rate_limited: Math.floor(clock.now() / MINUTE_MS) * 60,
        }),
      ),
  });
}

test('replies of a minute in which Slack held events back are found, also those after it said so (F1)', async () => {
  await using world = await startBehindIngress();
  await world.clock.advance(MINUTE_MS - (world.clock.now() % MINUTE_MS));
  await world.reply('One that is lost');
  expect((await world.rateLimited()).status).toBe(200);
  // Slack holds events back until the end of the minute.
  await world.settled(50_000);
  await world.reply('And lost, too');
  await world.settled(2 * MINUTE_MS);
  expect(world.followUps()).toBe('One that is lost\n\nAnd lost, too');
  const told = world.log.filter((line) => line.includes('"slack_events_rate_limited"'));
  expect(told).toEqual([expect.stringContaining(`"team_id":"${strictApp.teamId}"`)]);
});

test('what Slack gave up while requests could not come in is found when it delivers something again, with few reads (F1)', async () => {
  await using world = await startBehindIngress();
  await world.reply('One that is lost');
  await world.wait(7);
  expect(world.followUps()).toBe('');
  world.slack.onDelivery(({ payload, attempt }) => (isOf(payload, 'lost') || attempt < 2 ? 0 : 1));
  await world.say('Unrelated');
  await world.settled(MINUTE_MS + 20_000);
  expect(world.followUps()).toBe('One that is lost');

  // While Slack delivers much again, the threads are planned to be read once a minute.
  const plans = () => world.log.filter((line) => line.includes('"catch_up_planned"')).length;
  const before = plans();
  world.slack.onDelivery(({ attempt }) => (attempt < 1 ? 0 : 1));
  for (let second = 0; second < 90; second += 1) {
    await world.say(`Unrelated ${second}`);
    await world.settled(1_000);
  }
  await world.settled(2 * MINUTE_MS);
  expect(plans() - before).toBeGreaterThan(1);
  expect(plans() - before).toBeLessThan(5);
});

test('what Slack gave up without another sign is found within a quarter of an hour (F1)', async () => {
  await using world = await startBehindIngress();
  await world.reply('One that is lost');
  await world.wait(15);
  await world.settled(MINUTE_MS);
  expect(world.followUps()).toBe('One that is lost');
  // Nor is it costly: four reads an hour.
  const reads = world.reads();
  await world.wait(60);
  expect(world.reads() - reads).toBeLessThan(6);
});

test.each(['http', 'socket'] as const)(
  'a reply that is written while the store is away for longer than Slack tries is found when it is back, in its order (%s)',
  async (mode) => {
    await using world = await startBehindIngress(mode);
    await world.takeAway();
    void world.reply('In the outage');
    await world.wait(10);
    await world.bringBack();
    await world.reply('After it');
    await world.sent('In the outage\n\nAfter it');
  },
);

test('replies that were missed while the socket and the store were away are found when both are back', async () => {
  await using world = await startBehindIngress('socket');
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

import { expect, test } from 'vitest';
import { alice, general } from '../support/local-slack.ts';
import { createSignedSlack } from '../support/signed-slack.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { type StrictWorld, startStrictWorld } from './support/strict-world.ts';

const MINUTE_MS = 60_000;
const isOf = (payload: unknown, text: string) => JSON.stringify(payload).includes(text);

/** The program in HTTP mode with one job, and an ingress through which texts with "lost" never come. */
async function startBehindIngress() {
  // The checks of the job are of no interest here: every 2 seconds for hours, they would take most of the time.
  const settings = { POLL_MIN_INTERVAL: '60s' };
  const world = await startStrictWorld({ mode: 'http', settings });
  const { slack, env, clock } = world;
  const card = await world.ask('Add a quickstart');
  await world.started('Add a quickstart');
  await world.settled(30_000);
  slack.onDelivery(({ payload }) => (isOf(payload, 'lost') ? 0 : 1));
  return Object.assign(world, {
    say: (text: string) => slack.control.reply(card, text),
    rateLimited: () =>
      createSignedSlack({
        url: `http://127.0.0.1:${env.PORT}/slack/events`,
        signingSecret: slack.signingSecret,
        teamId: strictApp.teamId,
      }).send(
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

const followUps = (world: StrictWorld) => (world.prompts()[0] ?? []).slice(1).join('\n\n');
const plans = (world: StrictWorld) => world.log.filter((line) => line.includes('"catch_up_planned"')).length;

test('replies of a minute in which Slack held events back are found, also those after it said so (F1)', async () => {
  await using world = await startBehindIngress();
  await world.say('One that is lost');
  expect((await world.rateLimited()).status).toBe(200);
  await world.settled(1_000);
  await world.say('And lost, too');
  await world.settled(3 * MINUTE_MS);
  expect(followUps(world)).toBe('One that is lost\n\nAnd lost, too');
  const told = world.log.filter((line) => line.includes('"slack_events_rate_limited"'));
  expect(told).toEqual([expect.stringContaining(`"team_id":"${strictApp.teamId}"`)]);
});

test('what Slack gave up while requests could not come in is found when it delivers something again (F1)', async () => {
  await using world = await startBehindIngress();
  await world.say('One that is lost');
  await world.settled(7 * MINUTE_MS);
  expect(followUps(world)).toBe('');
  const { slack } = world;
  slack.onDelivery(({ payload, attempt }) => (isOf(payload, 'lost') || attempt < 2 ? 0 : 1));
  await slack.control.message({ channel: general, user: alice, text: 'Unrelated' });
  await world.settled(MINUTE_MS + 20_000);
  expect(followUps(world)).toBe('One that is lost');
});

test('while Slack delivers much again, the threads are planned to be read once a minute', async () => {
  await using world = await startBehindIngress();
  const before = plans(world);
  world.slack.onDelivery(({ attempt }) => (attempt < 1 ? 0 : 1));
  for (let second = 0; second < 90; second += 1) {
    await world.slack.control.message({ channel: general, user: alice, text: `Unrelated ${second}` });
    await world.settled(1_000);
  }
  await world.settled(2 * MINUTE_MS);
  const planned = plans(world) - before;
  expect(planned).toBeGreaterThan(1);
  expect(planned).toBeLessThan(5);
});

test('what Slack gave up without another sign is found within a quarter of an hour (F1)', async () => {
  await using world = await startBehindIngress();
  await world.say('One that is lost');
  await world.settled(16 * MINUTE_MS);
  expect(followUps(world)).toBe('One that is lost');
  // Nor is it costly: four reads an hour.
  const { length: reads } = world.slack.calls('conversations.replies');
  await world.settled(60 * MINUTE_MS);
  expect(world.slack.calls('conversations.replies').length - reads).toBeLessThan(6);
});

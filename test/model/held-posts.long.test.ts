import { expect, test } from 'vitest';
import { alice, general, type SlackMessage } from '../support/local-slack.ts';
import { type ModelWorld, startModelWorld } from './support/model-world.ts';
import { quickenPauses } from './support/quick-pauses.ts';
import { HOUR_MS, MINUTE_MS } from './support/steps.ts';

const PROMPT = 'Document the limits';

/** The agent works for ten minutes, and then there is a pull request. */
async function startWorld(): Promise<ModelWorld> {
  const world = await startModelWorld({
    mode: 'http',
    script: () => ({ workMs: 10 * MINUTE_MS, ending: 'pull_request' }),
  });
  await world.replicas.start();
  return world;
}

async function ask(world: ModelWorld): Promise<void> {
  await world.slack.control.command({ channel: general, user: alice, text: PROMPT });
  await world.time.rest();
}

const card = async (world: ModelWorld) =>
  (await world.slack.control.messages(general)).find(({ thread_ts, subtype }) => !thread_ts && !subtype);
const words = (posts: readonly SlackMessage[]) =>
  posts.flatMap(({ text }) => /Working|Finished|🎉/.exec(text)?.[0] ?? []);
const posts = async (world: ModelWorld) => {
  const { ts = '' } = (await card(world)) ?? {};
  return (await world.slack.control.thread(general, ts)).slice(1);
};
const told = async (world: ModelWorld, place: string) =>
  (await world.slack.control.messages(place)).filter(({ text }) => /could not post|Waiting/.test(text));

test('what Slack does not take for hours is tried once a minute, and comes when Slack takes it again (E1, W1)', {
  timeout: 120_000,
}, async () => {
  using _ = quickenPauses();
  await using world = await startWorld();
  await ask(world);
  await world.time.pass(MINUTE_MS);
  world.troubles.slackOutage = { error: 'an_error_of_tomorrow' };
  await world.time.pass(HOUR_MS);
  const tries = () => world.slack.calls('chat.postMessage').length;
  const before = tries();
  await world.time.pass(HOUR_MS);
  expect(tries() - before).toBeGreaterThanOrEqual(60);
  world.troubles.slackOutage = null;
  await world.time.pass(MINUTE_MS);
  expect(words(await posts(world))).toEqual(['Working', 'Finished', '🎉']);
});

test('what Slack has not taken for six hours is told privately, and the thread goes on (E1)', {
  timeout: 120_000,
}, async () => {
  using _ = quickenPauses();
  await using world = await startWorld();
  await ask(world);
  await world.time.pass(MINUTE_MS);
  world.troubles.slackOutage = { error: 'an_error_of_tomorrow' };
  await world.time.pass(6 * HOUR_MS + 20 * MINUTE_MS);
  world.troubles.slackOutage = null;
  await world.time.pass(2 * MINUTE_MS);
  expect(words(await posts(world))).toEqual(['Working', '🎉']);
  expect(words(await told(world, alice))).toEqual(['Finished']);
  expect((await card(world))?.text).toContain('Finished');
});

test('an outage of a night is no refusal: one error after it gives nothing up (E1)', {
  timeout: 120_000,
}, async () => {
  using _ = quickenPauses();
  await using world = await startWorld();
  await ask(world);
  await world.time.pass(MINUTE_MS);
  world.troubles.slackOutage = 'reset_before';
  await world.time.pass(9 * HOUR_MS);
  world.troubles.slackOutage = { error: 'team_added_to_org' };
  await world.time.pass(2 * MINUTE_MS);
  world.troubles.slackOutage = null;
  await world.time.pass(2 * MINUTE_MS);
  expect(words(await posts(world))).toEqual(['Working', 'Finished', '🎉']);
});

test('the requester of a card that Slack does not take is told so, once, and the card comes by itself (E1)', {
  timeout: 120_000,
}, async () => {
  using _ = quickenPauses();
  await using world = await startWorld();
  world.troubles.planSlack('chat.postMessage', Array(9).fill({ error: 'accesslimited' }));
  await ask(world);
  await world.time.pass(10 * MINUTE_MS);
  const waiting = await told(world, general);
  expect(waiting.map(({ ephemeral_to }) => ephemeral_to)).toEqual([alice]);
  expect(waiting[0]?.text).toContain('continues automatically');
  expect((await card(world))?.text).toContain(PROMPT);
});

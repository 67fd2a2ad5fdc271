import { expect, test } from 'vitest';
import { botScopes } from '../../src/slack/protocol/scopes.ts';
import { alice, general, random, type SlackMessage } from '../support/local-slack.ts';
import { type ModelWorld, startModelWorld } from './support/model-world.ts';
import { quickenPauses } from './support/quick-pauses.ts';
import { HOUR_MS, MINUTE_MS } from './support/steps.ts';
import type { SlackFault } from './support/troubles.ts';

const PROMPT = 'Document the limits';
const page = (cursor: string): SlackFault => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ ok: true, messages: [], response_metadata: { next_cursor: cursor } }),
});
const always = (fault: SlackFault) => Array<SlackFault>(20_000).fill(fault);

/** The agent works for ten minutes, and then there is a pull request. */
async function startWorld(): Promise<ModelWorld> {
  const world = await startModelWorld({
    mode: 'http',
    script: () => ({ workMs: 10 * MINUTE_MS, ending: 'pull_request' }),
    settings: { NOTICE_CHANNELS: random },
  });
  world.slack.control.invite(random, 'U0DOCSAGENT');
  await world.replicas.start();
  return world;
}

async function ask(world: ModelWorld): Promise<void> {
  await world.slack.control.command({ channel: general, user: alice, text: PROMPT });
  await world.time.rest();
}

const messages = (world: ModelWorld) => world.slack.control.messages(general);
const cards = async (world: ModelWorld) =>
  (await messages(world)).filter(({ thread_ts, subtype }) => !thread_ts && !subtype);
const card = async (world: ModelWorld) => (await cards(world))[0];
const thread = async (world: ModelWorld) =>
  (await world.slack.control.thread(general, (await card(world))?.ts ?? '')).slice(1);
const toAlice = async (world: ModelWorld) => [
  ...(await messages(world)).filter(({ ephemeral_to }) => ephemeral_to === alice),
  ...(await world.slack.control.messages(alice)),
];
const words = (posts: readonly SlackMessage[]) =>
  posts.flatMap(({ text }) => /Working|Finished|🎉|Couldn't confirm/.exec(text)?.[0] ?? []);

test('a card in a history without end: the requester is told, and can try again (E1, S4)', {
  timeout: 120_000,
}, async () => {
  using _ = quickenPauses();
  await using world = await startWorld();
  world.troubles.planSlack('chat.postMessage', ['reset_before']);
  world.troubles.planSlack('conversations.history', always(page('more')));
  await ask(world);
  await world.time.pass(10 * MINUTE_MS);
  expect((await toAlice(world)).map(({ text }) => text)).toEqual([
    expect.stringContaining('continues automatically'),
  ]);
  await world.time.pass(30 * MINUTE_MS);
  const [, told] = await toAlice(world);
  expect(told?.text).toContain("can't see whether");
  expect(told?.text).toContain(PROMPT);
  expect(world.api.jobs).toHaveLength(0);
  await world.slack.control.press(told as SlackMessage, 'try_again', alice);
  await world.time.pass(2 * MINUTE_MS);
  expect((await card(world))?.text).toContain(PROMPT);
  expect(world.api.jobs).toHaveLength(1);
});

test('a card that nobody may look for: the requester is told at once, and it goes on when that is mended (E1, E2)', {
  timeout: 120_000,
}, async () => {
  using _ = quickenPauses();
  await using world = await startWorld();
  const scopes = botScopes.map(({ name }) => name);
  world.slack.control.grantScopes(scopes.filter((name) => !name.endsWith(':history')));
  world.troubles.planSlack('chat.postMessage', ['reset_after']);
  await ask(world);
  await world.time.pass(MINUTE_MS);
  expect((await toAlice(world)).map(({ text }) => text)).toEqual([expect.stringContaining('missing_scope')]);
  await world.time.pass(2 * HOUR_MS);
  world.slack.control.grantScopes(scopes);
  await world.time.pass(2 * MINUTE_MS);
  expect(world.api.jobs).toHaveLength(1);
  expect(await cards(world)).toHaveLength(1);
});

test('news that nobody may look for: the requester is told, and the thread goes on (E1)', {
  timeout: 120_000,
}, async () => {
  using _ = quickenPauses();
  await using world = await startWorld();
  await ask(world);
  await world.time.pass(MINUTE_MS);
  world.troubles.planSlack('conversations.replies', always({ error: 'missing_scope' }));
  world.troubles.planSlack('chat.postMessage', ['reset_before']);
  await world.time.pass(HOUR_MS);
  expect(words(await thread(world))).toEqual(['Working', '🎉']);
  expect(words(await toAlice(world))).toEqual(['Finished']);
});

test('a look that Slack interrupts goes on where it stopped (E1)', { timeout: 120_000 }, async () => {
  using _ = quickenPauses();
  await using world = await startWorld();
  world.troubles.planSlack('chat.postMessage', ['reset_before']);
  const limited: SlackFault = { status: 429, headers: { 'retry-after': '60' } };
  world.troubles.planSlack('conversations.history', [page('a'), limited, page('b'), limited, page('')]);
  await ask(world);
  await world.time.pass(5 * MINUTE_MS);
  const cursors = world.slack.calls('conversations.history').map(({ args }) => args.cursor);
  expect(cursors.slice(0, 5)).toEqual([undefined, 'a', 'a', 'b', 'b']);
  expect(await cards(world)).toHaveLength(1);
  expect(world.api.jobs).toHaveLength(1);
});

test('a look counts how long Slack hides a post, not how long Slack is away (E1)', {
  timeout: 120_000,
}, async () => {
  using _ = quickenPauses();
  await using world = await startWorld();
  await ask(world);
  await world.time.pass(MINUTE_MS);
  world.troubles.planSlack('chat.postMessage', ['reset_before']);
  world.troubles.planSlack('conversations.replies', always({ error: 'missing_scope' }));
  await world.time.pass(20 * MINUTE_MS);
  world.troubles.end();
  world.troubles.slackOutage = 'reset_before';
  await world.time.pass(HOUR_MS);
  world.troubles.slackOutage = null;
  world.troubles.planSlack('conversations.replies', [{ error: 'missing_scope' }]);
  await world.time.pass(HOUR_MS);
  expect(words(await thread(world))).toEqual(['Working', 'Finished', '🎉']);
  expect(words(await toAlice(world))).toEqual([]);
});

import { expect, test } from 'vitest';
import { botScopes } from '../../src/slack/protocol/scopes.ts';
import { alice, general, type SlackMessage } from '../support/local-slack.ts';
import { type ModelWorld, startModelWorld } from './support/model-world.ts';
import { quickenPauses } from './support/quick-pauses.ts';
import { HOUR_MS, MINUTE_MS } from './support/steps.ts';
import type { SlackFault } from './support/troubles.ts';

const PROMPT = 'Document the limits';
const REFUSED: SlackFault = { error: 'an_error_of_tomorrow' };
const HIDDEN: SlackFault = { error: 'missing_scope' };
const always = (fault: SlackFault) => Array<SlackFault>(20_000).fill(fault);
const page = (cursor: string): SlackFault => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ ok: true, messages: [], response_metadata: { next_cursor: cursor } }),
});

/** A world in which the agent works for ten minutes, and then there is a pull request. */
function scenario(name: string, story: (world: ModelWorld) => Promise<void>): void {
  test(name, async () => {
    using _ = quickenPauses();
    await using world = await startModelWorld({
      mode: 'http',
      script: () => ({ workMs: 10 * MINUTE_MS, ending: 'pull_request' }),
      // A planned fault meets the next post: it must be the one in the thread.
      settings: { NOTICE_CHANNELS: '' },
    });
    await world.replicas.start();
    await story(world);
  });
}

async function ask(world: ModelWorld): Promise<void> {
  await world.slack.control.command({ channel: general, user: alice, text: PROMPT });
  await world.time.rest();
}

/** Asks, and lets the thread say that the agent works. */
async function askAndPass(world: ModelWorld): Promise<void> {
  await ask(world);
  await world.time.pass(MINUTE_MS);
}

const messages = (world: ModelWorld) => world.slack.control.messages(general);
const cards = async (world: ModelWorld) =>
  (await messages(world)).filter(({ thread_ts, subtype }) => !thread_ts && !subtype);
const card = async (world: ModelWorld) => (await cards(world))[0];
const posts = async (world: ModelWorld) =>
  (await world.slack.control.thread(general, (await card(world))?.ts ?? '')).slice(1);
const toAlice = async (world: ModelWorld) => [
  ...(await messages(world)).filter(({ ephemeral_to }) => ephemeral_to === alice),
  ...(await world.slack.control.messages(alice)),
];
/** A reply, and the turn that it starts. */
const steer = async (world: ModelWorld) => {
  const threadTs = (await card(world))?.ts ?? '';
  await world.slack.control.message({ channel: general, user: alice, text: 'Shorter, please', threadTs });
  await world.time.pass(HOUR_MS);
};
const words = (said: readonly SlackMessage[]) =>
  said.flatMap(({ text }) => /On it|Updated|🎉|Couldn't confirm/.exec(text)?.[0] ?? []);

scenario(
  'what Slack does not take for hours is tried once a minute, and comes when Slack takes it again (E1, W1)',
  async (world) => {
    await askAndPass(world);
    world.troubles.slackOutage = REFUSED;
    await world.time.pass(HOUR_MS);
    // Before each post, Slack is asked whether the channel is shared.
    const tries = () =>
      world.slack.calls('chat.postMessage').length + world.slack.calls('conversations.info').length;
    const before = tries();
    await world.time.pass(HOUR_MS);
    expect(tries() - before).toBeGreaterThanOrEqual(60);
    world.troubles.slackOutage = null;
    await world.time.pass(MINUTE_MS);
    expect(words(await posts(world))).toEqual(['On it', '🎉']);
  },
);

scenario(
  'what Slack has not taken for six hours is announced privately, and the thread goes on (E1)',
  async (world) => {
    await askAndPass(world);
    world.troubles.slackOutage = REFUSED;
    await world.time.pass(6 * HOUR_MS + 20 * MINUTE_MS);
    world.troubles.slackOutage = null;
    await world.time.pass(2 * MINUTE_MS);
    expect(words(await posts(world))).toEqual(['On it']);
    expect(words(await toAlice(world))).toEqual(['🎉']);
    expect((await card(world))?.text).toContain('Pull request ready');
    await steer(world);
    expect(words(await posts(world))).toEqual(['On it', 'Updated']);
  },
);

scenario('an outage of a night is no refusal: one error after it gives nothing up (E1)', async (world) => {
  await askAndPass(world);
  world.troubles.slackOutage = 'reset_before';
  await world.time.pass(9 * HOUR_MS);
  world.troubles.slackOutage = { error: 'team_added_to_org' };
  await world.time.pass(2 * MINUTE_MS);
  world.troubles.slackOutage = null;
  await world.time.pass(2 * MINUTE_MS);
  expect(words(await posts(world))).toEqual(['On it', '🎉']);
});

scenario(
  'the requester of a card that Slack does not take is told so, once, and the card comes by itself (E1)',
  async (world) => {
    world.troubles.planSlack('chat.postMessage', Array(9).fill({ error: 'accesslimited' }));
    await ask(world);
    await world.time.pass(10 * MINUTE_MS);
    const waiting = await toAlice(world);
    expect(waiting).toHaveLength(1);
    expect(waiting[0]?.text).toContain('continues automatically');
    expect((await card(world))?.text).toContain(PROMPT);
  },
);

scenario(
  'a card in a history without end: the requester is told, and can try again (E1, S4)',
  async (world) => {
    world.troubles.planSlack('chat.postMessage', ['reset_before']);
    world.troubles.planSlack('conversations.history', always(page('more')));
    await ask(world);
    await world.time.pass(10 * MINUTE_MS);
    expect((await toAlice(world)).map(({ text }) => text)).toEqual([
      expect.stringContaining('continues automatically'),
    ]);
    await world.time.pass(30 * MINUTE_MS);
    const [, told] = await toAlice(world);
    expect(told?.text).toContain("can't tell whether");
    expect(told?.text).toContain(PROMPT);
    expect(world.api.jobs).toHaveLength(0);
    await world.slack.control.press(told as SlackMessage, 'try_again', alice);
    await world.time.pass(2 * MINUTE_MS);
    expect((await card(world))?.text).toContain(PROMPT);
    expect(world.api.jobs).toHaveLength(1);
  },
);

scenario(
  'a card that the bot may not look for: the requester is told at once, and it goes on when that is mended (E1, E2)',
  async (world) => {
    const scopes = botScopes.map(({ name }) => name);
    world.slack.control.grantScopes(scopes.filter((name) => !name.endsWith(':history')));
    world.troubles.planSlack('chat.postMessage', ['reset_after']);
    await askAndPass(world);
    expect((await toAlice(world)).map(({ text }) => text)).toEqual([
      expect.stringContaining('missing_scope'),
    ]);
    await world.time.pass(2 * HOUR_MS);
    world.slack.control.grantScopes(scopes);
    await world.time.pass(2 * MINUTE_MS);
    expect(world.api.jobs).toHaveLength(1);
    expect(await cards(world)).toHaveLength(1);
  },
);

scenario(
  'news that the bot may not look for: the requester is told, and the thread goes on (E1)',
  async (world) => {
    await askAndPass(world);
    world.troubles.planSlack('conversations.replies', always(HIDDEN));
    world.troubles.planSlack('chat.postMessage', ['reset_before']);
    await world.time.pass(HOUR_MS);
    expect(words(await posts(world))).toEqual(['On it']);
    expect(words(await toAlice(world))).toEqual(['🎉']);
    await steer(world);
    expect(words(await posts(world))).toEqual(['On it', 'Updated']);
  },
);

scenario('a look that Slack interrupts goes on where it stopped (E1)', async (world) => {
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

scenario('a look counts how long Slack hides a post, not how long Slack is away (E1)', async (world) => {
  await askAndPass(world);
  world.troubles.planSlack('chat.postMessage', ['reset_before']);
  world.troubles.planSlack('conversations.replies', always(HIDDEN));
  await world.time.pass(20 * MINUTE_MS);
  world.troubles.end();
  world.troubles.slackOutage = 'reset_before';
  await world.time.pass(HOUR_MS);
  world.troubles.slackOutage = null;
  world.troubles.planSlack('conversations.replies', [HIDDEN]);
  await world.time.pass(HOUR_MS);
  expect(words(await posts(world))).toEqual(['On it', '🎉']);
  expect(words(await toAlice(world))).toEqual([]);
});

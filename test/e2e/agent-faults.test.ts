import { afterAll, beforeAll, expect, test } from 'vitest';
import { buttons } from '../../src/slack/views/buttons.ts';
import type { Fault } from '../support/agent-api/fault.ts';
import { alice, bob, describeWithLocalSlack, type SlackMessage } from '../support/local-slack.ts';
import { receipt, saying } from './support/posts.ts';
import { working } from './support/turns.ts';
import { startWorld, type World } from './support/world.ts';

/** After these it is unknown whether the API took the request. */
const unclear: readonly (readonly [string, Fault])[] = [
  ['a server error', { status: 500 }],
  ['a connection that breaks after the request was taken', 'reset_after'],
  ['half an answer', 'half_body'],
  ['a web page', 'html'],
];

describeWithLocalSlack('the agent API goes wrong', () => {
  let world: World & AsyncDisposable;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world[Symbol.asyncDispose]());

  const reply = (card: SlackMessage, text: string, user = bob) => world.slack.reply(card, text, user);
  const sent = (text: string) => world.api.requests.filter(({ prompt }) => prompt === text).length;
  const showsLater = (card: SlackMessage, words: RegExp) =>
    world.later(
      () => world.card(card),
      (text) => words.test(text),
      `the card to say ${words}`,
    );
  const pressThreeTimes = async (offer: SlackMessage, button: string) => {
    await Promise.all([alice, bob, alice].map((user) => world.slack.press(offer, button, user)));
    await world.slack.press(offer, button, bob);
  };

  test.each(unclear)(
    'a start that is answered with %s is not repeated, but offered (E1)',
    async (what, fault) => {
      const prompt = `Document ${what}`;
      world.api.failNext('create', fault);
      const card = await world.ask(prompt);
      const offer = await world.threadMessage(card, "Couldn't confirm the start");
      await world.clock.advance(20_000);
      expect(sent(prompt)).toBe(1);
      await showsLater(card, /Couldn't confirm the start/);

      await pressThreeTimes(offer, buttons.startAgain.id);
      await world.threadMessage(card, 'On it');
      await world.slack.press(offer, buttons.startAgain.id, alice);
      await world.clock.advance(20_000);
      expect(sent(prompt)).toBe(2);
      expect(saying(await world.posts(card), "Couldn't confirm")).toHaveLength(1);
      await expect
        .poll(async () => (await world.card(card)).includes('Working'), { message: 'the card to go on' })
        .toBe(true);
    },
  );

  test.each(unclear.slice(0, 2))(
    'a follow-up that is answered with %s is not repeated, but offered (E1)',
    async (what, fault) => {
      const card = await working(world, `Follow up after ${what}`);
      world.api.failNext('message', fault);
      const text = `Was there ${what}?`;
      const message = await reply(card, text);
      await world.clock.advance(4_000);
      const offer = await world.threadMessage(card, "Couldn't confirm that");
      await receipt(world.slack, message, 'warning');
      await world.clock.advance(20_000);
      expect(sent(text)).toBe(1);

      await pressThreeTimes(offer, buttons.sendAgain.id);
      await world.clock.advance(4_000);
      await receipt(world.slack, message, 'white_check_mark');
      await world.slack.press(offer, buttons.sendAgain.id, alice);
      await world.clock.advance(20_000);
      expect(sent(text)).toBe(2);
      expect(saying(await world.posts(card), "Couldn't confirm")).toHaveLength(1);
    },
  );

  test('a follow-up that is refused is shown in the API’s words, and can be retried (F1, F6)', async () => {
    const card = await working(world, 'Refuse a follow-up');
    world.api.failNext('message', { status: 400, body: { error: 'Prompt is about <!channel>' } });
    const message = await reply(card, 'Refused');
    await world.clock.advance(4_000);
    const offer = await world.threadMessage(card, 'Prompt is about &lt;!channel&gt;');
    await receipt(world.slack, message, 'warning');
    const other = await reply(card, 'Taken');
    await world.clock.advance(4_000);
    await receipt(world.slack, other, 'white_check_mark');

    await pressThreeTimes(offer, buttons.sendAgain.id);
    await world.clock.advance(4_000);
    await receipt(world.slack, message, 'white_check_mark');
    await world.clock.advance(20_000);
    expect(sent('Refused')).toBe(2);
    expect(sent('Taken')).toBe(1);
  });

  test('at a rate limit the start waits for as long as the API asks, and the card says until when (E1, W2)', async () => {
    world.api.failNext('create', { status: 429, headers: { 'retry-after': '120' } });
    const card = await world.ask('Wait for the start');
    await expect.poll(() => sent('Wait for the start'), { message: 'the first try' }).toBe(1);
    const untilMs = world.clock.now() + 120_000;
    await showsLater(
      card,
      new RegExp(`hourly limit is used up · continues <!date\\^${Math.trunc(untilMs / 1000)}\\^`),
    );
    await world.clock.advanceTo(untilMs - 1);
    expect(sent('Wait for the start')).toBe(1);
    await world.clock.advance(1);
    await world.threadMessage(card, 'On it');
    expect(sent('Wait for the start')).toBe(2);
    expect(await world.posts(card)).toHaveLength(1);
  });

  test('of a wait for more than ten minutes the thread is told, once, with its end (E1, W2)', async () => {
    const limited: Fault = { status: 429, headers: { 'retry-after': '601' } };
    world.api.failNext('create', limited, limited);
    const card = await world.ask('Wait for long');
    const post = await world.threadMessage(card, 'hourly limit is used up');
    expect(post.text).toContain(`<!date^${Math.trunc((world.clock.now() + 601_000) / 1000)}^`);
    await world.clock.advance(601_000);
    await expect.poll(() => sent('Wait for long'), { message: 'the second try' }).toBe(2);
    await world.clock.advance(601_000);
    await world.threadMessage(card, 'On it');
    expect(sent('Wait for long')).toBe(3);
    expect(await world.posts(card)).toHaveLength(2);
  });

  test('at a rate limit follow-ups wait, more of them join, and they go out in order (F2)', async () => {
    const card = await working(world, 'Wait for the message');
    world.api.failNext('message', { status: 429, headers: { 'retry-after': '90' } });
    const first = await reply(card, 'First of two');
    await world.clock.advance(4_000);
    await showsLater(card, /1 reply waiting until <!date/);
    const second = await reply(card, 'Second of two');
    await showsLater(card, /2 replies waiting until <!date/);
    await receipt(world.slack, first, 'eyes');
    await receipt(world.slack, second, 'eyes');
    await world.clock.advance(70_000);
    expect(sent('First of two\n\nSecond of two')).toBe(0);
    await world.clock.advance(20_000);
    await receipt(world.slack, first, 'white_check_mark');
    await receipt(world.slack, second, 'white_check_mark');
    await world.clock.advance(20_000);
    expect(saying(await world.posts(card), 'hourly limit')).toEqual([]);
    expect(sent('First of two')).toBe(1);
    expect(sent('First of two\n\nSecond of two')).toBe(1);
  });

  test('an offer outlives a restart (E1)', async () => {
    world.api.failNext('create', { status: 500 });
    const card = await world.ask('Start after a restart');
    const offer = await world.threadMessage(card, "Couldn't confirm the start");
    await world.restart();
    await world.clock.advance(20_000);
    expect(sent('Start after a restart')).toBe(1);
    await pressThreeTimes(offer, buttons.startAgain.id);
    await world.threadMessage(card, 'On it');
    await world.clock.advance(20_000);
    expect(sent('Start after a restart')).toBe(2);
  });
});

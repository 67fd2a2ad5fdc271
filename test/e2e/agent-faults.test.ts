import { afterAll, beforeAll, expect, test } from 'vitest';
import { buttons } from '../../src/slack/views/buttons.ts';
import type { Fault } from '../support/agent-api/fault.ts';
import { alice, bob, describeWithLocalSlack, general, type SlackMessage } from '../support/local-slack.ts';
import { saying } from './support/posts.ts';
import { startWorld, type World } from './support/world.ts';

/** After these it is unknown whether the API took the request. */
const unclear: readonly (readonly [string, Fault])[] = [
  ['a server error', { status: 500 }],
  ['a connection that breaks after the request was taken', 'reset_after'],
  ['half an answer', 'half_body'],
  ['a web page', 'html'],
];

/** Presses arrive over either transport; the rest does not depend on it. */
const cases = { socket: unclear, http: unclear.slice(0, 1) } as const;

for (const mode of ['socket', 'http'] as const) {
  describeWithLocalSlack(`the agent API goes wrong (${mode})`, () => {
    let world: World & AsyncDisposable;
    beforeAll(async () => {
      world = await startWorld({ mode });
    });
    afterAll(() => world[Symbol.asyncDispose]());

    const working = async (prompt: string) => {
      const card = await world.ask(prompt);
      await world.threadMessage(card, 'On it');
      return card;
    };
    const reply = (card: SlackMessage, text: string, user = bob) =>
      world.slack.message({ channel: general, user, text, threadTs: card.ts });
    const sent = (text: string) => world.api.requests.filter(({ prompt }) => prompt === text).length;
    const receipt = (message: SlackMessage, name: string) =>
      expect.poll(() => world.slack.reactions(message), { message: `the receipt "${name}"` }).toEqual([name]);
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

    test.each(cases[mode])(
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

    test.each(cases[mode].slice(0, 2))(
      'a follow-up that is answered with %s is not repeated, but offered (E1)',
      async (what, fault) => {
        const card = await working(`Follow up after ${what}`);
        world.api.failNext('message', fault);
        const text = `Was there ${what}?`;
        const message = await reply(card, text);
        await world.clock.advance(4_000);
        const offer = await world.threadMessage(card, "Couldn't confirm that");
        await receipt(message, 'warning');
        await world.clock.advance(20_000);
        expect(sent(text)).toBe(1);

        await pressThreeTimes(offer, buttons.sendAgain.id);
        await world.clock.advance(4_000);
        await receipt(message, 'white_check_mark');
        await world.slack.press(offer, buttons.sendAgain.id, alice);
        await world.clock.advance(20_000);
        expect(sent(text)).toBe(2);
        expect(saying(await world.posts(card), "Couldn't confirm")).toHaveLength(1);
      },
    );

    if (mode === 'http') return;

    test('a start that the API refuses is shown in its own words, with a form to edit it (E1)', async () => {
      world.api.failNext('create', { status: 400, body: { error: 'Prompt names <no> repository' } });
      const card = await world.ask('Document the impossible');
      const offer = await world.threadMessage(card, 'Prompt names &lt;no&gt; repository');
      await showsLater(card, /Not accepted/);
      expect(offer.text).toContain('[Edit and start]');
      await world.clock.advance(20_000);
      expect(sent('Document the impossible')).toBe(1);
    });

    test('a follow-up that is refused is shown in the API’s words, and can be retried (F1, F6)', async () => {
      const card = await working('Refuse a follow-up');
      world.api.failNext('message', { status: 400, body: { error: 'Prompt is about <!channel>' } });
      const message = await reply(card, 'Refused');
      await world.clock.advance(4_000);
      const offer = await world.threadMessage(card, 'Prompt is about &lt;!channel&gt;');
      await receipt(message, 'warning');
      const other = await reply(card, 'Taken');
      await world.clock.advance(4_000);
      await receipt(other, 'white_check_mark');

      await pressThreeTimes(offer, buttons.sendAgain.id);
      await world.clock.advance(4_000);
      await receipt(message, 'white_check_mark');
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
      const card = await working('Wait for the message');
      world.api.failNext('message', { status: 429, headers: { 'retry-after': '90' } });
      const first = await reply(card, 'First of two');
      await world.clock.advance(4_000);
      await showsLater(card, /1 reply waiting until <!date/);
      const second = await reply(card, 'Second of two');
      await showsLater(card, /2 replies waiting until <!date/);
      await receipt(first, 'eyes');
      await receipt(second, 'eyes');
      await world.clock.advance(70_000);
      expect(sent('First of two\n\nSecond of two')).toBe(0);
      await world.clock.advance(20_000);
      await receipt(first, 'white_check_mark');
      await receipt(second, 'white_check_mark');
      await world.clock.advance(20_000);
      expect(saying(await world.posts(card), 'hourly limit')).toEqual([]);
      expect(sent('First of two')).toBe(1);
      expect(sent('First of two\n\nSecond of two')).toBe(1);
    });

    test('a key that is refused is reported once, and the request goes on when it is mended (E2)', async () => {
      const refused: Fault = { status: 401, body: { error: 'Invalid API key' } };
      world.api.failNext('create', refused, refused, refused);
      const card = await world.ask('Wait for a new key');
      await world.threadMessage(card, 'An administrator needs to fix');
      await world.later(
        () => sent('Wait for a new key'),
        (count) => count === 4,
        'the key to be mended',
      );
      await world.threadMessage(card, 'Back online');
      await world.threadMessage(card, 'On it');
      expect(saying(await world.posts(card), 'An administrator needs to fix')).toHaveLength(1);
      expect(saying(await world.posts(card), 'Back online')).toHaveLength(1);
    });

    test('follow-ups are kept in order while the key is refused (E2, F2)', async () => {
      const card = await working('Follow up with a new key');
      world.api.failNext('message', { status: 401, body: { error: 'Invalid API key' } });
      const first = await reply(card, 'Before the new key');
      await world.clock.advance(4_000);
      await world.threadMessage(card, 'An administrator needs to fix');
      const second = await reply(card, 'After the old key');
      await receipt(first, 'eyes');
      await world.later(
        () => sent('Before the new key\n\nAfter the old key'),
        (count) => count === 1,
        'the key to be mended',
      );
      await world.threadMessage(card, 'Back online');
      await receipt(first, 'white_check_mark');
      await receipt(second, 'white_check_mark');
      expect(sent('Before the new key')).toBe(1);
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
}

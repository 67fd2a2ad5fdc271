import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Fault } from '../../demo/agent-api/fault.ts';
import { actionIds } from '../../src/slack/protocol/ids.ts';
import { alice, bob, describeWithLocalSlack, general, type SlackMessage } from '../support/local-slack.ts';
import { saying } from './support/posts.ts';
import { startWorld, type World } from './support/world.ts';

/** What leaves nobody sure whether the API took the request. */
const unclear: readonly (readonly [string, Fault])[] = [
  ['a server error', { status: 500 }],
  ['a connection that breaks after the request was taken', 'reset_after'],
  ['half an answer', 'half_body'],
  ['a web page', 'html'],
];

/** The buttons come in over either transport; the rest does not depend on it. */
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
      await world.told(card, 'Working');
      return card;
    };
    const reply = (card: SlackMessage, text: string, user = bob) =>
      world.slack.message({ channel: general, user, text, threadTs: card.ts });
    const sent = (text: string) => world.api.requests.filter(({ prompt }) => prompt === text).length;
    const receipt = (message: SlackMessage, name: string) =>
      world.soon(() => world.slack.reactions(message), [name], `the receipt "${name}"`);
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
        const offer = await world.told(card, 'may or may not have started');
        await world.clock.advance(20_000);
        expect(sent(prompt)).toBe(1);
        expect(await world.card(card)).toContain('Start unknown');

        await pressThreeTimes(offer, actionIds.startAgain);
        await world.told(card, 'Working');
        await world.slack.press(offer, actionIds.startAgain, alice);
        await world.clock.advance(20_000);
        expect(sent(prompt)).toBe(2);
        expect(saying(await world.posts(card), 'may or may not')).toHaveLength(1);
        await world.soon(async () => (await world.card(card)).includes('Working'), true, 'the card to go on');
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
        const offer = await world.told(card, 'may or may not have arrived');
        await receipt(message, 'warning');
        await world.clock.advance(20_000);
        expect(sent(text)).toBe(1);

        await pressThreeTimes(offer, actionIds.sendAgain);
        await world.clock.advance(4_000);
        await receipt(message, 'white_check_mark');
        await world.slack.press(offer, actionIds.sendAgain, alice);
        await world.clock.advance(20_000);
        expect(sent(text)).toBe(2);
        expect(saying(await world.posts(card), 'may or may not')).toHaveLength(1);
      },
    );

    if (mode === 'http') return;

    test('a start that the API refuses is shown in its own words, and can be run again (E1)', async () => {
      world.api.failNext('create', { status: 400, body: { error: 'Prompt names <no> repository' } });
      const card = await world.ask('Document the impossible');
      const offer = await world.told(card, 'Prompt names &lt;no&gt; repository');
      await showsLater(card, /Refused/);
      await pressThreeTimes(offer, actionIds.runAgain);
      await world.told(card, 'Working');
      await world.clock.advance(20_000);
      expect(sent('Document the impossible')).toBe(2);
    });

    test('a follow-up that is refused is shown in the API’s words, and can be retried (F1, F6)', async () => {
      const card = await working('Refuse a follow-up');
      world.api.failNext('message', { status: 400, body: { error: 'Prompt is about <!channel>' } });
      const message = await reply(card, 'Refused');
      await world.clock.advance(4_000);
      const offer = await world.told(card, 'Prompt is about &lt;!channel&gt;');
      await receipt(message, 'warning');
      const other = await reply(card, 'Taken');
      await world.clock.advance(4_000);
      await receipt(other, 'white_check_mark');

      await pressThreeTimes(offer, actionIds.retry);
      await world.clock.advance(4_000);
      await receipt(message, 'white_check_mark');
      await world.clock.advance(20_000);
      expect(sent('Refused')).toBe(2);
      expect(sent('Taken')).toBe(1);
    });

    test('at a rate limit the start waits for as long as the API asks, and the thread says so (E1, W2)', async () => {
      world.api.failNext('create', { status: 429, headers: { 'retry-after': '120' } });
      const card = await world.ask('Wait for the start');
      const post = await world.told(card, 'Waiting for the rate limit');
      expect(post.text).toContain(`<!date^${Math.trunc((world.clock.now() + 120_000) / 1000)}^`);
      await world.clock.advance(119_999);
      expect(sent('Wait for the start')).toBe(1);
      await world.clock.advance(1);
      await world.told(card, 'Working');
      expect(sent('Wait for the start')).toBe(2);
      expect(saying(await world.posts(card), 'Waiting for the rate limit')).toHaveLength(1);
    });

    test('at a rate limit follow-ups wait, more of them join, and they go out in order (F2)', async () => {
      const card = await working('Wait for the message');
      world.api.failNext('message', { status: 429, headers: { 'retry-after': '90' } });
      const first = await reply(card, 'First of two');
      await world.clock.advance(4_000);
      await world.told(card, 'Waiting for the rate limit');
      const second = await reply(card, 'Second of two');
      await showsLater(card, /2 follow-ups wait for the rate limit until <!date/);
      await receipt(first, 'eyes');
      await receipt(second, 'eyes');
      await world.clock.advance(80_000);
      expect(sent('First of two\n\nSecond of two')).toBe(0);
      await world.clock.advance(10_000);
      await receipt(first, 'white_check_mark');
      await receipt(second, 'white_check_mark');
      await world.clock.advance(20_000);
      expect(sent('First of two')).toBe(1);
      expect(sent('First of two\n\nSecond of two')).toBe(1);
    });

    test('a key that is refused is told once, and the request goes on when it is mended (E2)', async () => {
      const refused: Fault = { status: 401, body: { error: 'Invalid API key' } };
      world.api.failNext('create', refused, refused, refused);
      const card = await world.ask('Wait for a new key');
      await world.told(card, 'An administrator needs to fix');
      await world.later(
        () => sent('Wait for a new key'),
        (count) => count === 4,
        'the key to be mended',
      );
      await world.told(card, 'Going on');
      await world.told(card, 'Working');
      expect(saying(await world.posts(card), 'An administrator needs to fix')).toHaveLength(1);
      expect(saying(await world.posts(card), 'Going on')).toHaveLength(1);
    });

    test('follow-ups are kept in order while the key is refused (E2, F2)', async () => {
      const card = await working('Follow up with a new key');
      world.api.failNext('message', { status: 401, body: { error: 'Invalid API key' } });
      const first = await reply(card, 'Before the new key');
      await world.clock.advance(4_000);
      await world.told(card, 'An administrator needs to fix');
      const second = await reply(card, 'After the old key');
      await receipt(first, 'eyes');
      await world.later(
        () => sent('Before the new key\n\nAfter the old key'),
        (count) => count === 1,
        'the key to be mended',
      );
      await world.told(card, 'Going on');
      await receipt(first, 'white_check_mark');
      await receipt(second, 'white_check_mark');
      expect(sent('Before the new key')).toBe(1);
    });

    test('an offer outlives a restart (E1)', async () => {
      world.api.failNext('create', { status: 500 });
      const card = await world.ask('Start after a restart');
      const offer = await world.told(card, 'may or may not have started');
      await world.restart();
      await world.clock.advance(20_000);
      expect(sent('Start after a restart')).toBe(1);
      await pressThreeTimes(offer, actionIds.startAgain);
      await world.told(card, 'Working');
      await world.clock.advance(20_000);
      expect(sent('Start after a restart')).toBe(2);
    });
  });
}

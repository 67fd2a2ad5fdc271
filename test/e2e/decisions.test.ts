import { expect, test } from 'vitest';
import { has } from '../support/is.ts';
import { alice, bob, describeWithLocalSlack, general, type SlackMessage } from '../support/local-slack.ts';
import { saying, toldLater } from './support/posts.ts';
import { shows, working } from './support/turns.ts';
import { startWorld, type World } from './support/world.ts';

const settled = (world: World) => async () => saying(await world.slack.messages(general), 'Already done');

/** The message as it is when it shows who decided. */
function decided(world: World, card: SlackMessage, words: string): Promise<SlackMessage> {
  return world.threadMessage(card, words);
}

const buttonsOf = ({ blocks = [] }: SlackMessage) =>
  blocks.flatMap(({ elements = [] }) => elements.flatMap(({ action_id }) => action_id ?? []));

const failed = async (world: World) => {
  const card = await working(world);
  world.api.finish(0, { status: 'failed' });
  return { card, offer: await toldLater(world, card, '*Failed.*') };
};

describeWithLocalSlack('a used button goes away', () => {
  test('of two people who press at once one wins, the message names them, and the other learns it', async () => {
    await using world = await startWorld();
    const { card, offer } = await failed(world);
    expect(offer.text).toContain(`<@${alice}>`);
    await Promise.all([alice, bob].map((user) => world.slack.press(offer, 'start_again', user)));
    const after = await decided(world, card, 'started it again');
    expect(after.ts).toBe(offer.ts);
    expect(buttonsOf(after)).toEqual([]);
    const who = /(\w+) started it again/.exec(after.text)?.[0];
    const [late] = await world.later(settled(world), has(1), 'the reason');
    expect(late?.text).toContain(`Already done: ${who}.`);
    await world.clock.advance(5_000);
    expect(world.api.counts.create).toBe(2);
  });

  test('also when it was pressed on the card, and however long Slack refuses the edit', async () => {
    await using world = await startWorld();
    const { card } = await failed(world);
    const offering = await shows(world, card, '[Start again]');
    const busy = { status: 429, headers: { 'retry-after': '5' } } as const;
    world.proxy.fail('chat.update', busy, busy);
    await world.slack.press(offering, 'start_again', bob);
    const after = await world.later(
      async () => saying(await world.posts(card), 'started it again'),
      has(1),
      'the message to say who',
    );
    expect(after.map(buttonsOf)).toEqual([[]]);
  });

  test('of replies, and of the question whether to keep watching', async () => {
    await using world = await startWorld({ settings: { LONG_RUNNING_AFTER: '1m' } });
    const card = await working(world);
    world.api.failNext('message', { status: 400, body: '{"error":"not now"}' });
    await world.slack.reply(card, 'Use the CLI');
    const offer = await toldLater(world, card, 'Not sent');
    expect(offer.text).toContain(`<@${bob}>`);
    await world.slack.press(offer, 'send_again', alice);
    expect(buttonsOf(await decided(world, card, 'sent it again'))).toEqual([]);
    await world.clock.advance(120_000);
    const question = await toldLater(world, card, 'Still working after');
    await world.slack.press(question, 'stop_watching', bob);
    expect(buttonsOf(await decided(world, card, 'stopped watching'))).toEqual([]);
  });

  test('of replies that the end of a turn may not include', async () => {
    await using world = await startWorld();
    const card = await working(world);
    world.api.failNext('message', { status: 400, body: '{"error":"not now"}' });
    await world.slack.reply(card, 'Use the CLI');
    const refused = await toldLater(world, card, 'Not sent');
    world.api.finish(0, { status: 'completed' });
    const end = await toldLater(world, card, '1 reply may not be included');
    await world.slack.press(end, 'send_again', alice);
    const after = await world.later(
      async () => saying(await world.posts(card), 'sent it again'),
      has(2),
      'both messages to say who',
    );
    expect(after.map((post) => [post.ts, buttonsOf(post)])).toEqual([
      [refused.ts, []],
      [end.ts, ['follow_up']],
    ]);
    await world.slack.press(end, 'send_again', bob);
    const [late] = await world.later(settled(world), has(1), 'the reason');
    expect(late?.text).toContain(`sent it again`);
  });

  test('without a word when the job has gone on by itself', async () => {
    await using world = await startWorld({ settings: { LONG_RUNNING_AFTER: '1m' } });
    const card = await working(world);
    await world.clock.advance(120_000);
    await toldLater(world, card, 'Still working after');
    world.api.finish(0, { status: 'completed' });
    const after = await world.later(
      async () => saying(await world.posts(card), 'Still working after'),
      ([post]) => post !== undefined && buttonsOf(post).length === 0,
      'the question to lose its buttons',
    );
    expect(after.map(({ text }) => text.split('\n'))).toEqual([
      [expect.stringMatching(/after \d+ min\.\*$/)],
    ]);
  });

  test('is shown by the next process if this one ends right after the press', async () => {
    await using world = await startWorld();
    const { card, offer } = await failed(world);
    world.proxy.fail(
      'chat.update',
      ...Array.from({ length: 3 }, () => ({ status: 429, headers: { 'retry-after': '30' } })),
    );
    await world.slack.press(offer, 'start_again', alice);
    await world.restart();
    await world.later(
      async () => saying(await world.posts(card), 'started it again'),
      has(1),
      'the message to say who',
    );
  });
});

describeWithLocalSlack('the card', () => {
  test('offers *Send again* for the oldest replies that were not sent (F1)', async () => {
    await using world = await startWorld();
    const card = await working(world);
    world.api.failNext('message', { status: 400, body: '{"error":"not now"}' });
    await world.slack.reply(card, 'Use the CLI');
    await toldLater(world, card, 'Not sent');
    await world.slack.press(await shows(world, card, '[Send again]'), 'send_again', bob);
    await world.later(() => world.api.jobs[0]?.prompts.length, 2, 'the follow-up');
  });
});

import { expect, test } from 'vitest';
import { alice, bob, describeWithLocalSlack, general, type SlackMessage } from '../support/local-slack.ts';
import { toldLater } from './support/posts.ts';
import { startWorld, type World } from './support/world.ts';

const offering = (world: World, card: SlackMessage, label: string) =>
  world.later(
    async () => (await world.slack.messages(general)).find(({ ts }) => ts === card.ts) ?? card,
    ({ text }) => text.includes(`[${label}]`),
    `the card to offer ${label}`,
  );

/** What is missing for an hour is gone; by then it is looked for minutes apart. */
const GONE_AFTER_MS = 70 * 60_000;

describeWithLocalSlack('the card', () => {
  test('offers *Start again* where the thread could not (W3)', async () => {
    await using world = await startWorld();
    const card = await world.ask('Add a quickstart');
    await world.threadMessage(card, 'On it');
    world.proxy.fail('chat.postMessage', { error: 'restricted_action' });
    world.api.finish(world.api.jobs[0]?.id ?? '', { status: 'failed' });
    await world.slack.press(await offering(world, card, 'Start again'), 'start_again', alice);
    await world.later(
      () => world.api.counts.create,
      (count) => count === 2,
      'the second job',
    );
    expect(world.api.jobs.map(({ prompts }) => prompts)).toEqual([
      ['Add a quickstart'],
      ['Add a quickstart'],
    ]);
  });

  test('offers *Send again* for the oldest replies that were not sent (F1)', async () => {
    await using world = await startWorld();
    const card = await world.ask('Add a quickstart');
    await world.threadMessage(card, 'On it');
    world.api.failNext('message', { status: 400, body: '{"error":"not now"}' });
    await world.slack.message({ channel: general, user: bob, text: 'Use the CLI', threadTs: card.ts });
    await toldLater(world, card, 'Not sent');
    await world.slack.press(await offering(world, card, 'Send again'), 'send_again', bob);
    await world.later(
      () => world.api.jobs[0]?.prompts.length,
      (count) => count === 2,
      'the follow-up',
    );
  });

  test('of a job that the API does not know any more: the thread offers *Start again* to a reply (F6)', async () => {
    await using world = await startWorld();
    const card = await world.ask('Add a quickstart');
    await world.threadMessage(card, 'On it');
    const missing = { status: 404, body: '{"error":"job not found"}' };
    world.api.failNext('get', ...Array.from({ length: 100 }, () => missing));
    await world.clock.advance(GONE_AFTER_MS);
    await toldLater(world, card, 'no longer knows this job');
    world.api.failNext('message', missing);
    await world.slack.message({ channel: general, user: bob, text: 'Use the CLI', threadTs: card.ts });
    const refused = await toldLater(world, card, 'no longer knows this job');
    await world.slack.press(refused, 'start_again', bob);
    await world.later(
      () => world.api.jobs.at(-1)?.prompts,
      (prompts) => prompts?.length === 2,
      'the new job to have the reply',
    );
    expect(world.api.jobs.at(-1)?.prompts).toEqual(['Add a quickstart', 'Use the CLI']);
  });
});

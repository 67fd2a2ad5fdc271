import { expect, test } from 'vitest';
import { encodeButton } from '../../src/slack/views/parts/buttons.ts';
import { alice, describeWithLocalSlack, general, type SlackMessage } from '../support/local-slack.ts';
import { toldLater } from './support/posts.ts';
import { startWorld, type World } from './support/world.ts';

/** A press of the button as the message had it when an older version posted it. */
async function pressAsItWas(world: World, message: SlackMessage, actionId: string, more: object) {
  const elements = (message.blocks ?? []).flatMap(({ block_id = '', elements = [] }) =>
    elements.map((element) => ({ ...element, block_id })),
  );
  const button = elements.find(({ value }) => value !== undefined);
  const target = { ...JSON.parse(button?.value ?? '{}'), ...more };
  const blockId = button?.block_id ?? '';
  const press = { channelId: general, userId: alice, message, actionId, blockId };
  const { status } = await world.signed.sendAction({ ...press, value: encodeButton(target) });
  expect(status).toBe(200);
}

describeWithLocalSlack('a button that was posted before an upgrade still works:', () => {
  test('*Run again*', async () => {
    await using world = await startWorld({ mode: 'http' });
    const card = await world.ask('Add a quickstart');
    await world.threadMessage(card, 'On it');
    world.api.finish(world.api.jobs[0]?.id ?? '', { status: 'failed' });
    await pressAsItWas(world, await toldLater(world, card, 'Failed'), 'run_again', { creates: 1 });
    await expect.poll(() => world.api.counts.create, { message: 'the job to start again' }).toBe(2);
  });

  test('*Retry*', async () => {
    await using world = await startWorld({ mode: 'http' });
    const card = await world.ask('Add a quickstart');
    await world.threadMessage(card, 'On it');
    world.api.failNext('message', { status: 400, body: '{"error":"not now"}' });
    await world.slack.message({ channel: general, user: alice, text: 'Use the CLI', threadTs: card.ts });
    await pressAsItWas(world, await toldLater(world, card, 'Not sent'), 'retry', {});
    await world.later(
      () => world.api.jobs[0]?.prompts.length,
      (count) => count === 2,
      'the follow-up',
    );
  });
});

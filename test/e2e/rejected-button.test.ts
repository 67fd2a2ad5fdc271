import { expect, test } from 'vitest';
import { alice, describeWithLocalSlack, general, random } from '../support/local-slack.ts';
import { toldLater } from './support/posts.ts';
import { startWorld } from './support/world.ts';

describeWithLocalSlack('a button of a job', () => {
  test('works only in the channel of the job, whatever value is sent', async () => {
    await using world = await startWorld({ mode: 'http' });
    const root = await world.ask('Add a quickstart');
    await world.threadMessage(root, 'On it');
    world.api.finish(world.api.jobs[0]?.id ?? '', { status: 'failed' });
    const refused = await toldLater(world, root, '*Failed.*');
    const button = (refused.blocks ?? [])
      .flatMap(({ block_id = '', elements = [] }) => elements.map((element) => ({ ...element, block_id })))
      .find(({ action_id }) => action_id === 'start_again');
    const press = (channelId: string) =>
      world.signed.sendAction({
        channelId,
        userId: alice,
        message: refused,
        actionId: 'start_again',
        blockId: button?.block_id ?? '',
        value: button?.value ?? '',
      });
    expect((await press(random)).status).toBe(200);
    await world.clock.advance(5_000);
    expect(world.api.counts.create).toBe(1);
    expect((await press(general)).status).toBe(200);
    await expect.poll(() => world.api.counts.create, { message: 'the job to run again' }).toBe(2);
  });
});

import { expect, test } from 'vitest';
import { alice, describeWithLocalSlack, general, random } from '../support/local-slack.ts';
import { startWorld } from './support/world.ts';

describeWithLocalSlack('a button of a job', () => {
  test('works only in the channel of the job, whatever value is sent', async () => {
    await using world = await startWorld({ mode: 'http' });
    world.api.failNext('create', { status: 400, body: '{"error":"no"}' });
    const root = await world.ask('Add a quickstart');
    const refused = await world.told(root, 'Refused');
    const button = (refused.blocks ?? [])
      .flatMap(({ block_id = '', elements = [] }) => elements.map((element) => ({ ...element, block_id })))
      .find(({ action_id }) => action_id === 'run_again');
    const press = (channelId: string) =>
      world.signed.sendAction({
        channelId,
        userId: alice,
        message: refused,
        actionId: 'run_again',
        blockId: button?.block_id ?? '',
        value: button?.value ?? '',
      });
    expect((await press(random)).status).toBe(200);
    await world.clock.advance(5_000);
    expect(world.api.counts.create).toBe(1);
    expect((await press(general)).status).toBe(200);
    await world.soon(() => world.api.counts.create, 2, 'the job to run again');
  });
});

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buttons } from '../../src/slack/views/buttons.ts';
import { beside } from '../support/beside.ts';
import { alice, bob, describeWithLocalSlack, general } from '../support/local-slack.ts';
import { saying } from './support/posts.ts';
import { working } from './support/turns.ts';
import { startWorld, type World } from './support/world.ts';

/** From another connection: the program's store refuses all requests and jobs until it is mended. */
async function breakStore(world: World): Promise<{ mend(): Promise<void> }> {
  const file = beside(join(world.env.DATA_DIR ?? '', 'docs-agent.db'));
  const tables = [
    ['inbound_request', 'insert'],
    ['job', 'insert'],
    ['job', 'update'],
  ] as const;
  for (const [table, change] of tables) {
    await file.execute(`create trigger broken_${table}_${change} before ${change} on ${table}
      begin select raise(abort, 'the disk is broken'); end`);
  }
  return {
    mend: async () => {
      for (const [table, change] of tables) await file.execute(`drop trigger broken_${table}_${change}`);
      file.close();
    },
  };
}

const refusals = (world: World) => world.log.filter((line) => line.includes('the disk is broken')).length;

describeWithLocalSlack('a store that cannot be written', () => {
  test('over signed HTTP: what cannot be stored is not accepted, and works when sent again (S1, S5)', async () => {
    await using world = await startWorld({ mode: 'http' });
    world.api.failNext('create', { status: 500 });
    const card = await world.ask('Add a quickstart');
    const offer = await world.threadMessage(card, "Couldn't confirm the start");
    await world.clock.advance(1_000);

    const store = await breakStore(world);
    const command = { channelId: general, userId: alice, text: 'Not stored', triggerId: 'once' };
    const answer = await world.signed.sendCommand(command);
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body)).toMatchObject({
      response_type: 'ephemeral',
      text: expect.stringContaining('save that'),
    });
    const reply = {
      type: 'message',
      channel: general,
      user: bob,
      ts: '1700000000.000001',
      thread_ts: card.ts,
    };
    const event = { event: { ...reply, text: 'Not stored' }, eventId: 'Ev1' };
    expect((await world.signed.sendEvent(event)).status).toBeGreaterThanOrEqual(500);
    const [actions] = offer.blocks?.filter(({ type }) => type === 'actions') ?? [];
    const press = {
      channelId: general,
      userId: alice,
      message: offer,
      actionId: buttons.startAgain.id,
      blockId: String(actions?.block_id),
      value: String(actions?.elements?.[0]?.value),
    };
    expect((await world.signed.sendAction(press)).status).toBeGreaterThanOrEqual(500);
    await world.slack.press(offer, buttons.startAgain.id, alice);
    expect(saying(await world.slack.messages(general), 'save that')).toMatchObject([
      { subtype: 'ephemeral', ephemeral_to: alice },
    ]);
    await world.clock.advance(30_000);
    expect(world.api.counts).toMatchObject({ create: 1, message: 0 });

    await store.mend();
    expect(await world.signed.sendCommand(command)).toEqual({ status: 200, body: '' });
    expect(await world.signed.sendEvent(event, { retryNum: 1 })).toMatchObject({ status: 200 });
    expect(await world.signed.sendEvent(event, { retryNum: 2 })).toMatchObject({ status: 200 });
    expect(await world.signed.sendAction(press)).toMatchObject({ status: 200 });
    await world.threadMessage(card, 'On it');
    const prompts = () => world.api.jobs.map((job) => job.prompts).toSorted();
    await world.later(prompts, (all) => all.flat().length === 3, 'all three to have their effect');
    expect(prompts()).toEqual([['Add a quickstart', 'Not stored'], ['Not stored']]);
  });

  test('over Socket Mode: a reply is not acknowledged, and works when Slack sends it again (F1)', async () => {
    await using world = await startWorld();
    const card = await working(world);
    await world.clock.advance(1_000);

    const store = await breakStore(world);
    await world.slack.command({ channel: general, user: alice, text: 'Not stored' });
    expect(world.proxy.socket.acks().at(-1)?.payload).toMatchObject({
      text: expect.stringContaining('save that'),
    });
    const acks = world.proxy.socket.acks().length;
    const before = refusals(world);
    const sending = world.slack.reply(card, 'Kept');
    await expect.poll(() => refusals(world) > before, { message: 'the reply to be refused' }).toBe(true);
    await world.clock.advance(10_000);
    expect(world.proxy.socket.acks()).toHaveLength(acks);

    await store.mend();
    world.proxy.socket.redeliver();
    const reply = await sending;
    expect(world.proxy.socket.acks()).toHaveLength(acks + 1);
    // The thread is read for missed replies first.
    await world.later(() => world.slack.reactions(reply), ['white_check_mark'], 'the receipt "accepted"');
    await world.clock.advance(60_000);
    expect(world.api.jobs.map(({ prompts }) => prompts)).toEqual([['Add a quickstart', 'Kept']]);
    expect(saying(await world.slack.messages(general), 'Starting')).toHaveLength(0);
  });
});

import { expect, test } from 'vitest';
import { alice } from '../support/local-slack.ts';
import { describeReplicas, startReplicas } from './support/replicas.ts';
import { ask, askAndWait, expectStory, isAccepted, PROMPT, reply } from './support/story.ts';
import { transactions } from './support/wire.ts';

describeReplicas('a commit whose answer is lost', (serverUrl) => {
  for (const [what, where] of [
    ['that was carried out', 'after'],
    ['that was not carried out', 'before'],
  ] as const) {
    test.concurrent(`of a command, ${what}: the job starts, once`, async () => {
      await using world = await startReplicas(serverUrl);
      await world.start();
      const held = world.databaseProxy.hold(where, transactions.storesRequest);
      const asking = ask(world);
      (await held).cut();
      await asking;
      expect(world.proxy.socket.acks().at(-1)?.payload ?? {}).toEqual({});
      await world.messageSeen('On it');
      expect(world.api.jobs.map(({ prompts }) => prompts)).toEqual([[PROMPT]]);
      await expectStory(world, 'On it');
    });

    test.concurrent(`of a reply, ${what}: it is sent, once`, async () => {
      await using world = await startReplicas(serverUrl);
      await world.start();
      const card = await askAndWait(world);
      const held = world.databaseProxy.hold(where, transactions.storesRequest);
      const acks = world.proxy.socket.acks().length;
      const sending = reply(world, card, 'Mention the CLI');
      (await held).cut();
      const message = await sending;
      if (world.proxy.socket.acks().length === acks) world.proxy.socket.redeliver();
      await isAccepted(world, message);
      expect(world.api.jobs.map(({ prompts }) => prompts)).toEqual([[PROMPT, 'Mention the CLI']]);
      expect(world.api.counts).toMatchObject({ create: 1, message: 1 });
      await expectStory(world, 'On it');
    });

    test.concurrent(`of the outcome of a create call, ${what}: the job is created and watched, once`, async () => {
      await using world = await startReplicas(serverUrl);
      await world.start();
      // The card is posted first.
      const posted = world.databaseProxy.hold('after', transactions.settlesDone);
      await ask(world);
      const created = world.databaseProxy.hold(where, transactions.settlesDone);
      (await posted).pass();
      (await created).cut();
      await world.messageSeen('On it');
      expect(world.api.counts.create).toBe(1);
      await expectStory(world, 'On it');
    });
  }

  test.concurrent('of the start of a create call: it is not made, and the thread says that it is unclear', async () => {
    await using world = await startReplicas(serverUrl);
    await world.start();
    const held = world.databaseProxy.hold('after', transactions.startsAgentCall);
    await ask(world);
    (await held).cut();
    const offer = await world.messageSeen("Couldn't confirm the start");
    expect(world.api.counts.create).toBe(0);
    await world.slack.press(offer, 'start_again', alice);
    await world.messageSeen('On it');
    await expectStory(world, "Couldn't confirm", 'On it');
    expect(world.api.counts.create).toBe(1);
  });

  for (const where of ['before', 'after'] as const) {
    test.concurrent(`of the outcome of a post (lost ${where} it is carried out): it stands there once`, async () => {
      await using world = await startReplicas(serverUrl);
      await world.start();
      const posted = world.databaseProxy.hold(where, transactions.settlesDone);
      await ask(world);
      (await posted).cut();
      await world.messageSeen('On it');
      await expectStory(world, 'On it');
    });
  }

  test.concurrent('of a command, and a database that is gone: the person is told that it is not clear', async () => {
    await using world = await startReplicas(serverUrl);
    await world.start();
    const held = world.databaseProxy.hold('after', transactions.storesRequest);
    const asking = ask(world);
    await held;
    world.databaseProxy.cut();
    await asking;
    expect(world.proxy.socket.acks().at(-1)?.payload).toMatchObject({
      text: expect.stringContaining('tell whether'),
    });
    world.databaseProxy.mend();
    await world.messageSeen('On it');
    expect(world.api.jobs.map(({ prompts }) => prompts)).toEqual([[PROMPT]]);
  });
});

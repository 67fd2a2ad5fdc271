import { expect, test } from 'vitest';
import { agentCalls } from '../crash/support/outside.ts';
import { alice, type SlackMessage } from '../support/local-slack.ts';
import { describeReplicas, type Replicas, startReplicas } from './support/replicas.ts';
import {
  ask,
  askAndWait,
  expectStory,
  expectStoryOfTheWoken,
  isAccepted,
  PR,
  PROMPT,
  reply,
} from './support/story.ts';

/** Two processes start one after the other; on a busy machine that takes seconds. */
const options = { timeout: 120_000 };

describeReplicas('a replica that is frozen with a request out, past its lease, and woken', (serverUrl) => {
  /** Holds the answer to the next call of the method until it is released. */
  function holdAnswer(proxy: Replicas['proxy'], method: string): () => void {
    const answer = Promise.withResolvers<void>();
    proxy.fail(method, { answerAfter: answer.promise });
    return answer.resolve;
  }

  async function pressTooLate(world: Replicas, offer: SlackMessage, button: string): Promise<void> {
    await world.slack.press(offer, button, alice);
    const isTold = (messages: readonly SlackMessage[]) =>
      messages.some(({ text }) => text.includes('Too late'));
    await world.until(() => world.messages(), isTold, 'the press to be answered');
    expect(await world.query(`select id from call where ended_at is null`)).toEqual([]);
  }

  /** The first replica, frozen by `freeze`; from then on the second one has its work, until `wake`. */
  async function startTwo(world: Replicas) {
    const first = await world.start();
    return {
      freeze: async (inHand: string) => {
        await world.hasInHand(inHand);
        await world.freeze(first);
        await world.expireLeases();
        await world.start();
      },
      /** Returns when the woken one has noticed that it may not write what it had in hand. */
      wake: async (release: () => void) => {
        release();
        first.kill('SIGCONT');
        await first.logged('task_lease_lost');
      },
    };
  }

  test(
    'a create call that the other one called unclear: the late answer heals the thread',
    options,
    async () => {
      await using world = await startReplicas(serverUrl);
      const release = holdAnswer(world.agentProxy, agentCalls.create);
      const first = await startTwo(world);
      await ask(world);
      await first.freeze('call_agent');
      const offer = await world.told('may or may not have started');
      await first.wake(release);
      await world.told('Working');
      await expectStory(world, 'may or may not', 'Working');
      await pressTooLate(world, offer, 'start_again');
      expect(world.api.jobs.map(({ prompts }) => prompts)).toEqual([[PROMPT]]);
    },
  );

  test(
    'a create call that was started again meanwhile: the late answer changes nothing',
    options,
    async () => {
      await using world = await startReplicas(serverUrl);
      const release = holdAnswer(world.agentProxy, agentCalls.create);
      const first = await startTwo(world);
      await ask(world);
      await first.freeze('call_agent');
      const offer = await world.told('may or may not have started');
      await world.slack.press(offer, 'start_again', alice);
      await world.told('Working');
      await first.wake(release);
      expect(world.api.jobs.map(({ prompts }) => prompts)).toEqual([[PROMPT], [PROMPT]]);
      await expectStoryOfTheWoken(world, 'may or may not', 'Working');
    },
  );

  test(
    'a message call that the other one called unclear: the late answer heals the reply',
    options,
    async () => {
      await using world = await startReplicas(serverUrl);
      const first = await startTwo(world);
      const card = await askAndWait(world);
      const agentJobId = world.api.jobs[0]?.id ?? '';
      const release = holdAnswer(world.agentProxy, agentCalls.messageTo(agentJobId));
      const message = await reply(world, card, 'Mention the CLI');
      await first.freeze('call_agent');
      const offer = await world.told('may or may not');
      await first.wake(release);
      await isAccepted(world, message);
      await expectStory(world, 'Working', 'may or may not');
      await pressTooLate(world, offer, 'send_again');
      expect(world.api.jobs[0]?.prompts).toEqual([PROMPT, 'Mention the CLI']);
    },
  );

  test('a create call, and the other one has not come to it: the answer counts', options, async () => {
    await using world = await startReplicas(serverUrl);
    const release = holdAnswer(world.agentProxy, agentCalls.create);
    const only = await world.start();
    await ask(world);
    await world.hasInHand('call_agent');
    await world.freeze(only);
    await world.expireLeases();
    only.kill('SIGCONT');
    const held = () => world.query('select id from task where lease_until > 0');
    await world.until(held, ({ length }) => length === 1, 'the woken one to hold its work again');
    release();
    await world.told('Working');
    await expectStory(world, 'Working');
    expect(world.api.jobs.map(({ prompts }) => prompts)).toEqual([[PROMPT]]);
  });

  test('the post of the card: the other one finds it', options, async () => {
    await using world = await startReplicas(serverUrl);
    const release = holdAnswer(world.proxy, 'chat.postMessage');
    const first = await startTwo(world);
    await ask(world);
    await world.card();
    await first.freeze('post_to_slack');
    await world.told('Working');
    await first.wake(release);
    await expectStory(world, 'Working');
  });

  test('a post in the thread: the other one finds it', options, async () => {
    await using world = await startReplicas(serverUrl);
    world.proxy.fail('chat.postMessage', { answerAfter: Promise.resolve() });
    const release = holdAnswer(world.proxy, 'chat.postMessage');
    const first = await startTwo(world);
    await ask(world);
    await world.told('Working');
    await first.freeze('post_to_slack');
    await world.until(
      () => world.query(`select id from call where kind = 'announce' and state = 'done'`),
      ({ length }) => length === 1,
      'the other one to find the post',
    );
    await first.wake(release);
    await expectStory(world, 'Working');
  });

  test('a read of the status: the other one tells what is new', options, async () => {
    await using world = await startReplicas(serverUrl);
    const first = await startTwo(world);
    await askAndWait(world);
    const read = `${agentCalls.create}/${world.api.jobs[0]?.id}`;
    const release = holdAnswer(world.agentProxy, read);
    const reads = () => world.agentProxy.calls(read).length;
    const before = reads();
    await world.until(reads, (count) => count > before, 'the next read');
    await first.freeze('check_job');
    world.finish(PR);
    await world.told('🎉');
    await first.wake(release);
    await expectStory(world, 'Working');
  });

  test('a receipt: the other one puts it, and in the end the last one stands alone', options, async () => {
    await using world = await startReplicas(serverUrl);
    const first = await startTwo(world);
    const card = await askAndWait(world);
    const release = holdAnswer(world.proxy, 'reactions.add');
    const message = await reply(world, card, 'Mention the CLI');
    await first.freeze('refresh_receipts');
    await isAccepted(world, message);
    await first.wake(release);
    await isAccepted(world, message);
    expect(world.api.jobs[0]?.prompts).toEqual([PROMPT, 'Mention the CLI']);
    await expectStory(world, 'Working');
  });

  test('a refresh of the card that arrives after a later one: the card shows the end', options, async () => {
    await using world = await startReplicas(serverUrl);
    const late = Promise.withResolvers<void>();
    world.proxy.fail('chat.update', { forwardAfter: late.promise });
    const first = await startTwo(world);
    await askAndWait(world);
    await first.freeze('refresh_card');
    world.finish(PR);
    await world.until(
      async () => (await world.card()).text,
      (text) => text.includes('Finished'),
      'the card to show the end',
    );
    await first.wake(late.resolve);
    await expectStory(world, 'Working');
  });
});

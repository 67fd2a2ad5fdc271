import { expect, test } from 'vitest';
import { agentCalls } from '../crash/support/outside.ts';
import { alice, type SlackMessage } from '../support/local-slack.ts';
import { describeReplicas, type Replicas, startReplicas } from './support/replicas.ts';
import { ask, askAndWait, expectStory, isAccepted, PR, PROMPT, reply } from './support/story.ts';

describeReplicas('a replica that is frozen with a request out, past its lease, and woken', (serverUrl) => {
  /** A call in hand may not be on its way yet. */
  const isSent = (proxy: Replicas['proxy'], method: string) =>
    expect.poll(() => proxy.calls(method).length, { message: `the call of ${method}` }).toBeGreaterThan(0);

  /** Holds the answer to the next call of the method until it is released. */
  function holdAnswer(proxy: Replicas['proxy'], method: string): () => void {
    const answer = Promise.withResolvers<void>();
    proxy.fail(method, { answerAfter: answer.promise });
    return answer.resolve;
  }

  async function pressTooLate(world: Replicas, offer: SlackMessage, button: string): Promise<void> {
    await world.slack.press(offer, button, alice);
    const isTold = (messages: readonly SlackMessage[]) =>
      messages.some(({ text }) => text.includes('Already done'));
    await expect.poll(() => world.messages(), { message: 'the press to be answered' }).toSatisfy(isTold);
    expect(await world.query(`select id from call where ended_at is null`)).toEqual([]);
  }

  /** The first replica, frozen by `freeze`; from then on the second one has its work, until `wake`. */
  async function startTwo(world: Replicas) {
    const first = await world.start();
    return {
      freeze: async (inFlight: string) => {
        await world.hasInFlight(inFlight);
        await world.freeze(first);
        await world.expireLeases();
        await world.start();
      },
      /** Returns when the woken one has noticed that it may not write what it had in flight. */
      wake: async (release: () => void) => {
        release();
        first.kill('SIGCONT');
        await first.logged('task_lease_lost');
      },
    };
  }

  /** The first replica is frozen with a create call out, and the second one has called it unclear. */
  async function createCallUnclear(world: Replicas) {
    const release = holdAnswer(world.agentProxy, agentCalls.create);
    const first = await startTwo(world);
    await ask(world);
    await isSent(world.agentProxy, agentCalls.create);
    await first.freeze('call_agent');
    const offer = await world.messageSeen("Couldn't confirm the start");
    return { offer, wakeFirst: () => first.wake(release) };
  }

  test('a create call that the other one called unclear: the late answer heals the thread', async () => {
    await using world = await startReplicas(serverUrl);
    const { offer, wakeFirst } = await createCallUnclear(world);
    await wakeFirst();
    await world.messageSeen('On it');
    await expectStory(world, "Couldn't confirm", 'On it');
    await pressTooLate(world, offer, 'start_again');
    expect(world.api.jobs.map(({ prompts }) => prompts)).toEqual([[PROMPT]]);
  });

  test('a create call that was started again meanwhile: the late answer changes nothing', async () => {
    await using world = await startReplicas(serverUrl);
    const { offer, wakeFirst } = await createCallUnclear(world);
    await world.slack.press(offer, 'start_again', alice);
    await world.messageSeen('On it');
    await wakeFirst();
    expect(world.api.jobs.map(({ prompts }) => prompts)).toEqual([[PROMPT], [PROMPT]]);
    await expectStory(world, "Couldn't confirm", 'On it');
  });

  test('a message call that the other one called unclear: the late answer heals the reply', async () => {
    await using world = await startReplicas(serverUrl);
    const first = await startTwo(world);
    const card = await askAndWait(world);
    const agentJobId = world.api.jobs[0]?.id ?? '';
    const sending = agentCalls.messageTo(agentJobId);
    const release = holdAnswer(world.agentProxy, sending);
    const message = await reply(world, card, 'Mention the CLI');
    await isSent(world.agentProxy, sending);
    await first.freeze('call_agent');
    const offer = await world.messageSeen("Couldn't confirm");
    await first.wake(release);
    await isAccepted(world, message);
    await expectStory(world, 'On it', "Couldn't confirm");
    await pressTooLate(world, offer, 'send_again');
    expect(world.api.jobs[0]?.prompts).toEqual([PROMPT, 'Mention the CLI']);
  });

  test('a create call, and the other one has not come to it: the answer counts', async () => {
    await using world = await startReplicas(serverUrl);
    const release = holdAnswer(world.agentProxy, agentCalls.create);
    const only = await world.start();
    await ask(world);
    await isSent(world.agentProxy, agentCalls.create);
    await world.freeze(only);
    await world.expireLeases();
    only.kill('SIGCONT');
    const held = () => world.query('select id from task where lease_until > 0');
    await expect.poll(held, { message: 'the woken one to hold its work again' }).toHaveLength(1);
    release();
    await world.messageSeen('On it');
    await expectStory(world, 'On it');
    expect(world.api.jobs.map(({ prompts }) => prompts)).toEqual([[PROMPT]]);
  });

  test('the post of the card: the other one finds it', async () => {
    await using world = await startReplicas(serverUrl);
    const release = holdAnswer(world.proxy, 'chat.postMessage');
    const first = await startTwo(world);
    await ask(world);
    await world.card();
    await first.freeze('post_to_slack');
    await world.messageSeen('On it');
    await first.wake(release);
    await expectStory(world, 'On it');
  });

  test('a post in the thread: the other one finds it', async () => {
    await using world = await startReplicas(serverUrl);
    world.proxy.fail('chat.postMessage', { answerAfter: Promise.resolve() });
    const release = holdAnswer(world.proxy, 'chat.postMessage');
    const first = await startTwo(world);
    await ask(world);
    await world.messageSeen('On it');
    await first.freeze('post_to_slack');
    await expect
      .poll(() => world.query(`select id from call where kind = 'announce' and state = 'done'`), {
        message: 'the other one to find the post',
      })
      .toHaveLength(1);
    await first.wake(release);
    await expectStory(world, 'On it');
  });

  test('a read of the status: the other one announces what is new', async () => {
    await using world = await startReplicas(serverUrl);
    const first = await startTwo(world);
    await askAndWait(world);
    const read = `${agentCalls.create}/${world.api.jobs[0]?.id}`;
    const release = holdAnswer(world.agentProxy, read);
    const reads = () => world.agentProxy.calls(read).length;
    const before = reads();
    await expect.poll(reads, { message: 'the next read' }).toBeGreaterThan(before);
    await first.freeze('check_job');
    world.finish(PR);
    await world.messageSeen('🎉');
    await first.wake(release);
    await expectStory(world, 'On it');
  });

  test('a look at a pull request: the other one tells that it is merged, once (P2)', async () => {
    await using world = await startReplicas(serverUrl);
    const first = await startTwo(world);
    const pull = world.codeHost.open({ repository: 'acme/docs' });
    await askAndWait(world);
    world.finish(world.codeHost.githubLink(pull));
    const outcomes = async () => (await world.query('select outcome from pull_request')).map(Object.values);
    await expect.poll(outcomes, { message: 'the first look' }).toEqual([['seen']]);
    world.codeHost.failAt(/./, 'hang');
    pull.merge('octocat');
    const asked = () => world.codeHost.requests.filter(({ status }) => status === null);
    await world.query(`update task set run_at = 0 where kind = 'look_at_pull_request'`);
    await expect.poll(() => asked().length, { message: 'the look' }).toBeGreaterThan(0);
    await world.hasInFlight('look_at_pull_request');
    // Only the look of the first replica has no answer.
    world.codeHost.failAt(/./, null);
    await first.freeze('look_at_pull_request');
    await world.messageSeen('Merged');
    await first.wake(() => {});
    const merged = (await world.messages()).filter(
      ({ text, thread_ts }) => thread_ts && text.includes('*Merged*'),
    );
    expect(merged).toHaveLength(1);
    expect(await outcomes()).toEqual([['seen']]);
  });

  test('a receipt: the other one puts it, and in the end only the last one is left', async () => {
    await using world = await startReplicas(serverUrl);
    const first = await startTwo(world);
    const card = await askAndWait(world);
    const release = holdAnswer(world.proxy, 'reactions.add');
    const message = await reply(world, card, 'Mention the CLI');
    await isSent(world.proxy, 'reactions.add');
    // A message call in the same hands would be unclear.
    const states = async () => (await world.query('select state from follow_up')).map(Object.values);
    await expect.poll(states, { message: 'the reply to be sent' }).toEqual([['sent']]);
    await first.freeze('refresh_receipts');
    await isAccepted(world, message);
    await first.wake(release);
    await isAccepted(world, message);
    expect(world.api.jobs[0]?.prompts).toEqual([PROMPT, 'Mention the CLI']);
    await expectStory(world, 'On it');
  });

  test('a refresh of the card that arrives after a later one: the card shows the end', async () => {
    await using world = await startReplicas(serverUrl);
    const late = Promise.withResolvers<void>();
    world.proxy.fail('chat.update', { forwardAfter: late.promise });
    const first = await startTwo(world);
    await askAndWait(world);
    await isSent(world.proxy, 'chat.update');
    await first.freeze('refresh_card');
    world.finish(PR);
    await expect
      .poll(async () => (await world.card()).text, { message: 'the card to show the end' })
      .toContain('✅');
    await first.wake(late.resolve);
    await expectStory(world, 'On it');
  });
});

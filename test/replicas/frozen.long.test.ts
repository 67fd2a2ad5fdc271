import { expect, test } from 'vitest';
import { agentCalls } from '../crash/support/outside.ts';
import { has, some } from '../support/is.ts';
import { alice, type SlackMessage } from '../support/local-slack.ts';
import { waitFor } from '../support/wait-for.ts';
import { describeReplicas, type Replicas, startReplicas } from './support/replicas.ts';
import { ask, askAndWait, expectStory, isAccepted, PROMPT, reply } from './support/story.ts';

describeReplicas('a replica that is frozen with a request out, past its lease, and woken', (serverUrl) => {
  /** A call in hand may not be on its way yet. */
  const isSent = (proxy: Replicas['proxy'], method: string) =>
    waitFor(() => proxy.calls(method), some, { what: `the call of ${method}` });

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
    await waitFor(() => world.messages(), isTold, { what: 'the press to be answered' });
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

  test.concurrent('a create call that the other one called unclear: the late answer heals the thread', async () => {
    await using world = await startReplicas(serverUrl);
    const release = holdAnswer(world.agentProxy, agentCalls.create);
    const first = await startTwo(world);
    await ask(world);
    await isSent(world.agentProxy, agentCalls.create);
    await first.freeze('call_agent');
    const offer = await world.messageSeen("Couldn't confirm the start");
    await first.wake(release);
    await world.messageSeen('On it');
    await expectStory(world, "Couldn't confirm", 'On it');
    await pressTooLate(world, offer, 'start_again');
    expect(world.api.jobs.map(({ prompts }) => prompts)).toEqual([[PROMPT]]);
  });

  test.concurrent('a message call that the other one called unclear: the late answer heals the reply', async () => {
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

  test.concurrent('a create call, and the other one has not come to it: the answer counts', async () => {
    await using world = await startReplicas(serverUrl);
    const release = holdAnswer(world.agentProxy, agentCalls.create);
    const only = await world.start();
    await ask(world);
    await isSent(world.agentProxy, agentCalls.create);
    await world.freeze(only);
    await world.expireLeases();
    only.kill('SIGCONT');
    const held = () => world.query('select id from task where lease_until > 0');
    await waitFor(held, has(1), { what: 'the woken one to hold its work again' });
    release();
    await world.messageSeen('On it');
    await expectStory(world, 'On it');
    expect(world.api.jobs.map(({ prompts }) => prompts)).toEqual([[PROMPT]]);
  });

  test.concurrent('the post of the card: the other one finds it', async () => {
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

  test.concurrent('a look at a pull request: the other one tells that it is merged, once (P2)', async () => {
    await using world = await startReplicas(serverUrl);
    const first = await startTwo(world);
    const pull = world.codeHost.open({ repository: 'acme/docs' });
    await askAndWait(world);
    world.finish(world.codeHost.githubLink(pull));
    const outcomes = async () => (await world.query('select outcome from pull_request')).map(Object.values);
    await waitFor(outcomes, [['seen']], { what: 'the first look' });
    world.codeHost.failAt(/./, 'hang');
    pull.merge('octocat');
    const asked = () => world.codeHost.requests.filter(({ status }) => status === null);
    await world.query(`update task set run_at = 0 where kind = 'look_at_pull_request'`);
    await waitFor(asked, some, { what: 'the look' });
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
});

import { expect, test } from 'vitest';
import { agentCalls } from '../crash/support/outside.ts';
import type { ChildProgram } from '../support/child-program.ts';
import type { FaultProxy } from '../support/fault-proxy.ts';
import { describeReplicas, type Replicas, startReplicas } from './support/replicas.ts';
import { ask, askAndWait, expectStory, isAccepted, PR, PROMPT, reply } from './support/story.ts';

async function readiness(program: ChildProgram): Promise<number> {
  const { port } = await program.logged('started');
  return (await fetch(`http://127.0.0.1:${port}/readyz`)).status;
}

/** Until the program has failed so often to look for work, a second apart: an outage of so many seconds. */
async function outage(world: Replicas, program: ChildProgram, seconds: number): Promise<void> {
  const failures = () =>
    program.log().filter(({ event, loop }) => event === 'loop_failed' && loop === 'send').length;
  const before = failures();
  await world.until(failures, (count) => count >= before + seconds, `an outage of ${seconds} s`);
}

/** Lets the call be carried out, and holds its answer until it is released. */
function holdAnswer(proxy: FaultProxy, method: string): () => void {
  const answer = Promise.withResolvers<void>();
  proxy.fail(method, { answerAfter: answer.promise });
  return answer.resolve;
}

describeReplicas('while the database cannot be reached', (serverUrl) => {
  test.concurrent('requests are refused or delivered again, the program is not ready, and then goes on', async () => {
    await using world = await startReplicas(serverUrl);
    const program = await world.start();
    const card = await askAndWait(world);
    expect(await readiness(program)).toBe(200);

    world.databaseProxy.cut();
    expect(await readiness(program)).toBe(503);
    await ask(world, 'Not stored');
    expect(world.proxy.socket.acks().at(-1)?.payload).toMatchObject({
      text: expect.stringContaining('save that'),
    });
    const acks = world.proxy.socket.acks().length;
    const sending = reply(world, card, 'Mention the CLI');
    world.finish(PR);
    const linesBefore = program.log().length;
    await outage(world, program, 5);
    expect(program.log().length - linesBefore).toBeLessThan(5 * 10);
    expect(world.proxy.socket.acks()).toHaveLength(acks);

    world.databaseProxy.mend();
    await world.until(
      () => readiness(program),
      (status) => status === 200,
      'the program to be ready',
    );
    world.proxy.socket.redeliver();
    await isAccepted(world, await sending);
    await world.until(
      () => world.api.jobs.map(({ prompts }) => prompts.join()),
      (prompts) => prompts.join() === `${PROMPT},Mention the CLI`,
      'the follow-up',
    );
    expect(world.api.counts).toMatchObject({ create: 1, message: 1 });
  });

  test.concurrent('the answer to a create call is not lost', async () => {
    await using world = await startReplicas(serverUrl);
    const program = await world.start();
    const release = holdAnswer(world.agentProxy, agentCalls.create);
    await ask(world);
    await world.until(
      () => world.api.counts.create,
      (count) => count === 1,
      'the create call',
    );
    world.databaseProxy.cut();
    release();
    await program.logged('agent_called');
    await outage(world, program, 12);
    world.databaseProxy.mend();
    await world.messageSeen('On it');
    expect(world.api.counts.create).toBe(1);
    await expectStory(world, 'On it');
  });
  test.concurrent('the answer to a message call is not lost', async () => {
    await using world = await startReplicas(serverUrl);
    const program = await world.start();
    const card = await askAndWait(world);
    const release = holdAnswer(world.agentProxy, agentCalls.messageTo(world.api.jobs[0]?.id ?? ''));
    const message = await reply(world, card, 'Mention the CLI');
    await world.until(
      () => world.api.counts.message,
      (count) => count === 1,
      'the message call',
    );
    world.databaseProxy.cut();
    release();
    await outage(world, program, 5);
    world.databaseProxy.mend();
    await isAccepted(world, message);
    expect(world.api.jobs[0]?.prompts).toEqual([PROMPT, 'Mention the CLI']);
    await expectStory(world, 'On it');
  });

  test.concurrent('a card that arrived is not posted again', async () => {
    await using world = await startReplicas(serverUrl);
    const release = holdAnswer(world.proxy, 'chat.postMessage');
    const program = await world.start();
    await ask(world);
    await world.card();
    world.databaseProxy.cut();
    release();
    await outage(world, program, 3);
    world.databaseProxy.mend();
    await world.messageSeen('On it');
    await expectStory(world, 'On it');
  });
});

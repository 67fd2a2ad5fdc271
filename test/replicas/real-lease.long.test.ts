import { expect, test } from 'vitest';
import { agentCalls, killHard } from '../crash/support/outside.ts';
import { alice, type SlackMessage } from '../support/local-slack.ts';
import { waitFor } from '../support/wait-for.ts';
import { describeReplicas, type Replicas, startReplicas } from './support/replicas.ts';
import { ask, askAndWait, expectStory, isAccepted, PROMPT, reply } from './support/story.ts';
import { transactions } from './support/wire.ts';

/** With a look once a second, work is taken over within 30 s. */
const LEASE_MS = 24_000;

/** Waits for what shows that the work was taken over. */
async function takenOver<T>(read: () => Promise<T | undefined>, what: string): Promise<T> {
  const isThere = (value: T | undefined): value is T => value !== undefined;
  return waitFor(read, isThere, { what });
}

const said = (world: Replicas, words: string) => async (): Promise<SlackMessage | undefined> =>
  (await world.messages()).find(({ text, thread_ts }) => thread_ts !== undefined && text.includes(words));

describeReplicas('a replica', (serverUrl) => {
  test.concurrent('that is killed has its work taken over when its leases end, 24 seconds later at most', async () => {
    // The follow-up goes out after the kill, and before the receipt is taken over.
    await using world = await startReplicas(serverUrl, { FOLLOW_UP_WINDOW: '20s' });
    const never = new Promise(() => {});
    const first = await world.start();
    const card = await askAndWait(world);
    world.proxy.fail('reactions.add', { answerAfter: never });
    const message = await reply(world, card, 'Mention the CLI');
    await world.until(
      () => world.proxy.calls('reactions.add').length,
      (count) => count === 1,
      'the receipt to be put',
    );
    world.agentProxy.fail(agentCalls.create, 'hang');
    await ask(world, 'Add an FAQ');
    await world.until(
      () => world.agentProxy.calls(agentCalls.create).length,
      (count) => count === 2,
      'the second create call',
    );
    await killHard(first);
    const [last] = await world.query('select max(lease_until) as ms from task');
    expect(Number(last?.ms)).toBeLessThanOrEqual(Date.now() + LEASE_MS);
    await world.start();
    const offer = await takenOver(
      said(world, "Couldn't confirm the start"),
      'the unclear call to be reported',
    );
    await isAccepted(world, message);
    await world.slack.press(offer, 'start_again', alice);
    await world.until(
      () => world.api.jobs.map(({ prompts }) => prompts.join('; ')),
      (prompts) => prompts.includes('Add an FAQ'),
      'the second job',
    );
    expect(world.api.jobs.map(({ prompts }) => prompts)).toEqual([
      [PROMPT, 'Mention the CLI'],
      ['Add an FAQ'],
    ]);
  });

  /** A request freezes the first replica between the commit that marks a call as started and the call. Returns what wakes it. */
  async function freezeAt(world: Replicas, begins: RegExp) {
    const first = await world.start();
    const held = world.databaseProxy.hold('after', begins);
    const asking = ask(world);
    const commit = await held;
    await world.freeze(first);
    await world.start();
    await asking;
    return async () => {
      commit.pass();
      first.kill('SIGCONT');
      // Its connection to the database may have been given up meanwhile: then it cannot even ask.
      await first.logged('task_lease_lost', 'task_failed');
    };
  }

  test.concurrent('that freezes right before a create call, and wakes late, does not make it any more', async () => {
    await using world = await startReplicas(serverUrl);
    const wake = await freezeAt(world, transactions.startsAgentCall);
    const offer = await takenOver(
      said(world, "Couldn't confirm the start"),
      'the unclear call to be reported',
    );
    await world.slack.press(offer, 'start_again', alice);
    await world.messageSeen('On it');
    await wake();
    expect(world.api.jobs.map(({ prompts }) => prompts)).toEqual([[PROMPT]]);
    await expectStory(world, "Couldn't confirm", 'On it');
  });

  test.concurrent('that freezes right before it posts a card, and wakes late, does not post it any more', async () => {
    await using world = await startReplicas(serverUrl);
    const wake = await freezeAt(world, transactions.startsPost);
    await takenOver(said(world, 'On it'), 'the job to be said to work');
    await wake();
    await expectStory(world, 'On it');
  });
});

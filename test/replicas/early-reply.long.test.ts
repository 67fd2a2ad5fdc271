import { expect, test } from 'vitest';
import { localApp } from '../../demo/local-slack/workspace.ts';
import { alice, general } from '../support/local-slack.ts';
import { describeReplicas, type Replicas, startReplicas } from './support/replicas.ts';
import { isAccepted, reply } from './support/story.ts';
import { transactions } from './support/wire.ts';

const PROMPT = 'Explain the webhooks';
const REPLY = 'And their retries';

/** A mention asks for a job, and is replied to before the job is stored. The reply's commit is held. */
async function repliedWhileStoring(world: Replicas) {
  const storesJob = world.databaseProxy.hold('before', transactions.changesJob);
  const text = `<@${localApp.botUserId}> ${PROMPT}`;
  const asking = world.slack.message({ channel: general, user: alice, text });
  const jobStored = await storesJob;
  const [root] = await world.slack.messages(general);
  if (root === undefined) throw new Error('there is no message');
  const storesReply = world.databaseProxy.hold('before', transactions.storesEarlyReply);
  const replying = reply(world, root, REPLY);
  const replyStored = await storesReply;
  jobStored.pass();
  await asking;
  await world.messageSeen('*Working*');
  return { replyStored, replying };
}

const prompts = (world: Replicas) => world.api.jobs.map((job) => job.prompts);
const bothOnce = [[PROMPT, REPLY]];

describeReplicas('a reply that is stored while the job of its thread is being stored', (serverUrl) => {
  test.concurrent('goes to the agent at once', async () => {
    await using world = await startReplicas(serverUrl);
    await world.start();
    const { replyStored, replying } = await repliedWhileStoring(world);
    replyStored.pass();
    await isAccepted(world, await replying);
    expect(prompts(world)).toEqual(bothOnce);
  });

  for (const [what, redelivers] of [
    ['', true],
    [', also if Slack does not deliver it again', false],
  ] as const) {
    test.concurrent(`goes to the agent after a crash, once${what}`, async () => {
      await using world = await startReplicas(serverUrl);
      const first = await world.start();
      const { replyStored, replying } = await repliedWhileStoring(world);
      replyStored.pass();
      first.kill('SIGKILL');
      await world.start();
      if (redelivers) world.proxy.socket.redeliver();
      await isAccepted(world, await replying);
      expect(prompts(world)).toEqual(bothOnce);
    });
  }
});

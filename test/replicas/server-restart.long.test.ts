import { expect, test } from 'vitest';
import { agentCalls } from '../crash/support/outside.ts';
import { describeWithLocalSlack } from '../support/local-slack.ts';
import { waitFor } from '../support/wait-for.ts';
import { noPostgresServer, startPostgresServer } from './support/postgres-server.ts';
import { startReplicas } from './support/replicas.ts';
import { ask, isAccepted, PROMPT, reply } from './support/story.ts';

const name = 'a Postgres server that is stopped and started again';
const reason = noPostgresServer === null ? '' : ` (skipped: ${noPostgresServer})`;

describeWithLocalSlack(name + reason, () => {
  for (const mode of ['fast', 'immediate'] as const) {
    const title = `(${mode}) loses and doubles nothing of what two replicas had in hand`;
    if (noPostgresServer === null) test.concurrent(title, () => restart(mode));
    else test.skip(title, () => {});
  }

  async function restart(mode: 'fast' | 'immediate'): Promise<void> {
    await using server = await startPostgresServer();
    await using world = await startReplicas(server.url);
    const replicas = await Promise.all([world.start(), world.start()]);
    const statuses = () =>
      Promise.all(
        replicas.map(async (replica) => {
          const { port } = await replica.logged('started');
          return (await fetch(`http://127.0.0.1:${port}/readyz`)).status;
        }),
      );
    await ask(world);
    await world.messageSeen('On it');
    const card = await world.card();
    const answer = Promise.withResolvers<void>();
    const send = agentCalls.messageTo(world.api.jobs[0]?.id ?? '');
    world.agentProxy.fail(send, { answerAfter: answer.promise });
    const message = await reply(world, card, 'Mention the CLI');
    await world.until(
      () => world.api.counts.message,
      (count) => count === 1,
      'the message call',
    );

    await server.stop(mode);
    answer.resolve();
    await world.until(statuses, (all) => all.join() === '503,503', 'both to be not ready');
    await ask(world, 'Not stored');
    const refusals = (await world.messages()).filter(({ text }) => text.includes('save that'));
    expect(refusals.length).toBeGreaterThan(0);
    await server.start();
    await world.until(statuses, (all) => all.join() === '200,200', 'both to be ready');

    await isAccepted(world, message);
    await ask(world, 'Add an FAQ');
    await waitFor(
      () => world.api.jobs.map(({ prompts }) => prompts.join()),
      (prompts) => prompts.join('; ') === `${PROMPT},Mention the CLI; Add an FAQ`,
      { what: 'the second job' },
    );
    await world.until(
      () => world.query('select id from call where ended_at is null'),
      ({ length }) => length === 0,
      'all calls to be over',
    );
    expect(world.api.counts).toMatchObject({ create: 2, message: 1 });
    const posts = (await world.messages()).filter(({ thread_ts }) => thread_ts !== undefined);
    expect(posts.filter(({ text }) => text.includes('On it'))).toHaveLength(2);
  }
});

import { expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { describeReplicas, type Replicas, startReplicas } from './support/replicas.ts';
import { ask, askAndWait, isAccepted, PROMPT, reply } from './support/story.ts';
import { transactions } from './support/wire.ts';

/** Postgres ends a transaction in which nothing happens after 30 s. */
const FREED_WITHIN_MS = 40_000;
/** A replica with nothing to do looks for work about 6 times a second; one that spins, thousands of times. */
const MOST_COMMITS_PER_SECOND = 150;

async function commits(world: Replicas): Promise<number> {
  const [row] = await world.query(
    'select xact_commit as count from pg_stat_database where datname = current_database()',
  );
  return Number(row?.count);
}

describeReplicas('a replica that freezes while it holds locks in the database', (serverUrl) => {
  test.concurrent('delays nobody but its own job, keeps nobody busy, and loses its locks', async () => {
    await using world = await startReplicas(serverUrl);
    const first = await world.start();
    const held = world.databaseProxy.hold('before', transactions.claims('call_agent'));
    await ask(world);
    const commit = await held;
    first.kill('SIGSTOP');
    const frozenAtMs = Date.now();
    const commitsBefore = await commits(world);
    await world.start();

    await ask(world, 'Add an FAQ');
    await world.messageSeen('On it');
    expect(world.api.jobs.map(({ prompts }) => prompts)).toEqual([['Add an FAQ']]);

    await waitFor(
      () => world.api.jobs.length,
      (count) => count === 2,
      { what: 'the job of the frozen one', timeoutMs: FREED_WITHIN_MS },
    );
    const seconds = (Date.now() - frozenAtMs) / 1_000;
    expect(((await commits(world)) - commitsBefore) / seconds).toBeLessThan(MOST_COMMITS_PER_SECOND);

    commit.pass();
    first.kill('SIGCONT');
    await first.logged('loop_failed');
    await ask(world, 'Add a glossary');
    await world.until(
      () => world.query('select id from call where ended_at is null'),
      ({ length }) => length === 0,
      'all calls to be over',
    );
    expect(world.api.jobs.map(({ prompts }) => prompts)).toEqual([
      ['Add an FAQ'],
      [PROMPT],
      ['Add a glossary'],
    ]);
  });

  test.concurrent('does not keep the others from their work, though many wait for its locks', async () => {
    await using world = await startReplicas(serverUrl);
    const first = await world.start();
    const card = await askAndWait(world);
    const held = world.databaseProxy.hold('before', transactions.changesJob);
    // A check that finds nothing new changes no job; a reply does.
    const firstReply = reply(world, card, 'Reply');
    const commit = await held;
    first.kill('SIGSTOP');
    await world.start();
    // More than a replica has connections.
    const more = Array.from({ length: 12 }, (_, number) => `Reply ${number}`);
    const texts = ['Reply', ...more];
    const replies = Promise.all([firstReply, ...more.map((text) => reply(world, card, text))]);
    await ask(world, 'Add an FAQ');
    await world.until(
      () => world.api.jobs.map(({ prompts }) => prompts[0]),
      (prompts) => prompts.includes('Add an FAQ'),
      'the other job to begin',
    );
    for (const message of await replies) await isAccepted(world, message);
    const sent = world.api.jobs[0]?.prompts.join('\n\n').split('\n\n');
    expect(sent?.toSorted()).toEqual([PROMPT, ...texts].toSorted());
    commit.cut();
  });
});

import { expect, test } from 'vitest';
import { agentCalls } from '../crash/support/outside.ts';
import type { ChildProgram } from '../support/child-program.ts';
import { alice, bob, general } from '../support/local-slack.ts';
import { waitFor } from '../support/wait-for.ts';
import { describeReplicas, startReplicas } from './support/replicas.ts';

/** Of the create and message calls, and of the checks, one replica has this many in flight at most. */
const SENDS_AT_ONCE = 16;

const done = (program: ChildProgram, event: string) =>
  program.log().filter((line) => line.event === event && line.outcome === 'done').length;

const ASKED_AT_ONCE = 4;

describeReplicas('a burst of requests and replies', (serverUrl) => {
  for (const count of [2, 3]) {
    test.concurrent(`is shared by ${count} replicas, and none is lost or doubled`, async () => {
      await using world = await startReplicas(serverUrl, {
        POLL_MIN_INTERVAL: '1s',
        POLL_MAX_INTERVAL: '2s',
        // All create calls wait for the last one, and a busy machine is slow to make them.
        AGENT_TIMEOUT: '60s',
      });
      const until = <T>(read: () => Promise<T>, predicate: (value: T) => boolean, what: string) =>
        waitFor(read, predicate, { what });
      const replicas = await Promise.all(Array.from({ length: count }, () => world.start()));
      // The last two need the last replica.
      const numbers = Array.from({ length: (count - 1) * SENDS_AT_ONCE + 2 }, (_, index) => index);
      const prompts = numbers.map((number) => `Document part ${number}.`);
      const answer = Promise.withResolvers<void>();
      world.agentProxy.fail(agentCalls.create, ...prompts.map(() => ({ answerAfter: answer.promise })));

      // On a busy machine, a person whose request waits too long for its turn is told to try again.
      const unknownPrompts = async () => {
        const jobs = await world.query('select data from job');
        const known = jobs.map(({ data }) => JSON.parse(String(data)).prompt);
        return prompts.filter((prompt) => !known.includes(prompt));
      };
      for (let unknown = prompts; unknown.length > 0; unknown = await unknownPrompts()) {
        const asked = unknown.slice(0, ASKED_AT_ONCE);
        await Promise.all(asked.map((text) => world.slack.command({ channel: general, user: alice, text })));
      }
      const creating = `select id from task where kind = 'call_agent' and lease_until is not null`;
      await until(
        () => world.query(creating),
        ({ length }) => length === prompts.length,
        'all create calls to be in hand',
      );
      answer.resolve();
      const posts = async (words: string) =>
        (await world.messages()).filter(({ text, thread_ts }) => thread_ts && text.includes(words));
      await until(
        () => posts('On it'),
        ({ length }) => length === prompts.length,
        'all jobs to be said to work',
      );
      for (const replica of replicas) expect(done(replica, 'agent_called')).toBeGreaterThanOrEqual(2);

      const threads = await posts('On it');
      const replies = await Promise.all(
        threads.map(({ thread_ts: threadTs = '' }) =>
          world.slack.message({ channel: general, user: bob, text: 'And an example.', threadTs }),
        ),
      );
      await until(
        () => world.messages(),
        (messages) => {
          const accepted = messages.filter(
            ({ reactions = [] }) =>
              reactions.every(({ name }) => name === 'white_check_mark') && reactions.length === 1,
          );
          return accepted.length === replies.length;
        },
        'the receipts of all replies',
      );
      for (const [index, { id }] of world.api.jobs.entries()) {
        world.api.finish(id, { status: 'completed', prLink: `https://github.com/acme/docs/pull/${index}` });
      }
      await until(
        () => posts('🎉'),
        ({ length }) => length === prompts.length,
        'all jobs to be said to be over',
      );
      await until(
        () => world.query("select id from task where kind <> 'check_ended_job'"),
        ({ length }) => length === 0,
        'all to be done',
      );

      await world.isAtRest(prompts);
      expect(world.api.counts).toMatchObject({ create: prompts.length, message: prompts.length });
      for (const replica of replicas) expect(done(replica, 'posted')).toBeGreaterThan(0);
    });
  }
});

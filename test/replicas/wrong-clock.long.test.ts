import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { agentCalls } from '../crash/support/outside.ts';
import { describeReplicas, startReplicas } from './support/replicas.ts';
import { askAndWait, expectStory, isAccepted, PROMPT, reply } from './support/story.ts';

const HOUR_MS = 3_600_000;

/** Preloaded into a replica: SIGUSR2 sets its clock. */
const steppedBy = (ms: number) => {
  const code = `const now = Date.now; process.on('SIGUSR2', () => { Date.now = () => now() + ${ms}; });`;
  return [`--import=data:text/javascript,${encodeURIComponent(code)}`];
};

describeReplicas('a replica whose clock is set', (serverUrl) => {
  for (const [what, stepMs] of [
    ['an hour ahead', HOUR_MS],
    ['an hour back', -HOUR_MS],
  ] as const) {
    test.concurrent(`${what}, next to one whose clock is right: no lease is taken, and all goes on`, async () => {
      await using world = await startReplicas(serverUrl);
      const wrong = world.launch({}, steppedBy(stepMs));
      await wrong.logged('started');
      const card = await askAndWait(world);
      // It has a call in flight when its clock is set.
      const answer = Promise.withResolvers<void>();
      const calls = agentCalls.messageTo(world.api.jobs[0]?.id ?? '');
      world.agentProxy.fail(calls, { answerAfter: answer.promise });
      const first = await reply(world, card, 'Mention the CLI');
      await world.until(
        () => world.agentProxy.calls(calls).length,
        (count) => count === 1,
        'the reply to be on its way',
      );
      wrong.kill('SIGUSR2');
      const right = await world.start();
      // Long enough for the other one to look for work.
      await sleep(3_000);
      answer.resolve();
      await isAccepted(world, first);
      const second = await reply(world, card, 'And the API');
      await isAccepted(world, second);
      expect(world.api.jobs.map(({ prompts }) => prompts)).toEqual([
        [PROMPT, 'Mention the CLI', 'And the API'],
      ]);
      await expectStory(world, 'On it');
      for (const { log } of [wrong, right]) {
        expect(log().map(({ event }) => event)).not.toContain('task_lease_lost');
      }
    });
  }
});

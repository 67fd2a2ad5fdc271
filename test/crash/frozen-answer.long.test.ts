import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { alice, describeWithLocalSlack, general } from '../support/local-slack.ts';
import { agentCalls, startOutside } from './support/outside.ts';

describeWithLocalSlack(
  'an answer that comes while the process is frozen for longer than AGENT_TIMEOUT',
  () => {
    test('counts when it goes on', async () => {
      await using world = await startOutside({ AGENT_TIMEOUT: '2s' });
      const program = await world.start();
      const answer = Promise.withResolvers<void>();
      world.agentProxy.fail(agentCalls.create, { answerAfter: answer.promise });
      await world.slack.command({ channel: general, user: alice, text: 'Add a quickstart' });
      await expect
        .poll(() => world.api.counts.create, { message: 'the agent to have the prompt' })
        .toBeTruthy();
      program.kill('SIGSTOP');
      answer.resolve();
      await sleep(3_000);
      program.kill('SIGCONT');
      await expect
        .poll(async () => (await world.messages()).length, { message: 'the thread to say so' })
        .toBeGreaterThan(1);
      expect((await world.messages()).at(-1)?.text).toContain('On it');
    });
  },
);

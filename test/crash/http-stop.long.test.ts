import { expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import {
  alice,
  describeWithLocalSlack,
  general,
  startTestSlack,
  testWorkspace,
} from '../support/local-slack.ts';
import { agentCalls, startOutside } from './support/outside.ts';

const ask = (world: Awaited<ReturnType<typeof startInHttpMode>>, text: string) =>
  world.slack.command({ channel: general, user: alice, text });

async function startInHttpMode(stopTimeout: string) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const app = { mode: 'events', requestUrl: `${url}/slack/events` } as const;
  const slack = await startTestSlack({ ...testWorkspace, app });
  const places = testWorkspace.channels.map(({ id }) => id);
  const settings = {
    SLACK_APP_TOKEN: undefined,
    SLACK_SIGNING_SECRET: slack.signingSecret,
    PORT: String(port),
    STOP_TIMEOUT: stopTimeout,
    SETTLE_WINDOW: '0',
  };
  const outside = await startOutside(settings, async () => ({
    ...slack,
    places,
    [Symbol.asyncDispose]: () => slack.stop(),
  }));
  const readyStatus = () =>
    fetch(`${url}/readyz`).then(
      ({ status }) => status,
      () => null,
    );
  return Object.assign(outside, { readyStatus });
}

describeWithLocalSlack('a stop in HTTP mode while the agent takes long to start a job', () => {
  for (const [what, stopTimeout, isAnswered] of [
    ['waits for the answer', '40s', true],
    ['that takes too long leaves it unclear', '10s', false],
  ] as const) {
    test.concurrent(`${what}; what was asked meanwhile starts after it, and nothing twice`, {
      timeout: 300_000,
    }, async () => {
      await using world = await startInHttpMode(stopTimeout);
      const first = await world.start();
      const answer = Promise.withResolvers<void>();
      world.agentProxy.fail(agentCalls.create, { answerAfter: answer.promise });
      await ask(world, 'Add a quickstart');
      await world.until(() => world.api.counts.create, Boolean, 'the agent to have the prompt');

      first.kill('SIGTERM');
      await world.until(
        () => world.readyStatus(),
        (status) => status === 503,
        'the stop to begin',
      );
      await ask(world, 'Add an FAQ');
      await world.until(
        () => world.readyStatus(),
        (status) => status === null,
        'the port to be closed',
      );
      if (isAnswered) answer.resolve();
      expect(await first.exit).toEqual({ code: 0, signal: null });
      expect(first.log().filter(({ level }) => level === 'error')).toEqual([]);

      await world.start();
      const working = async () =>
        (await world.messages()).filter(({ text, thread_ts }) => thread_ts && text.includes('On it'));
      const count = isAnswered ? 2 : 1;
      await world.until(working, ({ length }) => length === count, 'the thread to be told');
      if (!isAnswered) await world.messageSeen("Couldn't confirm");
      expect(world.api.jobs.map(({ prompts }) => prompts)).toEqual([['Add a quickstart'], ['Add an FAQ']]);
      const messages = await world.messages();
      const posts = messages.filter(({ thread_ts }) => thread_ts !== undefined);
      expect(messages.length - posts.length).toBe(2);
      const offers = posts.filter(({ text }) => text.includes("Couldn't confirm"));
      expect(offers).toHaveLength(isAnswered ? 0 : 1);
    });
  }
});

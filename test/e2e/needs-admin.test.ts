import { expect, test } from 'vitest';
import { some } from '../support/is.ts';
import { startStrictWorld } from './support/strict-world.ts';

const PR = { status: 'completed', prLink: 'https://github.com/acme/docs/pull/1' } as const;

test.each([
  ['a key that is not known', 401, 'unauthorized'],
  ['a key without the right', 403, 'unauthorized'],
  ['a plan that has ended', 402, 'unauthorized'],
  ['a project that is not known', 404, 'not_found'],
])(
  '%s: the thread says who must act, the log says why, and the request is kept (E2)',
  async (_what, status, reason) => {
    await using world = await startStrictWorld();
    world.api.failAll({ status, body: { error: 'no' } });
    const card = await world.ask('Keep it');
    await world.threadMessage(card, 'An administrator needs to fix the connection to the agent.');
    const logged = world.log.map((line) => JSON.parse(line));
    expect(logged).toContainEqual(
      expect.objectContaining({ level: 'warn', event: 'agent_called', http_status: status, reason }),
    );
    world.api.failAll(null);
    await world.threadMessage(card, 'Back online');
    await world.threadMessage(card, 'On it');
    expect(world.prompts()).toEqual([['Keep it']]);
  },
);

test('what the agent says of a key that may only read is in the thread and in the log, on one line and without secrets (E2)', async () => {
  await using world = await startStrictWorld();
  const words = 'API key does not have the required scope: write\n(Bearer abc.def-hush, <!channel>)';
  world.api.failNext('create', { status: 403, body: { error: words } });
  const card = await world.ask('Keep it');
  const { text } = await world.threadMessage(
    card,
    'An administrator needs to fix the connection to the agent.',
  );
  expect(text).toBe(
    '⚠️ *An administrator needs to fix the connection to the agent.* ' +
      'API key does not have the required scope: write (Bearer [redacted], &lt;!channel&gt;). ' +
      "Everything is saved and continues once it's fixed.",
  );
  const [logged] = world.log.map((line) => JSON.parse(line)).filter((one) => one.http_status === 403);
  expect(logged.agent_says).toBe(
    'API key does not have the required scope: write (Bearer [redacted], <!channel>)',
  );
});

test('what the agent says when it does not take a request is not in the log, as it may quote the request', async () => {
  await using world = await startStrictWorld();
  world.api.failNext('create', { status: 400, body: { error: 'Cannot do: Keep it secret' } });
  const card = await world.ask('Keep it secret');
  await world.threadMessage(card, 'Cannot do');
  expect(world.log.join('')).not.toContain('Cannot do');
});

test.each(['token_revoked', 'account_inactive', 'missing_scope'])(
  'what Slack does not take for want of a good token (%s) is kept, and the log says why (E2)',
  async (code) => {
    await using world = await startStrictWorld();
    const card = await world.working('Announce it');
    world.slack.onCall(() => ({ error: code }));
    world.api.finish(0, PR);
    const logged = () =>
      world.log.filter((line) => line.includes('"slack_needs_admin"') && line.includes(code));
    await world.later(logged, some, 'a word to the operator');
    world.slack.onCall(() => null);
    await world.threadMessage(card, '🎉');
    await world.settled(30_000);
    const thread = await world.slack.control.thread(card.channel, card.ts);
    expect(thread.filter(({ text }) => text.includes('🎉'))).toHaveLength(1);
  },
);

import { expect, test } from 'vitest';
import { some } from '../support/is.ts';
import { startStrictWorld } from './support/strict-world.ts';

const MUST_ACT = 'An administrator needs to fix the connection to the agent.';

test('a key or project that the agent does not take: the thread says who must act, the log why, and the request is kept (E2)', async () => {
  await using world = await startStrictWorld();
  const logged = () => world.log.map((line) => JSON.parse(line));
  for (const status of [401, 403, 402, 404]) {
    world.api.failAll({ status, body: { error: 'no' } });
    const card = await world.ask(`Keep ${status}`);
    await world.threadMessage(card, MUST_ACT);
    const reason = status === 404 ? 'not_found' : 'unauthorized';
    const call = { level: 'warn', event: 'agent_called', http_status: status, reason };
    expect(logged()).toContainEqual(expect.objectContaining(call));
    world.api.failAll(null);
    await world.threadMessage(card, 'On it');
    await world.threadMessage(card, 'Back online');
    expect(world.prompts().at(-1)).toEqual([`Keep ${status}`]);
  }

  // Without secrets, and on one line.
  const words = 'API key does not have the required scope: write\n(Bearer abc.def-hush, <!channel>)';
  world.api.failNext('create', { status: 403, body: { error: words } });
  const { text } = await world.threadMessage(await world.ask('Keep it'), MUST_ACT);
  expect(text).toBe(
    `⚠️ *${MUST_ACT}* ` +
      'API key does not have the required scope: write (Bearer [redacted], &lt;!channel&gt;). ' +
      "Everything is saved and continues once it's fixed.",
  );
  expect(logged().findLast(({ http_status: status }) => status === 403).agent_says).toBe(
    'API key does not have the required scope: write (Bearer [redacted], <!channel>)',
  );

  // It may quote the request.
  world.api.failNext('create', { status: 400, body: { error: 'Cannot do: Keep it secret' } });
  await world.threadMessage(await world.ask('Keep it secret'), 'Cannot do');
  expect(world.log.join('')).not.toContain('Cannot do');
});

test('what Slack does not take for want of a good token is kept, and the log says why (E2)', async () => {
  await using world = await startStrictWorld({ settings: { SETTLE_WINDOW: '0' } });
  for (const [nth, code] of ['token_revoked', 'account_inactive', 'missing_scope'].entries()) {
    const card = await world.working(`Announce ${code}`);
    world.slack.onCall(() => ({ error: code }));
    world.api.finish(nth, { status: 'completed', prLink: `https://github.com/acme/docs/pull/${nth}` });
    const logged = () =>
      world.log.filter((line) => line.includes('"slack_needs_admin"') && line.includes(code));
    await world.later(logged, some, 'a word to the operator');
    world.slack.onCall(() => null);
    await world.threadMessage(card, '🎉');
    await world.settled(30_000);
    expect((await world.thread(card)).filter(({ text }) => text.includes('🎉'))).toHaveLength(1);
  }
});

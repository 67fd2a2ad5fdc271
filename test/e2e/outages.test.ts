import { expect, test } from 'vitest';
import type { Fault } from '../support/agent-api/fault.ts';
import { startProgram } from '../support/strict-slack/program.ts';
import { watched } from './support/turns.ts';

const PR = 'https://github.com/acme/docs/pull/1';

test.each([
  ['server errors', "can't reach the agent", "Can't reach the agent", 500, 600_000],
  ['a refused key', 'Waiting for an administrator', 'An administrator needs to fix', 401, 0],
])(
  'an outage with %s is told once, and its end once; a short one shows on the card only, and the next read waits as long as the agent asks (W2, E2)',
  async (_what, state, words, status, afterMs) => {
    await using program = await startProgram();
    const { api, clock } = program;
    const { card, finish } = await watched(program);
    if (afterMs > 0) {
      api.failNext('get', ...Array<Fault>(9).fill({ status }));
      expect((await program.shows(card, '*Waiting*')).text).toContain(`${state} · next try`);
      await program.shows(card, '*Working*');
      api.failNext('get', { status, headers: { 'retry-after': '240' } });
      await program.shows(card, '*Waiting*');
      const reads = api.counts.get;
      await clock.advance(220_000);
      expect(api.counts.get).toBe(reads);
      await program.shows(card, '*Working*');
      expect(await program.posts(card)).toHaveLength(1);
    }
    api.failAll({ status });
    // The outage counts from the first answer, which time does not wait for.
    await program.shows(card, state);
    if (afterMs > 0) {
      await clock.advance(afterMs - 60_000);
      expect(await program.posts(card, words)).toEqual([]);
      // The next try comes within a minute.
      await clock.advance(120_000);
    }
    await program.threadMessage(card, words);
    await clock.advance(600_000);
    api.failAll(null);
    await program.threadMessage(card, 'Back online');
    await clock.advance(60_000);
    for (const told of [words, 'Back online']) expect(await program.posts(card, told)).toHaveLength(1);
    finish('completed', PR);
    await program.threadMessage(card, '🎉');
  },
);

test('what people ask while the agent is away is kept, told of after two minutes, also over a restart, and goes out when it is back (E1, F2, W2)', async () => {
  await using program = await startProgram();
  const { api, clock } = program;
  const startMs = clock.now();
  await api.close();
  const card = await program.ask('Survive an outage');
  await clock.advance(100_000);
  await program.threadMessage(card, "Can't reach the agent");
  expect(clock.now() - startMs).toBeGreaterThanOrEqual(120_000);
  await api.reopen();
  await program.threadMessage(card, 'On it');
  for (const told of ["Can't reach", 'Back online']) expect(await program.posts(card, told)).toHaveLength(1);
  await clock.advance(60_000);
  expect(api.jobs.map(({ prompts }) => prompts)).toEqual([['Survive an outage']]);

  api.failAll({ status: 404 });
  const repliedAtMs = clock.now();
  await program.slack.control.reply(card, 'And a table');
  await clock.advance(60_000);
  await program.restart();
  await program.later(async () => (await program.posts(card, "Can't reach")).length, 2, 'the second outage');
  const waitedMs = clock.now() - repliedAtMs;
  expect(waitedMs).toBeGreaterThanOrEqual(120_000);
  expect(waitedMs).toBeLessThan(190_000);
  api.failAll(null);
  await program.later(async () => (await program.posts(card, 'Back online')).length, 2, 'its end');
  expect(api.jobs[0]?.prompts).toEqual(['Survive an outage', 'And a table']);
  expect(await program.posts(card, "Can't reach")).toHaveLength(2);
});

import { expect, test } from 'vitest';
import { above, some } from '../support/is.ts';
import { general } from '../support/local-slack.ts';
import { startStrictWorld } from './support/strict-world.ts';

const AN_HOUR_MS = 3_600_000;
const PR = 'https://github.com/acme/docs/pull/7';

test.each([
  ['put forward by an hour, and back again', AN_HOUR_MS],
  ['put back by an hour', 0],
])('the clock is %s: the end of a job is reported within a minute', async (_what, forwardMs) => {
  await using world = await startStrictWorld({ settings: { SETTLE_WINDOW: '0' } });
  const { clock, api } = world;
  const card = await world.working();
  clock.step(forwardMs);
  await world.later(() => api.counts.get, above(api.counts.get), 'the job to be read');
  clock.step(-AN_HOUR_MS);
  api.finish(0, { status: 'completed', prLink: PR });
  const backAtMs = clock.elapsed();
  await world.threadMessage(card, PR);
  expect(clock.elapsed() - backAtMs).toBeLessThan(90_000);
});

test('the clock was a day ahead at the start: a recipe runs at its next moment, and goes on', async () => {
  const configFile = [
    'projects: [{ id: acme-docs }]',
    `recipes: [{ name: review, channel: ${general}, request: Check the screenshots, schedule: "* * * * *" }]`,
  ].join('\n');
  await using world = await startStrictWorld({ configFile });
  const { clock, api } = world;
  await world.service.stop();
  clock.step(24 * AN_HOUR_MS);
  await world.restart();
  await clock.advance(90_000);
  clock.step(-24 * AN_HOUR_MS);
  const before = api.jobs.length;
  for (const { id } of api.jobs) api.finish(id, { status: 'completed', prLink: null });
  for (let second = 0; second < 240 && api.jobs.length === before; second += 5) await clock.advance(5_000);
  expect(api.jobs).toHaveLength(before + 1);
});

test('the pause after an agent that keeps changing its answer is waited, and over if the clock was a day ahead', async () => {
  await using world = await startStrictWorld({ settings: { POLL_MAX_INTERVAL: '5s', SETTLE_WINDOW: '0' } });
  const { clock, api } = world;
  const card = await world.working();
  const body = { id: api.jobs[0]?.id, status: 'completed' };
  const steps = Array.from({ length: 9 }, (_, step) => ({ ...body, prLink: `${PR}${step}` }));
  api.failNext('get', ...steps.map((body) => ({ status: 200, body })));
  await world.threadMessage(card, 'keeps changing its answer');
  api.finish(0, { status: 'completed', prLink: PR });
  const reads = api.counts.get;
  for (let minute = 0; minute < 4; minute += 1) await clock.advance(60_000);
  expect(api.counts.get).toBe(reads);
  clock.step(-24 * AN_HOUR_MS);
  await world.threadMessage(card, 'Pull request ready');
});

test.each([
  ['the clock is put forward', 'step'],
  ['the machine sleeps', 'freeze'],
] as const)('%s by an hour while a card is on its way: one card, and one job', async (_what, verb) => {
  await using world = await startStrictWorld();
  const { slack, clock } = world;
  const answer = Promise.withResolvers<void>();
  slack.onCall(({ method }) => (method === 'chat.postMessage' ? { answerAfter: answer.promise } : null));
  const posts = () => slack.calls('chat.postMessage');
  const asked = world.command('Add a quickstart');
  await world.later(posts, some, 'the card to be on its way');
  await asked;
  clock[verb](AN_HOUR_MS);
  for (let second = 0; second < 40; second += 1) await clock.advance(1_000);
  expect(posts()).toHaveLength(1);
  expect(slack.calls('conversations.history')).toEqual([]);
  slack.onCall(() => null);
  answer.resolve();
  await world.later(() => world.api.jobs.length, 1, 'the job');
  await world.later(() => posts().length, 2, 'the thread to be told');
});

import { expect, test } from 'vitest';
import { above } from '../support/is.ts';
import { alice, general } from '../support/local-slack.ts';
import { startProgram } from '../support/strict-slack/program.ts';

const AN_HOUR_MS = 3_600_000;
const PR = 'https://github.com/acme/docs/pull/7';

test.each([
  ['put forward by an hour, and back again', AN_HOUR_MS],
  ['put back by an hour', 0],
])('the clock is %s: the end of a job is reported within a minute', async (_what, forwardMs) => {
  await using program = await startProgram({ settings: { SETTLE_WINDOW: '0' } });
  const { clock, api } = program;
  const card = await program.working();
  clock.step(forwardMs);
  const reads = api.counts.get;
  await program.later(() => api.counts.get, above(reads), 'the job to be read');
  clock.step(-AN_HOUR_MS);
  const [job] = api.jobs;
  api.finish(job?.id ?? '', { status: 'completed', prLink: PR });
  const backAtMs = clock.elapsed();
  await program.threadMessage(card, PR);
  expect(clock.elapsed() - backAtMs).toBeLessThan(90_000);
});

test('the clock was a day ahead at the start: a recipe runs at its next moment, and goes on', async () => {
  const configFile = [
    'projects: [{ id: acme-docs }]',
    `recipes: [{ name: review, channel: ${general}, request: Check the screenshots, schedule: "* * * * *" }]`,
  ].join('\n');
  await using program = await startProgram({ configFile });
  const { clock, api } = program;
  await program.service.stop();
  clock.step(24 * AN_HOUR_MS);
  await program.restart();
  await clock.advance(90_000);
  clock.step(-24 * AN_HOUR_MS);
  const jobs = () => api.jobs.length;
  const before = jobs();
  for (const { id } of api.jobs) api.finish(id, { status: 'completed', prLink: null });
  for (let second = 0; second < 240 && jobs() === before; second += 5) await clock.advance(5_000);
  expect(jobs()).toBe(before + 1);
});

test.each([
  ['is waited', 0],
  ['of a clock that was a day ahead is over', -24 * AN_HOUR_MS],
])('the pause after an agent that keeps changing its answer %s', async (_what, stepMs) => {
  await using program = await startProgram({ settings: { POLL_MAX_INTERVAL: '5s', SETTLE_WINDOW: '0' } });
  const { clock, api } = program;
  const card = await program.working();
  const id = api.jobs[0]?.id ?? '';
  const steps = Array.from({ length: 9 }, (_, step) => ({
    status: 200,
    body: { id, status: 'completed', prLink: `${PR}${step}` },
  }));
  api.failNext('get', ...steps);
  await program.threadMessage(card, 'keeps changing its answer');
  clock.step(stepMs);
  api.finish(id, { status: 'completed', prLink: PR });
  const reads = api.counts.get;
  for (let minute = 0; minute < 4; minute += 1) await clock.advance(60_000);
  const told = (await program.slack.control.thread(card.channel, card.ts)).map(({ text }) => text).join();
  if (stepMs === 0) expect(api.counts.get).toBe(reads);
  else expect(told).toContain('Pull request ready');
});

test.each([
  ['the clock is put forward', 'step'],
  ['the machine sleeps', 'freeze'],
] as const)('%s by an hour while a card is on its way: one card, and one job', async (_what, verb) => {
  await using program = await startProgram();
  const { slack, clock } = program;
  const answer = Promise.withResolvers<void>();
  slack.onCall(({ method }) => (method === 'chat.postMessage' ? { answerAfter: answer.promise } : null));
  const posts = () => slack.calls('chat.postMessage').length;
  const asked = slack.control.command({ channel: general, user: alice, text: 'Add a quickstart' });
  await program.later(posts, Boolean, 'the card to be on its way');
  await asked;
  clock[verb](AN_HOUR_MS);
  for (let second = 0; second < 40; second += 1) await clock.advance(1_000);
  expect({ posts: posts(), looks: slack.calls('conversations.history').length }).toEqual({
    posts: 1,
    looks: 0,
  });
  slack.onCall(() => null);
  answer.resolve();
  await program.later(() => program.api.jobs.length, Boolean, 'the job');
  await program.later(posts, above(1), 'the thread to be told');
  expect(posts()).toBe(2);
});

import { describe, expect, test } from 'vitest';
import { buttons } from '../../src/slack/views/buttons.ts';
import { bob, type SlackMessage } from '../support/local-slack.ts';
import { startProgram } from '../support/strict-slack/program.ts';
import { receipt } from './support/posts.ts';

const HOUR_MS = 3_600_000;

describe('the hourly budget of calls to the agent API', () => {
  test('holds the third call back until the first is an hour old, and the thread says so (E1, F2)', async () => {
    await using program = await startProgram({ settings: { AGENT_HOURLY_BUDGET: '2' } });
    const { api, clock, slack } = program;
    const calls = () => api.counts.create + api.counts.message;
    const first = await program.working('The first');
    const startMs = api.requests.find(({ method }) => method === 'POST')?.atMs ?? 0;
    await clock.advance(10_000);
    await program.working('The second');
    const third = await program.ask('The third');
    const told = await program.threadMessage(third, 'hourly limit is used up');
    expect(told.text).toContain(`<!date^${Math.trunc((startMs + HOUR_MS) / 1000)}^`);

    // A follow-up waits for the same budget, for the call after.
    const followUp = await slack.control.reply(first, 'Fourth');
    await program.threadMessage(first, 'hourly limit is used up');
    await receipt(slack.control, followUp, 'eyes');

    // Nobody needs to be there meanwhile: the budget is counted from the store.
    await program.service.stop();
    await clock.advanceTo(startMs + HOUR_MS - 5_000);
    await program.restart();
    await clock.advanceTo(startMs + HOUR_MS - 1);
    expect(calls()).toBe(2);
    await clock.advance(1);
    await expect.poll(calls, { message: 'one more call' }).toBe(3);
    await clock.advance(9_000);
    expect(calls()).toBe(3);
    await program.later(() => [api.counts.create, api.counts.message], [3, 1], 'both calls');
    await receipt(slack.control, followUp, 'white_check_mark');
    expect(await program.posts(third, 'hourly limit is used up')).toHaveLength(1);
  });

  test('keeps a tenth for the follow-ups of jobs that run, so that new jobs do not starve them (F2)', async () => {
    await using program = await startProgram({ settings: { AGENT_HOURLY_BUDGET: '10' } });
    const { api } = program;
    const cards: SlackMessage[] = [];
    for (let count = 1; count <= 9; count += 1) cards.push(await program.working(`Job number ${count}.`));
    await program.threadMessage(await program.ask('Job number 10.'), 'hourly limit is used up');
    expect(api.counts.create).toBe(9);
    for (const card of cards.slice(0, 1)) await program.slack.control.reply(card, 'And the CLI');
    await program.clock.advance(4_000);
    await expect.poll(() => api.counts.message, { message: 'the reply' }).toBe(1);
    expect(api.counts.create).toBe(9);
  });
});

test('a pause that the agent asks for by mistake holds up starts and replies for an hour at most, also over a restart: the cards say so, and *Send now* ends it for all', async () => {
  await using program = await startProgram();
  const { api, clock, slack } = program;
  const mistaken = { status: 429, headers: { 'retry-after': '60000' } } as const;
  const working = await program.working('The first');
  api.failNext('message', mistaken);
  const followUp = await slack.control.reply(working, 'And a table');
  await program.threadMessage(working, 'hourly limit is used up');
  await program.restart();
  await slack.control.press(await program.shows(working, 'Send now'), buttons.sendNow.id, bob);
  await receipt(slack.control, followUp, 'white_check_mark');
  expect(api.counts.message).toBe(2);

  api.failNext('create', mistaken);
  const second = await program.ask('The second');
  const card = await program.shows(second, 'hourly limit is used up');
  const untilMs = Number(/<!date\^(\d+)\^/.exec(card.text)?.[1]) * 1_000;
  expect(untilMs).toBeLessThanOrEqual(clock.now() + HOUR_MS);
  expect(untilMs).toBeGreaterThan(clock.now() + HOUR_MS - 30_000);
  const third = await program.ask('The third');
  await program.shows(third, 'hourly limit is used up');
  await clock.advance(60_000);
  expect(api.counts.create).toBe(2);
  await slack.control.press(await program.shows(second, 'Send now'), buttons.sendNow.id, bob);
  for (const waiting of [second, third]) await program.threadMessage(waiting, 'On it');
  expect(api.counts.create).toBe(4);
});

import { describe, expect, test } from 'vitest';
import type { SlackMessage } from '../support/local-slack.ts';
import { type Program, startProgram } from '../support/strict-slack/program.ts';

const JOBS = 8;
const SHORTEST_MS = 2_000;
/** Waits vary by a tenth, and these tests move the time by a second at a time. */
const LONGEST_MS = 1.1 * SHORTEST_MS + 1_000;
/** Milliseconds for seconds. */
const MISTAKEN = { status: 429, headers: { 'retry-after': '60000' } } as const;

function readTimes({ api }: Program, jobId: string): number[] {
  return api.requests
    .filter(({ method, path }) => method === 'GET' && path.endsWith(jobId))
    .map(({ atMs }) => atMs);
}

/** Waits until each job is read after this time. */
const allRead = (program: Program, afterMs: number) =>
  program.later(
    () => program.api.jobs.every(({ id }) => readTimes(program, id).some((atMs) => atMs > afterMs)),
    true,
    'each job to be read',
  );

async function startJobs(program: Program, jobs: number) {
  const cards: SlackMessage[] = [];
  for (let number = 1; number <= jobs; number += 1) {
    cards.push(await program.ask(`Document endpoint ${number}`));
  }
  await allRead(program, 0);
  return cards;
}

async function allShow(program: Program, cards: readonly SlackMessage[], words: string) {
  for (const card of cards) await program.shows(card, words);
}

describe('with default settings', () => {
  test('a few jobs are each read every two seconds, so a pull request is told two seconds after it exists (W1)', async () => {
    const workMs = (prompt: string) => 10_000 + 1_300 * Number(prompt.split(' ').at(-1));
    await using program = await startProgram({
      script: (prompt) => ({ workMs: workMs(prompt), ending: 'pull_request' }),
    });
    for (const card of await startJobs(program, JOBS)) await program.threadMessage(card, '/pull/');
    for (const { id, createdAtMs, prompts } of program.api.jobs) {
      const endedAtMs = createdAtMs + workMs(prompts[0] ?? '');
      const seenAtMs = readTimes(program, id).find((atMs) => atMs >= endedAtMs) ?? Number.POSITIVE_INFINITY;
      expect(seenAtMs - endedAtMs).toBeLessThanOrEqual(LONGEST_MS);
    }
  });

  test('a mistaken pause is over when the agent takes a reply, else lasts five minutes: all cards say so, and what ended meanwhile is told then (W1, W2)', async () => {
    await using program = await startProgram();
    const { api, clock } = program;
    const cards = await startJobs(program, JOBS);
    const [first, second] = cards;
    if (first === undefined || second === undefined) throw new Error('there are no cards');
    const pause = async () => {
      api.failNext('get', MISTAKEN);
      await allShow(program, cards, 'the agent asked for a pause');
      return clock.now();
    };
    const pausedAtMs = await pause();
    await program.slack.control.reply(second, 'And a table');
    await allRead(program, pausedAtMs);
    await allShow(program, cards, 'Working');
    expect(clock.now() - pausedAtMs).toBeLessThan(120_000);

    const againAtMs = await pause();
    api.finish(0, { status: 'completed' });
    const readBefore = api.counts.get;
    await program.restart();
    await clock.advance(4 * 60_000 - (clock.now() - againAtMs));
    expect(api.counts.get).toBe(readBefore);
    await clock.advance(50_000);
    await allShow(program, cards.slice(2), 'Working');
    await program.threadMessage(first, 'Done, no pull request');
  });
});

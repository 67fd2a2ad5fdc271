import { expect, onTestFinished, test } from 'vitest';
import { parseConfig } from '../../src/app/config/config.ts';
import type { Environment } from '../../src/app/config/values.ts';
import { createLogger } from '../../src/app/operations/logger.ts';
import { createService } from '../../src/app/service.ts';
import { createTestDatabase, testServerUrl } from '../support/postgres.ts';
import { noFiles } from '../support/settings.ts';
import { startProgram } from '../support/strict-slack/program.ts';
import type { StrictFault } from '../support/strict-slack/web-api.ts';

/** Asks, and notes from then on when the card is edited. */
async function startNoting(settings: Environment = {}) {
  const program = await startProgram({ settings: { FOLLOW_UP_WINDOW: '5m', ...settings } });
  onTestFinished(() => program[Symbol.asyncDispose]());
  const card = await program.working();
  await program.clock.advance(10_000);
  const editedAtMs: number[] = [];
  const faults: StrictFault[] = [];
  program.slack.onCall(({ method }) => {
    if (method !== 'chat.update') return null;
    editedAtMs.push(program.clock.now());
    return faults.shift() ?? null;
  });
  return {
    program,
    editedAtMs,
    /** Of the next edits. */
    faults,
    reply: (text: string) => program.slack.control.reply(card, text),
    shows: (words: string) => program.shows(card, words),
  };
}

function expectSpaced(editedAtMs: readonly number[]): void {
  expect(editedAtMs.length).toBeGreaterThan(1);
  const gapsMs = editedAtMs.slice(1).map((atMs, index) => atMs - (editedAtMs[index] ?? 0));
  expect(Math.min(...gapsMs)).toBeGreaterThanOrEqual(3_000);
}

test('the pace of a card’s edits is no failure: one error of Slack puts the card off for seconds; it is kept over a restart, and what was put off is drawn', async () => {
  const { program, editedAtMs, faults, reply, shows } = await startNoting();
  await reply('Reply 1');
  await shows('1 reply waiting');
  for (let count = 2; count <= 9; count += 1) await reply(`Reply ${count}`);
  faults.push({ status: 500 });
  const before = editedAtMs.length;
  await program.clock.advance(3_000);
  await expect.poll(() => editedAtMs.length, { message: 'the edit that fails' }).toBe(before + 1);
  await expect.poll(() => program.slack.inFlight(), { message: 'its answer' }).toBe(0);
  await program.clock.advance(6_000);
  await expect.poll(() => editedAtMs.length, { message: 'the next edit' }).toBe(before + 2);
  await shows('9 replies waiting');
  await program.restart();
  await reply('Reply 10');
  await shows('10 replies waiting');
  expectSpaced(editedAtMs);
});

test.skipIf(testServerUrl === undefined)(
  'the pace of a card’s edits is kept while two replicas draw it on Postgres',
  async () => {
    const database = await createTestDatabase(testServerUrl ?? '');
    onTestFinished(() => database.drop());
    const { program, editedAtMs, reply, shows } = await startNoting({ DATABASE_URL: database.url });
    const { env, clock } = program;
    const log = createLogger({ level: 'debug', destination: { write: () => {} } });
    const replica = createService(parseConfig({ ...env, PORT: '0' }, noFiles), { clock, log });
    await replica.start();
    onTestFinished(() => replica.stop());
    for (let count = 1; count <= 12; count += 1) {
      await reply(`Reply ${count}`);
      await clock.advance(500);
    }
    await shows('12 replies waiting');
    expectSpaced(editedAtMs);
  },
);

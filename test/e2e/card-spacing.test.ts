import { describe, expect, onTestFinished, test } from 'vitest';
import { parseConfig } from '../../src/app/config/config.ts';
import type { Environment } from '../../src/app/config/values.ts';
import { createLogger } from '../../src/app/operations/logger.ts';
import { createService } from '../../src/app/service.ts';
import { describeWithLocalSlack } from '../support/local-slack.ts';
import { createTestDatabase, testServerUrl } from '../support/postgres.ts';
import { noFiles } from '../support/settings.ts';
import { type Program, startProgram } from '../support/strict-slack/program.ts';
import type { StrictFault } from '../support/strict-slack/web-api.ts';
import { receipt } from './support/posts.ts';
import { working } from './support/turns.ts';
import { startWorld } from './support/world.ts';

describeWithLocalSlack('the card', () => {
  test('is edited at most once in three seconds, and its last state gets drawn', async () => {
    await using world = await startWorld({ settings: { FOLLOW_UP_WINDOW: '60s' } });
    const card = await working(world);
    await world.clock.advance(10_000);
    const edits = () => world.proxy.calls('chat.update').length;
    const before = edits();
    for (let count = 1; count <= 5; count += 1) {
      const text = `Reply ${count}`;
      const reply = await world.slack.reply(card, text);
      await receipt(world.slack, reply, 'eyes');
    }
    expect(edits()).toBeLessThanOrEqual(before + 1);
    await world.clock.advance(3_000);
    await expect
      .poll(async () => /\d replies waiting/.exec(await world.card(card))?.[0], { message: 'the card' })
      .toBe('5 replies waiting');
    expect(edits()).toBeLessThanOrEqual(before + 2);
  });
});

function shortestGapMs(timesMs: readonly number[]): number {
  return Math.min(...timesMs.slice(1).map((atMs, index) => atMs - (timesMs[index] ?? 0)));
}

describe('the pace of a card’s edits', () => {
  /** Asks, and notes from then on when the card is edited. */
  async function startNoting(settings: Environment) {
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

  async function goesOnAfter(change: (program: Program) => Promise<void>, settings: Environment = {}) {
    const { program, editedAtMs, reply, shows } = await startNoting(settings);
    await reply('One');
    await shows('1 reply waiting');
    await change(program);
    await reply('Two');
    await shows('2 replies waiting');
    expect(editedAtMs.length).toBeGreaterThan(1);
    expect(shortestGapMs(editedAtMs)).toBeGreaterThanOrEqual(3_000);
  }

  test('is no failure: however often the card had to wait, one error of Slack puts it off for seconds', async () => {
    const { program, editedAtMs, faults, reply, shows } = await startNoting({});
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
  });

  test('is kept over a restart, and what was put off is drawn', async () => {
    await goesOnAfter((program) => program.restart());
  });

  describe.skipIf(testServerUrl === undefined)('by several replicas on Postgres', () => {
    async function startReplica({ env, clock }: Program): Promise<void> {
      const log = createLogger({ level: 'debug', destination: { write: () => {} } });
      const replica = createService(parseConfig({ ...env, PORT: '0' }, noFiles), { clock, log });
      await replica.start();
      onTestFinished(() => replica.stop());
    }
    async function databaseUrl(): Promise<string> {
      const database = await createTestDatabase(testServerUrl ?? '');
      onTestFinished(() => database.drop());
      return database.url;
    }

    test('is kept when another one goes on', async () => {
      const change = async (program: Program) => {
        await startReplica(program);
        await program.service.stop();
      };
      await goesOnAfter(change, { DATABASE_URL: await databaseUrl() });
    });

    test('is kept while two of them draw', async () => {
      const { program, editedAtMs, reply, shows } = await startNoting({ DATABASE_URL: await databaseUrl() });
      await startReplica(program);
      for (let count = 1; count <= 12; count += 1) {
        await reply(`Reply ${count}`);
        await program.clock.advance(500);
      }
      await shows('12 replies waiting');
      expect(editedAtMs.length).toBeGreaterThan(1);
      expect(shortestGapMs(editedAtMs)).toBeGreaterThanOrEqual(3_000);
    });
  });
});

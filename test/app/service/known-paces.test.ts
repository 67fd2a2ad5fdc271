import { expect, onTestFinished, test } from 'vitest';
import { createLogger } from '../../../src/app/operations/logger.ts';
import { knownPaces } from '../../../src/app/service/known-paces.ts';
import { openStore } from '../../../src/store/open.ts';
import { policy } from '../../jobs/support/builders.ts';
import { createTempDir } from '../../support/temp-dir.ts';
import { createTestClock } from '../../support/test-clock.ts';

const MINUTE_MS = 60_000;

async function setUp() {
  const folder = await createTempDir();
  onTestFinished(folder.remove);
  const store = await openStore({ dataDir: folder.path });
  onTestFinished(() => store.close());
  const clock = createTestClock(Date.UTC(2026, 0, 1));
  const lines: string[] = [];
  const log = createLogger({
    level: 'warn',
    destination: { write: (line) => lines.push(line) },
  });
  const paces = knownPaces({ store, clock, log }, policy);
  const turnsEnd = (projectId: string, turns: number) =>
    store.transaction(async (tx) => {
      for (let turn = 0; turn < turns; turn += 1) await tx.turnLengths.add(projectId, 2 * MINUTE_MS);
    });
  /** The projects with a pace, once a read that is under way is done. */
  const known = async () => {
    paces.current();
    await paces.stop();
    return [...paces.current().keys()];
  };
  return { store, clock, lines, paces, turnsEnd, known };
}

test('decisions do not wait for what the store knows of past turns: they get it when it was read', async () => {
  const { paces, turnsEnd, known } = await setUp();
  await turnsEnd('docs', 5);
  await turnsEnd('handbook', 4);
  expect(paces.current()).toEqual(new Map());
  expect(await known()).toEqual(['docs']);
});

test('turns that end are taken into account a minute later, and not before', async () => {
  const { clock, turnsEnd, known } = await setUp();
  expect(await known()).toEqual([]);
  await turnsEnd('docs', 5);
  await clock.advance(MINUTE_MS - 1);
  expect(await known()).toEqual([]);
  await clock.advance(1);
  expect(await known()).toEqual(['docs']);
});

test('while the store cannot be read, what was known stays known, and the log says so', async () => {
  const { store, clock, lines, turnsEnd, known } = await setUp();
  await turnsEnd('docs', 5);
  expect(await known()).toEqual(['docs']);
  await store.close();
  await clock.advance(MINUTE_MS);
  expect(await known()).toEqual(['docs']);
  expect(lines.map((line) => JSON.parse(line).event)).toEqual(['turn_lengths_read']);
});

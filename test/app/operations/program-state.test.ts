import { expect, onTestFinished, test } from 'vitest';
import { stateReader } from '../../../src/app/operations/program-state.ts';
import { clockFrom } from '../../../src/runtime/clock.ts';
import { openStore } from '../../../src/store/open.ts';
import { aJob } from '../../support/a-job.ts';
import { createTempDir } from '../../support/temp-dir.ts';

const HOUR_MS = 3_600_000;

test('after the clock was set back, the metrics do not go on telling what was before', async () => {
  const folder = await createTempDir();
  onTestFinished(folder.remove);
  const store = await openStore({ dataDir: folder.path });
  onTestFinished(() => store.close());
  let nowMs = Date.UTC(2026, 0, 1);
  const read = stateReader({
    store,
    clock: clockFrom({ now: () => nowMs, at: () => () => {}, awakeSinceMs: () => 0 }),
    projects: [{ id: 'docs', name: 'docs', noticeChannels: [] }],
    hourlyBudget: 100,
    loops: () => [],
    slackProblem: () => null,
    readDataDir: () => null,
  });
  expect((await read()).store?.openJobs.get('creating')).toBe(0);
  const job = aJob({ stage: { kind: 'creating' } });
  await store.transaction((tx) => tx.write({ job, followUps: [], calls: [], tasks: [] }, nowMs));
  expect((await read()).store?.openJobs.get('creating')).toBe(0);
  nowMs -= HOUR_MS;
  expect((await read()).store?.openJobs.get('creating')).toBe(1);
});

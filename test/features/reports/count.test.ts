import { expect, test } from 'vitest';
import { parseConfig } from '../../../src/app/config/config.ts';
import { contextFactory } from '../../../src/app/service.ts';
import { reporter } from '../../../src/features/reports/count.ts';
import type { Job } from '../../../src/jobs/job.ts';
import { settings } from '../../cli/support/settings.ts';
import { aDecision, aJob, NOW_MS } from '../../contract/store/samples.ts';
import { onSqlite } from '../../engine/support/test-store.ts';
import { noFiles } from '../../support/settings.ts';
import { createTestClock } from '../../support/test-clock.ts';

const DAY_MS = 86_400_000;

async function reportOf(jobs: readonly Partial<Job>[], env: Readonly<Record<string, string>> = {}) {
  const { store } = await onSqlite();
  for (const [index, job] of jobs.entries()) {
    const written = aDecision({ job: aJob({ threadTs: null, id: `job-${index}`, ...job }) });
    await store.transaction((tx) => tx.write(written, NOW_MS));
  }
  const config = parseConfig({ ...settings, AGENT_HOURLY_BUDGET: '40', ...env }, noFiles);
  const { agent, retentionMs } = config;
  const clock = createTestClock(NOW_MS);
  return reporter({
    store,
    clock,
    newContext: contextFactory(clock, config),
    hourlyBudget: agent.hourlyBudget,
    retentionMs,
  });
}

const agoMs = (days: number) => ({ requestedAtMs: NOW_MS - days * DAY_MS });

test('what administrators are shown in Slack is of the last seven days, and of their workspace (L4)', async () => {
  const report = await reportOf([agoMs(1), agoMs(6), agoMs(8), { ...agoMs(1), teamId: 'T2' }]);
  const { since, until, starts, budget } = (await report('T1')).report;
  expect(starts.total).toBe(2);
  expect([since, until].map(Date.parse)).toEqual([NOW_MS - 7 * DAY_MS, NOW_MS]);
  expect(budget.limit).toBe(40);
});

test('a report begins no earlier than what is kept (L4)', async () => {
  const report = await reportOf([agoMs(1), agoMs(3)], { RETENTION: '2d' });
  expect((await report('T1')).report.starts.total).toBe(1);
  const longAgo = { sinceMs: NOW_MS - 9 * DAY_MS, untilMs: NOW_MS - 8 * DAY_MS };
  expect((await report('T1', longAgo)).report.starts.total).toBe(0);
});

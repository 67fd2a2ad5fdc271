import { expect, test } from 'vitest';
import { isInTheWay } from '../../../src/features/recipes/start.ts';
import type { Job } from '../../../src/jobs/job.ts';
import { newRuns, type RecipeRuns, updateRuns } from '../../../src/jobs/recipe.ts';
import { aJob } from '../../support/a-job.ts';

const HOUR_MS = 3_600_000;
const NOW_MS = 1_000 * HOUR_MS;

const dropped = (why: 'not_posted' | 'dismissed' | 'expired'): Job['stage'] => ({
  kind: 'dropped',
  ...{ why, byUserId: null, number: 1, formerThreadTs: null },
});

function started(runs: RecipeRuns, jobId: string): RecipeRuns {
  return { ...runs, jobId, hasFailed: false };
}

function after(...stages: readonly Job['stage'][]): RecipeRuns {
  return stages.reduce((runs, stage, index) => {
    const job = aJob({ id: `job-${index}`, stage });
    return updateRuns(started(runs, job.id), job, 5);
  }, newRuns);
}

test('a recipe is paused when Slack refuses three of its drafts in a row (T3)', () => {
  const refused = dropped('not_posted');
  expect(after(refused, refused).pausedAtMs).toBeNull();
  expect(after(refused, refused, refused)).toMatchObject({ failures: 3, pausedAtMs: 5 });
});

test('drafts that people dismiss or forget are no failures of their recipe (T3)', () => {
  expect(after(dropped('dismissed'), dropped('expired'), dropped('dismissed'))).toMatchObject({
    failures: 0,
    pausedAtMs: null,
  });
});

test('a job of a recipe that fails again when it is started again is one failure (T3)', () => {
  const job = aJob({ stage: { kind: 'ended', status: 'failed', sinceMs: 0 } });
  const once = updateRuns({ ...newRuns, jobId: job.id }, job, 5);
  expect(updateRuns(updateRuns(once, job, 6), job, 7)).toEqual(once);
  expect(once).toMatchObject({ failures: 1, hasFailed: true });
});

test.each<[string, Job['stage'], number]>([
  ['failed', { kind: 'ended', status: 'failed', sinceMs: 0 }, 2],
  ['vanished at the agent', { kind: 'ended', status: 'vanished', sinceMs: 0 }, 2],
  ['been refused by the agent', { kind: 'rejected', message: 'no' }, 2],
  ['no card, since Slack refused it', { kind: 'card_failed', reason: 'no', thread: null }, 2],
  ['perhaps begun', { kind: 'create_unknown', callId: 'c', sinceMs: 5 }, 2],
  ['ended well', { kind: 'ended', status: 'completed', sinceMs: 0 }, 0],
  ['been archived', { kind: 'ended', status: 'archived', sinceMs: 0 }, 0],
  ['just begun', { kind: 'creating' }, 1],
])('after a failure, a job that has %s counts as it should (T3)', (_what, stage, failures) => {
  expect(after({ kind: 'ended', status: 'failed', sinceMs: 0 }, stage).failures).toBe(failures);
});

test.each<[string, number, boolean]>([
  ['a moment ago', NOW_MS - 1, true],
  ['almost an hour ago', NOW_MS - HOUR_MS + 1, true],
  ['an hour ago', NOW_MS - HOUR_MS, false],
  ['by a clock that was a day ahead', NOW_MS + 24 * HOUR_MS, false],
])('a start that became unclear %s keeps its recipe from starting (%s)', (_when, sinceMs, isKept) => {
  const job = aJob({ stage: { kind: 'create_unknown', callId: 'c', sinceMs } });
  expect(isInTheWay(job, NOW_MS)).toBe(isKept);
});

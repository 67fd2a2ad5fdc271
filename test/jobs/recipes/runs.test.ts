import { expect, test } from 'vitest';
import type { Job } from '../../../src/jobs/job.ts';
import { newRuns, type RecipeRuns, runsAfter, runsWithJob } from '../../../src/jobs/recipes/runs.ts';
import { aJob } from '../../support/a-job.ts';

const dropped = (why: 'not_posted' | 'dismissed' | 'expired'): Job['stage'] => ({
  kind: 'dropped',
  ...{ why, byUserId: null, number: 1, thread: null, messages: [], postTs: null },
});

function after(...stages: readonly Job['stage'][]): RecipeRuns {
  return stages.reduce((runs, stage, index) => {
    const job = aJob({ id: `job-${index}`, stage });
    return runsAfter(runsWithJob(runs, job.id), job, 5);
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

import { expect, test } from 'vitest';
import { openQuestion, requestJob } from '../../../src/jobs/decide/open.ts';
import type { Job, Stage } from '../../../src/jobs/job.ts';
import { aJob } from '../../support/a-job.ts';
import { policy, request } from '../support/builders.ts';

const ask = (recent: readonly Job[], facts: Partial<typeof request> = {}) =>
  requestJob(
    { ...request, ...facts },
    recent,
    { isAnswered: true, isDoubtful: false },
    { nowMs: 5_000, jitter: 0.5, newId: () => 'job-2', policy },
  );

test('the same request again waits for an answer, once, and other words, messages or projects are a new one (S5)', () => {
  const { job, calls, tasks } = ask([aJob({})]);
  expect(job.stage).toMatchObject({ kind: 'awaiting_confirmation', sameAsJobId: 'job-1' });
  expect([...calls, ...tasks]).toEqual([]);
  expect(openQuestion(request, [job, aJob({})])).toBe(job);
  for (const facts of [{ prompt: 'Other words' }, { projectId: 'other' }, { context: 'Other messages' }]) {
    expect(ask([aJob({})], facts).job.stage.kind).toBe('opening');
    expect(openQuestion({ ...request, ...facts }, [job])).toBeNull();
  }
});

test.each<Stage>([
  { kind: 'card_failed', reason: 'not_in_channel', thread: null },
  { kind: 'awaiting_confirmation', sameAsJobId: 'job-0', thread: null },
  { kind: 'rejected', message: 'no' },
  { kind: 'ended', status: 'failed', sinceMs: 0 },
  { kind: 'ended', status: 'vanished', sinceMs: 0 },
])('a request is a new job if the one before came to nothing ($kind)', (stage) => {
  expect(ask([aJob({ stage })]).job.stage.kind).toBe('opening');
});

import { describe, expect, test } from 'vitest';
import type { Dropped, Job } from '../../src/jobs/job.ts';
import { stepResultOf } from '../../src/jobs/steps.ts';
import { aJob } from '../support/a-job.ts';
import { anAgentJob, policy } from './support/builders.ts';
import { decide } from './support/decide.ts';

const PR = 'https://github.com/acme/docs/pull/14';
const context = { nowMs: 0, jitter: 0.5, newId: () => 'id-1', policy };
const asked = (waits: boolean, facts: Partial<Job> = {}) =>
  aJob({ origin: { kind: 'workflow', executionId: 'Fx1', waits }, ...facts });
const ended = (status: 'completed' | 'failed' | 'archived' | 'vanished') =>
  ({ stage: { kind: 'ended', status, sinceMs: 0 }, cardTs: '1.000001' }) as const;
const dropped = (why: Dropped['why'], byUserId: string | null): Partial<Job> => ({
  stage: { kind: 'dropped', why, byUserId, number: 1, formerThreadTs: '1.000001' },
});

describe('what a step that waits comes to', () => {
  test.each<[what: string, facts: Partial<Job>, result: object | null]>([
    ['a card', { stage: { kind: 'creating' }, cardTs: '1.000001' }, null],
    [
      'a pull request',
      { ...ended('completed'), announcedPrLink: PR },
      { state: 'pull_request', pullRequest: PR },
    ],
    ['an end without one', ended('completed'), { state: 'done', pullRequest: null }],
    ['an archived job with one', { ...ended('archived'), announcedPrLink: PR }, { state: 'pull_request' }],
    ['an archived job', ended('archived'), { problem: { kind: 'archived' } }],
    ['a failure', { ...ended('failed'), announcedPrLink: PR }, { problem: { kind: 'failed' } }],
    [
      'a failure with a reason',
      { ...ended('failed'), agentJob: anAgentJob({ reason: 'No tests' }) },
      { problem: { kind: 'failed', reason: 'No tests' } },
    ],
    [
      'a stop',
      { ...ended('completed'), stage: { kind: 'ended', status: 'completed', sinceMs: 0, stoppedBy: 'U1' } },
      { problem: { kind: 'stopped' } },
    ],
    ['a job that is gone', ended('vanished'), { problem: { kind: 'vanished' } }],
    ['a draft that expired', dropped('expired', null), { problem: { kind: 'dropped', why: 'expired' } }],
    ['a dismissed one', dropped('dismissed', 'U1'), { problem: { why: 'dismissed', byUserId: 'U1' } }],
  ])('%s', (_what, facts, result) => {
    const found = stepResultOf(asked(true, facts), null);
    if (result === null) expect(found).toBeNull();
    else expect(found).toMatchObject(result);
  });
});

test('what no step asked for has no result', () => {
  expect(stepResultOf(aJob(ended('completed')), null)).toBeNull();
});

test('a step is completed once, whatever becomes of the job afterwards', () => {
  const opening = asked(false, { stage: { kind: 'opening' } });
  const first = decide({ job: opening, followUps: [] }, { type: 'card_posted', ts: '1.000001' }, context);
  const completions = ({ calls }: typeof first) => calls.filter(({ lane }) => lane.to === 'workflow');
  expect(completions(first)).toMatchObject([
    { naturalKey: 'complete:Fx1', request: { kind: 'complete_step', result: { state: 'started' } } },
  ]);
  const again = decide({ job: first.job, followUps: [] }, { type: 'card_posted', ts: '1.000001' }, context);
  expect(completions(again)).toEqual([]);
});

import { expect, test } from 'vitest';
import { sessionStateOf } from '../../../src/features/agent-sessions/index.ts';
import type { Job, Stage, Trouble } from '../../../src/jobs/job.ts';
import { anAgentJob } from '../../jobs/support/builders.ts';
import { aJob } from '../../support/a-job.ts';

const working: Stage = { kind: 'working', turnStartedAtMs: 0, settle: null };
const trouble = (kind: Trouble['kind']): Trouble => ({
  kind,
  source: 'send',
  sinceMs: 0,
  misses: 1,
  retryAtMs: 0,
  isAnnounced: false,
});
const atWork: Partial<Job> = { stage: working, agentJob: anAgentJob({ status: 'active' }) };

test.each<[what: string, facts: Partial<Job>, state: string | null]>([
  ['at which the agent is seen at work', atWork, 'processing'],
  ['whose end is not believed yet', { ...atWork, agentJob: anAgentJob({ status: 'completed' }) }, null],
  ['whose status nobody has read yet', { stage: working }, null],
  ['that waits for an administrator', { ...atWork, trouble: trouble('needs_admin') }, 'suspended'],
  [
    'whose start waits for one',
    { stage: { kind: 'creating' }, trouble: trouble('needs_admin') },
    'suspended',
  ],
  ['that waits for the hourly limit', { ...atWork, trouble: trouble('rate_limited') }, 'processing'],
  ['of an unclear start', { stage: { kind: 'create_unknown', callId: 'call-1', sinceMs: 0 } }, 'suspended'],
  ['that has ended', { stage: { kind: 'ended', status: 'completed', sinceMs: 0 } }, 'active'],
  ['that failed', { stage: { kind: 'ended', status: 'failed', sinceMs: 0 } }, 'active'],
  ['that was not accepted', { stage: { kind: 'rejected', message: 'no' } }, 'active'],
  [
    'that nobody watches any more',
    { ...atWork, stage: { ...working, question: { number: 1, answer: 'stop' } } },
    'closed',
  ],
  ['that is about to be created', { stage: { kind: 'creating' } }, null],
  ['whose card is being posted', { stage: { kind: 'opening' } }, null],
])('the session of a job %s', (_what, facts, state) => {
  expect(sessionStateOf(aJob(facts))).toBe(state);
});

import type { AgentJob } from '../../../src/jobs/agent-job.ts';
import type { Job, Stage, Trouble } from '../../../src/jobs/job.ts';
import { aJob as anOpenedJob } from '../../support/a-job.ts';

export const noNames: ReadonlyMap<string, string> = new Map();
export { emptyQueue as nobodyWaits } from '../../../src/jobs/follow-ups/follow-up.ts';

/** 14:05 UTC. */
export const fivePastTwoMs = Date.UTC(2026, 10, 20, 14, 5);

export const completed: Extract<Stage, { kind: 'ended' }> = {
  kind: 'ended',
  status: 'completed',
  sinceMs: 0,
};
export const working: Extract<Stage, { kind: 'working' }> = {
  kind: 'working',
  turnStartedAtMs: fivePastTwoMs,
  settle: null,
};

export function anAgentJob(facts: Partial<AgentJob> = {}): AgentJob {
  return {
    id: 'agent-1',
    status: 'active',
    repository: 'acme/docs',
    ref: 'agent/rate-limits',
    model: 'sonnet',
    prLink: null,
    ...facts,
  };
}

/** A job that has just been asked for by U1 in C1. */
export function aJob(facts: Partial<Job> = {}): Job {
  return anOpenedJob({
    prompt: 'Document the rate limits of our API',
    requestedAtMs: fivePastTwoMs,
    stage: { kind: 'creating' },
    creates: 1,
    ...facts,
  });
}

export function aTrouble(facts: Partial<Trouble> = {}): Trouble {
  return {
    kind: 'rate_limited',
    source: 'send',
    sinceMs: fivePastTwoMs,
    misses: 1,
    retryAtMs: fivePastTwoMs,
    isAnnounced: false,
    ...facts,
  };
}

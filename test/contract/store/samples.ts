import type { NewCall } from '../../../src/jobs/call.ts';
import type { Decision } from '../../../src/jobs/decide/decision-builder.ts';
import type { FollowUp } from '../../../src/jobs/follow-ups/follow-up.ts';
import type { Job } from '../../../src/jobs/job.ts';
import type { TaskKind } from '../../../src/jobs/task-kinds.ts';
import type { ClaimedTask, Transaction } from '../../../src/store/store.ts';
import { aFollowUp as anyFollowUp } from '../../jobs/support/builders.ts';
import { aJob as anOpenedJob } from '../../support/a-job.ts';

export const NOW_MS = 1_700_000_000_000;
export const THREAD_TS = '1700000000.000100';

type Claim = Parameters<Transaction['tasks']['claim']>[0];

export type Due = [kinds: readonly TaskKind[], nowMs: number, more?: Partial<Claim>];

/** Claims what is due then, for a second. */
export function claimDue(tx: Transaction, ...[kinds, nowMs, more]: Due): Promise<ClaimedTask[]> {
  const lease = { leaseNowMs: nowMs, leaseUntilMs: nowMs + 1_000, inFlight: [], limit: 10 };
  return tx.tasks.claim({ kinds, nowMs, ...lease, ...more });
}

export function aJob(fields: Partial<Job> = {}): Job {
  return anOpenedJob({
    projectId: 'docs',
    prompt: 'Explain the webhooks',
    requestedAtMs: NOW_MS,
    threadTs: THREAD_TS,
    stage: { kind: 'creating' },
    ...fields,
  });
}

export function aFollowUp(fields: Partial<FollowUp> = {}): FollowUp {
  const text = 'And the retries';
  const sample = { id: 'follow-up-1', messageTs: '1700000001.000100', text, receivedAtMs: NOW_MS };
  return anyFollowUp({ ...sample, ...fields });
}

export function aCall(id: string, fields: Partial<NewCall> = {}): NewCall {
  return {
    id,
    naturalKey: `key of ${id}`,
    lane: { to: 'slack', name: 'thread:job-1' },
    request: { kind: 'post_card' },
    ...fields,
  };
}

export function aCreateCall(id: string, fields: Partial<NewCall> = {}): NewCall {
  const request = { kind: 'create_job', prompt: 'Explain the webhooks' } as const;
  return aCall(id, { lane: { to: 'agent', name: 'agent:job-1' }, request, ...fields });
}

export function aDecision(fields: Partial<Decision> = {}): Decision {
  return { job: aJob(), followUps: [], calls: [], tasks: [], ...fields };
}

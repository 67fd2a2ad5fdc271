import type { Job } from '../../src/jobs/job.ts';
import type { Store } from '../../src/store/store.ts';
import { aJob } from './a-job.ts';

const AGE_MS = 600_000;
const LAST_LOOK_AGO_MS = 30_000;
const PROMPT = 'Say in the quickstart how the webhooks are signed, with an example. '.repeat(6);
const JOBS_PER_COMMIT = 1_000;

export interface WatchedJobs {
  readonly jobs: number;
  /** The jobs take them in turn. */
  readonly projectIds: readonly string[];
  /** When the check of each is due. */
  readonly dueAtMs: () => number;
}

/** Fills a store with jobs at which the agent has worked for ten minutes, as `activeAgentJob` describes them. */
export async function storeWatchedJobs(store: Store, options: WatchedJobs): Promise<void> {
  const { jobs, projectIds, dueAtMs } = options;
  const nowMs = Date.now();
  for (let first = 0; first < jobs; first += JOBS_PER_COMMIT) {
    await store.transaction(async (tx) => {
      for (let number = first; number < Math.min(first + JOBS_PER_COMMIT, jobs); number += 1) {
        const job = watchedJob(number, projectIds[number % projectIds.length] ?? '', nowMs);
        const task = { kind: 'check_job', runAtMs: dueAtMs(), ifScheduled: 'replace' } as const;
        await tx.write({ job, followUps: [], calls: [], tasks: [task] }, nowMs);
      }
    });
  }
}

/** What the agent API answers when such a job is read: nothing new. */
export const activeAgentJob = {
  id: 'agent-0',
  status: 'active',
  source: { repository: 'acme/docs', ref: 'main' },
  model: null,
  prLink: null,
} as const;

/** The thread of the job with this number, which is in the channel C1. */
export function watchedThreadTs(number: number): string {
  return `1700000000.${String(number).padStart(6, '0')}`;
}

/** One of these jobs, as stored. */
export function watchedJob(number: number, projectId: string, nowMs: number): Job {
  const threadTs = watchedThreadTs(number);
  const turnStartedAtMs = nowMs - AGE_MS;
  const { status, source, model, prLink } = activeAgentJob;
  return aJob({
    id: `job-${number}`,
    teamId: 'T0TEAM',
    projectId,
    prompt: PROMPT,
    requestedAtMs: turnStartedAtMs,
    threadTs,
    cardTs: threadTs,
    stage: { kind: 'working', turnStartedAtMs, settle: null },
    agentJob: { id: `agent-${number}`, status, ...source, model, prLink },
    lastAnnounced: { status, turn: 1 },
    checkedAtMs: nowMs - LAST_LOOK_AGO_MS,
    creates: 1,
    posts: 1,
    cards: 1,
  });
}

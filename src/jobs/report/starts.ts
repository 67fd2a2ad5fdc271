import type { Announcement } from '../announcement.ts';
import type { PastCall } from '../follow-ups/turns.ts';
import type { Job } from '../job.ts';
import { type Source, sourceOf } from './source.ts';

/** How a start ended, in the order of a report. */
export const ends = ['pull_request', 'done', 'failed', 'refused', 'gone', 'archived'] as const;

export type End = (typeof ends)[number];

/** `open`: more is to happen. `unclear`: nobody knows whether the agent has it. */
export type Fate = End | 'open' | 'unclear';

export interface Start {
  readonly source: Source;
  readonly fate: Fate;
}

/**
 * The starts of a job, the first of them asked for where the job came from, with what became of each by now. None if it
 * waits for its requester, or was never to start: what has no card, or only watches another's agent job.
 * @param calls its creates and announcements in the order in which they were requested; of a job that was created once
 * at most, none are needed
 */
export function startsOf(job: Job, calls: readonly PastCall[]): Start[] {
  const last = job.watchedAgentJobId === null ? fateOf(job) : null;
  if (last === null) return [];
  const fates = [...earlierFates(calls), last];
  return fates.map((fate, index) => ({ source: index === 0 ? sourceOf(job) : 'again', fate }));
}

/** What became of the latest start; null: it was none. */
export function fateOf({ stage, agentJob }: Job): Fate | null {
  switch (stage.kind) {
    case 'awaiting_confirmation':
    case 'draft':
    case 'dropped':
    case 'card_failed':
      return null;
    case 'opening':
    case 'creating':
    case 'working':
      return 'open';
    case 'create_unknown':
      return 'unclear';
    case 'rejected':
      return 'refused';
    case 'ended':
      if (stage.status === 'completed') return agentJob?.prLink ? 'pull_request' : 'done';
      return stage.status === 'vanished' ? 'gone' : stage.status;
  }
}

/** Of the starts before the latest: what the thread was told last, before the job was created again. */
function earlierFates(calls: readonly PastCall[]): Fate[] {
  const fates: Fate[] = [];
  let create: PastCall | null = null;
  let told: Fate | null = null;
  for (const call of calls) {
    const { request } = call;
    if (request.kind === 'announce') told = fateIn(request.announcement) ?? told;
    if (request.kind !== 'create_job') continue;
    // A create of unknown fate may be repeated without asking anybody (AGENT_RETRY_UNKNOWN): that is one start.
    const isRepeated = create?.state === 'failed' && told === null;
    if (create !== null && !isRepeated) fates.push(told ?? silentFate(create));
    [create, told] = [call, null];
  }
  return fates;
}

function fateIn(announcement: Announcement): Fate | null {
  switch (announcement.kind) {
    case 'turn_ended':
      return announcement.link === null ? 'done' : 'pull_request';
    case 'pull_request':
      return 'pull_request';
    case 'failed':
    case 'archived':
      return announcement.kind;
    case 'vanished':
      return 'gone';
    case 'create_rejected':
      return 'refused';
    case 'create_unknown':
      return 'unclear';
    default:
      return null;
  }
}

/** The agent took it, and did not know it any more when a reply was sent: then the job is created again. */
function silentFate({ state }: PastCall): Fate {
  return state === 'unknown' ? 'unclear' : 'gone';
}

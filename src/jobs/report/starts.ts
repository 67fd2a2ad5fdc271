import { type Fate, meaningOf } from '../announcement.ts';
import type { PastCall } from '../follow-ups/turns.ts';
import type { Job } from '../job.ts';

export type Start = Readonly<{
  source: Source;
  atMs: number;
  fate: Fate;
  calls: readonly PastCall[];
}>;

/**
 * A job's starts, the first with the job's own origin, with their outcomes so far. None if it waits for its
 * requester, or was never to start: without a card, or only watching another's agent job.
 * @param calls its creates and announcements in order; not needed for a job created at most once without a
 * pull request
 */
export function startsOf(job: Job, calls: readonly PastCall[]): Start[] {
  const last = job.watchedAgentJobId === null ? fateOf(job) : null;
  if (last === null) return [];
  return byStart(calls).map((own, index, all) => ({
    source: index === 0 ? job.origin.kind : 'again',
    atMs: (index === 0 ? undefined : own[0]?.createdAtMs) ?? job.requestedAtMs,
    // The agent took it, and no longer knew it when a reply was sent: then it is created again silently.
    fate: index === all.length - 1 ? last : (own.flatMap(fateIn).at(-1) ?? 'gone'),
    calls: own,
  }));
}

/** The fate of the latest start; null: there was none. */
export function fateOf({ stage, agentJob, creates }: Job): Fate | null {
  switch (stage.kind) {
    case 'awaiting_confirmation':
    case 'draft':
    case 'card_failed':
      return null;
    case 'dropped':
      // Dismissed: nobody knows what the agent made of it.
      return creates > 0 ? 'unclear' : null;
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

/** The calls of each start. All but the first begin with the create that they follow. */
function byStart(calls: readonly PastCall[]): PastCall[][] {
  let current: PastCall[] = [];
  const starts = [current];
  for (const call of calls) {
    if (isCreate(call) && current.some(isCreate)) {
      current = [];
      starts.push(current);
    }
    current.push(call);
  }
  return starts;
}

function isCreate({ request }: PastCall): boolean {
  return request.kind === 'create_job';
}

/** What the thread was told of it. */
function fateIn({ request }: PastCall): Fate[] {
  if (request.kind !== 'announce') return [];
  const fate = meaningOf(request.announcement).fate?.(request.announcement);
  return fate === undefined ? [] : [fate];
}

/** Where starts come from. `again`: see `startingAgain`. */
export const sources = [
  'command',
  'form',
  'mention',
  'direct_message',
  'shortcut',
  'home',
  'reaction',
  'workflow',
  'schedule',
  'webhook',
  'again',
] as const;

/** The buttons that start a job again, as presses are recorded. */
export const startingAgain = ['start_again', 'edit_and_start'] as const;

export type Source = (typeof sources)[number];

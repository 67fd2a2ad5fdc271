import type { Decision } from '../decide/decision-builder.ts';
import type { Queue } from '../follow-ups/follow-up.ts';
import { type Job, mayStartAgain } from '../job.ts';
import { jobStandingOf } from '../pull-requests/standing.ts';

export type Viewer = Readonly<{ teamId: string; userId: string; channelId: string }>;

/** Stable when jobs come and go. */
export type JobCursor = Readonly<{ requestedAtMs: number; id: string }>;

export type PageStart = { readonly to: 'older' | 'newer'; readonly than: JobCursor } | null;

export type JobPage = Readonly<{ jobs: readonly Job[]; hasNewer: boolean; hasOlder: boolean }>;

export type NeedingJob = Readonly<{ job: Job; undecided: Queue['undecided'] }>;

export const NEEDED_FOR_MS = 7 * 86_400_000;

export function needsPerson(one: NeedingJob): boolean {
  const need = needOf(one);
  return need !== null && need !== one.job.dismissedNeed;
}

export function needOf({ job, undecided }: NeedingJob): string | null {
  const { stage, trouble, creates, cards, turn } = job;
  if (undecided !== null) return `replies:${undecided.callId}:${undecided.count}`;
  if (trouble?.kind === 'needs_admin') return `administrator:${trouble.sinceMs}`;
  switch (stage.kind) {
    case 'opening':
      return stage.waitsFor === undefined ? null : `${stage.waitsFor}:${cards}`;
    case 'create_unknown':
      return `start:${stage.callId}`;
    case 'card_failed':
      return `card:${cards}`;
    case 'rejected':
      return `rejected:${creates}`;
    case 'ended': {
      if (mayStartAgain(job)) return `${stage.status}:${creates}:${turn}`;
      const standing = stage.status === 'completed' ? jobStandingOf(job) : null;
      const isToDo = standing === 'checks_failing' || standing === 'changes_requested';
      return isToDo ? `${standing}:${turn}` : null;
    }
    default:
      return null;
  }
}

/** A Home tab may stay visible this long. */
const LOOKS_FOR_MS = 3_600_000;
export const HOME_SPACING_MS = 3_000;

export function changesHome({ calls, tasks, notices }: Decision, nowMs: number): boolean {
  if (calls.length > 0 || notices !== undefined) return true;
  return tasks.some(({ kind, runAtMs }) => kind === 'refresh_card' && runAtMs <= nowMs);
}

export function mayBeSeen(openedAtMs: number, nowMs: number): boolean {
  return openedAtMs > nowMs - LOOKS_FOR_MS;
}

import type { Lane } from '../../../jobs/call.ts';

/**
 * Tasks on a job have the job's id as subject, tasks on a lane of calls the lane's name, `catch_up` a workspace's id,
 * and those on a home what `ownerOfHome` reads.
 */
export const taskKinds = [
  'check_job',
  'check_ended_job',
  'send_follow_ups',
  'refresh_card',
  'refresh_receipts',
  'read_snippets',
  'call_agent',
  'post_to_slack',
  'catch_up',
  'refresh_home',
] as const;
export type TaskKind = (typeof taskKinds)[number];

/** There is at most one task of a kind for a subject. */
export function taskId(kind: TaskKind, subject: string): string {
  return `${kind}:${subject}`;
}

/** The task kind that makes the calls of a lane. */
export function laneTaskKind(lane: Lane): TaskKind {
  return lane.to === 'agent' ? 'call_agent' : 'post_to_slack';
}

/**
 * The project or channel that a task belongs to. The tasks of a group share workers, so that a project or channel that
 * does not answer cannot take all of them. A path like `T1/C1/` (a workspace and its channel) or `docs/` (a project); empty: none.
 */
export type TaskGroup = string;

/** The group, and the larger ones that it is part of: `T1/` and `T1/C1/`. */
export function levelsOf(group: TaskGroup): readonly TaskGroup[] {
  return [...group.matchAll(/\//g)].map(({ index }) => group.slice(0, index + 1));
}

export interface NewTask {
  readonly kind: TaskKind;
  readonly subject: string;
  readonly runAtMs: number;
  readonly ifScheduled: 'keep' | 'replace';
}

export interface ClaimedTask {
  readonly kind: TaskKind;
  readonly subject: string;
  /** How often in a row it was to be retried. */
  readonly attempts: number;
  /** Until then, something that it sent without an answer may still arrive; or null. */
  readonly unsureUntilMs: number | null;
  readonly group: TaskGroup;
  readonly lease: Lease;
}

export interface Lease {
  readonly taskId: string;
  /** Made anew at each claim. */
  readonly token: string;
  /** Changes when the task is scheduled again. */
  readonly revision: number;
}

/** The task was taken over by somebody else: what was about to be written must not be. */
export class LeaseLostError extends Error {
  constructor(taskId: string) {
    super(`lease of task ${taskId} was lost`);
    this.name = 'LeaseLostError';
  }
}

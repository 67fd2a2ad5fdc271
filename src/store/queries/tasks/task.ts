import { type Expression, type RawBuilder, sql } from 'kysely';
import { type TaskFacts, type TaskKind, taskFacts } from '../../../jobs/task-kinds.ts';

/** There is at most one task of a kind for a subject. */
export function taskId(kind: TaskKind, subject: string): string {
  return `${kind}:${subject}`;
}

/**
 * The project, channel or code host of a task, whose tasks share workers, so that a silent one cannot take
 * all of them. A path such as `T1/C1/` (workspace and channel), `docs/` (project) or `github.com/`, or empty.
 */
export type TaskGroup = string;

/** The group and those that contain it: `T1/` and `T1/C1/`. */
export function levelsOf(group: TaskGroup): readonly TaskGroup[] {
  const levels: TaskGroup[] = [];
  for (let at = group.indexOf('/'); at !== -1; at = group.indexOf('/', at + 1)) {
    levels.push(group.slice(0, at + 1));
  }
  return levels;
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
  /** Consecutive retries. */
  readonly attempts: number;
  readonly dueAtMs: number;
  /** Until then, an unanswered request of it may still arrive. */
  readonly unknownUntilMs: number | null;
  readonly group: TaskGroup;
  readonly lease: Lease;
}

export interface Lease {
  readonly taskId: string;
  /** New at each claim. */
  readonly token: string;
  /** Changes when the task is scheduled again. */
  readonly revision: number;
}

/** Another worker took over the task: nothing may be written. */
export class LeaseLostError extends Error {
  constructor(taskId: string) {
    super(`lease of task ${taskId} was lost`);
    this.name = 'LeaseLostError';
  }
}

/** The job that a task belongs to, and what else decides its group. */
export interface TaskOwner {
  readonly jobId: string | null;
  /** 1: the group is the job's project. 0: it is its channel. */
  readonly isOfProject: number;
  /** Replaces the job's channel. */
  readonly channelId: string | null;
  /** Without a job. */
  readonly otherwise: TaskGroup;
}

export function ownerOfTask(kind: TaskKind, subject: string): TaskOwner {
  const { about, sharedIn } = taskFacts(kind);
  const parts = subject.split(':');
  const [, jobId = subject, channelId = null] = about === 'lane' ? parts : [];
  const hasJob = about === 'job' || about === 'lane';
  return {
    jobId: hasJob ? jobId : null,
    isOfProject: sharedIn === 'project' ? 1 : 0,
    channelId,
    otherwise: hasJob ? '' : groupWithoutJob(sharedIn, subject),
  };
}

function groupWithoutJob(sharedIn: TaskFacts['sharedIn'], subject: string): TaskGroup {
  if (sharedIn !== 'code_host') return `${subject.split(':').join('/')}/`;
  const [, host = ''] = /https?:\/\/([^/]+)/.exec(subject) ?? [];
  return `${host}/`;
}

/** Columns by owner; without the job, a task belongs to none. A job's project, workspace and channel never change. */
export function ownerColumns(owner: { readonly [Name in keyof TaskOwner]: Expression<TaskOwner[Name]> }): {
  readonly job_id: RawBuilder<string | null>;
  readonly group_key: RawBuilder<TaskGroup>;
} {
  return {
    job_id: sql`(select job.id from job where job.id = ${owner.jobId})`,
    group_key: sql`coalesce((
      select case when ${owner.isOfProject} = 1 then job.project_id || '/'
        else job.team_id || '/' || coalesce(${owner.channelId}, job.channel_id) || '/' end
      from job where job.id = ${owner.jobId}
    ), ${owner.otherwise})`,
  };
}

/** In random order, so that none is always the last. */
export function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

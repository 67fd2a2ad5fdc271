import { type Expression, type RawBuilder, sql } from 'kysely';
import type { TaskGroup, TaskKind } from './task.ts';

/** The job that says which group a task belongs to, and what else does. */
export interface TaskOwner {
  readonly jobId: string;
  /** 1: the group is the job's project. 0: it is its channel. */
  readonly isAgents: number;
  /** In place of the job's channel, or null. */
  readonly channelId: string | null;
  /** Where there is no job. */
  readonly otherwise: TaskGroup;
}

const ASKING_THE_AGENT: ReadonlySet<TaskKind> = new Set([
  'check_job',
  'check_ended_job',
  'call_agent',
  'send_follow_ups',
]);
const LANES: ReadonlySet<TaskKind> = new Set(['call_agent', 'post_to_slack']);
const WITHOUT_JOB: ReadonlySet<TaskKind> = new Set(['refresh_home', 'catch_up']);

/**
 * Lanes have names like `thread:<job>` and `notice:<job>:<channel>`, a home is `<workspace>:<person>`, and catch-ups
 * are a workspace's.
 */
export function ownerOfTask(kind: TaskKind, subject: string): TaskOwner {
  const parts = subject.split(':');
  const [, jobId = subject, channelId = null] = LANES.has(kind) ? parts : [];
  return {
    jobId,
    isAgents: ASKING_THE_AGENT.has(kind) ? 1 : 0,
    channelId,
    otherwise: WITHOUT_JOB.has(kind) ? `${parts.join('/')}/` : '',
  };
}

/** The group of such a task, as it is written with the task. */
export function groupOfTask(kind: TaskKind, subject: string): RawBuilder<TaskGroup> {
  const { jobId, isAgents, channelId, otherwise } = ownerOfTask(kind, subject);
  return groupOf({
    jobId: sql.val(jobId),
    isAgents: sql.val(isAgents),
    channelId: sql.val(channelId),
    otherwise: sql.val(otherwise),
  });
}

/** As `groupOfTask`, of a job's task. A job's project, workspace and channel never change. */
export function groupOf(
  owner: {
    readonly [Name in keyof TaskOwner]: Expression<TaskOwner[Name]>;
  },
): RawBuilder<TaskGroup> {
  return sql`coalesce((
    select case when ${owner.isAgents} = 1 then job.project_id || '/'
      else job.team_id || '/' || coalesce(${owner.channelId}, job.channel_id) || '/' end
    from job where job.id = ${owner.jobId}
  ), ${owner.otherwise})`;
}

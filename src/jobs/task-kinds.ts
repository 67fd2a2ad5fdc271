import type { Lane } from './call.ts';

export type TaskFacts = Readonly<{
  /**
   * Its subject: a job's id, the name of a lane of calls (`thread:<job>`, `notice:<job>:<channel>`,
   * `step:<job>`), a workspace's id, a home tab (`<workspace>:<person>`), a pull request
   * (`<workspace>:<address>`), a schedule (`<workspace>:<name>`), or a message
   * (`<workspace>:<channel>:<time>`).
   */
  about: 'job' | 'lane' | 'workspace' | 'home' | 'pull_request' | 'schedule' | 'message';
  /** Whose tasks share workers: one agent project's, one Slack channel's, or one code host's. */
  sharedIn: 'project' | 'channel' | 'code_host';
  /** Shows the current job, and may be repeated. */
  isProjection?: true;
  /** No task of the kind is planned further ahead; null: unlimited. Absent: `LONGEST_PAUSE_MS`. */
  furthestAheadMs?: number | null;
}>;

const HOUR_MS = 3_600_000;

/** All kinds of tasks. Each has a handler in `app/service/loops.ts`. */
const tasks = {
  // How far ahead depends on the settings: see `engine/far-tasks.ts`.
  check_job: { about: 'job', sharedIn: 'project', furthestAheadMs: null },
  check_ended_job: { about: 'job', sharedIn: 'project', furthestAheadMs: 12 * HOUR_MS },
  send_follow_ups: { about: 'job', sharedIn: 'project' },
  refresh_card: { about: 'job', sharedIn: 'channel', isProjection: true },
  refresh_receipts: { about: 'job', sharedIn: 'channel', isProjection: true },
  refresh_posts: { about: 'job', sharedIn: 'channel', isProjection: true },
  refresh_notice: { about: 'lane', sharedIn: 'channel', isProjection: true },
  expire_draft: { about: 'job', sharedIn: 'channel', furthestAheadMs: null },
  read_snippets: { about: 'job', sharedIn: 'channel' },
  call_agent: { about: 'lane', sharedIn: 'project' },
  post_to_slack: { about: 'lane', sharedIn: 'channel' },
  complete_step: { about: 'lane', sharedIn: 'channel' },
  forget_step_token: { about: 'job', sharedIn: 'channel', furthestAheadMs: null },
  look_at_marks: { about: 'message', sharedIn: 'channel' },
  look_at_app_mention: { about: 'message', sharedIn: 'channel' },
  catch_up: { about: 'workspace', sharedIn: 'channel' },
  look_at_pull_request: { about: 'pull_request', sharedIn: 'code_host', furthestAheadMs: 27 * HOUR_MS },
  start_recipe: { about: 'schedule', sharedIn: 'channel', furthestAheadMs: HOUR_MS },
  post_digest: { about: 'schedule', sharedIn: 'channel', furthestAheadMs: HOUR_MS },
  refresh_home: { about: 'home', sharedIn: 'channel', isProjection: true },
} as const satisfies Readonly<Record<string, TaskFacts>>;

export type TaskKind = keyof typeof tasks;

/** At most one task of each kind per job. */
export type JobTaskKind = {
  [Kind in TaskKind]: (typeof tasks)[Kind]['about'] extends 'job' ? Kind : never;
}[TaskKind];

export const taskKinds = Object.keys(tasks) as TaskKind[];

export function taskFacts(kind: TaskKind): TaskFacts {
  return tasks[kind];
}

export const laneTaskKinds: Readonly<Record<Lane['to'], TaskKind>> = {
  agent: 'call_agent',
  slack: 'post_to_slack',
  workflow: 'complete_step',
};

import type { Lane } from './call.ts';

type TaskFacts = Readonly<{
  /**
   * Ids, in this order: `<job>`, a lane (`thread:<job>`), `<workspace>`, `<workspace>:<person>`, `…:<url>`,
   * `…:<schedule>`, `…:<channel>:<time>`.
   */
  about: 'job' | 'lane' | 'workspace' | 'home' | 'pull_request' | 'schedule' | 'message';
  /** Whose tasks share workers. Absent: the channel's. */
  sharedIn?: 'project' | 'channel' | 'code_host';
  /** May be repeated. */
  isProjection?: true;
  /** Null: unlimited. Absent: `LONGEST_PAUSE_MS`. */
  furthestAheadMs?: number | null;
}>;

const HOUR_MS = 3_600_000;

const tasks = {
  check_job: { about: 'job', sharedIn: 'project', furthestAheadMs: null },
  check_ended_job: { about: 'job', sharedIn: 'project', furthestAheadMs: 12 * HOUR_MS },
  send_follow_ups: { about: 'job', sharedIn: 'project' },
  refresh_card: { about: 'job', isProjection: true },
  refresh_receipts: { about: 'job', isProjection: true },
  refresh_posts: { about: 'job', isProjection: true },
  refresh_notice: { about: 'lane', isProjection: true },
  expire_draft: { about: 'job', furthestAheadMs: null },
  read_snippets: { about: 'job' },
  call_agent: { about: 'lane', sharedIn: 'project' },
  post_to_slack: { about: 'lane' },
  complete_step: { about: 'lane' },
  forget_step_token: { about: 'job', furthestAheadMs: null },
  look_at_marks: { about: 'message' },
  look_at_app_mention: { about: 'message' },
  catch_up: { about: 'workspace' },
  look_at_pull_request: { about: 'pull_request', sharedIn: 'code_host', furthestAheadMs: 27 * HOUR_MS },
  start_recipe: { about: 'schedule', furthestAheadMs: HOUR_MS },
  post_digest: { about: 'schedule', furthestAheadMs: HOUR_MS },
  refresh_home: { about: 'home', isProjection: true },
} as const satisfies Readonly<Record<string, TaskFacts>>;

export type TaskKind = keyof typeof tasks;

export type TaskKindAbout<About extends TaskFacts['about']> = {
  [Kind in TaskKind]: (typeof tasks)[Kind]['about'] extends About ? Kind : never;
}[TaskKind];

export type JobTaskKind = TaskKindAbout<'job'>;

export const taskKinds = Object.keys(tasks) as TaskKind[];

export function taskFacts(kind: TaskKind): TaskFacts & { readonly sharedIn: string } {
  return { sharedIn: 'channel', ...tasks[kind] };
}

export const laneTaskKinds: Readonly<Record<Lane['to'], TaskKind>> = {
  agent: 'call_agent',
  slack: 'post_to_slack',
  workflow: 'complete_step',
};

import type { StoredInstallation } from '../queries/installations.ts';
import type { TaskKind } from '../queries/tasks/task.ts';
import type { SchemaState } from '../schema/migrate.ts';

/** What there is to know of a store without changing anything in it. */
export interface StoreFacts {
  /** The directory, or the host and database of Postgres. */
  readonly place: string;
  /**
   * `absent`: it is made at the first start. `in_use`: a running docs-agent holds the directory, so whether it can be
   * written was not tried. `writable`: that was tried.
   */
  readonly state: 'absent' | 'in_use' | 'writable';
  readonly schema: SchemaState;
  /** On disk; null if there is nothing yet. */
  readonly sizeBytes: number | null;
  /** What is left of the disk; null if it is another machine's. */
  readonly freeBytes: number | null;
  /** Where the app is installed by OAuth, with sealed tokens. */
  readonly installations: readonly StoredInstallation[];
  /** By workspace, the organisation whose installation has served it. */
  readonly organisations: ReadonlyMap<string, string>;
  readonly notices: NoticeFacts;
  /** Projects whose last request was refused, so that an administrator must act. */
  readonly agentRefusals: readonly AgentRefusal[];
  /** Tasks that fail again and again. */
  readonly failures: readonly TaskFailures[];
}

export interface AgentRefusal {
  readonly projectId: string;
  /** What the agent said, or what happened. */
  readonly words: string;
}

/** Tasks of one kind that failed last in the same words. */
export interface TaskFailures {
  readonly kind: TaskKind;
  readonly count: number;
  /** Since when every try of one of them has failed. */
  readonly sinceMs: number;
  readonly words: string;
}

export interface NoticeFacts {
  /** The notice channels that administrators saved in Slack. */
  readonly saved: readonly NoticeChannel[];
  /** Channels whose last notice was refused. */
  readonly refused: readonly RefusedNotice[];
}

interface NoticeChannel {
  /** The workspace. */
  readonly teamId: string;
  readonly channelId: string;
}

export interface RefusedNotice extends NoticeChannel {
  /** Slack's error code. */
  readonly reason: string;
  readonly atMs: number;
}

import type { Config } from '../../../app/config/config.ts';
import type { Clock } from '../../../engine/runtime/clock.ts';

export interface Tools {
  readonly clock: Clock;
  /** For each question to Slack, to the agent API and to code hosts. */
  readonly timeoutMs: number;
  /** Whether the agent API is asked to accept an empty request. Default: no. */
  readonly probeWrite?: boolean;
}

export interface Given {
  readonly config: Config;
  readonly tools: Tools;
}

/** The stable names of checks, and their titles in a report. */
export const TITLES = {
  node: 'Node',
  settings: 'Settings',
  store: 'Store',
  store_schema: 'Schema',
  store_space: 'Disk',
  store_lock: 'Lock',
  work: 'Work',
  slack_token: 'Slack',
  slack_scopes: 'Scopes',
  slack_connection: 'Connection',
  slack_other_program: 'Other program',
  listening: 'Address',
  admins: 'Administrators',
  notice_channel: 'Notice channel',
  recipe: 'Recipe',
  digest_channel: 'Digest in',
  workflow_channel: 'Workflows in',
  user_group: 'User group',
  reaction: 'Emoji in',
  agent_api: 'Agent API',
  agent_limit: 'Agent limit',
  agent_writing: 'Sending requests',
  code_host: 'Code host',
  pull_requests: 'Pull requests of',
  clock: 'Clock',
} as const;

export type CheckName = keyof typeof TITLES;

const LEVELS = ['ok', 'warning', 'error'] as const;
/** `warning`: it works, but not for ever, or not all of it. `error`: requests wait or are lost. */
export type Level = (typeof LEVELS)[number];

/** One line of the report. */
export interface Finding {
  readonly check: CheckName;
  /**
   * Which of several: a variable, a workspace, a channel, a user group, a project, a server, a repository; or
   * null.
   */
  readonly subject: string | null;
  readonly level: Level;
  readonly found: string;
  /** What to do about it, or null. */
  readonly next: string | null;
}

export type Findings = ReturnType<typeof findingsOf>;

/** Makes the findings of one check. */
export function findingsOf(check: CheckName, subject: string | null = null) {
  const finding = { check, subject };
  return {
    ok: (found: string, next: string | null = null): Finding => ({ ...finding, level: 'ok', found, next }),
    warning: (found: string, next: string): Finding => ({ ...finding, level: 'warning', found, next }),
    error: (found: string, next: string): Finding => ({ ...finding, level: 'error', found, next }),
  };
}

export function worstOf(findings: readonly Finding[]): Level {
  const worst = Math.max(0, ...findings.map(({ level }) => LEVELS.indexOf(level)));
  return LEVELS[worst] ?? 'error';
}

/** The stable names of what is looked at. */
export type CheckName =
  | 'node'
  | 'settings'
  | 'store'
  | 'store_schema'
  | 'store_space'
  | 'work'
  | 'slack_token'
  | 'slack_scopes'
  | 'slack_connection'
  | 'listening'
  | 'notice_channel'
  | 'user_group'
  | 'agent_api'
  | 'agent_writing'
  | 'clock';

/** `warning`: it works, but not for ever, or not all of it. `error`: requests wait or are lost for it. */
export type Level = 'ok' | 'warning' | 'error';

/** One line of the report. */
export interface Finding {
  readonly check: CheckName;
  /** Which of several: a variable, a workspace, a channel, a user group, a project, a server; or null. */
  readonly subject: string | null;
  readonly level: Level;
  readonly found: string;
  /** What to do about it, or null. */
  readonly next: string | null;
}

/** Makes the findings of one check. */
export function findingsOf(check: CheckName, subject: string | null = null) {
  const finding = (level: Level, found: string, next: string | null): Finding => ({
    check,
    subject,
    level,
    found,
    next,
  });
  return {
    ok: (found: string, next: string | null = null) => finding('ok', found, next),
    warning: (found: string, next: string) => finding('warning', found, next),
    error: (found: string, next: string) => finding('error', found, next),
  };
}

/** How one of several is called within a workspace; null: there is only one. */
export function within(workspace: string | null, id: string): string {
  return workspace === null ? id : `${workspace}/${id}`;
}

const LEVELS: readonly Level[] = ['ok', 'warning', 'error'];

export function worstOf(findings: readonly Finding[]): Level {
  const worst = Math.max(0, ...findings.map(({ level }) => LEVELS.indexOf(level)));
  return LEVELS[worst] ?? 'error';
}

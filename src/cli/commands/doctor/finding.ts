import { styleText } from 'node:util';
import type { Config } from '../../../app/config/config.ts';
import type { Clock } from '../../../engine/runtime/clock.ts';
import { type Logger, scrub } from '../../../engine/runtime/redact.ts';

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

export const SILENT: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

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
  runner: 'Runner',
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

export interface Finding {
  readonly check: CheckName;
  /**
   * Which of several: a variable, a workspace, a channel, a user group, a project, a server, a repository; or
   * null.
   */
  readonly subject: string | null;
  readonly level: Level;
  readonly found: string;
  readonly next: string | null;
}

export type Findings = ReturnType<typeof findingsOf>;

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

const SIGNS: Readonly<Record<Level, string>> = { ok: '✓', warning: '!', error: '✗' };

const COLOURS = { ok: 'green', warning: 'yellow', error: 'red' } as const;

/** A shorter secret would match in the middle of words. */
const SECRET_MIN_LENGTH = 6;

/** The findings as shown: one line each, without secrets. */
export function shown(findings: readonly Finding[], secrets: readonly string[]): Finding[] {
  return findings.map((finding) => ({
    ...finding,
    subject: finding.subject === null ? null : oneLine(finding.subject, secrets),
    // Only what was found may quote others; the advice, with its examples, is ours.
    found: oneLine(scrub(finding.found.toWellFormed()), secrets),
    next: finding.next === null ? null : oneLine(finding.next, secrets),
  }));
}

export function textReport(findings: readonly Finding[], isColoured = false): string {
  const said = saidOnce(findings);
  const lines = said.map(({ titles, finding }) => line(titles, finding, isColoured));
  return [...lines, '', summary(said.map(({ finding }) => finding))].join('\n');
}

/** Checks with the same problem and advice share a line. */
function saidOnce(findings: readonly Finding[]): { readonly titles: string; readonly finding: Finding }[] {
  const groups = Map.groupBy(findings, (finding) =>
    finding.level === 'ok' ? finding : JSON.stringify([finding.level, finding.found, finding.next]),
  );
  return [...groups.values()].flatMap((group) =>
    group.slice(0, 1).map((finding) => ({ titles: group.map(titleOf).join(', '), finding })),
  );
}

function titleOf({ check, subject }: Finding): string {
  return subject === null ? TITLES[check] : `${TITLES[check]} ${subject}`;
}

/** `worst`, and the findings; their names are stable. */
export function jsonReport(findings: readonly Finding[]): string {
  return JSON.stringify({ worst: worstOf(findings), findings }, null, 2);
}

function line(title: string, { level, found, next }: Finding, isColoured: boolean): string {
  const advice = next === null ? '' : ` → ${next}`;
  const sign = isColoured ? styleText(COLOURS[level], SIGNS[level], { validateStream: false }) : SIGNS[level];
  return `${sign} ${title}: ${found}${advice}`;
}

function summary(findings: readonly Finding[]): string {
  const count = (level: Level) => findings.filter((finding) => finding.level === level).length;
  const [errors, warnings] = [count('error'), count('warning')];
  if (errors === 0 && warnings === 0) return 'All is well.';
  const counts = [counted(errors, 'problem'), counted(warnings, 'warning')].flat().join(', ');
  const isHalted = findings.some(({ check, level }) => check === 'settings' && level === 'error');
  return isHalted ? `${counts}. Fix these first; the other checks need valid settings.` : counts;
}

function counted(count: number, what: string): string[] {
  return count === 0 ? [] : [`${count} ${what}${count === 1 ? '' : 's'}`];
}

/** A server's words may contain anything. */
function oneLine(text: string, secrets: readonly string[]): string {
  const plain = text.toWellFormed().replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ');
  return secrets
    .filter(({ length }) => length >= SECRET_MIN_LENGTH)
    .reduce((safe, secret) => safe.replaceAll(secret, '…'), plain)
    .trim();
}

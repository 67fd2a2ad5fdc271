import { styleText } from 'node:util';
import type { Clock } from '#runtime/clock.ts';
import { scrub } from '#runtime/redact.ts';

export type Given<Settings> = Readonly<{ config: Settings; tools: Tools }>;

export type Tools = Readonly<{
  clock: Clock;
  /** Per question. */
  timeoutMs: number;
  /** Sends an empty request to the agent API. Default: no. */
  probeWrite?: boolean;
}>;

/** Names are stable. */
const TITLES = {
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
/** `warning`: works in part, or for now. `error`: requests wait or are lost. */
export type Level = (typeof LEVELS)[number];

const SIGNS = { ok: ['✓', 'green'], warning: ['!', 'yellow'], error: ['✗', 'red'] } as const;

export type Finding = Readonly<{
  check: CheckName;
  subject: string | null;
  level: Level;
  found: string;
  next: string | null;
}>;

export type Findings = ReturnType<typeof findingsOf>;

export function findingsOf(check: CheckName, name: string | null = null, workspace: string | null = null) {
  const finding = { check, subject: workspace === null ? name : `${workspace}/${name}` };
  const at =
    (level: Level) =>
    (found: string, next: string): Finding => ({ ...finding, level, found, next });
  return {
    ok: (found: string, next: string | null = null): Finding => ({ ...finding, level: 'ok', found, next }),
    warning: at('warning'),
    error: at('error'),
  };
}

export function worstOf(findings: readonly Finding[]): Level {
  return LEVELS.findLast((level) => findings.some((finding) => finding.level === level)) ?? 'ok';
}

/** Shorter ones match inside words. */
const SECRET_MIN_LENGTH = 6;

export function shown(findings: readonly Finding[], secrets: readonly string[]): Finding[] {
  const hidden = secrets.filter(({ length }) => length >= SECRET_MIN_LENGTH);
  // A server's text may contain anything.
  const oneLine = (text: string) => {
    const plain = text.toWellFormed().replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ');
    return hidden.reduce((safe, secret) => safe.replaceAll(secret, '…'), plain).trim();
  };
  return findings.map(({ check, subject, level, found, next }) => ({
    check,
    subject: subject && oneLine(subject),
    level,
    // Only `found` may quote others.
    found: oneLine(scrub(found.toWellFormed())),
    next: next && oneLine(next),
  }));
}

/** Checks with the same result share a line. */
export function textReport(findings: readonly Finding[]): string {
  const groups = Map.groupBy(findings, (finding) =>
    finding.level === 'ok' ? finding : JSON.stringify([finding.level, finding.found, finding.next]),
  );
  const counts = { ok: 0, warning: 0, error: 0 };
  const lines = [...groups.values()].flatMap((group) =>
    group.slice(0, 1).map(({ level, found, next }) => {
      counts[level] += 1;
      const [sign, colour] = SIGNS[level];
      const titles = group.map(
        ({ check, subject }) => TITLES[check] + (subject === null ? '' : ` ${subject}`),
      );
      return `${styleText(colour, sign)} ${titles.join(', ')}: ${found}${next === null ? '' : ` → ${next}`}`;
    }),
  );
  const counted = (count: number, what: string) =>
    count === 0 ? [] : [`${count} ${what}${count === 1 ? '' : 's'}`];
  const summary = [...counted(counts.error, 'problem'), ...counted(counts.warning, 'warning')].join(', ');
  const isHalted = findings.some(({ check, level }) => check === 'settings' && level === 'error');
  const rest = isHalted ? '. Fix these first; the other checks need valid settings.' : '';
  return [...lines, '', summary === '' ? 'All is well.' : summary + rest].join('\n');
}

/** Names are stable. */
export function jsonReport(findings: readonly Finding[]): string {
  return JSON.stringify({ worst: worstOf(findings), findings }, null, 2);
}

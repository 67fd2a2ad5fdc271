import { styleText } from 'node:util';
import { scrub } from '../../engine/runtime/redact.ts';
import { type CheckName, type Finding, type Level, worstOf } from './finding.ts';

const SIGNS: Readonly<Record<Level, string>> = { ok: '✓', warning: '!', error: '✗' };

const COLOURS = { ok: 'green', warning: 'yellow', error: 'red' } as const;

const TITLES: Readonly<Record<CheckName, string>> = {
  node: 'Node',
  settings: 'Settings',
  store: 'Store',
  store_schema: 'Schema',
  store_space: 'Disk',
  work: 'Work',
  slack_token: 'Slack',
  slack_scopes: 'Scopes',
  slack_connection: 'Connection',
  listening: 'Address',
  notice_channel: 'Notice channel',
  user_group: 'User group',
  agent_api: 'Agent API',
  agent_writing: 'Sending requests',
  clock: 'Clock',
};

/** A shorter one hides nothing, and would be found in the middle of words. */
const SECRET_MIN_LENGTH = 6;

/** The findings as they are shown: one line each, with nothing in them that must not be shown. */
export function shown(findings: readonly Finding[], secrets: readonly string[]): Finding[] {
  return findings.map((finding) => ({
    ...finding,
    subject: finding.subject === null ? null : oneLine(finding.subject, secrets),
    // Only what was found may hold words of others; the advice, with its examples, is ours.
    found: oneLine(scrub(finding.found.toWellFormed()), secrets),
    next: finding.next === null ? null : oneLine(finding.next, secrets),
  }));
}

export function textReport(findings: readonly Finding[], isColoured = false): string {
  return [...findings.map((finding) => line(finding, isColoured)), '', summary(findings)].join('\n');
}

/** `worst`, and the findings; their names are stable. */
export function jsonReport(findings: readonly Finding[]): string {
  return JSON.stringify({ worst: worstOf(findings), findings }, null, 2);
}

function line({ check, subject, level, found, next }: Finding, isColoured: boolean): string {
  const title = subject === null ? TITLES[check] : `${TITLES[check]} ${subject}`;
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
  return isHalted ? `${counts}. The rest is looked at when the settings are right.` : counts;
}

function counted(count: number, what: string): string[] {
  return count === 0 ? [] : [`${count} ${what}${count === 1 ? '' : 's'}`];
}

/** Words of servers may hold anything. */
function oneLine(text: string, secrets: readonly string[]): string {
  const plain = text.toWellFormed().replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ');
  return secrets
    .filter(({ length }) => length >= SECRET_MIN_LENGTH)
    .reduce((safe, secret) => safe.replaceAll(secret, '…'), plain)
    .trim();
}

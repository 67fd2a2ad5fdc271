import { scrub } from '../operations/redact.ts';
import { type CheckName, type Finding, type Level, worstOf } from './finding.ts';

const SIGNS: Readonly<Record<Level, string>> = { ok: '✓', warning: '!', error: '✗' };

const TITLES: Readonly<Record<CheckName, string>> = {
  node: 'Node',
  settings: 'Settings',
  store: 'Store',
  store_schema: 'Schema',
  store_space: 'Disk',
  slack_token: 'Slack',
  slack_scopes: 'Scopes',
  slack_connection: 'Connection',
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
    found: oneLine(finding.found, secrets),
    next: finding.next === null ? null : oneLine(finding.next, secrets),
  }));
}

export function textReport(findings: readonly Finding[]): string {
  return [...findings.map(line), '', summary(findings)].join('\n');
}

/** `worst`, and the findings; their names are stable. */
export function jsonReport(findings: readonly Finding[]): string {
  return JSON.stringify({ worst: worstOf(findings), findings }, null, 2);
}

function line({ check, subject, level, found, next }: Finding): string {
  const title = subject === null ? TITLES[check] : `${TITLES[check]} ${subject}`;
  const advice = next === null ? '' : ` → ${next}`;
  return `${SIGNS[level]} ${title}: ${found}${advice}`;
}

function summary(findings: readonly Finding[]): string {
  const count = (level: Level) => findings.filter((finding) => finding.level === level).length;
  const [errors, warnings] = [count('error'), count('warning')];
  if (errors === 0 && warnings === 0) return 'All is well.';
  const counts = `${errors} to mend, ${warnings} to look at.`;
  const isHalted = findings.some(({ check, level }) => check === 'settings' && level === 'error');
  return isHalted ? `${counts} The rest is looked at when the settings are right.` : counts;
}

/** Words of servers may hold anything. */
function oneLine(text: string, secrets: readonly string[]): string {
  const plain = scrub(text.toWellFormed()).replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ');
  return secrets
    .filter(({ length }) => length >= SECRET_MIN_LENGTH)
    .reduce((safe, secret) => safe.replaceAll(secret, '…'), plain)
    .trim();
}

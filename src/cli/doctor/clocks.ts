import { type Finding, findingsOf } from './finding.ts';

const NOTEWORTHY_MS = 5_000;
/** Posts of unknown fate and early replies are looked for within 60 s of Slack's time. */
const SLACK_LIMIT_MS = 45_000;
/** Two replicas may differ by 15 s, so each by half of that from Slack's time. */
const REPLICA_LIMIT_MS = 7_500;

const SET_CLOCK = "Set this machine's clock right, and keep it so (NTP).";

export function clockFindings(
  aheadMs: { readonly slack: number | null; readonly agentApi: number | null },
  hasReplicas: boolean,
): Finding[] {
  return [
    ...(aheadMs.slack === null ? [] : [slackClock(aheadMs.slack, hasReplicas)]),
    ...(aheadMs.agentApi === null ? [] : [agentClock(aheadMs.agentApi)]),
  ];
}

function slackClock(aheadMs: number, hasReplicas: boolean): Finding {
  const findings = findingsOf('clock', 'against Slack');
  const limitMs = hasReplicas ? REPLICA_LIMIT_MS : SLACK_LIMIT_MS;
  if (Math.abs(aheadMs) < NOTEWORTHY_MS) return findings.ok('right');
  const isFar = Math.abs(aheadMs) >= limitMs;
  const found = difference(aheadMs);
  return isFar ? findings.error(found, SET_CLOCK) : findings.warning(found, SET_CLOCK);
}

function agentClock(aheadMs: number): Finding {
  const findings = findingsOf('clock', 'against the agent API');
  if (Math.abs(aheadMs) < NOTEWORTHY_MS) return findings.ok('right');
  const advice = `If it is right against Slack, theirs is wrong, which does no harm. ${SET_CLOCK}`;
  return findings.warning(difference(aheadMs), advice);
}

function difference(aheadMs: number): string {
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  return `this machine is ${seconds} s ${aheadMs > 0 ? 'ahead' : 'behind'}`;
}

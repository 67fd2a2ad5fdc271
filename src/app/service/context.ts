import { randomUUIDv7 } from 'node:crypto';
import type { Clock } from '../../engine/runtime/clock.ts';
import type { AnyJobContext } from '../../jobs/decision.ts';
import type { Pace } from '../../jobs/pace.ts';
import type { Policy, Rules } from '../../jobs/policy.ts';
import type { Config } from '../config/config.ts';

const NOTHING_SET: Rules = { projects: [], channels: new Map(), noticeChannels: [] };

/** What decisions work with. */
export function contextFactory(
  clock: Clock,
  config: Config,
  policy: Policy,
  paces: () => ReadonlyMap<string, Pace>,
): () => AnyJobContext {
  const rulesOf = (teamId: string) => settingsOf(config, teamId) ?? NOTHING_SET;
  return () => ({
    nowMs: clock.now(),
    jitter: Math.random(),
    newId: randomUUIDv7,
    policy,
    paces: paces(),
    rulesOf,
  });
}

/** What is set for a workspace; null: with many, it is not among those that are set up. */
export function settingsOf(config: Config, teamId: string) {
  return config.slack.installing.kind === 'by_hand' ? config : (config.workspaces.get(teamId) ?? null);
}

/** The policy of everywhere. */
export function policyOf(config: Config): Policy {
  return {
    pollMinIntervalMs: config.poll.minIntervalMs,
    pollMaxIntervalMs: config.poll.maxIntervalMs,
    pollGrowth: config.poll.growth,
    followUpWindowMs: config.followUps.windowMs,
    followUpMode: 'every_reply',
    settleWindowMs: config.settleWindowMs,
    longRunningAfterMs: config.longRunningAfterMs,
    promptMaxLength: config.promptMaxLength,
    // Those of the workspace, the project and the channel come in with the job.
    noticeChannels: [],
    retryUnknown: config.agent.retryUnknown,
  };
}

import { randomUUID } from 'node:crypto';
import type { Clock } from '../../engine/runtime/clock.ts';
import type { Recurring } from '../../engine/schedules.ts';
import type { AnyJobContext } from '../../jobs/decision.ts';
import type { Rules } from '../../jobs/policy.ts';
import { DIGEST } from '../../jobs/report/report.ts';
import type { Hook } from '../../slack/inbound/recipes/hooks.ts';
import type { Config } from '../config/config.ts';

const NOTHING_SET: Rules = { projects: [], channels: new Map(), noticeChannels: [] };

export function contextFactory(clock: Clock, config: Config): () => AnyJobContext {
  const { policy } = config;
  const rulesOf = (teamId: string) => settingsOf(config, teamId) ?? NOTHING_SET;
  const newId = growingIds();
  return () => ({ nowMs: clock.now(), jitter: Math.random(), newId, policy, rulesOf });
}

/** A workspace's settings; null if there are many workspaces and this one is not set up. */
export function settingsOf(config: Config, teamId: string) {
  return config.slack.installing.kind === 'by_hand' ? config : (config.workspaces.get(teamId) ?? null);
}

export function recurringIn(config: Config, teamId: string): readonly Recurring[] {
  const { recipes = [], digest = null } = settingsOf(config, teamId) ?? {};
  return [
    ...recipes.flatMap(({ name, schedule }) =>
      schedule === null ? [] : [{ kind: 'start_recipe' as const, name, schedule }],
    ),
    ...(digest === null ? [] : [{ kind: 'post_digest' as const, name: DIGEST, schedule: digest.schedule }]),
  ];
}

/** Those of all workspaces. @param onlyTeamId null: there may be many */
export function hooksIn(config: Config, onlyTeamId: string | null): readonly Hook[] {
  return [...config.hooks.values()].flatMap(({ recipeName, secrets, ...hook }) => {
    const teamId = hook.teamId ?? onlyTeamId;
    const settings = teamId === null ? null : settingsOf(config, teamId);
    const recipe = settings?.recipes.find(({ name }) => name === recipeName);
    return teamId === null || recipe === undefined ? [] : [{ teamId, recipe, secrets }];
  });
}

/** In the 12 bits between the time and chance. */
const COUNT_MAX = 0xfff;

/**
 * Makes increasing UUIDs of version 7: those of the same millisecond are counted (RFC 9562, 6.2). So rows of
 * the same time are read in the order in which they were made.
 */
export function growingIds(nowMs: () => number = Date.now): () => string {
  let atMs = 0;
  let count = 0;
  return () => {
    const now = nowMs();
    if (now > atMs) [atMs, count] = [now, 0];
    else if (count < COUNT_MAX) count += 1;
    else [atMs, count] = [atMs + 1, 0];
    const time = atMs.toString(16).padStart(12, '0');
    const chance = randomUUID().slice('00000000-0000-0000-'.length);
    return `${time.slice(0, 8)}-${time.slice(8)}-7${count.toString(16).padStart(3, '0')}-${chance}`;
  };
}

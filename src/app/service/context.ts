import { randomUUID } from 'node:crypto';
import type { AnyJobContext } from '../../engine/apply-event.ts';
import type { Clock } from '../../engine/runtime/clock.ts';
import type { Config } from '../config/config.ts';
import { eventFeatures } from '../features.ts';

export function contextFactory(clock: Clock, config: Config): () => AnyJobContext {
  const newId = growingIds();
  return () => ({
    nowMs: clock.now(),
    jitter: Math.random(),
    newId,
    policy: config.policy,
    rulesOf: (teamId) =>
      settingsOf(config, teamId) ?? { projects: [], channels: new Map(), noticeChannels: [] },
    features: eventFeatures,
  });
}

/** Null: OAuth, and the workspace isn't configured. */
export function settingsOf(config: Config, teamId: string) {
  return config.slack.installing.kind === 'by_hand' ? config : (config.workspaces.get(teamId) ?? null);
}

/** 12 bits between time and random part. */
const COUNT_MAX = 0xfff;

/** UUIDv7 with a counter (RFC 9562, 6.2): ids sort by creation. */
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

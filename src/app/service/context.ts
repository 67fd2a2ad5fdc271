import { randomUUID } from 'node:crypto';
import type { AnyJobContext } from '#engine/apply-event.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Config } from '../config/config.ts';
import { eventFeatures } from '../features.ts';

export function contextFactory(
  clock: Clock,
  config: Config,
  announcedBy: AnyJobContext['announcedBy'] = () => undefined,
): () => AnyJobContext {
  const newId = growingIds();
  return () => ({
    nowMs: clock.now(),
    jitter: Math.random(),
    newId,
    policy: config.policy,
    announcedBy,
    rulesOf: (teamId) =>
      settingsOf(config, teamId) ?? { projects: [], channels: new Map(), noticeChannels: [] },
    features: eventFeatures,
  });
}

/** Null: OAuth, and the workspace isn't configured. */
export function settingsOf(config: Config, teamId: string) {
  return config.slack.installing.kind === 'by_hand' ? config : (config.workspaces.get(teamId) ?? null);
}

/** UUIDv7 with a counter of 12 bits after the time (RFC 9562, 6.2): ids sort by creation. */
export function growingIds(nowMs: () => number = Date.now): () => string {
  let last = 0n;
  return () => {
    const fromNow = BigInt(nowMs()) << 12n;
    last = fromNow > last ? fromNow : last + 1n;
    const digits = last.toString(16).padStart(15, '0');
    const chance = randomUUID().slice('00000000-0000-0000-'.length);
    return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-7${digits.slice(12)}-${chance}`;
  };
}

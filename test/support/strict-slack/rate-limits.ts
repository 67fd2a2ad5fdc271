import type { Clock } from '../../../src/runtime/clock.ts';

const MINUTE_MS = 60_000;
/** Uses per minute and workspace. https://docs.slack.dev/apis/web-api/rate-limits */
const PER_MINUTE: Readonly<Record<string, number>> = {
  'agents.sessions.setStatus': 50,
  'auth.test': 300,
  'chat.getPermalink': 300,
  'chat.postEphemeral': 100,
  'chat.postMessage': 300,
  'chat.update': 50,
  'conversations.history': 50,
  'conversations.replies': 50,
  'functions.completeError': 50,
  'functions.completeSuccess': 50,
  'reactions.add': 50,
  'reactions.remove': 20,
  'usergroups.list': 20,
  'usergroups.users.list': 20,
  'users.info': 100,
  'views.open': 100,
  'views.publish': 100,
  'views.update': 100,
};
/** Posts to one channel: one a second, and short bursts. */
const CHANNEL_POSTS = { burst: 5, perMs: 1 / 1_000 };

/** Not quite 1: sums of fractions are not exact. */
const A_TOKEN = 1 - 1e-6;

interface Bucket {
  tokens: number;
  atMs: number;
}

/** Slack's documented limits, each as a bucket that fills evenly. */
export class RateLimits {
  readonly #clock: Clock;
  readonly #buckets = new Map<string, Bucket>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a call. Returns after how many whole seconds it may come, or null if it is well. */
  refuse(method: string, args: Readonly<Record<string, unknown>>): number | null {
    const perMinute = PER_MINUTE[method];
    const limits =
      perMinute === undefined ? [] : [{ key: method, burst: perMinute, perMs: perMinute / MINUTE_MS }];
    if (method === 'chat.postMessage') limits.push({ key: `${method}:${args.channel}`, ...CHANNEL_POSTS });
    const buckets = limits.map((limit) => ({ ...limit, bucket: this.#filled(limit) }));
    const waitMs = buckets.map(({ bucket, perMs }) => (A_TOKEN - bucket.tokens) / perMs);
    const longestMs = Math.max(0, ...waitMs);
    if (longestMs > 0) return Math.ceil(longestMs / 1_000);
    for (const { bucket } of buckets) bucket.tokens -= 1;
    return null;
  }

  #filled({ key, burst, perMs }: { key: string; burst: number; perMs: number }): Bucket {
    const nowMs = this.#clock.now();
    const bucket = this.#buckets.get(key) ?? { tokens: burst, atMs: nowMs };
    bucket.tokens = Math.min(burst, bucket.tokens + (nowMs - bucket.atMs) * perMs);
    bucket.atMs = nowMs;
    this.#buckets.set(key, bucket);
    return bucket;
  }
}

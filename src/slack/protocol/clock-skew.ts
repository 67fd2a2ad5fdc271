/** Slack's clock and ours may differ by this much, where a time of ours is compared with a message's timestamp. */
export const CLOCK_SKEW_MS = 60_000;

import { z } from 'zod';

const MINUTE_MS = 60_000;

const heldBack = z.looseObject({
  team_id: z
    .string()
    .regex(/^\w{1,255}$/)
    .optional()
    .catch(undefined),
  minute_rate_limited: z.number().optional().catch(undefined),
});

/**
 * What an `app_rate_limited` tells: of which workspace (null: it does not say) Slack delivered no events, and until
 * when. https://docs.slack.dev/apis/events-api
 */
export function heldBackBy(body: unknown, nowMs: number): { teamId: string | null; untilMs: number } {
  const { team_id: teamId, minute_rate_limited: minute } = heldBack.parse(body);
  const untilMs = minute === undefined ? nowMs + MINUTE_MS : minute * 1000 + MINUTE_MS;
  // It tells of this minute, or of one that is over.
  return { teamId: teamId ?? null, untilMs: Math.min(untilMs, nowMs + MINUTE_MS) };
}

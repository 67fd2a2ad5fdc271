import type { AuthTestResponse } from '@slack/web-api';
import type { SlackCaller } from './web-api/caller.ts';

/** Who the bot is in a workspace. */
export interface SlackIdentity {
  readonly botUserId: string;
  readonly botId: string;
  readonly teamId: string;
  /** The organisation of an Enterprise Grid, or null. */
  readonly enterpriseId: string | null;
  /** With a slash at its end; null if Slack does not say. */
  readonly workspaceUrl: string | null;
}

/** Who the token belongs to. Throws SlackCallError if Slack refuses it or cannot be reached. */
export async function identify(call: SlackCaller): Promise<SlackIdentity> {
  const answer = await call<AuthTestResponse>('auth.test');
  return {
    botUserId: answer.user_id ?? '',
    botId: answer.bot_id ?? '',
    teamId: answer.team_id ?? '',
    enterpriseId: answer.enterprise_id ?? null,
    workspaceUrl: answer.url ?? null,
  };
}

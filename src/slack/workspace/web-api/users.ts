import type { UsersInfoResponse } from '@slack/web-api';
import type { Clock } from '../../../engine/runtime/clock.ts';
import { CachedLookup } from './cached-lookup.ts';
import { type SlackCaller, withSecondTry } from './caller.ts';

/** How long a change of name or standing may go unnoticed. */
const FRESH_MS = 600_000;
const MAX_USERS = 5_000;

/** What `users.info` says of a person. */
export interface User {
  /** As people see it, or null. */
  readonly name: string | null;
  /** Neither a bot nor deactivated. */
  readonly isPerson: boolean;
  readonly isGuest: boolean;
  /** An admin or owner of their workspace. */
  readonly isAdmin: boolean;
  /** Of a channel that is shared with another workspace. */
  readonly isStranger: boolean;
  readonly teamId: string | null;
  /** The organisation of an Enterprise Grid, or null. */
  readonly enterpriseId: string | null;
}

/** The people of a workspace, with a bounded cache. */
export class Users {
  private readonly lookup: CachedLookup<User>;

  constructor(call: SlackCaller, clock: Clock) {
    const limits = { freshMs: FRESH_MS, max: MAX_USERS };
    this.lookup = new CachedLookup(
      (userId) => withSecondTry(() => lookUp(call, userId), clock),
      clock,
      limits,
    );
  }

  /** Throws SlackCallError if Slack cannot be asked, and never could. */
  get(userId: string): Promise<User> {
    return this.lookup.get(userId);
  }

  /** Whether `get` has an answer without asking Slack. */
  knows(userId: string): boolean {
    return this.lookup.knows(userId);
  }
}

async function lookUp(call: SlackCaller, userId: string): Promise<User> {
  const { user } = await call<UsersInfoResponse>('users.info', { user: userId });
  return {
    name: user?.profile?.display_name || user?.real_name || user?.name || null,
    isPerson: user?.is_bot !== true && user?.deleted !== true,
    isGuest: user?.is_restricted === true || user?.is_ultra_restricted === true,
    isAdmin: user?.is_admin === true || user?.is_owner === true || user?.is_primary_owner === true,
    isStranger: user?.is_stranger === true,
    teamId: user?.team_id ?? null,
    enterpriseId: user?.enterprise_user?.enterprise_id ?? null,
  };
}

import type { ConversationsInfoResponse, UsergroupsListResponse, UsersInfoResponse } from '@slack/web-api';
import type { Clock } from '../../../engine/runtime/clock.ts';
import type { Logger } from '../../../engine/runtime/redact.ts';
import { isChannel } from '../../protocol/ids.ts';
import { mentionedIds } from '../../protocol/slack-text.ts';
import { CachedLookup } from './cached-lookup.ts';
import { type SlackCaller, withSecondTry } from './caller.ts';
import { SlackCallError } from './failure.ts';

/** How long a change of name may go unnoticed. */
const FRESH_MS = 600_000;
const MAX_CHANNELS = 1_000;
/** Bounds the look-ups that one text, or thread, can cause; others stay without a name. */
const MAX_ASKED = 20;
/** Without an answer in this time, a text goes out without the name. */
const NAMED_WITHIN_MS = 5_000;

/** Names of people, channels and user groups in a workspace, in a bounded cache. */
export class Names {
  private readonly users: Users;
  private readonly clock: Clock;
  private readonly log: Logger;
  private readonly channels: CachedLookup<string | null>;
  /** All at once: Slack does not return single ones. */
  private readonly groups: CachedLookup<ReadonlyMap<string, string>>;

  constructor(users: Users, teamId: string, { call, clock, log }: NamesParts) {
    this.users = users;
    this.clock = clock;
    this.log = log;
    this.channels = new CachedLookup(
      async (channel) => {
        const ask = () => call<ConversationsInfoResponse>('conversations.info', { channel });
        const answer = await withSecondTry(ask, clock).catch((error) =>
          this.nothingIfRefused(channel, error),
        );
        return answer?.channel?.name || null;
      },
      clock,
      { freshMs: FRESH_MS, max: MAX_CHANNELS },
    );
    this.groups = new CachedLookup(
      async () => {
        const args = { include_disabled: true, team_id: teamId };
        const ask = () => call<UsergroupsListResponse>('usergroups.list', args);
        const answer = await withSecondTry(ask, clock).catch((error) =>
          this.nothingIfRefused('user groups', error),
        );
        const { usergroups = [] } = answer ?? {};
        return new Map(
          usergroups.flatMap(({ id = '', handle = '' }) => (handle === '' ? [] : [[id, handle]])),
        );
      },
      clock,
      { freshMs: FRESH_MS, max: 1 },
    );
  }

  /** The names of everything that the text mentions without one. What cannot be looked up is left out. */
  of(slackText: string): Promise<ReadonlyMap<string, string>> {
    return this.named(mentionedIds(slackText));
  }

  /**
   * The names of these people, channels and user groups. At most twenty are looked up; failures are left out.
   */
  async named(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    let asks = 0;
    const asked = ids.filter((id) => {
      if (!this.knows(id)) asks += 1;
      return this.knows(id) || asks <= MAX_ASKED;
    });
    const entries = await Promise.all(asked.map(async (id) => [id, await this.inTime(id)] as const));
    return new Map(entries.flatMap(([id, name]) => (name === null ? [] : [[id, name]])));
  }

  private knows(id: string): boolean {
    if (isChannel(id)) return this.channels.knows(id);
    return isGroup(id) ? this.groups.knows(ALL) : this.users.knows(id);
  }

  private inTime(id: string): Promise<string | null> {
    return this.clock.timeout(NAMED_WITHIN_MS, this.nameOf(id), null);
  }

  /** Slack would answer the same again: the channel is private, or the scope is missing. */
  private nothingIfRefused(id: string, error: unknown): null {
    const { outcome, code } = error instanceof SlackCallError ? error.failure : {};
    if (outcome !== 'refused' && code !== 'missing_scope') throw error;
    this.log.warn('name_not_found', { id, reason: code });
    return null;
  }

  private async nameOf(id: string): Promise<string | null> {
    try {
      if (isChannel(id)) return await this.channels.get(id);
      if (isGroup(id)) return (await this.groups.get(ALL)).get(id) ?? null;
      return (await this.users.get(id)).name;
    } catch (error) {
      if (!(error instanceof SlackCallError)) throw error;
      this.log.warn('name_not_found', { id, reason: error.failure.code });
      return null;
    }
  }
}

const ALL = 'all';

function isGroup(id: string): boolean {
  return id.startsWith('S');
}

interface NamesParts {
  readonly call: SlackCaller;
  readonly clock: Clock;
  readonly log: Logger;
}

/** How long a change of name or role may go unnoticed. */
const PERSON_FRESH_MS = 600_000;
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
  /** From another workspace, in a shared channel. */
  readonly isStranger: boolean;
  readonly teamId: string | null;
  /** The organisation of an Enterprise Grid, or null. */
  readonly enterpriseId: string | null;
}

/** A workspace's people, in a bounded cache. */
export class Users {
  private readonly lookup: CachedLookup<User>;

  constructor(call: SlackCaller, clock: Clock) {
    const limits = { freshMs: PERSON_FRESH_MS, max: MAX_USERS };
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

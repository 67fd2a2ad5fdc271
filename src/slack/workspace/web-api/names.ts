import type { ConversationsInfoResponse, UsergroupsListResponse, UsersInfoResponse } from '@slack/web-api';
import type { Clock } from '../../../engine/runtime/clock.ts';
import type { Logger } from '../../../engine/runtime/redact.ts';
import { isChannel } from '../../protocol/ids.ts';
import { mentionedIds } from '../../protocol/slack-text.ts';
import { type SlackCaller, withSecondTry } from './caller.ts';
import { SlackCallError } from './failure.ts';

/** Slack waits 3 seconds for an answer to a request, and storing needs most of that. */
const WAIT_MS = 300;

interface Asking<T> {
  readonly answer: Promise<T>;
  readonly sinceMs: number;
}

interface Known<T> {
  readonly value: T;
  readonly freshUntilMs: number;
}

interface Limits {
  readonly freshMs: number;
  readonly max: number;
  /** Default: yes. */
  readonly mayBeStale?: boolean;
}

/** Caches what Slack says. If Slack fails or is slow later, its last answer still counts. */
export class CachedLookup<T> {
  private readonly lookUp: (id: string) => Promise<T>;
  private readonly clock: Clock;
  private readonly limits: Limits;
  private readonly known = new Map<string, Known<T>>();
  private readonly underWay = new Map<string, Asking<T>>();

  constructor(lookUp: (id: string) => Promise<T>, clock: Clock, limits: Limits) {
    this.lookUp = lookUp;
    this.clock = clock;
    this.limits = limits;
  }

  /** Fails as the look-up does, if nothing is known. */
  async get(id: string): Promise<T> {
    const known = this.known.get(id);
    if (known !== undefined && this.isFresh(known)) return known.value;
    const { answer, sinceMs } = this.ask(id);
    if (known === undefined || this.limits.mayBeStale === false) return answer;
    // A later answer serves the next caller. A request that asks several times waits once.
    const orKnown = answer.catch(() => known.value);
    const leftMs = Math.min(WAIT_MS, sinceMs + WAIT_MS - this.clock.now());
    return leftMs <= 0 ? known.value : this.clock.timeout(leftMs, orKnown, known.value);
  }

  /** Whether `get` has an answer without asking. */
  knows(id: string): boolean {
    const known = this.known.get(id);
    return known !== undefined && this.isFresh(known);
  }

  /** An end too far ahead means that the clock was set back. */
  private isFresh({ freshUntilMs }: Known<T>): boolean {
    const leftMs = freshUntilMs - this.clock.now();
    return leftMs > 0 && leftMs <= this.limits.freshMs;
  }

  /** An answer in flight may be older. */
  learn(id: string, value: T): void {
    this.underWay.delete(id);
    this.remember(id, value);
  }

  /** What is known, or being asked for, is out of date. */
  forget(id: string): void {
    this.known.delete(id);
    this.underWay.delete(id);
  }

  /** Asks once for all concurrent callers. */
  private ask(id: string): Asking<T> {
    const asked = this.underWay.get(id);
    if (asked !== undefined) return asked;
    const isLatest = () => this.underWay.get(id) === asking;
    const answer = this.lookUp(id)
      .then((value) => {
        if (isLatest()) this.remember(id, value);
        return value;
      })
      .finally(() => {
        if (isLatest()) this.underWay.delete(id);
      });
    const asking = { answer, sinceMs: this.clock.now() };
    this.underWay.set(id, asking);
    return asking;
  }

  private remember(id: string, value: T): void {
    this.known.delete(id);
    const [oldest] = this.known.keys();
    if (this.known.size >= this.limits.max && oldest !== undefined) this.known.delete(oldest);
    this.known.set(id, { value, freshUntilMs: this.clock.now() + this.limits.freshMs });
  }
}

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

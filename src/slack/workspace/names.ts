import type {
  ConversationsInfoResponse,
  UsergroupsListResponse,
  UsersInfoResponse,
  UsersLookupByEmailResponse,
} from '@slack/web-api';
import type { Clock } from '#runtime/clock.ts';
import { isChannel } from '../protocol/ids.ts';
import { mentionedIds } from '../protocol/slack-text.ts';
import { type CallerParts, failureIn, type SlackCaller, withSecondTry } from './caller.ts';

const FRESH_MS = 600_000;
const MAX_KNOWN = 5_000;
/** Slack gives a request 3 seconds, and storing needs most of them. */
const WAIT_MS = 300;

/** Beyond the limit, the oldest entry goes. */
export function putNewest<T>(known: Map<string, T>, id: string, value: T): void {
  known.delete(id);
  const [oldest] = known.keys();
  if (known.size >= MAX_KNOWN && oldest !== undefined) known.delete(oldest);
  known.set(id, value);
}

/** If `mayBeStale`, the last answer serves while Slack fails or is slow. */
export function cachedLookup<T>(
  lookUp: (id: string) => Promise<T>,
  clock: Clock,
  { freshMs = FRESH_MS, mayBeStale = true } = {},
) {
  const known = new Map<string, { readonly value: T; readonly freshUntilMs: number }>();
  const underWay = new Map<string, { readonly answer: Promise<T>; readonly sinceMs: number }>();

  /** An end too far ahead: the clock was set back. */
  function knows(id: string) {
    const leftMs = (known.get(id)?.freshUntilMs ?? 0) - clock.now();
    return leftMs > 0 && leftMs <= freshMs;
  }

  function remember(id: string, value: T) {
    putNewest(known, id, { value, freshUntilMs: clock.now() + freshMs });
  }

  function ask(id: string) {
    const isLatest = () => underWay.get(id) === asking;
    const answer = lookUp(id)
      .then((value) => {
        if (isLatest()) remember(id, value);
        return value;
      })
      .finally(() => {
        if (isLatest()) underWay.delete(id);
      });
    const asking = { answer, sinceMs: clock.now() };
    underWay.set(id, asking);
    return asking;
  }

  return {
    knows,
    get: async (id: string): Promise<T> => {
      const last = known.get(id);
      if (last !== undefined && knows(id)) return last.value;
      const { answer, sinceMs } = underWay.get(id) ?? ask(id);
      if (last === undefined || !mayBeStale) return answer;
      // A late answer serves the next caller.
      const orLast = answer.catch(() => last.value);
      const leftMs = Math.min(WAIT_MS, sinceMs + WAIT_MS - clock.now());
      return leftMs <= 0 ? last.value : clock.timeout(leftMs, orLast, last.value);
    },
    /** Discards an answer in flight, which may be older. */
    learn: (id: string, value: T): void => {
      underWay.delete(id);
      remember(id, value);
    },
    forget: (id: string): void => {
      known.delete(id);
      underWay.delete(id);
    },
  };
}

const MAX_ASKED = 20;
const NAMED_WITHIN_MS = 5_000;

const ALL = 'all';

export function namesIn(users: Users, teamId: string, { call, clock, log }: CallerParts) {
  const notFound = (id: string, reason: string) => log.warn('name_not_found', { id, reason });

  /** Null: asking again would not help. */
  const ask = <T>(id: string, look: () => Promise<T>) =>
    withSecondTry(look, clock).catch((error: unknown) => {
      const { outcome, code } = failureIn(error);
      if (outcome !== 'refused' && code !== 'missing_scope') throw error;
      notFound(id, code);
      return null;
    });

  const channels = cachedLookup(async (channel) => {
    const look = () => call<ConversationsInfoResponse>('conversations.info', { channel });
    const answer = await ask(channel, look);
    return answer?.channel?.name || null;
  }, clock);
  /** Slack returns only all groups at once. */
  const groups = cachedLookup(async () => {
    const args = { include_disabled: true, team_id: teamId };
    const answer = await ask('user groups', () => call<UsergroupsListResponse>('usergroups.list', args));
    const named = answer?.usergroups?.filter(({ handle = '' }) => handle !== '') ?? [];
    return new Map(named.map(({ id = '', handle = '' }) => [id, handle]));
  }, clock);

  function lookupOf(id: string) {
    if (isChannel(id)) return { isKnown: channels.knows(id), name: () => channels.get(id) };
    if (id.startsWith('S')) {
      return { isKnown: groups.knows(ALL), name: async () => (await groups.get(ALL)).get(id) ?? null };
    }
    return { isKnown: users.knows(id), name: async () => (await users.get(id)).name };
  }

  async function named(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const names = new Map<string, string>();
    let asks = 0;
    const look = async (id: string) => {
      const { isKnown, name } = lookupOf(id);
      if (!isKnown) asks += 1;
      if (!isKnown && asks > MAX_ASKED) return;
      const asked = name().catch((error: unknown) => notFound(id, failureIn(error).code));
      const found = await clock.timeout(NAMED_WITHIN_MS, asked, null);
      if (found) names.set(id, found);
    };
    await Promise.all(ids.map(look));
    return names;
  }

  return {
    named,
    /** Null: nobody, or Slack does not say. */
    byEmail: async (email: string): Promise<string | null> => {
      const look = () => call<UsersLookupByEmailResponse>('users.lookupByEmail', { email });
      return (await ask('an e-mail address', look))?.user?.id ?? null;
    },
    of: (slackText: string) => named(mentionedIds(slackText)),
  };
}

export type User = Awaited<ReturnType<typeof lookUpUser>>;

export type Users = ReturnType<typeof cachedLookup<User>>;

/** Throws SlackCallError if Slack does not answer and nothing is cached. */
export function usersIn(call: SlackCaller, clock: Clock): Users {
  return cachedLookup((userId) => withSecondTry(() => lookUpUser(call, userId), clock), clock);
}

async function lookUpUser(call: SlackCaller, userId: string) {
  const { user = {} } = await call<UsersInfoResponse>('users.info', { user: userId });
  return {
    name: user.profile?.display_name || user.real_name || user.name || null,
    /** Neither a bot nor deactivated. */
    isPerson: user.is_bot !== true && user.deleted !== true,
    isGuest: user.is_restricted === true || user.is_ultra_restricted === true,
    isAdmin: user.is_admin === true || user.is_owner === true || user.is_primary_owner === true,
    /** From another workspace, in a shared channel. */
    isStranger: user.is_stranger === true,
    teamId: user.team_id ?? null,
    enterpriseId: user.enterprise_user?.enterprise_id ?? null,
  };
}

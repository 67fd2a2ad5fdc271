import type { ConversationsInfoResponse, UsergroupsUsersListResponse } from '@slack/web-api';
import type { Clock } from '../../engine/runtime/clock.ts';
import { type AccessRefusal, type AccessRule, accessRefusal, mayAskIn } from '../../jobs/policy.ts';
import { CHANNEL_IS_SHARED, isNotInChannel } from '../protocol/error-codes.ts';
import { isChannel, SLACKBOT } from '../protocol/ids.ts';
import { type CallerParts, type SlackCaller, withSecondTry } from './web-api/caller.ts';
import { SlackCallError, slackFailure } from './web-api/failure.ts';
import { cachedLookup, type User, type Users } from './web-api/names.ts';

/** How long a newly shared channel may go unnoticed, if no event says so. */
const SHARING_FRESH_MS = 600_000;
const MAX_CHANNELS = 5_000;
const METHOD = 'conversations.info';

/** Slack does not say whether the channel is shared, so it counts as shared. */
export class ChannelUnreadError extends SlackCallError {
  constructor({ failure }: SlackCallError) {
    // Only the look failed: what was to follow has not happened.
    super(METHOD, { ...failure, outcome: failure.outcome === 'unknown' ? 'retry' : failure.outcome }, null);
    this.name = 'ChannelUnreadError';
  }
}

export type SharedChannels = ReturnType<typeof sharedChannels>;

/**
 * Which channels are closed because people of another organisation are in them, or invited.
 * @param allowed those that stay open
 */
export function sharedChannels(call: SlackCaller, clock: Clock, allowed: ReadonlySet<string>) {
  const lookup = cachedLookup(
    (channelId) => withSecondTry(() => isSharedChannel(call, channelId), clock),
    clock,
    { freshMs: SHARING_FRESH_MS, max: MAX_CHANNELS, mayBeStale: false },
  );

  /** Direct messages are governed by the rule for people. */
  const isAlwaysOpen = (channelId: string) => !isChannel(channelId) || allowed.has(channelId);

  /**
   * Not for a private channel without the bot: Slack shows it only to members, and nothing can be posted
   * there. Throws ChannelUnreadError.
   */
  async function isClosed(channelId: string): Promise<boolean> {
    if (isAlwaysOpen(channelId)) return false;
    try {
      return await lookup.get(channelId);
    } catch (error) {
      if (!(error instanceof SlackCallError)) throw error;
      if (isNotInChannel(error.failure.code)) return false;
      throw new ChannelUnreadError(error);
    }
  }

  return {
    isClosed,
    /** Throws SlackCallError if the channel is closed, or counts as closed. */
    mustBeOpen: async (channelId: string): Promise<void> => {
      if (await isClosed(channelId)) {
        throw new SlackCallError(METHOD, slackFailure('refused', CHANNEL_IS_SHARED), null);
      }
    },
    /** Whether `isClosed` has an answer without asking Slack. */
    knows: (channelId: string) => isAlwaysOpen(channelId) || lookup.knows(channelId),
    nowShared: (channelId: string) => lookup.learn(channelId, true),
    /** It may be another one, or readable, now. */
    forget: (channelId: string) => lookup.forget(channelId),
  };
}

/** Whether people of another organisation are in the channel, or invited. */
export async function isSharedChannel(call: SlackCaller, channel: string): Promise<boolean> {
  const { channel: found } = await call<ConversationsInfoResponse>(METHOD, { channel });
  return found?.is_ext_shared === true || found?.is_pending_ext_shared === true;
}

/** How long a change of a user group may go unnoticed. */
const FRESH_MS = 600_000;
const MAX_GROUPS = 1_000;

/** For the operator: a group that Slack does not know has no members. */
const WHAT_TO_DO = 'Nobody is let in by it: correct access.user_groups in the file of DOCS_AGENT_CONFIG.';

export type Access = ReturnType<typeof accessBy>;

/** The only rule for who may use the program, and where. Every entry point checks it. */
export function accessBy(
  rule: AccessRule,
  home: { readonly teamId: string; readonly enterpriseId: string | null },
  users: Users,
  shared: SharedChannels,
  { call, clock, log }: CallerParts,
) {
  const unknownGroups = new Set<string>();
  const members = cachedLookup(lookUpMembers, clock, { freshMs: FRESH_MS, max: MAX_GROUPS });

  async function lookUpMembers(groupId: string): Promise<ReadonlySet<string>> {
    try {
      // An organisation's token needs the workspace; other tokens ignore it.
      const args = { usergroup: groupId, team_id: home.teamId };
      const ask = () => call<UsergroupsUsersListResponse>('usergroups.users.list', args);
      return new Set((await withSecondTry(ask, clock)).users);
    } catch (error) {
      const reason = refusalIn(error);
      if (reason === null) throw error;
      if (!unknownGroups.has(groupId)) {
        const facts = { team_id: home.teamId, user_group: groupId, reason };
        log.error('user_group_unknown', { ...facts, what_to_do: WHAT_TO_DO });
      }
      unknownGroups.add(groupId);
      return new Set();
    }
  }

  /**
   * Why the person may not do this there, or null. `channelId`: null on the home tab. Throws SlackCallError
   * if Slack cannot be asked about the person, and never could; ChannelUnreadError if it does not say whether
   * the channel is shared.
   */
  async function refusal(userId: string, channelId: string | null): Promise<AccessRefusal | null> {
    if (!(await isPerson(userId))) return 'nobody';
    const [standing, userGroups, isShared] = await Promise.all([
      standingOf(userId),
      groupsOf(userId),
      channelId === null ? false : closesDoor(channelId),
    ]);
    if (standing === null) return 'unknown_person';
    const refusal = accessRefusal(rule, { userId, userGroups, ...standing }, channelId);
    return refusal ?? (isShared ? 'shared_channel' : null);
  }

  /**
   * Whether a request is turned away there. One that waits for an administrator is kept: its card is tried
   * again.
   */
  async function closesDoor(channelId: string): Promise<boolean> {
    try {
      return await shared.isClosed(channelId);
    } catch (error) {
      if (!(error instanceof ChannelUnreadError)) throw error;
      const { needsAdmin, code } = error.failure;
      // With only the scope missing, everything else works, and nothing would be tried again.
      if (needsAdmin && code !== 'missing_scope') return false;
      throw error;
    }
  }

  /**
   * True if Slack does not answer: then `refusal` decides alone. @param mustBeSure throws SlackCallError
   * instead, since an app's posts there rarely have a person behind them
   */
  async function isPerson(userId: string, mustBeSure = false): Promise<boolean> {
    if (userId === SLACKBOT) return false;
    try {
      return (await users.get(userId)).isPerson;
    } catch (error) {
      if (error instanceof SlackCallError && !mustBeSure) return true;
      throw error;
    }
  }

  /** Null if Slack knows no person with this id. */
  async function standingOf(userId: string) {
    if (rule.guests && rule.otherWorkspaces) return { isGuest: false, isFromElsewhere: false };
    const user = await users.get(userId).catch((error) => {
      if (refusalIn(error) !== null) return null;
      throw error;
    });
    return user && { isGuest: user.isGuest, isFromElsewhere: isFromElsewhere(user) };
  }

  function isFromElsewhere({ isStranger, teamId, enterpriseId }: User): boolean {
    const isColleague = enterpriseId !== null && enterpriseId === home.enterpriseId;
    return isStranger || (teamId !== null && teamId !== home.teamId && !isColleague);
  }

  async function groupsOf(userId: string): Promise<string[]> {
    if (rule.users.has(userId)) return [];
    const groups = [...rule.userGroups];
    const found = await Promise.all(groups.map((groupId) => members.get(groupId)));
    return groups.filter((_, index) => found[index]?.has(userId));
  }

  return {
    refusal,
    isPerson,
    /** Where nothing starts and nothing is posted, whoever asks. */
    shared,
    /** Whether the person's messages are processed there, as far as known without asking Slack. */
    surelyAdmits: async (userId: string, channelId: string): Promise<boolean> => {
      const groupsAreKnown = [...rule.userGroups].every((id) => members.knows(id));
      const isKnown = users.knows(userId) && shared.knows(channelId) && groupsAreKnown;
      return isKnown && (await refusal(userId, channelId)) === null;
    },
    /** Whether a workflow that nobody started may ask there. Throws ChannelUnreadError. */
    admitsWorkflows: async (channelId: string): Promise<boolean> =>
      rule.workflowChannels?.has(channelId) === true && !(await shared.isClosed(channelId)),
    /** Whether the app's mentions there make drafts. Throws ChannelUnreadError. */
    admitsApp: async (appId: string, channelId: string): Promise<boolean> => {
      const isListed = rule.bots?.has(appId) === true && mayAskIn(rule, channelId);
      return isListed && !(await shared.isClosed(channelId));
    },
    /** Those whom the settings name; empty: the workspace's admins and owners. */
    namedAdmins: rule.admins,
    /** The only rule for who is an administrator. Also false if Slack does not say who the person is. */
    isAdmin: async (userId: string): Promise<boolean> => {
      if (rule.admins.size > 0) return rule.admins.has(userId);
      try {
        const user = await users.get(userId);
        return user.isPerson && user.isAdmin && !isFromElsewhere(user);
      } catch (error) {
        if (error instanceof SlackCallError) return false;
        throw error;
      }
    },
  };
}

/** Slack's code if it answered, and would answer the same again; else null. */
function refusalIn(error: unknown): string | null {
  return error instanceof SlackCallError && error.failure.outcome === 'refused' ? error.failure.code : null;
}

import type { ConversationsInfoResponse, UsergroupsUsersListResponse } from '@slack/web-api';
import { type AccessRule, accessRefusal, mayAskIn } from '#jobs/policy.ts';
import type { Clock } from '#runtime/clock.ts';
import { CHANNEL_IS_SHARED, isNotInChannel } from '../protocol/error-codes.ts';
import { isChannel, SLACKBOT } from '../protocol/ids.ts';
import {
  type CallerParts,
  failureIn,
  SlackCallError,
  type SlackCaller,
  type SlackFailure,
  slackFailure,
  withSecondTry,
} from './caller.ts';
import { cachedLookup, type User, type Users } from './names.ts';

const METHOD = 'conversations.info';

/** An unanswered check counts as "shared". */
export class ChannelUnreadError extends SlackCallError {
  constructor(failure: SlackFailure) {
    // Only the check failed: the action behind it did not happen.
    super(METHOD, { ...failure, outcome: failure.outcome === 'unknown' ? 'retry' : failure.outcome });
    this.name = 'ChannelUnreadError';
  }
}

export type SharedChannels = ReturnType<typeof sharedChannels>;

/** Closed: people of another organisation are in the channel, or invited. Direct messages stay open. */
export function sharedChannels(call: SlackCaller, clock: Clock, allowed: ReadonlySet<string>) {
  const look = (channelId: string) => withSecondTry(() => isSharedChannel(call, channelId), clock);
  const lookup = cachedLookup(look, clock, { mayBeStale: false });
  const isAlwaysOpen = (channelId: string) => !isChannel(channelId) || allowed.has(channelId);

  /**
   * A channel that Slack hides from the bot is not closed: nothing can be posted there. Throws
   * ChannelUnreadError.
   */
  async function isClosed(channelId: string) {
    if (isAlwaysOpen(channelId)) return false;
    try {
      return await lookup.get(channelId);
    } catch (error) {
      const failure = failureIn(error);
      if (isNotInChannel(failure.code)) return false;
      throw new ChannelUnreadError(failure);
    }
  }

  return {
    isClosed,
    /** Throws SlackCallError unless the channel is open. */
    mustBeOpen: async (channelId: string): Promise<void> => {
      if (await isClosed(channelId)) {
        throw new SlackCallError(METHOD, slackFailure('refused', CHANNEL_IS_SHARED));
      }
    },
    knows: (channelId: string) => isAlwaysOpen(channelId) || lookup.knows(channelId),
    nowShared: (channelId: string) => lookup.learn(channelId, true),
    forget: lookup.forget,
  };
}

export async function isSharedChannel(call: SlackCaller, channel: string): Promise<boolean> {
  const { channel: found } = await call<ConversationsInfoResponse>(METHOD, { channel });
  return found?.is_ext_shared === true || found?.is_pending_ext_shared === true;
}

/** Every entry point must check it. */
export function accessBy(
  rule: AccessRule,
  home: { readonly teamId: string; readonly enterpriseId: string | null },
  users: Users,
  shared: SharedChannels,
  { call, clock, log }: CallerParts,
) {
  const unknownGroups = new Set<string>();
  const members = cachedLookup(lookUpMembers, clock);

  async function lookUpMembers(groupId: string): Promise<ReadonlySet<string>> {
    try {
      // Only an organisation's token needs the workspace.
      const args = { usergroup: groupId, team_id: home.teamId };
      const ask = () => call<UsergroupsUsersListResponse>('usergroups.users.list', args);
      return new Set((await withSecondTry(ask, clock)).users);
    } catch (error) {
      const { outcome, code: reason } = failureIn(error);
      if (outcome !== 'refused') throw error;
      const facts = {
        ...{ team_id: home.teamId, user_group: groupId, reason },
        what_to_do: 'Nobody is let in by it: correct access.user_groups in the file of DOCS_AGENT_CONFIG.',
      };
      if (!unknownGroups.has(groupId)) log.error('user_group_unknown', facts);
      unknownGroups.add(groupId);
      return new Set();
    }
  }

  /**
   * Throws SlackCallError if Slack does not answer and nothing is cached; ChannelUnreadError if Slack does not
   * say whether the channel is shared.
   */
  async function refusal(userId: string, channelId: string | null) {
    if (!(await isPerson(userId))) return 'nobody';
    const [standing, userGroups, isShared] = await Promise.all([
      standingOf(userId),
      groupsOf(userId),
      channelId !== null && shared.isClosed(channelId).catch(openForRequests),
    ]);
    if (standing === null) return 'unknown_person';
    const refusal = accessRefusal(rule, { userId, userGroups, ...standing }, channelId);
    return refusal ?? (isShared ? 'shared_channel' : null);
  }

  /** A request that waits for an administrator is stored: its card is retried. */
  function openForRequests(error: unknown) {
    const { needsAdmin, code } = failureIn(error);
    // If only the scope is missing, everything else works, and nothing would be retried.
    if (needsAdmin && code !== 'missing_scope') return false;
    throw error;
  }

  /** Null: Slack does not say. */
  function userIfKnown(userId: string) {
    return users.get(userId).catch((error: unknown) => failureIn(error) && null);
  }

  /** True without an answer: `refusal` then decides. @param mustBeSure throws SlackCallError instead */
  async function isPerson(userId: string, mustBeSure = false) {
    if (userId === SLACKBOT) return false;
    const user = await (mustBeSure ? users.get(userId) : userIfKnown(userId));
    return user?.isPerson ?? true;
  }

  async function standingOf(userId: string) {
    if (rule.guests && rule.otherWorkspaces) return { isGuest: false, isFromElsewhere: false };
    try {
      const user = await users.get(userId);
      return { isGuest: user.isGuest, isFromElsewhere: isFromElsewhere(user) };
    } catch (error) {
      if (failureIn(error).outcome === 'refused') return null;
      throw error;
    }
  }

  function isFromElsewhere({ isStranger, teamId, enterpriseId }: User) {
    const isColleague = enterpriseId !== null && enterpriseId === home.enterpriseId;
    return isStranger || (teamId !== null && teamId !== home.teamId && !isColleague);
  }

  async function groupsOf(userId: string) {
    if (rule.users.has(userId)) return [];
    const groups = [...rule.userGroups];
    const found = await Promise.all(groups.map((groupId) => members.get(groupId)));
    return groups.filter((_, index) => found[index]?.has(userId));
  }

  return {
    refusal,
    isPerson,
    shared,
    /** As far as known without asking Slack. */
    surelyAdmits: async (userId: string, channelId: string): Promise<boolean> => {
      const groupsAreKnown = [...rule.userGroups].every((id) => members.knows(id));
      const isKnown = users.knows(userId) && shared.knows(channelId) && groupsAreKnown;
      return isKnown && (await refusal(userId, channelId)) === null;
    },
    /** For workflows that nobody started. Throws ChannelUnreadError. */
    admitsWorkflows: async (channelId: string): Promise<boolean> =>
      rule.workflowChannels?.has(channelId) === true && !(await shared.isClosed(channelId)),
    /** Throws ChannelUnreadError. */
    admitsApp: async (appId: string, channelId: string): Promise<boolean> =>
      rule.bots?.has(appId) === true && mayAskIn(rule, channelId) && !(await shared.isClosed(channelId)),
    /** From the settings. Empty: the workspace's admins and owners. */
    namedAdmins: rule.admins,
    /** False if Slack does not say who the person is. */
    isAdmin: async (userId: string): Promise<boolean> => {
      if (rule.admins.size > 0) return rule.admins.has(userId);
      const user = await userIfKnown(userId);
      return user?.isPerson === true && user.isAdmin && !isFromElsewhere(user);
    },
  };
}

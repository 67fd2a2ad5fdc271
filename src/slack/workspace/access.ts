import type { ConversationsInfoResponse, UsergroupsUsersListResponse } from '@slack/web-api';
import type { Clock } from '../../engine/runtime/clock.ts';
import type { Logger } from '../../engine/runtime/redact.ts';
import { type AccessRefusal, type AccessRule, accessRefusal, mayAskIn } from '../../jobs/policy.ts';
import { CHANNEL_IS_SHARED, isNotInChannel } from '../protocol/error-codes.ts';
import { isChannel, SLACKBOT } from '../protocol/ids.ts';
import { type SlackCaller, withSecondTry } from './web-api/caller.ts';
import { SlackCallError, type SlackFailure } from './web-api/failure.ts';
import { CachedLookup, type User, type Users } from './web-api/names.ts';

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

const IS_SHARED: SlackFailure = {
  outcome: 'refused',
  code: CHANNEL_IS_SHARED,
  retryAfterMs: null,
  needsAdmin: false,
  isPassing: false,
};

/** Which channels are closed because people of another organisation are in them, or invited. */
export class SharedChannels {
  private readonly allowed: ReadonlySet<string>;
  private readonly lookup: CachedLookup<boolean>;

  /** @param allowed those that stay open */
  constructor(call: SlackCaller, clock: Clock, allowed: ReadonlySet<string>) {
    this.allowed = allowed;
    this.lookup = new CachedLookup(
      async (channel) => {
        const ask = () => call<ConversationsInfoResponse>(METHOD, { channel });
        const { channel: said } = await withSecondTry(ask, clock);
        return said?.is_ext_shared === true || said?.is_pending_ext_shared === true;
      },
      clock,
      { freshMs: SHARING_FRESH_MS, max: MAX_CHANNELS, mayBeStale: false },
    );
  }

  /**
   * Not for a private channel without the bot: Slack shows it only to members, and nothing can be posted
   * there. Throws ChannelUnreadError.
   */
  async isClosed(channelId: string): Promise<boolean> {
    if (this.isAlwaysOpen(channelId)) return false;
    try {
      return await this.lookup.get(channelId);
    } catch (error) {
      if (!(error instanceof SlackCallError)) throw error;
      if (isNotInChannel(error.failure.code)) return false;
      throw new ChannelUnreadError(error);
    }
  }

  /** Throws SlackCallError if the channel is closed, or counts as closed. */
  async mustBeOpen(channelId: string): Promise<void> {
    if (await this.isClosed(channelId)) throw new SlackCallError(METHOD, IS_SHARED, null);
  }

  /** Whether `isClosed` has an answer without asking Slack. */
  knows(channelId: string): boolean {
    return this.isAlwaysOpen(channelId) || this.lookup.knows(channelId);
  }

  /** An event says that it is shared. */
  nowShared(channelId: string): void {
    this.lookup.learn(channelId, true);
  }

  /** It may be another one, or readable, now. */
  forget(channelId: string): void {
    this.lookup.forget(channelId);
  }

  /** Direct messages are governed by the rule for people. */
  private isAlwaysOpen(channelId: string): boolean {
    return !isChannel(channelId) || this.allowed.has(channelId);
  }
}

/** How long a change of a user group may go unnoticed. */
const FRESH_MS = 600_000;
const MAX_GROUPS = 1_000;

export interface Home {
  readonly teamId: string;
  /** The organisation of an Enterprise Grid, or null. */
  readonly enterpriseId: string | null;
}

/** For the operator: a group that Slack does not know has no members. */
const WHAT_TO_DO = 'Nobody is let in by it: correct access.user_groups in the file of DOCS_AGENT_CONFIG.';

interface AccessParts {
  readonly shared: SharedChannels;
  readonly call: SlackCaller;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The only rule for who may use the program, and where. Every entry point checks it. */
export class Access {
  private readonly rule: AccessRule;
  private readonly home: Home;
  private readonly users: Users;
  private readonly parts: AccessParts;
  private readonly members: CachedLookup<ReadonlySet<string>>;
  private readonly unknownGroups = new Set<string>();

  constructor(rule: AccessRule, home: Home, users: Users, parts: AccessParts) {
    this.rule = rule;
    this.home = home;
    this.users = users;
    this.parts = parts;
    const limits = { freshMs: FRESH_MS, max: MAX_GROUPS };
    this.members = new CachedLookup((groupId) => this.lookUpMembers(groupId), parts.clock, limits);
  }

  /**
   * Why the person may not do this there, or null. `channelId`: null on the home tab. Throws SlackCallError
   * if Slack cannot be asked about the person, and never could; ChannelUnreadError if it does not say whether
   * the channel is shared.
   */
  async refusal(userId: string, channelId: string | null): Promise<AccessRefusal | null> {
    if (!(await this.isPerson(userId))) return 'nobody';
    const [standing, userGroups, isShared] = await Promise.all([
      this.standing(userId),
      this.groupsOf(userId),
      channelId === null ? false : this.closesDoor(channelId),
    ]);
    if (standing === null) return 'unknown_person';
    const refusal = accessRefusal(this.rule, { userId, userGroups, ...standing }, channelId);
    return refusal ?? (isShared ? 'shared_channel' : null);
  }

  /**
   * Whether a request is turned away there. One that waits for an administrator is kept: its card is tried
   * again.
   */
  private async closesDoor(channelId: string): Promise<boolean> {
    try {
      return await this.parts.shared.isClosed(channelId);
    } catch (error) {
      if (!(error instanceof ChannelUnreadError)) throw error;
      const { needsAdmin, code } = error.failure;
      // With only the scope missing, everything else works, and nothing would be tried again.
      if (needsAdmin && code !== 'missing_scope') return false;
      throw error;
    }
  }

  /** Whether nothing starts and nothing is posted there, whoever asks. Throws ChannelUnreadError. */
  isShared(channelId: string): Promise<boolean> {
    return this.parts.shared.isClosed(channelId);
  }

  /** An event says that the channel is shared. */
  nowShared(channelId: string): void {
    this.parts.shared.nowShared(channelId);
  }

  /** The channel can be read now, or may have changed. */
  forgetChannel(channelId: string): void {
    this.parts.shared.forget(channelId);
  }

  /** Whether the person's messages are processed there, as far as known without asking Slack. */
  async surelyAdmits(userId: string, channelId: string): Promise<boolean> {
    const isKnown =
      this.users.knows(userId) &&
      this.parts.shared.knows(channelId) &&
      [...this.rule.userGroups].every((id) => this.members.knows(id));
    return isKnown && (await this.refusal(userId, channelId)) === null;
  }

  /**
   * True if Slack does not answer: then `refusal` decides alone. @param mustBeSure throws SlackCallError
   * instead, since an app's posts there rarely have a person behind them
   */
  async isPerson(userId: string, mustBeSure = false): Promise<boolean> {
    if (userId === SLACKBOT) return false;
    try {
      return (await this.users.get(userId)).isPerson;
    } catch (error) {
      if (error instanceof SlackCallError && !mustBeSure) return true;
      throw error;
    }
  }

  /** Whether a workflow that nobody started may ask there. Throws ChannelUnreadError. */
  async admitsWorkflows(channelId: string): Promise<boolean> {
    return this.rule.workflowChannels?.has(channelId) === true && !(await this.isShared(channelId));
  }

  /** Whether the app's mentions there make drafts. Throws ChannelUnreadError. */
  async admitsApp(appId: string, channelId: string): Promise<boolean> {
    const isListed = this.rule.bots?.has(appId) === true && mayAskIn(this.rule, channelId);
    return isListed && !(await this.isShared(channelId));
  }

  /** Those whom the settings name; empty: the workspace's admins and owners. */
  get namedAdmins(): ReadonlySet<string> {
    return this.rule.admins;
  }

  /** The only rule for who is an administrator. Also false if Slack does not say who the person is. */
  async isAdmin(userId: string): Promise<boolean> {
    if (this.rule.admins.size > 0) return this.rule.admins.has(userId);
    try {
      const user = await this.users.get(userId);
      return user.isPerson && user.isAdmin && !this.isFromElsewhere(user);
    } catch (error) {
      if (error instanceof SlackCallError) return false;
      throw error;
    }
  }

  /** Null if Slack knows no person with this id. */
  private async standing(userId: string) {
    if (this.rule.guests && this.rule.otherWorkspaces) return { isGuest: false, isFromElsewhere: false };
    const user = await this.users.get(userId).catch(nullIfRefused);
    if (user === null) return null;
    return { isGuest: user.isGuest, isFromElsewhere: this.isFromElsewhere(user) };
  }

  private isFromElsewhere({ isStranger, teamId, enterpriseId }: User): boolean {
    const isColleague = enterpriseId !== null && enterpriseId === this.home.enterpriseId;
    return isStranger || (teamId !== null && teamId !== this.home.teamId && !isColleague);
  }

  private async groupsOf(userId: string): Promise<string[]> {
    if (this.rule.users.has(userId)) return [];
    const groups = [...this.rule.userGroups];
    const members = await Promise.all(groups.map((groupId) => this.members.get(groupId)));
    return groups.filter((_, index) => members[index]?.has(userId));
  }

  private async lookUpMembers(groupId: string): Promise<ReadonlySet<string>> {
    const { call, clock, log } = this.parts;
    try {
      // An organisation's token needs the workspace; other tokens ignore it.
      const args = { usergroup: groupId, team_id: this.home.teamId };
      const ask = () => call<UsergroupsUsersListResponse>('usergroups.users.list', args);
      const answer = await withSecondTry(ask, clock);
      return new Set(answer.users);
    } catch (error) {
      const reason = refusalIn(error);
      if (reason === null) throw error;
      if (!this.unknownGroups.has(groupId)) {
        const facts = { team_id: this.home.teamId, user_group: groupId, reason };
        log.error('user_group_unknown', { ...facts, what_to_do: WHAT_TO_DO });
      }
      this.unknownGroups.add(groupId);
      return new Set();
    }
  }
}

function nullIfRefused(error: unknown): null {
  if (refusalIn(error) !== null) return null;
  throw error;
}

/** Slack's code if it answered, and would answer the same again; else null. */
function refusalIn(error: unknown): string | null {
  return error instanceof SlackCallError && error.failure.outcome === 'refused' ? error.failure.code : null;
}

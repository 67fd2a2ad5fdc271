/** Who may use the program, and where. */
export interface AccessRule {
  /** If any user or user group is listed, only they may. */
  readonly users: ReadonlySet<string>;
  readonly userGroups: ReadonlySet<string>;
  /** If any is listed, only there. */
  readonly channels: ReadonlySet<string>;
  readonly guests: boolean;
  readonly otherWorkspaces: boolean;
  /** The administrators; empty: the workspace's admins and owners. */
  readonly admins: ReadonlySet<string>;
  /** Channels that stay open although another organisation shares them; absent: none. */
  readonly sharedChannels?: ReadonlySet<string>;
  /** Where a workflow that nobody started may ask; absent: nowhere. */
  readonly workflowChannels?: ReadonlySet<string>;
  /** The ids of the apps whose mentions make drafts; absent: none. */
  readonly bots?: ReadonlySet<string>;
}

/** What Slack says of a person. */
export interface Person {
  readonly userId: string;
  readonly isGuest: boolean;
  readonly isFromElsewhere: boolean;
  /** The person's groups among the listed ones. */
  readonly userGroups: readonly string[];
}

/**
 * `nobody`: a bot, or a deactivated account. `unknown_person`: Slack does not say who it is.
 * `shared_channel`: with another organisation. `unread_channel`: perhaps so, as Slack does not say.
 */
export type AccessRefusal =
  | 'nobody'
  | 'unknown_person'
  | 'other_workspace'
  | 'guest'
  | 'person'
  | 'channel'
  | 'shared_channel'
  | 'unread_channel';

/** Why the person may not use the program there, or null. `channelId`: null on the home tab. */
export function accessRefusal(
  rule: AccessRule,
  person: Person,
  channelId: string | null,
): AccessRefusal | null {
  if (person.isFromElsewhere && !rule.otherWorkspaces) return 'other_workspace';
  if (person.isGuest && !rule.guests) return 'guest';
  const isListed =
    rule.users.has(person.userId) || person.userGroups.some((group) => rule.userGroups.has(group));
  if (rule.users.size + rule.userGroups.size > 0 && !isListed) return 'person';
  if (channelId !== null && !mayAskIn(rule, channelId)) return 'channel';
  return null;
}

/** Whether people may use the program in the channel at all. */
export function mayAskIn({ channels }: Pick<AccessRule, 'channels'>, channelId: string): boolean {
  return channels.size === 0 || channels.has(channelId);
}

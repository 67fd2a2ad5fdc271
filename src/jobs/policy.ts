import type { Job } from './job.ts';
import type { CodeHostSite } from './pull-requests/link.ts';
import type { Project, Projects } from './requests/project.ts';

export type Policy = Readonly<{
  pollMinIntervalMs: number;
  pollMaxIntervalMs: number;
  followUpWindowMs: number;
  followUpMode: FollowUpMode;
  settleWindowMs: number;
  /** After a longer turn, the thread is asked whether to keep watching. */
  longRunningAfterMs: number;
  promptMaxLength: number;
  noticeChannels: readonly string[];
  pullRequests: {
    /** Sites with known links: for their names, and to recognise a pull request by any of its URLs. */
    readonly sites: readonly CodeHostSite[];
    readonly watchedSites: readonly CodeHostSite[];
    /** An open one is reminded of after this long without activity; 0: never. */
    readonly remindAfterMs: number;
    /** How long it is checked after its announcement. */
    readonly watchForMs: number;
  };
}>;

/** The operator's settings for a workspace's projects and channels. */
export type Rules = Readonly<{
  projects: readonly Project[];
  channels: ReadonlyMap<string, ChannelRules>;
  noticeChannels: readonly string[];
}>;

/** A channel's settings: those saved by its administrators (null: none) before the operator's. */
export function settingsOf(rules: Rules, channelId: string, saved: ChannelSettings | null): ChannelSettings {
  // What is not saved is no key: they are kept as JSON.
  return { ...rules.channels.get(channelId), ...saved };
}

export function policyFor(
  everywhere: Policy,
  rules: Rules,
  { channelId, projectId }: Pick<Job, 'channelId' | 'projectId'>,
  saved: ChannelSettings | null,
): Policy {
  const settings = settingsOf(rules, channelId, saved);
  const project = rules.projects.find(({ id }) => id === projectId);
  const notices = [rules.noticeChannels, project?.noticeChannels ?? [], settings.noticeChannels ?? []];
  return {
    ...everywhere,
    followUpWindowMs: settings.followUpWindowMs ?? everywhere.followUpWindowMs,
    followUpMode: settings.followUpMode ?? everywhere.followUpMode,
    noticeChannels: [...new Set(notices.flat())],
  };
}

/** Where pull requests are announced according to the operator, wherever they are asked for. */
export function configuredNoticeChannels({ noticeChannels, projects, channels }: Rules): string[] {
  return [
    ...noticeChannels,
    ...projects.flatMap((project) => project.noticeChannels),
    ...[...channels.values()].flatMap((channel) => channel.noticeChannels ?? []),
  ];
}

export function defaultProject(projects: Projects, { projectName }: ChannelSettings): Project {
  return projects.find(({ name }) => name === projectName) ?? projects[0];
}

/** A channel's own settings; absent ones are the defaults. */
export type ChannelSettings = Readonly<{
  projectName?: string | undefined;
  /** Where the channel's pull requests are announced, besides the general notice channels. */
  noticeChannels?: readonly string[] | undefined;
  followUpMode?: FollowUpMode | undefined;
  followUpWindowMs?: number | undefined;
}>;

export type ChannelRules = ChannelSettings &
  Readonly<{
    /** The name of the emoji that makes drafts; absent: none. */
    reaction?: string | undefined;
    /** The only people who may start its drafts; absent or empty: everybody who may use the program. */
    approvers?: readonly string[] | undefined;
  }>;

/** Whether an emoji makes drafts in any channel: for that, the app needs to see reactions. */
export function hasMarks({ channels }: Pick<Rules, 'channels'>): boolean {
  return [...channels.values()].some(({ reaction }) => reaction !== undefined);
}

export function approversIn({ channels }: Rules, channelId: string): readonly string[] {
  return channels.get(channelId)?.approvers ?? [];
}

/** Which replies in a thread are follow-ups: all, or those that mention the bot. */
export type FollowUpMode = 'every_reply' | 'mentions';

export type AccessRule = Readonly<{
  /** If any user or user group is listed, only they may. */
  users: ReadonlySet<string>;
  userGroups: ReadonlySet<string>;
  /** If any is listed, only there. */
  channels: ReadonlySet<string>;
  guests: boolean;
  otherWorkspaces: boolean;
  /** The administrators; empty: the workspace's admins and owners. */
  admins: ReadonlySet<string>;
  /** Channels that stay open although another organisation shares them; absent: none. */
  sharedChannels?: ReadonlySet<string>;
  /** Where a workflow that nobody started may ask; absent: nowhere. */
  workflowChannels?: ReadonlySet<string>;
  /** The ids of the apps whose mentions make drafts; absent: none. */
  bots?: ReadonlySet<string>;
}>;

export type Person = Readonly<{
  userId: string;
  isGuest: boolean;
  isFromElsewhere: boolean;
  /** The person's groups among the listed ones. */
  userGroups: readonly string[];
}>;

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
  return channelId === null || mayAskIn(rule, channelId) ? null : 'channel';
}

export function mayAskIn({ channels }: Pick<AccessRule, 'channels'>, channelId: string): boolean {
  return channels.size === 0 || channels.has(channelId);
}

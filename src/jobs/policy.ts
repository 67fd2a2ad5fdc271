import type { Job } from './job.ts';
import type { CodeHostSite } from './pull-requests/link.ts';
import type { Project, Projects } from './requests/command.ts';

export type Policy = Readonly<{
  pollMinIntervalMs: number;
  pollMaxIntervalMs: number;
  followUpWindowMs: number;
  followUpMode: FollowUpMode;
  settleWindowMs: number;
  /** Then the thread is asked whether to keep watching. */
  longRunningAfterMs: number;
  promptMaxLength: number;
  noticeChannels: readonly string[];
  pullRequests: {
    readonly sites: readonly CodeHostSite[];
    readonly watchedSites: readonly CodeHostSite[];
    /** Without activity; 0: never. */
    readonly remindAfterMs: number;
    readonly watchForMs: number;
  };
}>;

export type Rules = Readonly<{
  projects: readonly Project[];
  channels: ReadonlyMap<string, ChannelRules>;
  noticeChannels: readonly string[];
}>;

export function channelSettingsOf(
  rules: Rules,
  channelId: string,
  saved: ChannelSettings | null,
): ChannelSettings {
  // `saved` comes from JSON: no key is `undefined`.
  return { ...rules.channels.get(channelId), ...saved };
}

export function policyFor(
  everywhere: Policy,
  rules: Rules,
  { channelId, projectId }: Pick<Job, 'channelId' | 'projectId'>,
  saved: ChannelSettings | null,
): Policy {
  const settings = channelSettingsOf(rules, channelId, saved);
  const project = rules.projects.find(({ id }) => id === projectId);
  const notices = [rules.noticeChannels, project?.noticeChannels ?? [], settings.noticeChannels ?? []];
  return {
    ...everywhere,
    followUpWindowMs: settings.followUpWindowMs ?? everywhere.followUpWindowMs,
    followUpMode: settings.followUpMode ?? everywhere.followUpMode,
    noticeChannels: [...new Set(notices.flat())],
  };
}

export function configuredNoticeChannels({ noticeChannels, projects, channels }: Rules): string[] {
  const narrower: readonly ChannelSettings[] = [...projects, ...channels.values()];
  return [...noticeChannels, ...narrower.flatMap((one) => one.noticeChannels ?? [])];
}

export function defaultProject(projects: Projects, { projectName }: ChannelSettings): Project {
  return projects.find(({ name }) => name === projectName) ?? projects[0];
}

/** Absent: the default. */
export type ChannelSettings = Readonly<{
  projectName?: string | undefined;
  noticeChannels?: readonly string[] | undefined;
  followUpMode?: FollowUpMode | undefined;
  followUpWindowMs?: number | undefined;
}>;

export type ChannelRules = ChannelSettings &
  Readonly<{
    /** This emoji makes drafts. */
    reaction?: string | undefined;
    /** Empty: everybody. */
    approvers?: readonly string[] | undefined;
  }>;

/** Then the app needs a scope. */
export function hasMarks({ channels }: Pick<Rules, 'channels'>): boolean {
  return [...channels.values()].some(({ reaction }) => reaction !== undefined);
}

export function approversIn({ channels }: Rules, channelId: string): readonly string[] {
  return channels.get(channelId)?.approvers ?? [];
}

export type FollowUpMode = 'every_reply' | 'mentions';

export type AccessRule = Readonly<{
  /** If `users` and `userGroups` are both empty: everybody. */
  users: ReadonlySet<string>;
  userGroups: ReadonlySet<string>;
  /** Empty: everywhere. */
  channels: ReadonlySet<string>;
  guests: boolean;
  otherWorkspaces: boolean;
  /** Empty: the workspace's admins. */
  admins: ReadonlySet<string>;
  /** Shared with other organisations, but allowed. */
  sharedChannels?: ReadonlySet<string>;
  /** For workflows that nobody started. */
  workflowChannels?: ReadonlySet<string>;
  bots?: ReadonlySet<string>;
}>;

export type Person = Readonly<{
  userId: string;
  isGuest: boolean;
  isFromElsewhere: boolean;
  userGroups: readonly string[];
}>;

/** `nobody`: a bot or a deactivated account. `unread_channel`: unknown whether it is shared. */
export type AccessRefusal =
  | 'nobody'
  | 'unknown_person'
  | 'other_workspace'
  | 'guest'
  | 'person'
  | 'channel'
  | 'shared_channel'
  | 'unread_channel';

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

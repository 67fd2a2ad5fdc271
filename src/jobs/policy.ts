import type { Job } from './job.ts';
import type { CodeHostSite } from './pull-requests/link.ts';
import type { Project, Projects } from './requests/project.ts';

/** The settings that decisions depend on. */
export interface Policy {
  readonly pollMinIntervalMs: number;
  readonly pollMaxIntervalMs: number;
  readonly followUpWindowMs: number;
  readonly followUpMode: FollowUpMode;
  readonly settleWindowMs: number;
  /** A turn that lasts longer makes the thread be asked whether to keep watching. */
  readonly longRunningAfterMs: number;
  readonly promptMaxLength: number;
  readonly noticeChannels: readonly string[];
  readonly pullRequests: PullRequestPolicy;
}

/** How pull requests are followed after they were announced. */
export interface PullRequestPolicy {
  /** Those whose links are known: by their names, and as the same pull request whatever its address. */
  readonly sites: readonly CodeHostSite[];
  /** Those whose pull requests are looked at. */
  readonly watchedSites: readonly CodeHostSite[];
  /** An open one is reminded of when nothing has happened to it for so long; 0: never. */
  readonly remindAfterMs: number;
  /** After its announcement, it is looked at for so long. */
  readonly watchForMs: number;
}

/** What the operator has set for the projects and channels of a workspace. */
export interface Rules {
  readonly projects: readonly Project[];
  /** By the ids of the channels. */
  readonly channels: ReadonlyMap<string, ChannelRules>;
  /** Where all pull requests are announced. */
  readonly noticeChannels: readonly string[];
}

/** The settings of a channel: what its administrators saved (null: nothing) before what the operator set. */
export function settingsOf(rules: Rules, channelId: string, saved: ChannelSettings | null): ChannelSettings {
  const set = rules.channels.get(channelId);
  return {
    projectName: saved?.projectName ?? set?.projectName,
    noticeChannels: saved?.noticeChannels ?? set?.noticeChannels,
    followUpMode: saved?.followUpMode ?? set?.followUpMode,
    followUpWindowMs: saved?.followUpWindowMs ?? set?.followUpWindowMs,
  };
}

/** The policy of a job: that of everywhere, with what is set for its project and its channel. */
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

/** Where pull requests are announced, wherever they are asked for, by what the operator has set. */
export function configuredNoticeChannels({ noticeChannels, projects, channels }: Rules): string[] {
  return [
    ...noticeChannels,
    ...projects.flatMap((project) => project.noticeChannels),
    ...[...channels.values()].flatMap((channel) => channel.noticeChannels ?? []),
  ];
}

/** The project of requests in the channel that name none. */
export function defaultProject(projects: Projects, { projectName }: ChannelSettings): Project {
  return projects.find(({ name }) => name === projectName) ?? projects[0];
}

/** What is set for a channel; what is not, is as everywhere. */
export interface ChannelSettings {
  readonly projectName?: string | undefined;
  /** Where pull requests of the channel's jobs are announced, besides the notice channels of all. */
  readonly noticeChannels?: readonly string[] | undefined;
  readonly followUpMode?: FollowUpMode | undefined;
  readonly followUpWindowMs?: number | undefined;
}

/** What only the operator sets for a channel. */
export interface ChannelRules extends ChannelSettings {
  /** The name of the emoji that makes a draft of a message; absent: none does. */
  readonly reaction?: string | undefined;
  /** The only people who may start its drafts; absent or empty: whoever may use the program. */
  readonly approvers?: readonly string[] | undefined;
}

/** Whether an emoji makes drafts in any channel: for that, the app has to see reactions. */
export function hasMarks({ channels }: Pick<Rules, 'channels'>): boolean {
  return [...channels.values()].some(({ reaction }) => reaction !== undefined);
}

/** The only people who may start drafts in the channel; empty: whoever may use the program. */
export function approversIn({ channels }: Rules, channelId: string): readonly string[] {
  return channels.get(channelId)?.approvers ?? [];
}

/** Which replies in a thread are follow-ups: all, or those that mention the bot. */
export type FollowUpMode = 'every_reply' | 'mentions';

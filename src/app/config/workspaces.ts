import type { ConfigFile } from './file/schema.ts';
import type { Projects } from './projects.ts';

/** What is set for a workspace. */
export interface WorkspaceSettings {
  /** Those that its jobs can belong to; the default first. */
  readonly projects: Projects['projects'];
  /** What is set for channels, by their ids. */
  readonly channels: ReadonlyMap<string, ChannelDefaults>;
  readonly access: Access;
  readonly noticeChannels: readonly string[];
}

/** As `jobs/channel-settings.ts` describes it. */
interface ChannelDefaults {
  readonly projectName: string | undefined;
  readonly noticeChannels: readonly string[] | undefined;
  readonly followUpMode: 'every_reply' | 'mentions' | undefined;
  readonly followUpWindowMs: number | undefined;
}

/** As `jobs/access.ts` describes it. */
interface Access {
  readonly users: ReadonlySet<string>;
  readonly userGroups: ReadonlySet<string>;
  readonly channels: ReadonlySet<string>;
  readonly guests: boolean;
  readonly otherWorkspaces: boolean;
  readonly admins: ReadonlySet<string>;
}

/** What the file says of each workspace, by its id. */
export function workspacesOf(
  { workspaces }: ConfigFile,
  all: Projects['projects'],
): ReadonlyMap<string, WorkspaceSettings> {
  return new Map(
    Object.entries(workspaces).flatMap(([teamId, workspace]) => {
      // In the order of the list, of which the first is the default.
      const [first, ...others] = workspace.projects.flatMap((name) => all.filter((one) => one.name === name));
      if (first === undefined) return [];
      const settings = {
        projects: [first, ...others] as const,
        channels: channelsOf(workspace.channels),
        access: accessOf(workspace.access, workspace.admins),
        noticeChannels: workspace.notice_channels,
      };
      return [[teamId, settings] as const];
    }),
  );
}

export function channelsOf(channels: ConfigFile['channels']): ReadonlyMap<string, ChannelDefaults> {
  return new Map(
    Object.entries(channels).map(([id, channel]) => [
      id,
      {
        projectName: channel.project,
        noticeChannels: channel.notice_channels,
        followUpMode: channel.follow_ups,
        followUpWindowMs: channel.follow_up_window,
      },
    ]),
  );
}

export function accessOf(access: ConfigFile['access'], admins: ConfigFile['admins']): Access {
  return {
    users: new Set(access.users),
    userGroups: new Set(access.user_groups),
    channels: new Set(access.channels),
    guests: access.guests,
    otherWorkspaces: access.other_workspaces,
    admins: new Set(admins),
  };
}

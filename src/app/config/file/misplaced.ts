import type { ConfigFile } from './schema.ts';

/** How the program is set up besides the file. */
export interface Ways {
  /** Workspaces install the app by themselves: there may be many. */
  readonly isOauth: boolean;
}

/** With many workspaces, whatever names a person or a channel stands with its workspace. */
const OF_ONE_WORKSPACE = ['channels', 'access', 'admins'];

/** What stands where it has no meaning. `given`: what the file sets at its top level. */
export function misplaced(file: ConfigFile, given: readonly string[], { isOauth }: Ways): Wrong[] {
  if (!isOauth) {
    const message =
      'needs the settings of OAuth (SLACK_CLIENT_ID and others): a bot token is of one workspace';
    return given.includes('workspaces') ? [{ path: ['workspaces'], message }] : [];
  }
  const perWorkspace = OF_ONE_WORKSPACE.filter((key) => given.includes(key)).map((key) => ({
    path: [key],
    message: `belongs into workspaces.T….${key}: with OAuth there may be many workspaces`,
  }));
  const perProject = file.projects.flatMap(({ notice_channels: channels }, index) =>
    channels.length === 0
      ? []
      : [
          {
            path: ['projects', index, 'notice_channels'],
            message: 'belongs into workspaces.T….notice_channels: with OAuth there may be many workspaces',
          },
        ],
  );
  return [...perWorkspace, ...perProject];
}

/** Something that is wrong at a place in the file. */
export interface Wrong {
  readonly path: readonly Step[];
  /** To be read after the name of the place. */
  readonly message: string;
}

/** Part of the way to a value: a key of a map, or a place in a list. */
export type Step = string | number;

import type { WebClient } from '@slack/web-api';
import type { Clock } from '../../engine/runtime/clock.ts';
import type { Logger } from '../../engine/runtime/logger.ts';
import type { AccessRule } from '../../jobs/access.ts';
import type { Projects } from '../../jobs/project.ts';
import { Access } from './access.ts';
import type { SlackIdentity } from './identity.ts';
import { Poster } from './poster.ts';
import { answerFetch } from './web-api/answer-fetch.ts';
import { type BotToken, createCaller } from './web-api/caller.ts';
import { notedCaller } from './web-api/noted-caller.ts';
import { SnippetReader } from './web-api/snippet-reader.ts';
import { Users } from './web-api/users.ts';

/** One workspace of Slack, and all that is done there with the bot's token of that workspace. */
export interface Workspace extends SlackIdentity {
  readonly poster: Poster;
  readonly names: Users;
  readonly access: Access;
  readonly snippets: SnippetReader;
  readonly isInstalled: boolean;
  /** The projects that a job of it can belong to; the first is the default. Null: the operator has not set it up. */
  readonly projects: Projects | null;
}

/** One that is installed and set up. */
export interface ReadyWorkspace extends Workspace {
  readonly projects: Projects;
}

export function isReady(workspace: Workspace): workspace is ReadyWorkspace {
  return workspace.isInstalled && workspace.projects !== null;
}

/** The workspaces that the program serves. */
export interface Workspaces {
  /**
   * Never fails for a workspace in which the program is not installed (any more): its calls fail, as
   * `not_installed`, which an administrator can mend.
   */
  of(teamId: string): Promise<Workspace>;
  /** The workspace of what Slack sent: the one that the program is installed in, not that of the person. */
  ofRequest(body: unknown): Promise<Workspace>;
}

export interface WorkspaceParts {
  readonly client: WebClient;
  /** Null is Slack's own. */
  readonly apiUrl: string | null;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What is set for a workspace. */
export interface WorkspaceSettings {
  readonly projects: Projects;
  readonly access: AccessRule;
}

/** Nobody has the id of nobody. */
const NOBODY: AccessRule = {
  users: new Set(['nobody']),
  userGroups: new Set(),
  channels: new Set(),
  guests: false,
  otherWorkspaces: false,
  admins: new Set(),
};

export function createWorkspace(
  { client, apiUrl, clock, log }: WorkspaceParts,
  identity: SlackIdentity & Pick<Workspace, 'isInstalled'>,
  botToken: BotToken,
  settings: WorkspaceSettings | null,
): Workspace {
  const call = notedCaller(createCaller(client, botToken), { log, clock, teamId: identity.teamId });
  const names = new Users(call, clock, log);
  return {
    ...identity,
    poster: new Poster(call, clock, answerFetch(apiUrl)),
    names,
    access: new Access(settings?.access ?? NOBODY, identity, names, { call, clock, log }),
    snippets: new SnippetReader(call, botToken, apiUrl),
    projects: settings?.projects ?? null,
  };
}

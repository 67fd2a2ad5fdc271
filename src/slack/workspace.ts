import type { WebClient } from '@slack/web-api';
import type { AccessRule } from '../jobs/access.ts';
import type { Projects } from '../jobs/project.ts';
import type { Clock } from '../operations/clock.ts';
import type { Logger } from '../operations/logger.ts';
import { Access } from './access.ts';
import { type BotToken, createCaller } from './calls/caller.ts';
import { notedCaller } from './calls/noted-caller.ts';
import { Poster } from './calls/poster.ts';
import { SnippetReader } from './calls/snippet-reader.ts';
import { Users } from './calls/users.ts';
import type { SlackIdentity } from './identity.ts';

/** One workspace of Slack, and all that is done there with the bot's token of that workspace. */
export interface Workspace extends SlackIdentity {
  readonly poster: Poster;
  readonly names: Users;
  readonly access: Access;
  readonly snippets: SnippetReader;
  /** The projects that a job of it can belong to; the first is the default. */
  readonly projects: Projects;
}

/** The workspaces that the program serves. */
export interface Workspaces {
  /**
   * Never fails for a workspace in which the program is not installed (any more): its calls fail, as
   * `not_installed`, which an administrator can mend.
   */
  of(teamId: string): Promise<Workspace>;
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

export function createWorkspace(
  { client, apiUrl, clock, log }: WorkspaceParts,
  identity: SlackIdentity,
  botToken: BotToken,
  settings: WorkspaceSettings,
): Workspace {
  const call = notedCaller(createCaller(client, botToken), { log, clock, teamId: identity.teamId });
  const names = new Users(call, clock, log);
  return {
    ...identity,
    poster: new Poster(call, clock),
    names,
    access: new Access(settings.access, identity, names, { call, clock, log }),
    snippets: new SnippetReader(botToken, apiUrl),
    projects: settings.projects,
  };
}

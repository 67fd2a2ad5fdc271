import type { ReactionsGetResponse } from '@slack/web-api';
import type { ServiceFacts, ServiceReport } from '#jobs/agent-job.ts';
import type { AccessRule } from '#jobs/policy.ts';
import type { Projects } from '#jobs/requests/command.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Logger } from '#runtime/redact.ts';
import { withoutSkinTone } from '../protocol/ids.ts';
import { accessBy, sharedChannels } from './access.ts';
import {
  answerFetch,
  type BotToken,
  createCaller,
  failureIn,
  loggedCaller,
  noToken,
  type SlackClient,
} from './caller.ts';
import { identify, type SlackIdentity, selfCheckBy } from './inspection.ts';
import { namesIn, usersIn } from './names.ts';
import { createPoster } from './poster.ts';
import { SnippetReader } from './snippet-reader.ts';

export type Workspace = Readonly<ReturnType<typeof createWorkspace>>;

export interface ReadyWorkspace extends Workspace {
  readonly projects: Projects;
}

export function isReady(workspace: Workspace): workspace is ReadyWorkspace {
  return workspace.isInstalled && workspace.projects !== null;
}

export interface Workspaces {
  /** Without an installation, calls fail as `not_installed`. */
  of(teamId: string): Promise<Workspace>;
  /** The installation's workspace, not the person's. */
  ofRequest(body: unknown): Promise<Workspace>;
}

export type WorkspaceParts = Readonly<{
  client: SlackClient;
  /** Null: Slack's own. */
  apiUrl: string | null;
  clock: Clock;
  log: Logger;
}>;

export interface WorkspaceSettings {
  readonly projects: Projects;
  readonly access: AccessRule;
}

/** No person has this id. */
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
  identity: SlackIdentity & { readonly isInstalled: boolean },
  botToken: BotToken,
  settings: WorkspaceSettings | null,
) {
  const call = loggedCaller(createCaller(client, botToken), log, clock, identity.teamId);
  const parts = { call, clock, log };
  const rule = settings?.access ?? NOBODY;
  const users = usersIn(call, clock);
  const shared = sharedChannels(call, clock, rule.sharedChannels ?? new Set());
  const poster = createPoster(call, clock, answerFetch(apiUrl), shared);
  return {
    ...identity,
    poster,
    selfCheck: selfCheckBy(call, clock, shared, rule),
    names: namesIn(users, identity.teamId, parts),
    /** In any skin tone. */
    reactorsWith: async (channel: string, timestamp: string, emoji: string): Promise<string[]> => {
      try {
        const args = { channel, timestamp, full: true };
        const { message } = await call<ReactionsGetResponse>('reactions.get', args);
        const given = message?.reactions?.filter(({ name = '' }) => withoutSkinTone(name) === emoji) ?? [];
        return [...new Set(given.flatMap(({ users = [] }) => users))];
      } catch (error) {
        if (failureIn(error).code === 'message_not_found') return [];
        throw error;
      }
    },
    access: accessBy(rule, identity, users, shared, parts),
    snippets: new SnippetReader(call, botToken, apiUrl),
    /** The first is the default. Null: not set up. */
    projects: settings?.projects ?? null,
  };
}

export async function oneWorkspace(parts: WorkspaceParts, token: string, settings: WorkspaceSettings) {
  const { identity, ...signedIn } = await identify(createCaller(parts.client, async () => token));
  const only = createWorkspace(parts, { ...identity, isInstalled: true }, async () => token, settings);
  const notInstalled = () => Promise.reject(noToken('not_installed'));
  const workspaces: Workspaces = {
    ofRequest: async () => only,
    // The store may have jobs of a workspace whose token the program had before.
    of: async (teamId) =>
      teamId === only.teamId
        ? only
        : createWorkspace(parts, { ...identity, teamId, isInstalled: false }, notInstalled, settings),
  };
  return { ...signedIn, only, workspaces };
}

export interface Known {
  agent(projectId: string): ServiceFacts;
  services(): readonly ServiceReport[];
  slackProblem(): string | null;
  workProblems(): readonly string[];
}

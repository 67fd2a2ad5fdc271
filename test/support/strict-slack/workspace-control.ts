import type { NewPerson, UserGroup } from './people.ts';
import type { ControlOptions } from './slack-requests.ts';
import type { AgentSession } from './statuses.ts';
import type { NewChannel } from './workspace.ts';

/** What administrators do. New people, groups and channels are there until `reset`. */
export interface WorkspaceControl {
  /** One more channel: public, private, or the direct messages of two people. */
  openChannel(channel: NewChannel): void;
  archive(channel: string): void;
  unarchive(channel: string): void;
  /** Lets a user, or the bot, into a channel. */
  invite(channel: string, user: string): void;
  remove(channel: string, user: string): void;
  /**
   * One more person, in no channel yet; or another in place of one with the same id. Left out: a full member of the
   * bot's workspace.
   */
  addUser(person: NewPerson): void;
  /** Who is in a user group (`S…`), from now on. */
  setUserGroup(id: string, members: readonly string[], handle?: UserGroup['handle']): void;
  /** The line under the thread that says what the bot is doing, or null. */
  status(channel: string, threadTs: string): string | null;
  /** Whether the app's manifest has an `agent_view`, from now on; at first it has none. */
  declareAgent(isAgent: boolean): void;
  /** How the agent's session in a thread stands; null: there is none. */
  session(channel: string, threadTs: string): AgentSession['status'] | null;
  /** From now on every call with the bot's token is refused as `token_revoked`. */
  revokeToken(): void;
  restoreToken(): void;
  /** What the bot token may do, from now on; at first all that the manifest asks for. */
  grantScopes(scopes: readonly string[]): void;
}

export function createWorkspaceControl({ context, webApi }: ControlOptions): WorkspaceControl {
  const { workspace, statuses, sessions } = context;
  return {
    openChannel: (channel) => workspace.openChannel(channel),
    archive: (id) => {
      workspace.channel(id).isArchived = true;
    },
    unarchive: (id) => {
      workspace.channel(id).isArchived = false;
    },
    invite: (id, user) => {
      workspace.channel(id).members.add(user);
    },
    remove: (id, user) => {
      workspace.channel(id).members.delete(user);
    },
    addUser: (person) => workspace.people.add(person),
    setUserGroup: (id, members, handle = id.toLowerCase()) => {
      workspace.people.groups.set(id, { id, handle, members });
    },
    status: (id, threadTs) => statuses.get(workspace.channel(id).id, threadTs),
    declareAgent: (isAgent) => {
      sessions.isAgent = isAgent;
    },
    session: (id, threadTs) => sessions.get(workspace.channel(id).id, threadTs),
    revokeToken: () => {
      webApi.isTokenRevoked = true;
    },
    restoreToken: () => {
      webApi.isTokenRevoked = false;
    },
    grantScopes: (scopes) => {
      webApi.scopes = scopes;
    },
  };
}

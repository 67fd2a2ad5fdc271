import { AGENT_SCOPE } from '../../../src/slack/protocol/scopes.ts';
import { strictApp } from './ids.ts';
import { eventCallback } from './payloads.ts';
import type { NewPerson, UserGroup } from './people.ts';
import type { ControlOptions, SlackRequests } from './slack-requests.ts';
import type { AgentSession } from './statuses.ts';
import type { Channel, NewChannel } from './workspace.ts';

/** What administrators do. New people, groups and channels are there until `reset`. */
export interface WorkspaceControl {
  /** One more channel: public, private, or the direct messages of two people. */
  openChannel(channel: NewChannel): void;
  archive(channel: string): void;
  /** With another organisation, from now on; the bot is told of `shared` if it is there. */
  share(channel: string, sharing: Channel['sharing']): void;
  /** Tells the bot, if it is there. */
  unarchive(channel: string): void;
  /** Lets a user, or the bot, into a channel. The bot is told that it has joined. */
  invite(channel: string, user: string): void;
  remove(channel: string, user: string): void;
  /** For good. */
  deleteChannel(channel: string): void;
  /**
   * One more person, in no channel yet; or another in place of one with the same id. Left out: a full member of the
   * bot's workspace.
   */
  addUser(person: NewPerson): void;
  /** Who is in a user group (`S…`), from now on. */
  setUserGroup(id: string, members: readonly string[], handle?: UserGroup['handle']): void;
  /** Whether the app's manifest has an `agent_view`, from now on; at first it has none. */
  declareAgent(isAgent: boolean): void;
  /** How the agent's session in a thread stands; null: there is none. */
  session(channel: string, threadTs: string): AgentSession['status'] | null;
  /** Somebody presses *Stop* at the session. */
  stopSession(channel: string, threadTs: string, user: string): void;
  /** From now on every call with the bot's token is refused as `token_revoked`. */
  revokeToken(): void;
  /** What the bot token may do, from now on; at first all that the manifest asks for. */
  grantScopes(scopes: readonly string[]): void;
}

export function createWorkspaceControl(
  { clock, context, webApi }: ControlOptions,
  { tell }: SlackRequests,
): WorkspaceControl {
  const { workspace, sessions } = context;
  const tellOf = (event: Readonly<Record<string, unknown>>) => {
    const payload = eventCallback(
      { ...event, event_ts: workspace.newTs() },
      {
        nowMs: clock.now(),
        isShared: false,
      },
    );
    // Nobody waits for it: the app may be stopped.
    void tell('event', payload).catch(() => {});
  };
  return {
    openChannel: (channel) => workspace.openChannel(channel),
    archive: (id) => {
      workspace.channel(id).isArchived = true;
    },
    share: (id, sharing) => {
      const channel = workspace.channel(id);
      channel.sharing = sharing;
      if (sharing !== 'shared' || !channel.members.has(strictApp.botUserId)) return;
      tellOf({ type: 'channel_shared', connected_team_id: 'E0ELSEWHERE', channel: id });
    },
    unarchive: (id) => {
      const channel = workspace.channel(id);
      channel.isArchived = false;
      if (!channel.members.has(strictApp.botUserId)) return;
      tellOf({
        type: channel.type === 'group' ? 'group_unarchive' : 'channel_unarchive',
        channel: id,
        user: 'U0ALICE',
      });
    },
    invite: (id, user) => {
      const channel = workspace.channel(id);
      const isNew = !channel.members.has(user);
      channel.members.add(user);
      if (!isNew || user !== strictApp.botUserId) return;
      const event = {
        user,
        channel: id,
        channel_type: channel.type === 'group' ? 'G' : 'C',
        team: strictApp.teamId,
      };
      tellOf({ type: 'member_joined_channel', ...event });
    },
    remove: (id, user) => {
      workspace.channel(id).members.delete(user);
    },
    deleteChannel: (id) => workspace.deleteChannel(id),
    addUser: (person) => workspace.people.add(person),
    setUserGroup: (id, members, handle = id.toLowerCase()) => {
      workspace.people.groups.set(id, { id, handle, members });
    },
    declareAgent: (isAgent) => {
      sessions.isAgent = isAgent;
      const others = webApi.scopes.filter((scope) => scope !== AGENT_SCOPE);
      webApi.scopes = isAgent ? [...others, AGENT_SCOPE] : others;
    },
    stopSession: (channel, threadTs, user) =>
      tellOf({ type: 'agent_session_stopped', channel, user, thread_ts: threadTs, streaming_message_ts: [] }),
    session: (id, threadTs) => sessions.get(workspace.channel(id).id, threadTs),
    revokeToken: () => {
      webApi.isTokenRevoked = true;
    },
    grantScopes: (scopes) => {
      webApi.scopes = scopes;
    },
  };
}

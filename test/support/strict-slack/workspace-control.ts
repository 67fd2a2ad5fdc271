import { AGENT_SCOPE } from '../../../src/slack/protocol/scopes.ts';
import { strictApp } from './ids.ts';
import { eventCallback } from './payloads.ts';
import type { NewPerson } from './people.ts';
import type { ControlOptions, SlackRequests } from './slack-requests.ts';
import type { Channel, NewChannel } from './workspace.ts';

/** What administrators do. */
export function createWorkspaceControl({ clock, context, webApi }: ControlOptions, { tell }: SlackRequests) {
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
    /** One more channel: public, private, or the direct messages of two people. */
    openChannel: (channel: NewChannel) => workspace.openChannel(channel),
    archive: (id: string) => {
      workspace.channel(id).isArchived = true;
    },
    /** With another organisation, from now on; the bot is told of `shared` if it is there. */
    share: (id: string, sharing: Channel['sharing']) => {
      const channel = workspace.channel(id);
      channel.sharing = sharing;
      if (sharing !== 'shared' || !channel.members.has(strictApp.botUserId)) return;
      tellOf({ type: 'channel_shared', connected_team_id: 'E0ELSEWHERE', channel: id });
    },
    /** Tells the bot, if it is there. */
    unarchive: (id: string) => {
      const channel = workspace.channel(id);
      channel.isArchived = false;
      if (!channel.members.has(strictApp.botUserId)) return;
      tellOf({
        type: channel.type === 'group' ? 'group_unarchive' : 'channel_unarchive',
        channel: id,
        user: 'U0ALICE',
      });
    },
    /** Lets a user, or the bot, into a channel. The bot is told that it has joined. */
    invite: (id: string, user: string) => {
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
    remove: (id: string, user: string) => {
      workspace.channel(id).members.delete(user);
    },
    /**
     * One more person, in no channel yet; or another in place of one with the same id. Left out: a full member of the
     * bot's workspace.
     */
    addUser: (person: NewPerson) => workspace.people.add(person),
    /** Who is in a user group (`S…`), from now on. */
    setUserGroup: (id: string, members: readonly string[], handle = id.toLowerCase()) => {
      workspace.people.groups.set(id, { id, handle, members });
    },
    /** Whether the app's manifest has an `agent_view`, from now on; at first it has none. */
    declareAgent: (isAgent: boolean) => {
      sessions.isAgent = isAgent;
      const others = webApi.scopes.filter((scope) => scope !== AGENT_SCOPE);
      webApi.scopes = isAgent ? [...others, AGENT_SCOPE] : others;
    },
    /** Somebody presses *Stop* at the session. */
    stopSession: (channel: string, threadTs: string, user: string) =>
      tellOf({ type: 'agent_session_stopped', channel, user, thread_ts: threadTs, streaming_message_ts: [] }),
    /** How the agent's session in a thread stands; null: there is none. */
    session: (id: string, threadTs: string) => sessions.get(workspace.channel(id).id, threadTs),
    /** From now on every call with the bot's token is refused as `token_revoked`. */
    revokeToken: () => {
      webApi.isTokenRevoked = true;
    },
    /** What the bot token may do, from now on; at first all that the manifest asks for. */
    grantScopes: (scopes: readonly string[]) => {
      webApi.scopes = scopes;
    },
  };
}

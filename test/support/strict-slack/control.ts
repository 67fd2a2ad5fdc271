import { randomUUID } from 'node:crypto';
import type { SlackControl, SlackMessage } from '../local-slack.ts';
import type { Deliverer } from './deliverer.ts';
import type { Acknowledgement, Gesture } from './delivery.ts';
import type { StoredMessage } from './message.ts';
import { blockActions, findButton, slashCommand } from './payloads.ts';
import type { ResponseUrls } from './response-urls.ts';
import type { WebApi } from './web-api.ts';
import type { Channel, Workspace } from './workspace.ts';

const LOG_MAX = 1_000;

/**
 * Acts as the people of the workspace. What makes a gesture returns when the bot has acknowledged it, when the
 * first attempt to deliver it has failed, or when 3 seconds of the clock have passed; it never throws for that.
 */
export interface StrictControl extends SlackControl {
  command(command: Parameters<SlackControl['command']>[0]): Promise<Acknowledgement>;
  press(message: SlackMessage, actionId: string, user: string): Promise<Acknowledgement>;
  /** One more channel, until `reset`. */
  openChannel(channel: {
    readonly id: string;
    readonly name: string;
    readonly members: readonly string[];
  }): void;
  archive(channel: string): void;
  unarchive(channel: string): void;
  /** Lets a user, or the bot, into a channel. */
  invite(channel: string, user: string): void;
  remove(channel: string, user: string): void;
  /** From now on every call with the bot's token is refused as `token_revoked`. */
  revokeToken(): void;
  restoreToken(): void;
}

export interface ControlOptions {
  readonly workspace: Workspace;
  readonly deliverer: Deliverer;
  readonly responseUrls: ResponseUrls;
  readonly webApi: WebApi;
}

export function createControl({ workspace, deliverer, responseUrls, webApi }: ControlOptions): StrictControl {
  const personOf = (id: string) => {
    const user = workspace.users.find((candidate) => candidate.id === id);
    if (user === undefined) throw new Error(`there is no user ${id}`);
    return user;
  };
  const gesture = (kind: Gesture['kind'], payload: Gesture['payload']) =>
    deliverer.deliver({ id: randomUUID(), kind, payload });
  const stored = ({ channel, ts }: SlackMessage): { channel: Channel; message: StoredMessage } => {
    const at = workspace.channel(channel);
    const message = at.log.get(ts);
    if (message === undefined) throw new Error(`there is no message ${ts} in ${channel}`);
    return { channel: at, message };
  };
  const messages = (id: string) => workspace.channel(id).log.all().map(asSeen);

  return {
    message: async ({ channel: id, user, text, threadTs }) => {
      const channel = workspace.channel(id);
      const { message, told } = workspace.post(channel, {
        user: personOf(user).id,
        text,
        client_msg_id: randomUUID(),
        ...(threadTs === undefined ? {} : { thread_ts: threadTs }),
      });
      await told;
      return asSeen(message);
    },
    command: async ({ channel: id, user: userId, text }) => {
      const channel = workspace.channel(id);
      const responseUrl = responseUrls.create({ channel, userId, original: null });
      const command = slashCommand({ channel, user: personOf(userId), text, responseUrl });
      const answer = await gesture('command', command);
      if (answer.payload !== null) responseUrls.show({ channel, userId, original: null }, answer.payload);
      return answer;
    },
    press: (pressed, actionId, userId) => {
      // The button may be of an earlier version of the message, which somebody still sees.
      const button = findButton(pressed.blocks ?? [], actionId);
      const { channel, message } = stored(pressed);
      const responseUrl = responseUrls.create({ channel, userId, original: message });
      const press = { channel, user: personOf(userId), message, button, responseUrl, ts: workspace.newTs() };
      return gesture('action', blockActions(press));
    },
    editMessage: async (edited, text) => {
      const { channel, message } = stored(edited);
      const edit = { user: message.user, ts: workspace.newTs() };
      await workspace.update(channel, { ...message, text, edited: edit }).told;
    },
    deleteMessage: async (deleted) => {
      const { channel, message } = stored(deleted);
      await workspace.delete(channel, message.ts).told;
    },
    messages: async (id) => messages(id),
    thread: async (id, rootTs) => {
      const { log } = workspace.channel(id);
      const root = log.get(rootTs);
      return [...(root === undefined ? [] : [root]), ...log.wholeThread(rootTs)].map(asSeen);
    },
    reactions: async ({ channel, ts }) =>
      (workspace.channel(channel).log.get(ts)?.reactions ?? []).map(({ name }) => name),
    log: async () => [
      ...webApi.calls.slice(-LOG_MAX).map(({ method, args }) => ({
        direction: 'from_bot' as const,
        kind: method,
        summary: method,
        detail: args,
      })),
      ...deliverer.records.slice(-LOG_MAX).map(({ kind, payload }) => ({
        direction: 'to_bot' as const,
        kind,
        summary: kind,
        detail: payload,
      })),
    ],
    reset: async () => {
      workspace.forgetMessages();
      webApi.calls.length = 0;
      deliverer.forget();
    },
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
    revokeToken: () => {
      webApi.isTokenRevoked = true;
    },
    restoreToken: () => {
      webApi.isTokenRevoked = false;
    },
  };
}

/** As people see a message: without its metadata. */
function asSeen({ metadata: _metadata, type: _type, ...message }: StoredMessage): SlackMessage {
  return message as SlackMessage;
}

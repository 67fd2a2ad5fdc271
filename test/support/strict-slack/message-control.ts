import { randomUUID } from 'node:crypto';
import { bob, type SlackControl, type SlackMessage } from '../local-slack.ts';
import type { FileDraft, SlackFile } from './files.ts';
import { strictApp } from './ids.ts';
import { blockActions, messageAction } from './interactions.ts';
import type { StoredMessage } from './message.ts';
import { eventCallback, inChannel, slashCommand } from './payloads.ts';
import { isOutsider, type Person } from './people.ts';
import { pressedElement } from './pressed.ts';
import { reactedTo } from './reaction-methods.ts';
import type { ControlOptions, SlackRequests } from './slack-requests.ts';
import type { ChannelEvent } from './workspace.ts';

interface NewMessage {
  readonly channel: string;
  readonly user: string;
  readonly text: string;
  readonly threadTs?: string | undefined;
  readonly files?: readonly FileDraft[];
  /** What forwarding a message, or an app, adds to it. */
  readonly fields?: Pick<
    StoredMessage,
    'app_id' | 'attachments' | 'blocks' | 'bot_id' | 'bot_profile' | 'files' | 'subtype' | 'username'
  >;
}

/** What people do to messages. */
export function createMessageControl(options: ControlOptions, requests: SlackRequests) {
  const { clock, context, responseUrls, webApi } = options;
  const { workspace, files, triggers } = context;
  const { personOf, stored, tell } = requests;

  const attached = (person: Person, drafts: readonly FileDraft[]) => {
    const added = drafts.map((draft) => files.add(person, draft, clock.now()));
    return added.map((file) => (isOutsider(person) ? toBeAskedFor(file) : file));
  };
  const seenBy = ({ ephemeral_to: viewer }: StoredMessage, user: string) => {
    if (viewer !== undefined && viewer !== user) throw new Error(`only ${viewer} sees this message`);
  };

  const setReaction = async (target: SlackMessage, name: string, user: string, isThere: boolean) => {
    const { channel, message } = stored(target);
    workspace.amend(channel, reactedTo(message, name, personOf(user).id, isThere));
    if (!webApi.scopes.includes('reactions:read') || !channel.members.has(strictApp.botUserId)) return;
    const event = {
      type: isThere ? 'reaction_added' : 'reaction_removed',
      user,
      reaction: name,
      item: { type: 'message', channel: channel.id, ts: message.ts },
      ...(message.bot_id === undefined ? { item_user: message.user } : {}),
      event_ts: workspace.newTs(),
    };
    await tell('event', eventCallback(event, { nowMs: clock.now(), isShared: workspace.isShared(channel) }));
  };

  const message = async ({
    channel: id,
    user,
    text,
    threadTs,
    files: drafts = [],
    fields = {},
  }: NewMessage) => {
    const channel = workspace.channel(id);
    const person = personOf(user);
    const { message, told } = workspace.post(channel, {
      user: person.id,
      text,
      client_msg_id: randomUUID(),
      ...homeOf(person),
      ...fields,
      ...(threadTs === undefined ? {} : { thread_ts: threadTs }),
      ...(drafts.length === 0
        ? {}
        : { subtype: 'file_share', upload: false, files: attached(person, drafts) }),
    });
    await told;
    return asSeen(message);
  };

  return {
    /** Puts an emoji at a message. The bot learns of it where it may read reactions. */
    react: (message: SlackMessage, name: string, user: string) => setReaction(message, name, user, true),
    /** Takes it away. */
    unreact: (message: SlackMessage, name: string, user: string) => setReaction(message, name, user, false),
    /**
     * Writes as a person; with a user id as channel, in that person's direct messages with the bot. The bot learns
     * of files of people from other workspaces only that they are there: the rest is in `files.info`.
     */
    message,
    /** Writes in the thread of a message. */
    reply: (
      { channel, ts }: SlackMessage,
      text: string,
      user = bob,
      more: Pick<NewMessage, 'files' | 'fields'> = {},
    ) => message({ channel, user, text, threadTs: ts, ...more }),
    /** Messages that were there before, oldest first: without events. */
    restore: (id: string, messages: readonly StoredMessage[]) => {
      for (const message of messages) workspace.channel(id).log.add(message);
    },
    /** Delivers an event that Slack makes by itself, as it is. */
    raw: async (id: string, event: ChannelEvent) => {
      const payload = eventCallback(inChannel(workspace.channel(id), event), {
        nowMs: clock.now(),
        isShared: false,
      });
      await tell('event', payload);
    },
    command: async ({ channel: id, user: userId, text }: Parameters<SlackControl['command']>[0]) => {
      const channel = workspace.channel(id);
      const place = { channel, userId, original: null };
      const responseUrl = responseUrls.create(place);
      const triggerId = triggers.create({ userId, channelId: channel.id });
      const user = personOf(userId);
      const answer = await tell('command', slashCommand({ channel, user, text, responseUrl, triggerId }));
      if (answer.payload !== null) responseUrls.show(place, answer.payload);
      return answer;
    },
    /**
     * Presses a button of the message, as it was read, or chooses in one of its menus: then `value` is the value or
     * the text of the option. Of several buttons with the action id it is the one with the value.
     */
    press: async (pressed: SlackMessage, actionId: string, userId: string, value?: string) => {
      // The button may be of an earlier version of the message, which somebody still sees.
      const { action } = pressedElement(pressed.blocks ?? [], actionId, value);
      const { channel, message } = stored(pressed);
      seenBy(message, userId);
      const responseUrl = responseUrls.create({ channel, userId, original: message });
      const triggerId = triggers.create({ userId, channelId: channel.id });
      const user = personOf(userId);
      const ts = workspace.newTs();
      return tell('action', blockActions({ channel, user, message, action, responseUrl, triggerId, ts }));
    },
    /** Uses a shortcut from the menu of a message. */
    shortcut: async ({
      message: used,
      user: userId,
      callbackId,
    }: {
      readonly message: SlackMessage;
      readonly user: string;
      readonly callbackId: string;
    }) => {
      const { channel, message } = stored(used);
      if (message.ephemeral_to !== undefined) throw new Error('a message that one person sees has no menu');
      const responseUrl = responseUrls.create({ channel, userId, original: null });
      const triggerId = triggers.create({ userId, channelId: channel.id });
      const user = personOf(userId);
      const ts = workspace.newTs();
      return tell(
        'action',
        messageAction({ channel, user, message, callbackId, responseUrl, triggerId, ts }),
      );
    },
    editMessage: async (edited: SlackMessage, text: string) => {
      const { channel, message } = stored(edited);
      const edit = { user: message.user, ts: workspace.newTs() };
      await workspace.update(channel, { ...message, text, edited: edit }).told;
    },
    deleteMessage: async (deleted: SlackMessage) => {
      const { channel, message } = stored(deleted);
      await workspace.delete(channel, message.ts).told;
    },
    messages: async (id: string) => workspace.channel(id).log.all().map(asSeen),
    thread: async (id: string, rootTs: string) => {
      const { log } = workspace.channel(id);
      const root = log.get(rootTs);
      return [...(root === undefined ? [] : [root]), ...log.wholeThread(rootTs)].map(asSeen);
    },
    reactions: async ({ channel, ts }: SlackMessage) =>
      (workspace.channel(channel).log.get(ts)?.reactions ?? []).map(({ name }) => name),
  };
}

/** As people see a message: without its metadata. */
function asSeen({ metadata: _metadata, type: _type, ...message }: StoredMessage): SlackMessage {
  return message as SlackMessage;
}

function homeOf(person: Person): { team?: string; user_team?: string; source_team?: string } {
  const { teamId } = person;
  return isOutsider(person) ? { team: teamId, user_team: teamId, source_team: teamId } : {};
}

/** https://docs.slack.dev/apis/slack-connect */
function toBeAskedFor({ id }: SlackFile): Partial<SlackFile> {
  return { id, created: 0, user: '', mode: 'file_access', file_access: 'check_file_info' };
}

import { testWorkspace } from '../local-slack.ts';
import { ApiError } from './api-error.ts';
import { ChannelLog } from './channel-log.ts';
import { strictApp } from './ids.ts';
import type { StoredMessage } from './message.ts';
import { isOutsider, People } from './people.ts';

export interface Channel {
  readonly id: string;
  readonly name: string;
  /** Public, private, or of two people. */
  readonly type: 'channel' | 'group' | 'im';
  readonly members: Set<string>;
  readonly log: ChannelLog;
  isArchived: boolean;
  /** With another organisation, or soon: it was invited. */
  sharing: 'none' | 'pending' | 'shared';
}

/** Of the bot's workspace, unless it says otherwise. */
export type Draft = Omit<StoredMessage, 'type' | 'ts' | 'channel' | 'team'> & { readonly team?: string };

/** What happens in a channel, as its event says it: without the channel's name and type. */
export type ChannelEvent = Readonly<Record<string, unknown>> & { readonly type: string };

export interface WorkspaceOptions {
  readonly newTs: () => string;
  /** Called for each event that the bot is to receive. Resolves once it has acknowledged, or has not. */
  readonly tell: (channel: Channel, event: ChannelEvent) => Promise<unknown>;
}

export interface NewChannel {
  readonly id: string;
  readonly name: string;
  readonly members: Iterable<string>;
  /** `im`: the direct messages of two people, without the bot. Default: channel */
  readonly type?: Channel['type'];
}

interface Change {
  readonly message: StoredMessage;
  /** Resolves when the event was delivered, or could not be. */
  readonly told: Promise<unknown>;
}

/** People, channels and messages, and the events that follow from what happens to them. */
export class Workspace {
  readonly people = new People();
  readonly newTs: () => string;
  readonly #tell: WorkspaceOptions['tell'];
  readonly #channels = new Map<string, Channel>();

  constructor({ newTs, tell }: WorkspaceOptions) {
    this.newTs = newTs;
    this.#tell = tell;
    for (const { id, name, members } of testWorkspace.channels) {
      this.openChannel({ id, name, members });
    }
  }

  /** By its id, or by a person's: then it is their direct messages with the bot. */
  channel(id: string): Channel {
    const known = this.#channels.get(id) ?? this.#channels.get(imOf(id));
    if (known !== undefined) return known;
    const person = this.people.find(id);
    if (person === undefined || person.isBot) throw new ApiError('channel_not_found');
    return this.#open({
      id: imOf(id),
      name: 'directmessage',
      type: 'im',
      members: [id, strictApp.botUserId],
    });
  }

  openChannel(channel: NewChannel): void {
    this.#open({ type: 'channel', ...channel });
  }

  /** Whether the person is in a channel that the bot is in. */
  isNeighbour(userId: string): boolean {
    const all = [...this.#channels.values()];
    return all.some(({ members }) => members.has(userId) && members.has(strictApp.botUserId));
  }

  /** Whether somebody of another workspace is there. */
  isShared({ members, sharing }: Channel): boolean {
    if (sharing === 'shared') return true;
    return [...members].some((id) => {
      const person = this.people.find(id);
      return person !== undefined && isOutsider(person);
    });
  }

  post(channel: Channel, draft: Draft): Change {
    const ts = this.newTs();
    const message: StoredMessage = {
      type: 'message',
      ts,
      channel: channel.id,
      team: strictApp.teamId,
      ...draft,
    };
    channel.log.add(message);
    if (message.ephemeral_to !== undefined) return { message, told: Promise.resolve() };
    return { message, told: this.#announce(channel, message) };
  }

  update(channel: Channel, message: StoredMessage): Change {
    const previous = channel.log.get(message.ts);
    if (previous === undefined) throw new ApiError('message_not_found');
    channel.log.replace(message);
    if (message.ephemeral_to !== undefined) return { message, told: Promise.resolve() };
    const told = this.#tellIfMember(channel, {
      type: 'message',
      subtype: 'message_changed',
      hidden: true,
      message: publicMessage(channel, message),
      previous_message: publicMessage(channel, previous),
      ts: this.newTs(),
    });
    return { message, told };
  }

  delete(channel: Channel, ts: string): Change {
    const message = channel.log.get(ts);
    if (message === undefined) throw new ApiError('message_not_found');
    const previous = publicMessage(channel, message);
    channel.log.delete(message);
    if (message.ephemeral_to !== undefined) return { message, told: Promise.resolve() };
    const told = this.#tellIfMember(channel, {
      type: 'message',
      subtype: 'message_deleted',
      hidden: true,
      deleted_ts: ts,
      previous_message: previous,
      ts: this.newTs(),
    });
    return { message, told };
  }

  /** A change without an event. */
  amend(channel: Channel, message: StoredMessage): void {
    channel.log.replace(message);
  }

  async #announce(channel: Channel, message: StoredMessage): Promise<void> {
    const event = { ...publicMessage(channel, message), event_ts: message.ts };
    const told = [this.#tellIfMember(channel, event)];
    if (channel.type !== 'im' && message.text.includes(`<@${strictApp.botUserId}>`)) {
      const { subtype: _subtype, ...mention } = event;
      told.push(this.#tellIfMember(channel, { ...mention, type: 'app_mention' }));
    }
    await Promise.all(told);
  }

  async #tellIfMember(channel: Channel, event: ChannelEvent): Promise<void> {
    if (channel.members.has(strictApp.botUserId)) await this.#tell(channel, event);
  }

  #open(shape: NewChannel & Pick<Channel, 'type'>): Channel {
    const channel: Channel = {
      ...shape,
      members: new Set(shape.members),
      log: new ChannelLog(),
      isArchived: false,
      sharing: 'none',
    };
    this.#channels.set(channel.id, channel);
    return channel;
  }
}

/** As Slack gives a message out: without what is secret, and a root with what is known of its thread. */
export function publicMessage(
  channel: Channel,
  { channel: _channel, metadata: _metadata, ephemeral_to: _viewer, ...message }: StoredMessage,
): Omit<StoredMessage, 'channel' | 'metadata' | 'ephemeral_to'> {
  const count = message.thread_ts === undefined ? channel.log.replyCount(message.ts) : 0;
  return count === 0 ? message : { ...message, thread_ts: message.ts, ...{ reply_count: count } };
}

function imOf(userId: string): string {
  return `D${userId.slice(1)}`;
}

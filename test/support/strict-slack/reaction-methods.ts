import { z } from 'zod';
import { ApiError } from './api-error.ts';
import { strictApp } from './ids.ts';
import type { Reaction, StoredMessage } from './message.ts';
import { argument, joinedChannel, type Method, method, writableChannel } from './method.ts';
import { publicMessage } from './workspace.ts';

const { botUserId } = strictApp;

function reactionMethod(
  change: (reactions: readonly Reaction[], name: string) => readonly Reaction[],
): Method {
  return method(
    z.strictObject({ channel: argument.text, timestamp: argument.ts, name: argument.text }),
    ({ workspace }, { channel: id, timestamp, name }) => {
      const channel = writableChannel(workspace, id, botUserId);
      const message = channel.log.get(timestamp);
      if (message === undefined || message.ephemeral_to !== undefined)
        throw new ApiError('message_not_found');
      if (!/^[a-z0-9_+'-]+$/.test(name)) throw new ApiError('invalid_name');
      workspace.amend(channel, withReactions(message, change(message.reactions ?? [], name)));
      return {};
    },
  );
}

function withReactions(
  { reactions: _old, ...message }: StoredMessage,
  reactions: readonly Reaction[],
): StoredMessage {
  return reactions.length === 0 ? message : { ...message, reactions };
}

function isOurs({ users }: Reaction): boolean {
  return users.includes(botUserId);
}

/** Anybody's reactions: only of conversations that the bot is in. */
const get = method(
  z.strictObject({ channel: argument.text, timestamp: argument.ts, full: argument.flag.optional() }),
  ({ workspace }, { channel: id, timestamp }) => {
    const channel = joinedChannel(workspace, id, botUserId);
    const message = channel.log.get(timestamp);
    if (message === undefined || message.ephemeral_to !== undefined) throw new ApiError('message_not_found');
    const reactions = message.reactions?.map((one) => ({ ...one, count: one.users.length }));
    const { thread_ts: _root, ...shown } = publicMessage(channel, message);
    return { type: 'message', channel: id, message: { ...shown, ...(reactions && { reactions }) } };
  },
);

/** As a person puts an emoji at a message, or takes it away. */
export function reactedTo(
  message: StoredMessage,
  name: string,
  user: string,
  isThere: boolean,
): StoredMessage {
  const others = (message.reactions ?? []).filter((one) => one.name !== name);
  const before = message.reactions?.find((one) => one.name === name)?.users ?? [];
  const users = [...before.filter((one) => one !== user), ...(isThere ? [user] : [])];
  return withReactions(message, users.length === 0 ? others : [...others, { name, users }]);
}

/** With some of Slack's own. */
const emojiList = method(
  z.strictObject({ include_categories: argument.flag.optional() }),
  (_context, args) => ({
    emoji: { docs: 'https://emoji.example.com/docs.png', papers: 'alias:docs' },
    ...(args.include_categories ? { categories: [{ name: 'Objects', emoji_names: ['memo', 'book'] }] } : {}),
  }),
);

export const reactionMethods: Readonly<Record<string, Method>> = {
  'emoji.list': emojiList,
  'reactions.add': reactionMethod((reactions, name) => {
    const there = reactions.find((reaction) => reaction.name === name);
    if (there === undefined) return [...reactions, { name, users: [botUserId] }];
    if (isOurs(there)) throw new ApiError('already_reacted');
    return reactions.map((one) => (one === there ? { name, users: [...one.users, botUserId] } : one));
  }),
  'reactions.get': get,
  'reactions.remove': reactionMethod((reactions, name) => {
    const there = reactions.find((reaction) => reaction.name === name);
    if (there === undefined || !isOurs(there)) throw new ApiError('no_reaction');
    const users = there.users.filter((user) => user !== botUserId);
    return reactions.flatMap((one) => (one !== there ? [one] : users.length === 0 ? [] : [{ name, users }]));
  }),
};

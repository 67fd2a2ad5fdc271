import { z } from 'zod';
import { ApiError } from './api-error.ts';
import { strictApp } from './ids.ts';
import type { Reaction, StoredMessage } from './message.ts';
import { argument, type Method, method, writableChannel } from './method.ts';

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

export const reactionMethods: Readonly<Record<string, Method>> = {
  'reactions.add': reactionMethod((reactions, name) => {
    const there = reactions.find((reaction) => reaction.name === name);
    if (there === undefined) return [...reactions, { name, users: [botUserId] }];
    if (isOurs(there)) throw new ApiError('already_reacted');
    return reactions.map((one) => (one === there ? { name, users: [...one.users, botUserId] } : one));
  }),
  'reactions.remove': reactionMethod((reactions, name) => {
    const there = reactions.find((reaction) => reaction.name === name);
    if (there === undefined || !isOurs(there)) throw new ApiError('no_reaction');
    const users = there.users.filter((user) => user !== botUserId);
    return reactions.flatMap((one) => (one !== there ? [one] : users.length === 0 ? [] : [{ name, users }]));
  }),
};

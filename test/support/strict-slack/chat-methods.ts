import { z } from 'zod';
import { ApiError } from './api-error.ts';
import { checkedBlocks } from './blocks.ts';
import { strictApp } from './ids.ts';
import type { StoredMessage } from './message.ts';
import { argument, type Method, type MethodContext, method, writableChannel } from './method.ts';
import type { Channel } from './workspace.ts';

const { botUserId, botId, appId } = strictApp;
const POST_TEXT_MAX = 40_000;
const UPDATE_TEXT_MAX = 4_000;
const METADATA_MAX = 16_384;

const metadataShape = z.strictObject({
  event_type: z.string().min(1),
  event_payload: z.record(z.string(), z.unknown()),
});

const content = {
  channel: argument.text,
  text: z.string().optional(),
  blocks: z.unknown().optional(),
  metadata: z.unknown().optional(),
  unfurl_links: argument.flag.optional(),
  unfurl_media: argument.flag.optional(),
};

type Content = Pick<StoredMessage, 'text' | 'blocks' | 'metadata'>;

function checkedContent(
  { stored }: MethodContext,
  { text = '', blocks, metadata }: { text?: string | undefined; blocks?: unknown; metadata?: unknown },
  textMax: number,
): Content {
  if (text.length > textMax) throw new ApiError('msg_too_long');
  const checked = blocks === undefined ? [] : checkedBlocks(blocks);
  if (text.trim() === '' && checked.length === 0) throw new ApiError('no_text');
  return {
    text,
    ...(checked.length === 0 ? {} : { blocks: stored(checked) }),
    ...(metadata === undefined ? {} : { metadata: checkedMetadata(metadata) }),
  };
}

function checkedMetadata(value: unknown): z.infer<typeof metadataShape> {
  const parsed = metadataShape.safeParse(value);
  if (!parsed.success) throw new ApiError('invalid_metadata_format');
  if (JSON.stringify(parsed.data).length > METADATA_MAX) throw new ApiError('metadata_too_large');
  return parsed.data;
}

/** The thread of a new message. A deleted root still takes replies. */
function checkedThread(channel: Channel, rootTs: string | undefined): { readonly thread_ts?: string } {
  if (rootTs === undefined) return {};
  const root = channel.log.get(rootTs);
  if (root === undefined && !channel.log.wasDeleted(rootTs)) throw new ApiError('message_not_found');
  if (root?.thread_ts !== undefined) throw new ApiError('cannot_reply_to_message');
  return { thread_ts: rootTs };
}

/** As the answers of chat methods show a message. */
function shown({ channel: _channel, ...message }: StoredMessage): Omit<StoredMessage, 'channel'> {
  return message;
}

const postMessage = method(
  z.strictObject({
    ...content,
    thread_ts: argument.ts.optional(),
  }),
  (context, args) => {
    const channel = writableChannel(context.workspace, args.channel, botUserId);
    const { message } = context.workspace.post(channel, {
      user: botUserId,
      bot_id: botId,
      app_id: appId,
      ...checkedContent(context, args, POST_TEXT_MAX),
      ...checkedThread(channel, args.thread_ts),
    });
    return { channel: channel.id, ts: message.ts, message: shown(message) };
  },
);

const update = method(z.strictObject({ ...content, ts: argument.ts }), (context, args) => {
  const channel = writableChannel(context.workspace, args.channel, botUserId);
  const old = channel.log.get(args.ts);
  if (old === undefined || old.ephemeral_to !== undefined) throw new ApiError('message_not_found');
  if (old.bot_id !== botId) throw new ApiError('cant_update_message');
  // Text without blocks takes the old blocks away; metadata stays unless new is given.
  const { blocks: _blocks, ...kept } = old;
  const edited = args.blocks === undefined ? { edited: { user: botUserId, ts: args.ts } } : {};
  const message = { ...kept, ...edited, ...checkedContent(context, args, UPDATE_TEXT_MAX) };
  context.workspace.update(channel, message);
  return { channel: channel.id, ts: message.ts, text: message.text, message: shown(message) };
});

const postEphemeral = method(
  z.strictObject({
    channel: argument.text,
    user: argument.text,
    text: z.string().optional(),
    blocks: z.unknown().optional(),
    thread_ts: argument.ts.optional(),
  }),
  (context, args) => {
    const channel = writableChannel(context.workspace, args.channel, botUserId);
    if (!channel.members.has(args.user)) throw new ApiError('user_not_in_channel');
    const { message } = context.workspace.post(channel, {
      user: botUserId,
      bot_id: botId,
      app_id: appId,
      subtype: 'ephemeral',
      ephemeral_to: args.user,
      ...checkedContent(context, args, POST_TEXT_MAX),
      ...checkedThread(channel, args.thread_ts),
    });
    return { message_ts: message.ts };
  },
);

export const chatMethods: Readonly<Record<string, Method>> = {
  'chat.postMessage': postMessage,
  'chat.update': update,
  'chat.postEphemeral': postEphemeral,
};

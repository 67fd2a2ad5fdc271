import { z } from 'zod';
import { ApiError } from './api-error.ts';
import { strictApp } from './ids.ts';
import type { StoredMessage } from './message.ts';
import { argument, joinedChannel, type Method, method } from './method.ts';
import { type Channel, publicMessage } from './workspace.ts';

const { botUserId, botId, teamId } = strictApp;
const DEFAULT_LIMIT = 100;

const pageArgs = {
  channel: argument.text,
  oldest: argument.time.optional(),
  latest: argument.time.optional(),
  inclusive: argument.flag.optional(),
  limit: argument.count.optional(),
  cursor: z.string().optional(),
  include_all_metadata: argument.flag.optional(),
};

/** The `ts` after which a page begins, in the order of the pages. */
function decodeCursor(cursor: string | undefined): string | undefined {
  if (cursor === undefined || cursor === '') return undefined;
  const ts = /^next:(\d+\.\d{6})$/.exec(Buffer.from(cursor, 'base64').toString())?.[1];
  if (ts === undefined) throw new ApiError('invalid_cursor');
  return ts;
}

/** The first `limit` of the messages, and the way to the rest. */
function page(
  channel: Channel,
  {
    first,
    rest,
    limit,
    withMetadata,
  }: {
    /** Stands at the top of every page. */
    readonly first: readonly StoredMessage[];
    readonly rest: readonly StoredMessage[];
    readonly limit: number;
    readonly withMetadata: boolean;
  },
): ReturnType<Method> {
  const shown = rest.slice(0, Math.max(limit - first.length, 1));
  const last = shown.length < rest.length ? shown.at(-1) : undefined;
  return {
    messages: [...first, ...shown].map((message) => ({
      ...publicMessage(channel, message),
      ...(withMetadata && message.metadata !== undefined ? { metadata: message.metadata } : {}),
    })),
    has_more: last !== undefined,
    ...(last === undefined
      ? {}
      : { response_metadata: { next_cursor: Buffer.from(`next:${last.ts}`).toString('base64') } }),
  };
}

/** Newest first, and no replies but those that were also sent to the channel. */
const history = method(z.strictObject(pageArgs), ({ workspace }, args) => {
  const channel = joinedChannel(workspace, args.channel, botUserId);
  const before = decodeCursor(args.cursor);
  const all = channel.log.topLevel({ oldest: args.oldest, latest: args.latest, inclusive: args.inclusive });
  const rest = all.reverse().filter(({ ts }) => before === undefined || Number(ts) < Number(before));
  const withMetadata = args.include_all_metadata ?? false;
  return page(channel, { first: [], rest, limit: args.limit ?? DEFAULT_LIMIT, withMetadata });
});

/** Oldest first; the root is on every page. Of a reply, only itself. */
const replies = method(z.strictObject({ ...pageArgs, ts: argument.ts }), ({ workspace }, args) => {
  const channel = joinedChannel(workspace, args.channel, botUserId);
  const root = channel.log.get(args.ts);
  if (root === undefined || root.ephemeral_to !== undefined) throw new ApiError('thread_not_found');
  const after = decodeCursor(args.cursor);
  const range = { oldest: args.oldest, latest: args.latest, inclusive: args.inclusive };
  const all = root.thread_ts === undefined ? channel.log.replies(root.ts, range) : [];
  const rest = all.filter(({ ts }) => after === undefined || Number(ts) > Number(after));
  const withMetadata = args.include_all_metadata ?? false;
  return page(channel, { first: [root], rest, limit: args.limit ?? DEFAULT_LIMIT, withMetadata });
});

/** Private channels are shown to members only. Of direct messages the app does not ask. */
const info = method(z.strictObject({ channel: argument.text }), ({ workspace }, { channel: id }) => {
  const channel = workspace.channel(id);
  const { name, type, isArchived, members, sharing } = channel;
  if (type === 'im') throw new ApiError('missing_scope');
  const isMember = members.has(botUserId);
  if (type === 'group' && !isMember) throw new ApiError('channel_not_found');
  const isShared = workspace.isShared(channel);
  return {
    channel: {
      id: channel.id,
      name,
      is_channel: type === 'channel',
      is_group: type === 'group',
      is_private: type === 'group',
      is_archived: isArchived,
      is_member: isMember,
      is_shared: isShared,
      is_org_shared: false,
      is_ext_shared: isShared,
      is_pending_ext_shared: sharing === 'pending',
    },
  };
});

const getPermalink = method(
  z.strictObject({ channel: argument.text, message_ts: argument.ts }),
  ({ workspace }, { channel: id, message_ts: ts }) => {
    const channel = workspace.channel(id);
    const message = channel.log.get(ts);
    if (message === undefined) throw new ApiError('message_not_found');
    const thread = message.thread_ts === undefined ? '' : `?thread_ts=${message.thread_ts}&cid=${channel.id}`;
    const permalink = `https://strict.slack.com/archives/${channel.id}/p${ts.replace('.', '')}${thread}`;
    return { channel: channel.id, permalink };
  },
);

const authTest = method(z.looseObject({}), () => ({
  url: 'https://strict.slack.com/',
  team: 'Strict',
  team_id: teamId,
  user: 'docs-agent',
  user_id: botUserId,
  bot_id: botId,
  is_enterprise_install: false,
}));

export const readingMethods: Readonly<Record<string, Method>> = {
  'auth.test': authTest,
  'conversations.info': info,
  'conversations.history': history,
  'conversations.replies': replies,
  'chat.getPermalink': getPermalink,
};

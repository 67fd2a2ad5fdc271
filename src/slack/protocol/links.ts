const ID_MAX = 200;
const MESSAGE_PATH = /\/archives\/([A-Z0-9]+)\/p(\d{10})(\d{6})(?:$|[/?#])/;

/** Accepts a link to a message, or an id. */
export function jobReference(word: string) {
  const [bare = ''] = word.replace(/^</, '').replace(/>$/, '').replaceAll('&amp;', '&').split('|', 1);
  const found = MESSAGE_PATH.exec(bare);
  if (found === null) return { kind: 'id', id: bare.slice(0, ID_MAX) } as const;
  const [, channelId = '', seconds, micros] = found;
  // A reply's link also names the thread's root.
  const threadTs = URL.parse(bare)?.searchParams.get('thread_ts') ?? `${seconds}.${micros}`;
  return { kind: 'thread', channelId, threadTs } as const;
}

const CHANNEL_ID = /^[A-Z0-9]{1,32}$/;

/** Saves a call of `chat.getPermalink`. */
export function threadLink(
  workspaceUrl: string | null,
  channelId: string,
  threadTs: string | null,
): string | null {
  if (workspaceUrl === null || threadTs === null || !CHANNEL_ID.test(channelId)) return null;
  return URL.parse(`archives/${channelId}/p${threadTs.replace('.', '')}`, workspaceUrl)?.href ?? null;
}

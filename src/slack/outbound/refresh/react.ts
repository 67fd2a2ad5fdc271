import type { Poster } from '../../workspace/poster.ts';

interface Reactions {
  readonly channelId: string;
  readonly messageTs: string;
  /** Null: none. */
  readonly name: string | null;
  /** Others, which need not be there. */
  readonly instead: readonly string[];
}

/** Puts a reaction at a message, in place of others. May be repeated. Throws SlackCallError. */
export async function react(
  poster: Poster,
  { channelId, messageTs, name, instead }: Reactions,
): Promise<void> {
  if (name !== null) await poster.addReaction(channelId, messageTs, name);
  for (const other of instead) await poster.removeReaction(channelId, messageTs, other);
}

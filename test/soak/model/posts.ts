import type { SlackMessage } from '../../support/local-slack.ts';
import { linkIn } from '../texts.ts';

/** What a message of the bot in a thread tells. */
export type PostKind =
  | 'working'
  | 'ended'
  | 'link'
  | 'create_unknown'
  | 'message_unknown'
  | 'trouble'
  | 'caught_up'
  | 'written_in_form'
  | 'other';

const SIGNS: readonly (readonly [sign: string, kind: PostKind])[] = [
  ['🎉', 'link'],
  ['may or may not have started', 'create_unknown'],
  ['may or may not have arrived', 'message_unknown'],
  ['*Working*', 'working'],
  ['*Finished*', 'ended'],
  ['*Failed*', 'ended'],
  ["*Can't reach the agent API*", 'trouble'],
  ['*Waiting for the rate limit*', 'trouble'],
  ['*Going on*', 'trouble'],
  ['📬', 'caught_up'],
  ['💬', 'written_in_form'],
];

export function kindOf({ text }: SlackMessage): PostKind {
  return SIGNS.find(([sign]) => text.includes(sign))?.[1] ?? 'other';
}

export function ofKind(posts: readonly SlackMessage[], kind: PostKind): SlackMessage[] {
  return posts.filter((post) => kindOf(post) === kind);
}

/** The number of follow-ups that a message tells of. */
export function followUpsIn({ text }: SlackMessage): number {
  return Number(/(\d+) follow-ups?\b/.exec(text)?.[1] ?? 0);
}

/** The ids of the calls that made the message, by which a second post of the same call is known. */
export function callIdOf({ blocks = [] }: SlackMessage): string | null {
  return blocks.find(({ block_id: id }) => id?.startsWith('call:'))?.block_id ?? null;
}

export function linksOf(posts: readonly SlackMessage[]): string[] {
  return posts.flatMap(({ text }) => linkIn(text) ?? []);
}

/** What there is more than once. */
export function repeated<T>(things: readonly T[]): T[] {
  return [...new Set(things.filter((thing, index) => things.indexOf(thing) !== index))];
}

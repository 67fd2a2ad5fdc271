import type { SlackMessage } from '../../support/local-slack.ts';
import { linkIn } from '../texts.ts';

/** What a message of the bot in a thread tells. */
export type PostKind =
  | 'working'
  /** Somebody else is said to go on with the job. */
  | 'continued'
  | 'ended'
  /** An end, too, but for a link that comes late. */
  | 'link'
  | 'create_unknown'
  | 'message_unknown'
  | 'trouble'
  | 'caught_up'
  | 'written_in_form'
  | 'draft'
  | 'other';

const SIGNS: readonly (readonly [sign: string, kind: PostKind])[] = [
  ["Couldn't confirm the start", 'create_unknown'],
  ["Couldn't confirm that", 'message_unknown'],
  ['*On it.*', 'working'],
  ['*Working again.*', 'continued'],
  ['🎉', 'link'],
  ['*Updated:*', 'ended'],
  ['*Done, no pull request.*', 'ended'],
  ['*Failed', 'ended'],
  ['*Archived.*', 'ended'],
  ['*Stopped* by', 'ended'],
  ['*The agent says:*', 'ended'],
  ["*Can't reach the agent.*", 'trouble'],
  ["*The agent's hourly limit is used up.*", 'trouble'],
  ['*Back online.*', 'trouble'],
  ['keeps changing its answer', 'trouble'],
  ['📬', 'caught_up'],
  ['💬', 'written_in_form'],
  ['*Draft*', 'draft'],
];

export function kindOf({ text }: SlackMessage): PostKind {
  return SIGNS.find(([sign]) => text.includes(sign))?.[1] ?? 'other';
}

export function ofKind(posts: readonly SlackMessage[], kind: PostKind): SlackMessage[] {
  return posts.filter((post) => kindOf(post) === kind);
}

/** It says that somebody stopped the turn. */
export function isStop({ text }: SlackMessage): boolean {
  return text.includes('*Stopped* by');
}

/** The number of follow-ups that a message tells of. */
export function followUpsIn({ text }: SlackMessage): number {
  return Number(/(\d+) (?:follow-ups?|reply|replies)\b/.exec(text)?.[1] ?? 0);
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

import type { SlackMessage } from '../../support/local-slack.ts';

/** What a message of the bot in a thread tells. */
export type PostKind =
  | 'working'
  | 'ended'
  /** An end, too, but for a link that comes late. */
  | 'link'
  | 'other';

const SIGNS: readonly (readonly [sign: string, kind: PostKind])[] = [
  ['*On it.*', 'working'],
  ['🎉', 'link'],
  ['*Updated:*', 'ended'],
  ['*Done, no pull request.*', 'ended'],
  ['*Failed', 'ended'],
  ['*Archived.*', 'ended'],
  ['*Stopped* by', 'ended'],
  ['*The agent says:*', 'ended'],
];

export function kindOf({ text }: SlackMessage): PostKind {
  return SIGNS.find(([sign]) => text.includes(sign))?.[1] ?? 'other';
}

export function ofKind(posts: readonly SlackMessage[], kind: PostKind): SlackMessage[] {
  return posts.filter((post) => kindOf(post) === kind);
}

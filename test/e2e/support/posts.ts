import type { SlackMessage } from '../../support/local-slack.ts';
import type { World } from './world.ts';

/** Those of the messages that contain the words. */
export function saying<T extends Pick<SlackMessage, 'text'>>(messages: readonly T[], words: string): T[] {
  return messages.filter(({ text }) => text.includes(words));
}

/** Lets time run until the card's thread has a message that contains the words, and returns it. */
export async function toldLater(world: World, card: SlackMessage, words: string): Promise<SlackMessage> {
  const posts = await world.later(
    async () => saying(await world.posts(card), words),
    (found) => found.length > 0,
    `a message with "${words}" in the thread`,
  );
  const [post] = posts;
  if (post === undefined) throw new Error(`nobody said "${words}"`);
  return post;
}

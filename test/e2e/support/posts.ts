import { expect } from 'vitest';
import { present, some } from '../../support/is.ts';
import type { SlackControl, SlackMessage } from '../../support/local-slack.ts';
import { general } from '../../support/local-slack.ts';
import type { StrictControl } from '../../support/strict-slack/control.ts';
import type { Program } from '../../support/strict-slack/program.ts';
import type { World } from './world.ts';

/** Those of the messages that contain the words. */
export function saying<T extends Pick<SlackMessage, 'text'>>(messages: readonly T[], words: string): T[] {
  return messages.filter(({ text }) => text.includes(words));
}

/** Lets time run until the card's thread has a message that contains the words, and returns it. */
export async function toldLater(world: World, card: SlackMessage, words: string): Promise<SlackMessage> {
  const posts = await world.later(
    async () => saying(await world.posts(card), words),
    some,
    `a message with "${words}" in the thread`,
  );
  const [post] = posts;
  if (post === undefined) throw new Error(`nobody said "${words}"`);
  return post;
}

/** Waits, without moving the clock, until this is the receipt of the reply. */
export async function receipt(
  slack: Pick<SlackControl, 'reactions'>,
  reply: SlackMessage,
  name: string,
): Promise<void> {
  await expect.poll(() => slack.reactions(reply), { message: 'the receipt' }).toEqual([name]);
}

/** Waits, without moving the clock, until the form that the person sees shows this. */
async function seesForm(control: StrictControl, user: string, words: string): Promise<void> {
  const form = () => JSON.stringify(control.modal(user)?.blocks ?? []);
  await expect.poll(form, { message: 'the form' }).toContain(words);
}

/** Chooses to send messages of a thread along, where that is offered, and waits until the form shows this. */
export async function openThreadForm({ later, slack }: Program, user: string, words: string): Promise<void> {
  const offered = async () =>
    (await slack.control.messages(general)).findLast(({ text }) =>
      text.includes('*Send this thread along?*'),
    );
  await slack.control.press(await later(offered, present, 'the offer'), 'choose_messages', user);
  await seesForm(slack.control, user, words);
}

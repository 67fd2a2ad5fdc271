import { expect } from 'vitest';
import { present } from '../../support/is.ts';
import type { SlackControl, SlackMessage } from '../../support/local-slack.ts';
import { general } from '../../support/local-slack.ts';
import type { StrictControl } from '../../support/strict-slack/control.ts';
import type { Program } from '../../support/strict-slack/program.ts';

/** Those of the messages that contain the words. */
export function saying<T extends Pick<SlackMessage, 'text'>>(messages: readonly T[], words: string): T[] {
  return messages.filter(({ text }) => text.includes(words));
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

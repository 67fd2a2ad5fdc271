import { expect } from 'vitest';
import { alice, bob, general, type SlackMessage } from '../../support/local-slack.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { Replicas } from './replicas.ts';

export const PROMPT = 'Add a quickstart';
export const PR = 'https://github.com/acme/docs/pull/1';

export const ask = (world: Replicas, text = PROMPT) =>
  world.slack.command({ channel: general, user: alice, text });

/** Asks, and waits until the agent is said to work. Returns the card. */
export async function askAndWait(world: Replicas): Promise<SlackMessage> {
  await ask(world);
  await world.messageSeen('On it');
  return world.card();
}

export const reply = (world: Replicas, { ts: threadTs }: SlackMessage, text: string) =>
  world.slack.message({ channel: general, user: bob, text, threadTs });

export async function isAccepted(world: Replicas, message: SlackMessage): Promise<void> {
  await waitFor(
    () => world.slack.reactions(message),
    (names) => names.join() === 'white_check_mark',
    { what: 'the receipt "accepted", alone' },
  );
}

/**
 * The local Slack sends each press to all replicas. One that just woke may not reach the store any more, and says so,
 * though another has stored the press: Slack itself would have sent it to one of them.
 */
const SAID_BY_THE_WOKEN = 'save that';

/** Ends the job with a pull request, and expects that the bot has said just this, each once, below one card. */
export async function expectStory(world: Replicas, ...words: readonly string[]): Promise<void> {
  world.finish(PR);
  await isOver(world);
  const messages = (await world.messages()).filter(
    ({ user, text }) => user !== alice && user !== bob && !text.includes(SAID_BY_THE_WOKEN),
  );
  expect(messages.map(({ text }) => text)).toEqual(
    ['Pull request ready', ...words, '🎉'].map((word) => expect.stringContaining(word)),
  );
  const [card, ...posts] = messages;
  expect(posts.map(({ thread_ts }) => thread_ts)).toEqual(posts.map(() => card?.ts));
}

/** Waits until the card shows the end, and nothing is left to do. */
async function isOver(world: Replicas): Promise<void> {
  await waitFor(
    async () => ({
      card: (await world.card()).text,
      tasks: await world.query("select id from task where kind <> 'check_ended_job'"),
    }),
    ({ card, tasks }) => card.includes('✅') && tasks.length === 0,
    { what: 'the card to show the end, and all to be done' },
  );
}

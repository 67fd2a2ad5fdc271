import { general, type SlackMessage } from '../../support/local-slack.ts';
import type { World } from './world.ts';

/** The messages of the channel that are in no thread. */
export const cards = async (world: World) =>
  (await world.slack.messages(general)).filter(({ thread_ts, subtype }) => !thread_ts && !subtype);

/** Asks, and waits until the agent is said to work. Returns the card. */
export async function working(
  world: Pick<World, 'ask' | 'threadMessage'>,
  prompt = 'Add a quickstart',
): Promise<SlackMessage> {
  const card = await world.ask(prompt);
  await world.threadMessage(card, 'On it');
  return card;
}

/** Lets time run until the card says this, and returns it. */
export async function shows(
  world: World,
  { channel, ts }: SlackMessage,
  words: string,
): Promise<SlackMessage> {
  const card = async () => (await world.slack.messages(channel)).find((one) => one.ts === ts);
  const isThere = (one?: SlackMessage): one is SlackMessage => one?.text.includes(words) === true;
  return world.later(card, isThere, `the card to say "${words}"`);
}

/** Ends the turn of the agent job that was started with the prompt. */
export function finish(world: World, prompt: string, status: string, prLink?: string): void {
  const job = world.api.jobs.find(({ prompts }) => prompts[0] === prompt);
  if (job === undefined) throw new Error(`no job was asked for "${prompt}"`);
  world.api.finish(job.id, prLink === undefined ? { status } : { status, prLink });
}

/** A job at which the agent works, and that was read at least once. */
export async function watched(world: World, prompt = 'Add a quickstart') {
  const card = await world.ask(prompt);
  await world.threadMessage(card, 'On it');
  const reads = world.api.counts.get;
  // The second read is planned when the first is written down.
  await world.later(
    () => world.api.counts.get,
    (count) => count >= reads + 2,
    'the first two checks',
  );
  const id = world.api.jobs.at(-1)?.id ?? '';
  return {
    card,
    finish: (status: string, prLink?: string | null) =>
      world.api.finish(id, { status, ...(prLink === undefined ? {} : { prLink }) }),
  };
}

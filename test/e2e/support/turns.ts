import { general, type SlackMessage } from '../../support/local-slack.ts';
import type { World } from './world.ts';

/** The messages of the channel that are in no thread. */
export const cards = async (world: World) =>
  (await world.slack.messages(general)).filter(({ thread_ts, subtype }) => !thread_ts && !subtype);

/** Asks, and waits until the agent is said to work. Returns the card. */
export async function working(world: World, prompt = 'Add a quickstart'): Promise<SlackMessage> {
  const card = await world.ask(prompt);
  await world.told(card, 'Working');
  return card;
}

/** Ends the turn of the agent job that was started with the prompt. */
export function finish(world: World, prompt: string, status: string, prLink?: string): void {
  const job = world.api.jobs.find(({ prompts }) => prompts[0] === prompt);
  if (job === undefined) throw new Error(`no job was asked for "${prompt}"`);
  world.api.finish(job.id, prLink === undefined ? { status } : { status, prLink });
}

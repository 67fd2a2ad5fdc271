import { setTimeout as pause } from 'node:timers/promises';
import { linkOf, workMs } from './noted.ts';
import type { Traffic } from './traffic.ts';

/** The agent works on the request by then. */
const REPLY_AFTER_MS = 1_000;

/** How long a person waited for each step of a job. */
export interface Delays {
  readonly cardMs: number;
  readonly replyMs: number;
  readonly endMs: number;
}

/** Asks for a job in a workspace, replies in its thread, and waits for its pull request. `number` is new for each. */
export async function probe(traffic: Traffic, team: number, number: number): Promise<Delays> {
  const channel = `C${number}`;
  const askedAtMs = Date.now();
  await traffic.command(team, channel, `probe-${number}; describe the webhooks`);
  const card = await traffic.arrival('card', `probe-${number}`);
  await traffic.arrival('create', `probe-${number}`);
  await pause(REPLY_AFTER_MS);
  const repliedAtMs = Date.now();
  await traffic.reply(team, { channel, threadTs: card.id }, `remark-${number}; and the retries`);
  const message = await traffic.arrival('message', `remark-${number}`);
  const news = await traffic.arrival('post', linkOf(message.id));
  return {
    cardMs: card.atMs - askedAtMs,
    replyMs: message.atMs - repliedAtMs,
    endMs: news.atMs - message.atMs - workMs(message.id),
  };
}

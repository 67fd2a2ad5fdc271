import { z } from 'zod';
import type { Clock } from '../../../src/engine/runtime/clock.ts';
import { ApiError } from './api-error.ts';
import { strictApp } from './ids.ts';
import { argument, joinedChannel, type Method, method } from './method.ts';

const LIFE_MS = 2 * 60_000;
const LOADING_MESSAGES_MAX = 10;
const { botUserId } = strictApp;

/** The line under a thread that says what the bot is doing. */
export class Statuses {
  readonly #clock: Clock;
  readonly #lines = new Map<string, { readonly text: string; readonly untilMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  set(channelId: string, threadTs: string, text: string): void {
    this.#lines.set(`${channelId}:${threadTs}`, { text, untilMs: this.#clock.now() + LIFE_MS });
  }

  clear(channelId: string, threadTs: string): void {
    this.#lines.delete(`${channelId}:${threadTs}`);
  }

  forget(): void {
    this.#lines.clear();
  }

  get(channelId: string, threadTs: string): string | null {
    const line = this.#lines.get(`${channelId}:${threadTs}`);
    return line === undefined || this.#clock.now() >= line.untilMs ? null : line.text;
  }
}

/** An empty status takes it away. */
const setStatus = method(
  z.strictObject({
    channel_id: argument.text,
    thread_ts: argument.ts,
    status: z.string(),
    loading_messages: z.array(z.string()).max(LOADING_MESSAGES_MAX).optional(),
  }),
  ({ workspace, statuses }, { channel_id: id, thread_ts: threadTs, status }) => {
    const channel = joinedChannel(workspace, id, botUserId);
    if (channel.log.get(threadTs) === undefined) throw new ApiError('invalid_thread_ts');
    if (status === '') statuses.clear(channel.id, threadTs);
    else statuses.set(channel.id, threadTs, status);
    return {};
  },
);

export const statusMethods: Readonly<Record<string, Method>> = { 'assistant.threads.setStatus': setStatus };

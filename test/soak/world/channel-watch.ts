import { setTimeout as pause } from 'node:timers/promises';
import type { SlackControl, SlackMessage } from '../../support/local-slack.ts';
import { isCardText, storyOf } from '../texts.ts';

const LOOK_INTERVAL_MS = 150;

/** What people see of the channels as they grow: the cards, and the bot's messages in their threads. */
export interface ChannelWatch extends AsyncDisposable {
  /** The first card of a story, or null. */
  cardOf(story: number): SlackMessage | null;
  /** The bot's messages in the thread, oldest first, as they were posted. */
  postsOf(card: SlackMessage): readonly SlackMessage[];
}

/** The root of a card's thread: the card itself, or the message that asked for it. */
export function threadOf({ ts, thread_ts: threadTs }: SlackMessage): string {
  return threadTs ?? ts;
}

export interface WatchOptions {
  readonly slack: Pick<SlackControl, 'messages'>;
  /** Channels, and people, each for their direct messages. */
  readonly channels: readonly string[];
  readonly people: readonly string[];
  /** Called once for each message of the bot in a thread. */
  readonly onPost: (post: SlackMessage) => void;
}

export function watchChannels({ slack, channels, people, onPost }: WatchOptions): ChannelWatch {
  const cards = new Map<number, SlackMessage>();
  const threads = new Map<string, SlackMessage[]>();
  const state = { isStopped: false };
  const seen = new Map<string, number>();

  async function look(): Promise<void> {
    for (const channel of channels) {
      const messages = await slack.messages(channel);
      for (const message of messages.slice(seen.get(channel) ?? 0)) take(message);
      seen.set(channel, messages.length);
    }
  }

  function take(message: SlackMessage): void {
    const { thread_ts: root, text, user, subtype } = message;
    if (people.includes(user) || subtype !== undefined) return;
    const story = storyOf(text);
    if (isCardText(text)) {
      if (story !== null && !cards.has(story)) cards.set(story, message);
    } else if (root !== undefined) {
      threads.set(root, [...(threads.get(root) ?? []), message]);
      onPost(message);
    }
  }

  async function run(): Promise<void> {
    while (!state.isStopped) {
      await look();
      await pause(LOOK_INTERVAL_MS);
    }
  }

  const running = run();
  return {
    cardOf: (story) => cards.get(story) ?? null,
    postsOf: (card) => threads.get(threadOf(card)) ?? [],
    [Symbol.asyncDispose]: async () => {
      state.isStopped = true;
      await running;
    },
  };
}

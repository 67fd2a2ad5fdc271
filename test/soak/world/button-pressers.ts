import { setTimeout as pause } from 'node:timers/promises';
import { alice, bob, type SlackMessage } from '../../support/local-slack.ts';
import { strictApp } from '../../support/strict-slack/ids.ts';
import type { StrictSlack } from '../../support/strict-slack.ts';
import type { Random } from '../random.ts';

/** The message that a press has reached a program that does not know the job. */
const AT_ANOTHER = "reached the one that doesn't know the job";

const THINK_MAX_MS = 2_000;
const AGAIN_AFTER_MS = 1_000;
const NEWS_WITHIN_MS = 10_000;
const TIMES_MAX = 4;
/** The message that Slack did not say who the person is. */
const NOT_CHECKED = 'check whether you may do this';
/** A reply whose sending is unknown is left alone so often. */
const LEFT_ALONE_SHARE = 0.1;
const TWICE_SHARE = 0.3;
const OFFERS = ['start_again', 'send_again'];

/** People who answer what the bot asks: sooner or later, some twice at the same time, some not at all. */
export interface ButtonPressers {
  /** Has a look at a message of the bot, and presses its button if it has one that is worth it. */
  consider(post: SlackMessage): void;
  /** Presses nothing more. */
  stop(): Promise<void>;
}

export function createButtonPressers({ control }: StrictSlack, random: Random): ButtonPressers {
  const underWay = new Set<Promise<void>>();
  const state = { isStopped: false };

  async function answer(post: SlackMessage, actionId: string): Promise<void> {
    const isTwice = random() < TWICE_SHARE;
    await pause(random() * THINK_MAX_MS);
    // A press that the bot does not acknowledge shows a warning: people press again. If nothing follows: the
    // bot may have said, privately, that it could not check who that is, or that another program got the press.
    let times = 0;
    for (let isDone = false; !isDone && !state.isStopped; ) {
      const atMs = Date.now();
      const presses = [alice, ...(isTwice ? [bob] : [])].map((user) => control.press(post, actionId, user));
      const isHeard = (await Promise.all(presses)).some(({ acknowledged }) => acknowledged);
      const seen = isHeard ? await whatFollows(post, atMs) : null;
      if (isHeard && seen !== 'elsewhere') times += 1;
      isDone = seen === 'news' || times >= TIMES_MAX;
      if (!isDone) await pause(AGAIN_AFTER_MS);
    }
  }

  /** Whether the thread has something new after a while, and no message asked to try again. */
  async function whatFollows(
    { channel, ts: postTs, thread_ts: root = '' }: SlackMessage,
    sinceMs: number,
  ): Promise<'news' | 'elsewhere' | null> {
    const endMs = Date.now() + NEWS_WITHIN_MS;
    for (;;) {
      await pause(AGAIN_AFTER_MS);
      const messages = await control.messages(channel);
      const told = messages.filter(({ ts }) => Number(ts) * 1000 > sinceMs);
      const isTold = (words: string) =>
        told.some(({ subtype, text }) => subtype === 'ephemeral' && text.includes(words));
      const inThread = told.filter(
        ({ user, thread_ts }) => user === strictApp.botUserId && thread_ts === root,
      );
      if (inThread.some(({ text }) => text.includes(AT_ANOTHER))) return 'elsewhere';
      if (isTold(NOT_CHECKED) || Date.now() > endMs || state.isStopped) return null;
      // Whoever still sees the button presses it again: what came may be of something else.
      const post = messages.find(({ ts }) => ts === postTs);
      const isUsed = post === undefined || offerOf(post) === null;
      if (inThread.length > 0 && isUsed) return 'news';
    }
  }

  return {
    consider: (post) => {
      const actionId = offerOf(post);
      if (actionId === null) return;
      if (actionId === 'send_again' && random() < LEFT_ALONE_SHARE) return;
      const done: Promise<void> = answer(post, actionId).finally(() => underWay.delete(done));
      underWay.add(done);
    },
    stop: async () => {
      state.isStopped = true;
      await Promise.all(underWay);
    },
  };
}

function offerOf({ blocks = [] }: SlackMessage): string | null {
  const ids = blocks.flatMap(({ elements = [] }) => elements.map(({ action_id: id = '' }) => id));
  return ids.find((id) => OFFERS.includes(id)) ?? null;
}

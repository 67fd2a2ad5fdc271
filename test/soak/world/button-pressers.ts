import { setTimeout as pause } from 'node:timers/promises';
import { alice, bob, type SlackMessage } from '../../support/local-slack.ts';
import { strictApp } from '../../support/strict-slack/ids.ts';
import type { StrictSlack } from '../../support/strict-slack.ts';
import type { Random } from '../random.ts';

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
  /** The messages, by `ts`, whose button was pressed. */
  readonly pressed: ReadonlySet<string>;
  /** Presses nothing more. */
  stop(): Promise<void>;
}

export function createButtonPressers({ control }: StrictSlack, random: Random): ButtonPressers {
  const pressed = new Set<string>();
  const underWay = new Set<Promise<void>>();
  const state = { isStopped: false };

  async function answer(post: SlackMessage, actionId: string): Promise<void> {
    const isTwice = random() < TWICE_SHARE;
    await pause(random() * THINK_MAX_MS);
    // A press that the bot does not acknowledge shows a warning: people press again. If nothing follows: the
    // bot may have said, privately, that it could not check who that is.
    let times = 0;
    for (let isDone = false; !isDone && !state.isStopped; ) {
      pressed.add(post.ts);
      const atMs = Date.now();
      const presses = [alice, ...(isTwice ? [bob] : [])].map((user) => control.press(post, actionId, user));
      const isHeard = (await Promise.all(presses)).some(({ acknowledged }) => acknowledged);
      if (isHeard) times += 1;
      isDone = isHeard && (times >= TIMES_MAX || (await goesOn(post, atMs)));
      if (!isDone) await pause(AGAIN_AFTER_MS);
    }
  }

  /** Whether the thread has something new after a while, and no message asked to try again. */
  async function goesOn({ channel, thread_ts: root = '' }: SlackMessage, sinceMs: number): Promise<boolean> {
    const endMs = Date.now() + NEWS_WITHIN_MS;
    for (;;) {
      await pause(AGAIN_AFTER_MS);
      const told = (await control.messages(channel)).filter(({ ts }) => Number(ts) * 1000 > sinceMs);
      const isRefused = told.some(
        ({ subtype, text }) => subtype === 'ephemeral' && text.includes(NOT_CHECKED),
      );
      if (isRefused || Date.now() > endMs || state.isStopped) return false;
      if (told.some(({ user, thread_ts }) => user === strictApp.botUserId && thread_ts === root)) return true;
    }
  }

  return {
    pressed,
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

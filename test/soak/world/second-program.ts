import { setTimeout as pause } from 'node:timers/promises';
import { type ChildEnv, type ChildProgram, runProgram } from '../../support/child-program.ts';
import type { Delivery } from '../../support/strict-slack/delivery.ts';
import { strictApp } from '../../support/strict-slack/ids.ts';
import type { StrictSlack } from '../../support/strict-slack.ts';
import { createTempDir } from '../../support/temp-dir.ts';
import type { Random } from '../random.ts';
import { isOfBot } from './copies.ts';

const NAME = 'second';
const LIFE_MIN_MS = 10_000;
const LIFE_MAX_MS = 20_000;
/** They ask for a job, and do not belong to one yet. */
const STARTING_BUTTONS: readonly unknown[] = ['choose_messages'];

/** A program with the same tokens and a store of its own, as on a laptop, or on a server that was forgotten. */
export interface SecondProgram {
  /** Resolves when it has come, and has gone again. */
  visit(): Promise<void>;
  /** How many deliveries it did not acknowledge, so that they go to the others. */
  left(): number;
  /** How it ended where it was not told to, or not as it should. */
  readonly endings: readonly string[];
  /** What it printed, one text for each visit. */
  outputs(): readonly string[];
}

/**
 * What it would start itself never reaches it, since that would be over when it goes: it gets a share of the replies
 * and presses in threads of jobs, none of which it knows, and of what tells of the bot's own messages.
 * @param env the settings of the others, but for the store
 */
export function secondProgram(slack: StrictSlack, env: ChildEnv, random: Random): SecondProgram {
  const programs: ChildProgram[] = [];
  const endings: string[] = [];
  slack.socket.routeBy((delivery, program) => program !== NAME || isForBoth(delivery));
  return {
    visit: async () => {
      await using folder = await createTempDir();
      await using program = runProgram(['start'], {
        ...env,
        DATA_DIR: folder.path,
        SLACK_API_URL: slack.apiUrlOf(NAME),
      });
      programs.push(program);
      let hasEnded = false;
      void program.exit.then(() => {
        hasEnded = true;
      });
      await program.logged('started').catch(() => {});
      await pause(LIFE_MIN_MS + random() * (LIFE_MAX_MS - LIFE_MIN_MS));
      // A fault of Slack at its start ends it.
      if (hasEnded) return;
      program.kill('SIGTERM');
      const { code, signal } = await program.exit;
      if (code !== 0) endings.push(`the second program: exit ${code ?? signal}`);
    },
    left: () =>
      programs.flatMap((program) => program.log().filter(({ event }) => event === 'reply_left')).length,
    endings,
    outputs: () => programs.map((program) => program.output()),
  };
}

interface MessageEvent {
  readonly type?: string;
  readonly ts?: string;
  readonly thread_ts?: string;
  readonly text?: string;
  readonly parent_user_id?: string;
}

interface Press {
  readonly type?: string;
  readonly container?: { readonly type?: string };
  readonly actions?: readonly { readonly action_id?: string }[];
}

function isForBoth(delivery: Delivery): boolean {
  const { kind, payload } = delivery;
  if (kind === 'command') return false;
  if (kind === 'event') return isOfBot(delivery) || isReply((payload.event ?? {}) as MessageEvent);
  const { type, container, actions = [] } = payload as Press;
  const isPress = type === 'block_actions' && container?.type === 'message';
  return isPress && !actions.some(({ action_id: id }) => STARTING_BUTTONS.includes(id));
}

/** A mention in a thread that a person has begun may start a job, for all that a program knows that has none there. */
function isReply(event: MessageEvent): boolean {
  if (event.type !== 'message' && event.type !== 'app_mention') return false;
  if (event.thread_ts === undefined || event.thread_ts === event.ts) return false;
  const isMention = event.text?.includes(`<@${strictApp.botUserId}>`) === true;
  return !isMention || event.parent_user_id === strictApp.botUserId;
}

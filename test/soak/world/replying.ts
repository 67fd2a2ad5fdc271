import { alice, bob, type SlackMessage } from '../../support/local-slack.ts';
import { strictApp } from '../../support/strict-slack/ids.ts';
import type { StrictSlack } from '../../support/strict-slack.ts';
import type { Manner, ReplyPlan } from '../plan.ts';
import { threadOf } from './channel-watch.ts';
import { fillInForm } from './forms.ts';

export interface Thread {
  readonly story: number;
  readonly card: SlackMessage;
  readonly slack: StrictSlack;
  /** Who asked for the job. */
  readonly person: string;
}

export interface Said {
  readonly story: number;
  readonly text: string;
  readonly manner: Manner;
  /** False: it was written in a form, and it is unknown whether that was taken. */
  readonly isSure: boolean;
}

/** Null: nothing was said. */
export async function reply(plan: ReplyPlan, thread: Thread): Promise<Said | null> {
  const { story, card, slack, person } = thread;
  const { number, text, manner } = plan;
  const user = number % 3 === 0 ? alice : bob;
  const by = isDirect(card) ? person : user;
  if (manner === 'stop') {
    const button = await offered(thread, 'stop');
    if (button !== null) return slack.control.press(button, 'stop', by).then(() => null);
  }
  // Without the button, the word is only for people.
  const said = { story, text, manner: manner === 'stop' ? 'aside' : manner };
  if (manner === 'form') {
    const button = await offered(thread, 'follow_up');
    if (button !== null) {
      const open = () => slack.control.press(button, 'follow_up', person);
      const form = { slack, person, callbackId: 'follow_up', open, values: { prompt: text } };
      const taken = await fillInForm(form);
      if (taken !== 'not_open') return { ...said, isSure: taken === 'accepted' };
    }
  }
  await slack.control.message({
    channel: card.channel,
    user: by,
    text: wordsOf(plan),
    threadTs: threadOf(card),
  });
  return { ...said, isSure: true };
}

function wordsOf({ manner, text }: ReplyPlan): string {
  if (manner === 'mention') return `<@${strictApp.botUserId}> ${text}`;
  if (manner === 'stop') return 'stop';
  return manner === 'aside' ? `aside: ${text}` : text;
}

/** The card, if it offers this button now. */
async function offered({ slack, card }: Thread, button: string): Promise<SlackMessage | null> {
  const thread = await slack.control.thread(card.channel, threadOf(card));
  const now = thread.find(({ ts }) => ts === card.ts);
  return JSON.stringify(now?.blocks ?? []).includes(`"${button}"`) ? (now ?? null) : null;
}

function isDirect({ channel }: SlackMessage): boolean {
  return channel.startsWith('D');
}

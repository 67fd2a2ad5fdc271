import { choose, type Random } from './random.ts';
import { type AgentInstruction, promptText, replyText } from './texts.ts';

/** What one person asks for in a thread, and what is replied there. */
export interface StoryPlan {
  readonly number: number;
  readonly prompt: string;
  readonly way: Way;
  readonly replies: readonly ReplyPlan[];
  /** Each reply waits for the pull request of the turn before, so that each turn's link must be announced. */
  readonly isPatient: boolean;
}

/**
 * How a job is asked for: the command, a mention in a channel, a direct message, the form behind the command, a
 * mention in a thread without a job, whose messages go along, an emoji at a message, a webhook, or a step of a
 * workflow.
 */
export type Way = 'command' | 'mention' | 'direct' | 'form' | 'thread' | 'mark' | 'webhook' | 'workflow';

export interface ReplyPlan {
  readonly number: number;
  readonly text: string;
  readonly moment: Moment;
  readonly manner: Manner;
}

/**
 * `form`: with *Follow up*, where that is offered. `aside`: it is meant for the people of the thread only. `stop`: with
 * *Stop*, where that is offered, or in a word.
 */
export type Manner = 'plain' | 'mention' | 'form' | 'aside' | 'stop';

/**
 * When a reply is written: right behind the message that asks for the job, as soon as the card can be seen, right behind the reply before, while the agent
 * works, after a turn has ended, or after the next pull request was announced.
 */
export type Moment = 'before_card' | 'at_card' | 'at_once' | 'while_working' | 'when_ended' | 'at_link';

const PATIENT_SHARE = 0.2;
/** Each has a recipe of its own, and the program takes so many. */
const WEBHOOKS_MAX = 100;

/**
 * Three replies to each story on average.
 * @param withRunner the agent can be stopped, and has one pull request for each job
 */
export function planStories(random: Random, count: number, withRunner = false): StoryPlan[] {
  let replies = 0;
  let webhooks = 0;
  return Array.from({ length: count }, (_, index): StoryPlan => {
    const number = index + 1;
    const isPatient = random() < PATIENT_SHARE && !withRunner;
    const replyCount = choose(random, [
      [1, 1],
      [1, 2],
      [2, 3],
      [1, 4],
      [1, 5],
    ]);
    const instruction = isPatient
      ? 'new_link'
      : choose<AgentInstruction>(random, [
          [7, 'new_link'],
          [2, 'no_link'],
          [1, 'fail_once'],
        ]);
    const way = choose<Way>(random, [
      [4, 'command'],
      [2, 'mention'],
      [1, 'direct'],
      [1, 'form'],
      [1, 'thread'],
      [1, 'mark'],
      [1, 'webhook'],
      [1, 'workflow'],
    ]);
    if (way === 'webhook') webhooks += 1;
    return {
      number,
      isPatient,
      way: webhooks > WEBHOOKS_MAX && way === 'webhook' ? 'command' : way,
      prompt: promptText(number, instruction),
      replies: Array.from({ length: replyCount }, () => {
        replies += 1;
        return planReply(random, { number: replies, story: number, isPatient, withRunner });
      }),
    };
  });
}

interface About {
  readonly number: number;
  readonly story: number;
  readonly isPatient: boolean;
  readonly withRunner: boolean;
}

function planReply(random: Random, { number, story, isPatient, withRunner }: About): ReplyPlan {
  const instruction = isPatient
    ? 'new_link'
    : choose<AgentInstruction>(random, [
        [5, 'new_link'],
        [3, 'same_link'],
        [2, 'no_link'],
      ]);
  const moment = isPatient
    ? 'at_link'
    : choose<Moment>(random, [
        [1, 'before_card'],
        [2, 'at_card'],
        [3, 'at_once'],
        [2, 'while_working'],
        [3, 'when_ended'],
      ]);
  const manner = choose<Manner>(random, [
    [6, 'plain'],
    [2, 'mention'],
    // An aside makes no turn whose end a patient person could wait for.
    [isPatient ? 0 : 1, 'aside'],
    [moment === 'when_ended' ? 6 : 0, 'form'],
    [withRunner ? 2 : 0, 'stop'],
  ]);
  return {
    number,
    text: replyText(number, story, instruction),
    moment: manner === 'stop' ? 'while_working' : moment,
    manner,
  };
}

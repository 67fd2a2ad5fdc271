import { choose, type Random } from './random.ts';
import { promptText, replyText, type Wish } from './texts.ts';

/** What one person asks for in a thread, and what is replied there. */
export interface StoryPlan {
  readonly number: number;
  readonly prompt: string;
  readonly replies: readonly ReplyPlan[];
  /** Each reply waits for the pull request of the turn before, so that each turn's link must be announced. */
  readonly isPatient: boolean;
}

export interface ReplyPlan {
  readonly number: number;
  readonly text: string;
  readonly moment: Moment;
}

/**
 * When a reply is written: as soon as the card can be seen, right behind the reply before, while the agent
 * works, after a turn has ended, or after the next pull request was announced.
 */
export type Moment = 'at_card' | 'at_once' | 'while_working' | 'when_ended' | 'at_link';

const PATIENT_SHARE = 0.2;

/** Three replies to each story on average. */
export function planStories(random: Random, count: number): StoryPlan[] {
  let replies = 0;
  return Array.from({ length: count }, (_, index): StoryPlan => {
    const number = index + 1;
    const isPatient = random() < PATIENT_SHARE;
    const replyCount = choose(random, [
      [1, 1],
      [1, 2],
      [2, 3],
      [1, 4],
      [1, 5],
    ]);
    const wish = isPatient
      ? 'new_link'
      : choose<Wish>(random, [
          [7, 'new_link'],
          [2, 'no_link'],
          [1, 'fail_once'],
        ]);
    return {
      number,
      isPatient,
      prompt: promptText(number, wish),
      replies: Array.from({ length: replyCount }, () => {
        replies += 1;
        return planReply(random, { number: replies, story: number, isPatient });
      }),
    };
  });
}

function planReply(
  random: Random,
  {
    number,
    story,
    isPatient,
  }: { readonly number: number; readonly story: number; readonly isPatient: boolean },
): ReplyPlan {
  const wish = isPatient
    ? 'new_link'
    : choose<Wish>(random, [
        [5, 'new_link'],
        [3, 'same_link'],
        [2, 'no_link'],
      ]);
  const moment = isPatient
    ? 'at_link'
    : choose<Moment>(random, [
        [2, 'at_card'],
        [3, 'at_once'],
        [2, 'while_working'],
        [3, 'when_ended'],
      ]);
  return { number, text: replyText(number, story, wish), moment };
}

import type { ModelWorld } from '../model-world.ts';
import { type Facts, isUnclear } from './facts.ts';

/** What is wrong with what became of a request. `status`: what the API says of the last job that it started. */
export function judgeRequest({ scene }: ModelWorld, facts: Facts, status: string | null): string[] {
  const { asked, cards, starts, told } = facts;
  const wrong: string[] = [];
  const isToldNo = told.some(({ text }) => text.includes('[Start]'));
  if (cards.length > 1) wrong.push(`${cards.length} cards`);
  if (scene.closed.includes(asked.channel) && (cards.length > 0 || starts.length > 0)) {
    wrong.push('started where the bot is not');
  }
  if (facts.isAccepted && cards.length === 0 && !isToldNo) wrong.push('neither a card nor an answer');
  const [card] = cards;
  if (card === undefined) {
    if (starts.length > 0) wrong.push('a job without a card');
    return wrong;
  }
  const clear = starts.filter((call) => !isUnclear(call));
  if (starts.length > 1 + facts.pressed('start_again', 'edit_and_start')) wrong.push(`${starts.length} jobs`);
  if (clear.length > 1 + facts.pressed('start_again', 'edit_and_start'))
    wrong.push(`${clear.length} jobs that started clearly`);
  if (facts.isCensored) return wrong;
  if (starts.length === 0) wrong.push('no job');
  const words = wordsFor(status);
  if (!words.some((word) => card.text.includes(`*${word}*`))) {
    wrong.push(`the job is ${status}, and the card says: ${card.text}`);
  }
  return wrong;
}

const COMPLETED = ['Pull request ready', 'Updated', 'Done, no pull request'];

function wordsFor(status: string | null): string[] {
  switch (status) {
    case 'completed':
      return COMPLETED;
    case 'failed':
      return ['Failed'];
    // By hand, perhaps after the program had seen how it ended, and looked no more.
    case 'archived':
      return ['Archived', ...COMPLETED, 'Failed'];
    case 'vanished':
      return ['The agent no longer knows this job', ...COMPLETED, 'Failed', 'Archived'];
    default:
      return [];
  }
}

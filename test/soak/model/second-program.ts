import type { Finding, StoryEvidence } from './evidence.ts';

/** The message that a press has reached a program that does not know the job. */
export const AT_ANOTHER = "reached the one that doesn't know the job";
/** What is said of jobs that are deleted. */
const FORGOTTEN = ['no longer stored', 'I no longer follow this thread'];

/**
 * A program that does not know a job leaves its replies to the others, and asks for another press, once for each that it
 * got. Nobody is told that the job were gone.
 */
export function judgeSecondProgram({ cards, second }: StoryEvidence): Finding[] {
  if (cards.length === 0) return [];
  const asked = second.told.filter((text) => text.includes(AT_ANOTHER));
  const forgotten = second.told.filter((text) => FORGOTTEN.some((words) => text.includes(words)));
  return [
    ...second.taken.map(({ number }): Finding => {
      return {
        kind: 'unexpected',
        what: `R${number} was acknowledged by a program that does not know its job`,
      };
    }),
    ...asked
      .slice(second.presses)
      .map((text): Finding => ({ kind: 'unexpected', what: `somebody was told: ${text}` })),
    ...forgotten.map((text): Finding => ({ kind: 'unexpected', what: `somebody was told: ${text}` })),
  ];
}

import type { SlackMessage } from '../../support/local-slack.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { Outside } from './outside.ts';
import type { Stage } from './stage.ts';

const BUTTONS = ['start_again', 'send_again'];

/** From now on until it is disposed, somebody answers each question of the program with its button, twice at once. */
export function answerQuestions(
  { slack, places }: Outside,
  { press }: Pick<Stage, 'press'>,
): AsyncDisposable {
  const answered = new Set<string>();
  let isOver = false;
  const questions = async () => {
    const messages = isOver ? [] : await Promise.all(places.map((place) => slack.messages(place)));
    return messages.flat().filter((message) => !answered.has(message.ts) && buttonOf(message) !== null);
  };
  const answer = async (): Promise<void> => {
    while (!isOver) {
      const asked = await waitFor(questions, (found) => isOver || found.length > 0, {
        what: 'a question',
        // The play knows when it takes too long.
        timeoutMs: Number.POSITIVE_INFINITY,
      });
      for (const question of asked) {
        answered.add(question.ts);
        const button = buttonOf(question) ?? '';
        await Promise.all([press(question, button), press(question, button)]);
      }
    }
  };
  const answering = answer();
  answering.catch(() => {});
  return {
    [Symbol.asyncDispose]: async () => {
      isOver = true;
      await answering;
    },
  };
}

function buttonOf({ text, blocks = [] }: SlackMessage): string | null {
  if (!text.includes('❓')) return null;
  const ids = blocks.flatMap(({ elements = [] }) => elements.map(({ action_id }) => action_id));
  return BUTTONS.find((id) => ids.includes(id)) ?? null;
}

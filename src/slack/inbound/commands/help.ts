import { allHelpModal, helpView } from '../../views/help.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import type { ListenerDeps, PressArgs } from '../deps.ts';
import { recipesFor } from '../recipes/run.ts';
import { answerBeside, openForm } from '../requests/door.ts';

/** How to use the bot, with a recipe that this person may run as an example. */
export async function helpAnswer(deps: ListenerDeps, userId: string): Promise<SlackMessage> {
  return helpView(await recipeFor(deps, userId));
}

/** *Show help*, beside a question, which stays open. */
export function showHelp(deps: ListenerDeps) {
  return async ({ ack, body, respond }: PressArgs): Promise<void> => {
    await ack();
    await answerBeside(deps, { body, respond }, await helpAnswer(deps, body.user.id));
  };
}

/** *Everything I can do*, below the help. */
export function showAllHelp(deps: ListenerDeps) {
  return async ({ ack, body }: PressArgs): Promise<void> => {
    await ack();
    await openForm(deps, body.trigger_id, allHelpModal(await recipeFor(deps, body.user.id)));
  };
}

async function recipeFor(deps: ListenerDeps, userId: string): Promise<string | null> {
  const [first] = await recipesFor(deps, userId);
  return first?.name ?? null;
}

import { allHelpModal, helpView } from '../../views/help.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import type { ListenerDeps } from '../deps.ts';
import type { Press } from '../interaction.ts';
import { recipesFor } from '../recipes/run.ts';
import { openForm } from '../requests/door.ts';

/** How to use the bot, with a recipe that this person may run as an example. */
export async function helpAnswer(deps: ListenerDeps, userId: string): Promise<SlackMessage> {
  return helpView(await recipeFor(deps, userId));
}

/** *Show help*, beside a question, which stays open. */
export async function showHelp(deps: ListenerDeps, press: Press): Promise<void> {
  await press.ack();
  await press.tellBeside(await helpAnswer(deps, press.userId));
}

/** *Everything I can do*, below the help. */
export async function showAllHelp(deps: ListenerDeps, press: Press): Promise<void> {
  await press.ack();
  await openForm(deps, press.triggerId, allHelpModal(await recipeFor(deps, press.userId)));
}

async function recipeFor(deps: ListenerDeps, userId: string): Promise<string | null> {
  const [first] = await recipesFor(deps, userId);
  return first?.name ?? null;
}

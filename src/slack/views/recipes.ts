import { buttons } from './parts/buttons.ts';
import { buttonRow, message, paragraph, pressButton, type SlackMessage } from './parts/message.ts';
import { oneLine } from './parts/untrusted.ts';
import { recipeTexts } from './texts/recipes.ts';

const NAME_MAX = 100;

/** In the thread of the job that is in the way. */
export function skippedView(recipe: string): SlackMessage {
  return message(paragraph(recipeTexts.skipped(oneLine(recipe, NAME_MAX))));
}

/** In the channel of the recipe. */
export function pausedView(recipe: string): SlackMessage {
  return message(
    paragraph(recipeTexts.paused(oneLine(recipe, NAME_MAX))),
    buttonRow(pressButton(buttons.resumeRecipe, recipe)),
  );
}

/** In its place, when somebody has pressed *Resume*. */
export function resumedView(recipe: string, by: string): SlackMessage {
  return message(paragraph(recipeTexts.resumed(oneLine(recipe, NAME_MAX), oneLine(by, NAME_MAX))));
}

/** Privately. */
export function notPausedView(recipe: string): SlackMessage {
  return message(paragraph(recipeTexts.notPaused(oneLine(recipe, NAME_MAX))));
}

/** Likewise. */
export function resumeRefusedView(): SlackMessage {
  return message(paragraph(recipeTexts.adminsOnly));
}

import type { ValueProblem } from '../../jobs/recipes/fill.ts';
import type { Recipe } from '../../jobs/recipes/recipe.ts';
import { inWords } from '../../jobs/schedule/moments.ts';
import { buttons } from './parts/buttons.ts';
import { buttonRow, message, paragraph, pressButton, type SlackMessage } from './parts/message.ts';
import { addressing, channelMention, mrkdwn, ownLink } from './parts/mrkdwn.ts';
import { oneLine } from './parts/untrusted.ts';
import { refusalView } from './refusals.ts';
import { recipeTexts } from './texts/recipes.ts';

const NAME_MAX = 100;
const NAMES_MAX = 1_000;

/** In the thread of the job that is in the way. */
export function skippedView(recipe: string): SlackMessage {
  return message(paragraph(recipeTexts.skipped(oneLine(recipe, NAME_MAX))));
}

/** In the channel of the recipe. */
export function pausedView(recipe: string, owners: readonly string[]): SlackMessage {
  return message(
    paragraph(recipeTexts.paused(addressing(owners), oneLine(recipe, NAME_MAX))),
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

/** To whoever runs it, with the thread of the job that is in the way. */
export function recipeSkippedView(recipe: string, threadUrl: string | null): SlackMessage {
  const news = recipeTexts.skipped(oneLine(recipe, NAME_MAX));
  return message(
    paragraph(threadUrl === null ? news : mrkdwn`${news} ${ownLink(threadUrl, recipeTexts.openThread)}`),
  );
}

/** To whoever runs it in another channel than its own. */
export function runningView({ name, channelId }: Recipe, isDraft: boolean): SlackMessage {
  const said = isDraft ? recipeTexts.drafting : recipeTexts.running;
  return message(paragraph(said(oneLine(name, NAME_MAX), channelMention(channelId))));
}

const LISTED_MAX = 40;

/** Each with a button that runs it. @param offered those that the person may run */
export function recipesView(offered: readonly Recipe[]): SlackMessage {
  if (offered.length === 0) return message(paragraph(recipeTexts.none));
  return message(
    paragraph(recipeTexts.title),
    ...offered.slice(0, LISTED_MAX).map(({ name, schedule }) => {
      const line = recipeTexts.line(oneLine(name, NAME_MAX), schedule === null ? null : inWords(schedule));
      return { ...paragraph(line), accessory: pressButton(buttons.runRecipe, name) };
    }),
  );
}

/** @param offered those that the person may run */
export function noSuchRecipeView(called: string, offered: readonly Recipe[]): SlackMessage {
  const all = offered.map(({ name }) => name).join(', ');
  const names = all === '' ? null : oneLine(all, NAMES_MAX);
  return message(paragraph(recipeTexts.unknown(oneLine(called, NAME_MAX), names)));
}

/** At the field where a recipe was chosen besides a request. */
export function notBothView(): SlackMessage {
  return message(paragraph(recipeTexts.notBoth));
}

/** Why the request could not be made. */
export function recipeProblemView(
  problem:
    | { readonly kind: 'bad_value'; readonly problem: ValueProblem }
    | { readonly kind: 'missing' | 'unknown' | 'no_project' }
    | { readonly kind: 'too_long'; readonly length: number; readonly maxLength: number },
): SlackMessage {
  switch (problem.kind) {
    case 'bad_value':
      return message(paragraph(recipeTexts.values[problem.problem]));
    case 'missing':
    case 'unknown':
      return message(paragraph(recipeTexts.values.empty));
    case 'too_long':
      return refusalView(problem);
    case 'no_project':
      return message(paragraph(recipeTexts.noProject));
  }
}

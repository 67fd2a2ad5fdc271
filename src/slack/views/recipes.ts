import type { Button, ModalView } from '@slack/types';
import { placeholdersIn, type Recipe, VALUE_MAX, type ValueProblem } from '../../jobs/recipe.ts';
import { inWords } from '../../jobs/schedule/moments.ts';
import type { RecipeForm } from '../protocol/form-data.ts';
import { formIds, viewIds } from '../protocol/ids.ts';
import { type Button as ButtonKind, buttons } from './parts/buttons.ts';
import { form, input } from './parts/form.ts';
import {
  buttonRow,
  message,
  paragraph,
  pressButton,
  type SlackMessage,
  say,
  untrustedParagraph,
} from './parts/message.ts';
import { addressing, channelMention, joined, mrkdwn, ownLink } from './parts/mrkdwn.ts';
import { BUTTON_LABEL_MAX, cut, oneLine, shown } from './parts/untrusted.ts';
import { refusalView } from './refusals.ts';

const NAMES_MAX = 1_000;

const skipped = (recipe: string) => mrkdwn`⏭️ *Skipped ${oneLine(recipe)}:* its last job is still open.`;

/** In the thread of the job that is still open. */
export function skippedView(recipe: string): SlackMessage {
  return message(paragraph(skipped(recipe)));
}

/** For the person who runs it, with the thread of the open job. */
export function recipeSkippedView(recipe: string, threadUrl: string | null): SlackMessage {
  const link = threadUrl !== null && ownLink(threadUrl, 'Open the thread');
  return message(paragraph(joined([skipped(recipe), link], ' ')));
}

/** In the recipe's channel. */
export function pausedView(recipe: string, owners: readonly string[]): SlackMessage {
  const who = addressing(owners);
  return message(
    paragraph(mrkdwn`⚠️ ${who}*Paused ${oneLine(recipe)}* after three failures in a row.`),
    buttonRow(recipeButton(buttons.resumeRecipe, recipe)),
  );
}

/** A screen reader names the recipe, as the labels are the same. */
function recipeButton(kind: ButtonKind, recipe: string): Button {
  return {
    ...pressButton(kind, recipe),
    accessibility_label: cut(`${kind.label} ${oneLine(recipe)}`, BUTTON_LABEL_MAX),
  };
}

/** Replaces it once somebody has pressed *Resume*. */
export function resumedView(recipe: string, by: string): SlackMessage {
  return say`▶️ *Resumed by ${oneLine(by)}.* ${oneLine(recipe)} runs again.`;
}

export function notPausedView(recipe: string): SlackMessage {
  return say`Already done: *${oneLine(recipe)}* isn't paused.`;
}

/** For a person who runs it from another channel. */
export function runningView({ name, channelId }: Recipe, isDraft: boolean): SlackMessage {
  const where = channelMention(channelId);
  return isDraft
    ? say`📝 *Draft of ${oneLine(name)}* in ${where}.`
    : say`🚀 *Starting ${oneLine(name)}* in ${where}.`;
}

const LISTED_MAX = 40;

/** Each with a button that runs it. @param offered those that the person may run */
export function recipesView(offered: readonly Recipe[]): SlackMessage {
  if (offered.length === 0) return say`There are no recipes yet.`;
  return message(
    paragraph(mrkdwn`*Recipes*`),
    offered.slice(0, LISTED_MAX).map(({ name, schedule }) => ({
      ...paragraph(joined([mrkdwn`*${oneLine(name)}*`, schedule && inWords(schedule)], ', ')),
      accessory: recipeButton(buttons.runRecipe, name),
    })),
  );
}

/** @param offered those that the person may run */
export function noSuchRecipeView(called: string, offered: readonly Recipe[]): SlackMessage {
  const names = offered.map(({ name }) => name).join(', ');
  const available = names === '' ? '' : ` Available: ${oneLine(names, NAMES_MAX)}.`;
  return say`There's no recipe “${oneLine(called)}”.${available} To send this as a request, put \`--\` in front.`;
}

/** At the field of a recipe chosen beside a request. */
export const notBothView = say`Choose a recipe or write a request, not both.`;

const VALUE_PROBLEMS: Readonly<Record<ValueProblem, SlackMessage>> = {
  empty: say`Enter a value.`,
  too_long: say`At most 500 characters.`,
  several_lines: say`One line only.`,
};

export function recipeProblemView(
  problem:
    | { readonly kind: 'bad_value'; readonly problem: ValueProblem }
    | { readonly kind: 'missing' | 'unknown' | 'no_project' }
    | { readonly kind: 'too_long'; readonly length: number; readonly maxLength: number },
): SlackMessage {
  switch (problem.kind) {
    case 'bad_value':
      return VALUE_PROBLEMS[problem.problem];
    case 'missing':
    case 'unknown':
      return VALUE_PROBLEMS.empty;
    case 'too_long':
      return refusalView(problem);
    case 'no_project':
      return say`This recipe's project no longer exists. Ask an administrator of docs-agent.`;
  }
}

const REQUEST_MAX = 2_500;
const LABEL_MAX = 150;
/** Slack may count an emoji as two. */
const VALUE_FIELD_MAX = 2 * VALUE_MAX;

export function recipeForm(
  { name, request, values }: Recipe,
  { responseUrl }: Omit<RecipeForm, 'recipe'>,
): ModalView {
  return form(
    viewIds.recipe,
    'Run a recipe',
    'Start',
    { recipe: name, responseUrl },
    untrustedParagraph(shown(request, REQUEST_MAX)),
    placeholdersIn(request).map((placeholder) => {
      const initial = values.get(placeholder);
      return input(formIds.value + placeholder, oneLine(placeholder, LABEL_MAX), {
        type: 'plain_text_input',
        max_length: VALUE_FIELD_MAX,
        ...(initial !== undefined && { initial_value: initial }),
      });
    }),
  );
}

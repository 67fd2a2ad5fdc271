import type { ModalView } from '@slack/types';
import { describeSchedule } from '#jobs/schedule/moments.ts';
import { formIds, viewIds } from '#slack/protocol/ids.ts';
import { recipeButton, recipeSkipped } from '#slack/views/announcement.ts';
import { buttons } from '#slack/views/buttons.ts';
import { form, input } from '#slack/views/form.ts';
import { message, paragraph, type SlackMessage, say } from '#slack/views/message.ts';
import { refusalView } from '#slack/views/private-answers.ts';
import { channelMention, joined, mrkdwn, oneLine, ownLink, shown } from '#slack/views/text.ts';
import { placeholdersIn, type Recipe, type RecipeProblem, VALUE_MAX, VALUE_PROBLEMS } from './recipe.ts';

const NAMES_MAX = 1_000;

export function recipeSkippedView(recipe: string, threadUrl: string | null): SlackMessage {
  const link = threadUrl !== null && ownLink(threadUrl, 'Open the thread');
  return message(joined([recipeSkipped(recipe), link], ' '));
}

export function resumedView(recipe: string, by: string): SlackMessage {
  return say`▶️ *Resumed by ${oneLine(by)}.* ${oneLine(recipe)} runs again.`;
}

export function notPausedView(recipe: string): SlackMessage {
  return say`Already done: *${oneLine(recipe)}* isn't paused.`;
}

export function runningView({ name, channelId, isDraft }: Recipe): SlackMessage {
  const where = channelMention(channelId);
  return isDraft
    ? say`📝 *Draft of ${oneLine(name)}* in ${where}.`
    : say`🚀 *Starting ${oneLine(name)}* in ${where}.`;
}

const LISTED_MAX = 40;

export function recipesView(offered: readonly Recipe[]): SlackMessage {
  if (offered.length === 0) return say`There are no recipes yet.`;
  return message(
    mrkdwn`*Recipes*`,
    offered.slice(0, LISTED_MAX).map(({ name, schedule }) => {
      const recipe = joined([mrkdwn`*${oneLine(name)}*`, schedule && describeSchedule(schedule)], ', ');
      return paragraph(recipe, recipeButton(buttons.runRecipe, name));
    }),
  );
}

export function noSuchRecipeView(called: string, offered: readonly Recipe[]): SlackMessage {
  const names = offered.map(({ name }) => name).join(', ');
  const available = names === '' ? '' : ` Available: ${oneLine(names, NAMES_MAX)}.`;
  return say`There's no recipe “${oneLine(called)}”.${available} To send this as a request, put \`--\` in front.`;
}

export function recipeProblemView(problem: RecipeProblem): SlackMessage {
  switch (problem.kind) {
    case 'bad_value':
      return say`The value ${VALUE_PROBLEMS[problem.problem]}.`;
    case 'missing':
    case 'unknown':
      return say`The value ${VALUE_PROBLEMS.empty}.`;
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

export function recipeForm({ name, request, values }: Recipe, responseUrl: string | null): ModalView {
  return form(
    viewIds.recipe,
    'Run a recipe',
    'Start',
    { recipe: name, responseUrl },
    shown(request, REQUEST_MAX),
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

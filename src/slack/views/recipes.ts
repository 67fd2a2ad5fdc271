import type { Button, ModalView } from '@slack/types';
import { placeholdersIn, type Recipe, VALUE_MAX, type ValueProblem } from '../../jobs/recipe.ts';
import { inWords } from '../../jobs/schedule/moments.ts';
import { encode, type RecipeForm } from '../protocol/form-data.ts';
import { formIds, viewIds } from '../protocol/ids.ts';
import { type Button as ButtonKind, buttons } from './parts/buttons.ts';
import { form, plain } from './parts/form.ts';
import {
  buttonRow,
  message,
  paragraph,
  pressButton,
  type SlackMessage,
  say,
  untrustedParagraph,
} from './parts/message.ts';
import { addressing, channelMention, type Mrkdwn, mrkdwn, ownLink } from './parts/mrkdwn.ts';
import { BUTTON_LABEL_MAX, cut, oneLine, shown } from './parts/untrusted.ts';
import { labels } from './parts/words.ts';
import { refusalView } from './refusals.ts';

/** What people read about recipes. `name`: the recipe's. */
const recipeTexts = {
  skipped: (name: string): Mrkdwn => mrkdwn`⏭️ *Skipped ${name}:* its last job is still open.`,
  paused: (who: Mrkdwn, name: string): Mrkdwn =>
    mrkdwn`⚠️ ${who}*Paused ${name}* after three failures in a row.`,
  resumed: (name: string, by: string): Mrkdwn => mrkdwn`▶️ *Resumed by ${by}.* ${name} runs again.`,
  notPaused: (name: string): Mrkdwn => mrkdwn`Already done: *${name}* isn't paused.`,
  formTitle: 'Run a recipe',
  running: (name: string, channel: Mrkdwn): Mrkdwn => mrkdwn`🚀 *Starting ${name}* in ${channel}.`,
  drafting: (name: string, channel: Mrkdwn): Mrkdwn => mrkdwn`📝 *Draft of ${name}* in ${channel}.`,
  /** `names`: those that the person may run; null: none. */
  unknown: (name: string, names: string | null): Mrkdwn => {
    const available = names === null ? mrkdwn`` : mrkdwn` Available: ${names}.`;
    return mrkdwn`There's no recipe “${name}”.${available} To send this as a request, put \`--\` in front.`;
  },
  title: mrkdwn`*Recipes*`,
  line: (name: string, when: string | null): Mrkdwn =>
    when === null ? mrkdwn`*${name}*` : mrkdwn`*${name}*, ${when}`,
  none: mrkdwn`There are no recipes yet.`,
  notBoth: mrkdwn`Choose a recipe or write a request, not both.`,
  openThread: 'Open the thread',
  noProject: mrkdwn`This recipe's project no longer exists. Ask an administrator of docs-agent.`,
  values: {
    empty: mrkdwn`Enter a value.`,
    too_long: mrkdwn`At most 500 characters.`,
    several_lines: mrkdwn`One line only.`,
  },
} as const;

const NAME_MAX = 100;
const NAMES_MAX = 1_000;

/** In the thread of the job that is still open. */
export function skippedView(recipe: string): SlackMessage {
  return say(recipeTexts.skipped(oneLine(recipe, NAME_MAX)));
}

/** In the recipe's channel. */
export function pausedView(recipe: string, owners: readonly string[]): SlackMessage {
  return message(
    paragraph(recipeTexts.paused(addressing(owners), oneLine(recipe, NAME_MAX))),
    buttonRow(recipeButton(buttons.resumeRecipe, recipe)),
  );
}

/** A screen reader names the recipe, as the labels are the same. */
function recipeButton(kind: ButtonKind, recipe: string): Button {
  return {
    ...pressButton(kind, recipe),
    accessibility_label: cut(`${kind.label} ${oneLine(recipe, NAME_MAX)}`, BUTTON_LABEL_MAX),
  };
}

/** Replaces it once somebody has pressed *Resume*. */
export function resumedView(recipe: string, by: string): SlackMessage {
  return say(recipeTexts.resumed(oneLine(recipe, NAME_MAX), oneLine(by, NAME_MAX)));
}

/** Privately. */
export function notPausedView(recipe: string): SlackMessage {
  return say(recipeTexts.notPaused(oneLine(recipe, NAME_MAX)));
}

/** For the person who runs it, with the thread of the open job. */
export function recipeSkippedView(recipe: string, threadUrl: string | null): SlackMessage {
  const news = recipeTexts.skipped(oneLine(recipe, NAME_MAX));
  return message(
    paragraph(threadUrl === null ? news : mrkdwn`${news} ${ownLink(threadUrl, recipeTexts.openThread)}`),
  );
}

/** For a person who runs it from another channel. */
export function runningView({ name, channelId }: Recipe, isDraft: boolean): SlackMessage {
  const said = isDraft ? recipeTexts.drafting : recipeTexts.running;
  return say(said(oneLine(name, NAME_MAX), channelMention(channelId)));
}

const LISTED_MAX = 40;

/** Each with a button that runs it. @param offered those that the person may run */
export function recipesView(offered: readonly Recipe[]): SlackMessage {
  if (offered.length === 0) return say(recipeTexts.none);
  return message(
    paragraph(recipeTexts.title),
    ...offered.slice(0, LISTED_MAX).map(({ name, schedule }) => {
      const line = recipeTexts.line(oneLine(name, NAME_MAX), schedule === null ? null : inWords(schedule));
      return { ...paragraph(line), accessory: recipeButton(buttons.runRecipe, name) };
    }),
  );
}

/** @param offered those that the person may run */
export function noSuchRecipeView(called: string, offered: readonly Recipe[]): SlackMessage {
  const all = offered.map(({ name }) => name).join(', ');
  const names = all === '' ? null : oneLine(all, NAMES_MAX);
  return say(recipeTexts.unknown(oneLine(called, NAME_MAX), names));
}

/** At the field of a recipe chosen beside a request. */
export const notBothView = say(recipeTexts.notBoth);

export function recipeProblemView(
  problem:
    | { readonly kind: 'bad_value'; readonly problem: ValueProblem }
    | { readonly kind: 'missing' | 'unknown' | 'no_project' }
    | { readonly kind: 'too_long'; readonly length: number; readonly maxLength: number },
): SlackMessage {
  switch (problem.kind) {
    case 'bad_value':
      return say(recipeTexts.values[problem.problem]);
    case 'missing':
    case 'unknown':
      return say(recipeTexts.values.empty);
    case 'too_long':
      return refusalView(problem);
    case 'no_project':
      return say(recipeTexts.noProject);
  }
}

const REQUEST_MAX = 2_500;
const LABEL_MAX = 150;
/** Slack may count an emoji as two. */
const VALUE_FIELD_MAX = 2 * VALUE_MAX;

export function recipeForm(recipe: Recipe, { responseUrl }: Omit<RecipeForm, 'recipe'>): ModalView {
  const data = encode({ recipe: recipe.name, responseUrl });
  return form({ id: viewIds.recipe, title: recipeTexts.formTitle, submit: labels.start, data }, [
    untrustedParagraph(shown(recipe.request, REQUEST_MAX)),
    ...placeholdersIn(recipe.request).map((name) => {
      const initial = recipe.values.get(name);
      const id = formIds.value + name;
      return {
        type: 'input' as const,
        block_id: id,
        label: plain(oneLine(name, LABEL_MAX)),
        element: {
          type: 'plain_text_input' as const,
          action_id: id,
          max_length: VALUE_FIELD_MAX,
          ...(initial === undefined ? {} : { initial_value: initial }),
        },
      };
    }),
  ]);
}

import type { ModalView } from '@slack/types';
import { placeholdersIn, VALUE_MAX } from '../../../jobs/recipes/fill.ts';
import type { Recipe } from '../../../jobs/recipes/recipe.ts';
import { encode, type RecipeForm } from '../../protocol/form-data.ts';
import { formIds, viewIds } from '../../protocol/ids.ts';
import { form, plain } from '../parts/form.ts';
import { untrustedParagraph } from '../parts/message.ts';
import { oneLine, shown } from '../parts/untrusted.ts';
import { labels } from '../parts/words.ts';
import { recipeTexts } from '../texts/recipes.ts';

const REQUEST_MAX = 2_500;
const LABEL_MAX = 150;
/** Slack may count an emoji as two. */
const VALUE_FIELD_MAX = 2 * VALUE_MAX;

/** Asks for the values of a recipe. */
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

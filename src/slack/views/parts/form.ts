import type { InputBlock, ModalView, PlainTextOption } from '@slack/types';
import type { Recipe } from '../../../jobs/recipe.ts';
import type { Project, Projects } from '../../../jobs/requests/project.ts';
import { formIds } from '../../protocol/ids.ts';
import { unescapeMrkdwn } from '../../protocol/slack-text.ts';
import type { SlackMessage } from './message.ts';
import { cut, oneLine, shown } from './untrusted.ts';
import { fields } from './words.ts';

/**
 * Characters in a text input.
 * https://docs.slack.dev/reference/block-kit/block-elements/plain-text-input-element
 */
const INPUT_TEXT_MAX = 3000;
/**
 * Characters in an option, and in its description.
 * https://docs.slack.dev/reference/block-kit/composition-objects/option-object
 */
const OPTION_TEXT_MAX = 75;
/** https://docs.slack.dev/reference/block-kit/block-elements/select-menu-element */
const MENU_OPTIONS_MAX = 100;
/** https://docs.slack.dev/reference/block-kit/block-elements/checkboxes-element */
export const CHECKBOXES_MAX = 10;
const ERROR_MAX = 500;
const numbers = new Intl.NumberFormat('en-US');

/** @param title at most 24 characters, as the label of `submit` */
export function form(
  facts: { readonly id: string; readonly title: string; readonly submit: string; readonly data: string },
  blocks: ModalView['blocks'],
): ModalView {
  return {
    type: 'modal',
    callback_id: facts.id,
    private_metadata: facts.data,
    title: plain(facts.title),
    submit: plain(facts.submit),
    close: plain(fields.cancel),
    blocks,
  };
}

/** The longest prompt that a form can take. */
export function promptFieldMax(promptMaxLength: number): number {
  return Math.min(INPUT_TEXT_MAX, promptMaxLength);
}

/** @param prompt the initial text, cut to what an input takes */
export function promptInput(
  prompt: string,
  promptMaxLength: number,
  label: string = fields.prompt,
): InputBlock {
  const max = promptFieldMax(promptMaxLength);
  const initial = cut(prompt, max);
  return {
    type: 'input',
    block_id: formIds.prompt,
    label: plain(label),
    element: {
      type: 'plain_text_input',
      action_id: formIds.prompt,
      multiline: true,
      max_length: max,
      ...(initial === '' ? {} : { initial_value: initial }),
    },
    ...(promptMaxLength <= INPUT_TEXT_MAX
      ? {}
      : {
          hint: plain(fields.promptMax(numbers.format(max))),
        }),
  };
}

export function projectInput(projects: Projects, preselected: Project): InputBlock[] {
  if (projects.length === 1) return [];
  const options = projects.slice(0, MENU_OPTIONS_MAX).map(projectOption);
  const initial = options.find(({ value }) => value === preselected.id);
  const element = { type: 'static_select', action_id: formIds.project, options } as const;
  return [
    {
      type: 'input',
      block_id: formIds.project,
      label: plain(fields.project),
      element: initial === undefined ? element : { ...element, initial_option: initial },
    },
  ];
}

/** Offers recipes, if there are any, instead of a request. */
export function recipeInput(recipes: readonly Recipe[]): InputBlock[] {
  if (recipes.length === 0) return [];
  const options = recipes
    .slice(0, MENU_OPTIONS_MAX)
    .map(({ name }) => ({ value: name, text: plain(oneLine(name, OPTION_TEXT_MAX)) }));
  return [
    {
      type: 'input',
      block_id: formIds.recipe,
      optional: true,
      label: plain(fields.recipe),
      element: { type: 'static_select', action_id: formIds.recipe, options },
      hint: plain(fields.recipeChannel),
    },
  ];
}

export function channelInput(hint: string = fields.cardChannel): InputBlock {
  return {
    type: 'input',
    block_id: formIds.channel,
    label: plain(fields.channel),
    element: {
      type: 'conversations_select',
      action_id: formIds.channel,
      filter: { include: ['public', 'private', 'mpim'] },
    },
    hint: plain(hint),
  };
}

/** Options that are all ticked at first. */
export function tickedInput(id: string, label: string, options: PlainTextOption[]): InputBlock {
  return {
    type: 'input',
    block_id: id,
    optional: true,
    label: plain(label),
    element: { type: 'checkboxes', action_id: id, options, initial_options: options },
  };
}

/** @param untrusted the first line, as `description` is the second */
export function checkboxOption(value: string, untrusted: string, description: string): PlainTextOption {
  return {
    value,
    text: plain(oneLine(untrusted, OPTION_TEXT_MAX)),
    description: plain(oneLine(description, OPTION_TEXT_MAX)),
  };
}

/** A private answer as shown at a field, without markup. */
export function atField({ text }: SlackMessage): string {
  return shown(unescapeMrkdwn(text).replace(/[*`]/g, ''), ERROR_MAX);
}

function projectOption({ id, name }: Project): PlainTextOption {
  return { text: plain(oneLine(name, OPTION_TEXT_MAX)), value: id };
}

export function plain(text: string): { readonly type: 'plain_text'; readonly text: string } {
  return { type: 'plain_text', text };
}

const NEWS_PREFIX = 'news:';

type Blocks = ModalView['blocks'];

/** A modal with text only. `title`: at most 24 characters. */
export function plainModal(title: string, { blocks }: Pick<ModalView, 'blocks'>): ModalView {
  return {
    type: 'modal',
    title: { type: 'plain_text', text: title },
    close: { type: 'plain_text', text: fields.close },
    blocks,
  };
}

/** Puts news above the rest of a modal, replacing earlier news. */
export function newsAbove(rest: Blocks, news: SlackMessage | null): Blocks {
  const fresh = (news?.blocks ?? []).map((block, index) => ({
    ...block,
    block_id: `${NEWS_PREFIX}${index}`,
  }));
  return [...fresh, ...rest.filter(({ block_id: id }) => !id?.startsWith(NEWS_PREFIX))];
}

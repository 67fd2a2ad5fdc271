import type { InputBlock, ModalView, PlainTextOption } from '@slack/types';
import { unescaped } from '../../jobs/requests/command.ts';
import type { Project, Projects } from '../../jobs/requests/project.ts';
import { encode } from '../protocol/form-data.ts';
import { formIds } from '../protocol/ids.ts';
import { type Blocks, blocksOf, type SlackMessage } from './message.ts';
import { cut, inFigures, oneLine, shown } from './text.ts';

/** https://docs.slack.dev/reference/block-kit/block-elements/plain-text-input-element */
const INPUT_TEXT_MAX = 3000;
/** https://docs.slack.dev/reference/block-kit/composition-objects/option-object */
const OPTION_TEXT_MAX = 75;
/** https://docs.slack.dev/reference/block-kit/block-elements/select-menu-element */
const MENU_OPTIONS_MAX = 100;
const ERROR_MAX = 500;

/** @param title at most 24 characters, like `submit` */
export function form(
  id: string,
  title: string,
  submit: string,
  data: Parameters<typeof encode>[0] | string,
  ...parts: readonly Blocks[]
): ModalView {
  return {
    type: 'modal',
    callback_id: id,
    private_metadata: typeof data === 'string' ? data : encode(data),
    title: plain(title),
    submit: plain(submit),
    close: plain('Cancel'),
    blocks: blocksOf(parts),
  };
}

/** @param title at most 24 characters */
export function plainModal(title: string, { blocks }: Pick<ModalView, 'blocks'>): ModalView {
  return { type: 'modal', title: plain(title), close: plain('Close'), blocks };
}

export function input(
  id: string,
  label: string,
  element: InputBlock['element'],
  { hint, optional }: Readonly<{ hint?: string | false; optional?: true }> = {},
): InputBlock {
  return {
    type: 'input',
    block_id: id,
    label: plain(label),
    element: { ...element, action_id: id },
    ...(optional && { optional }),
    ...(hint && { hint: plain(hint) }),
  };
}

export function promptFieldMax(promptMaxLength: number): number {
  return Math.min(INPUT_TEXT_MAX, promptMaxLength);
}

export function promptInput(
  prompt: string,
  promptMaxLength: number,
  label = 'What should change in the docs?',
): InputBlock {
  const max = promptFieldMax(promptMaxLength);
  const initial = cut(prompt, max);
  return input(
    formIds.prompt,
    label,
    {
      type: 'plain_text_input',
      multiline: true,
      max_length: max,
      ...(initial !== '' && { initial_value: initial }),
    },
    {
      hint: promptMaxLength > max && `${inFigures(max)} characters max here. For more, send me a message.`,
    },
  );
}

export function menu(id: string, label: string, options: PlainTextOption[], initial: string): InputBlock {
  const chosen = options.find(({ value }) => value === initial);
  return input(id, label, { type: 'static_select', options, ...(chosen && { initial_option: chosen }) });
}

export function projectInput(projects: Projects, preselected: Project): Blocks {
  const options = projects.slice(0, MENU_OPTIONS_MAX).map(({ id, name }) => option(id, name));
  return projects.length > 1 && menu(formIds.project, 'Project', options, preselected.id);
}

export function recipeInput(recipes: readonly string[]): Blocks {
  const options = recipes.slice(0, MENU_OPTIONS_MAX).map((name) => option(name, name));
  const more = { optional: true, hint: "Posts in the recipe's channel." } as const;
  return (
    options.length > 0 && input(formIds.recipe, 'Or run a recipe', { type: 'static_select', options }, more)
  );
}

export function channelInput(hint = 'The card appears there. I must be a member.'): InputBlock {
  return input(
    formIds.channel,
    'Channel',
    { type: 'conversations_select', filter: { include: ['public', 'private', 'mpim'] } },
    { hint },
  );
}

export function option(value: string, untrusted: string): PlainTextOption {
  return { value, text: plain(oneLine(untrusted, OPTION_TEXT_MAX)) };
}

export function twoLineOption(value: string, first: string, second: string): PlainTextOption {
  return { ...option(value, first), description: plain(oneLine(second, OPTION_TEXT_MAX)) };
}

/** Plain text: Slack renders no markup there. */
export function atField({ text }: SlackMessage): string {
  return shown(unescaped(text).replace(/[*`]/g, ''), ERROR_MAX);
}

function plain(text: string): Readonly<{ type: 'plain_text'; text: string }> {
  return { type: 'plain_text', text };
}

const NEWS_PREFIX = 'news:';

/** Replaces earlier news. */
export function newsAbove(rest: ModalView['blocks'], news: SlackMessage | null): ModalView['blocks'] {
  const fresh = (news?.blocks ?? []).map((block, index) => ({
    ...block,
    block_id: `${NEWS_PREFIX}${index}`,
  }));
  return [...fresh, ...rest.filter(({ block_id: id }) => !id?.startsWith(NEWS_PREFIX))];
}

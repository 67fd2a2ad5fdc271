import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { ApiError } from './api-error.ts';
import { newId } from './ids.ts';
import * as limits from './limits.ts';
import type { Block } from './message.ts';

/** Of blocks, actions and callbacks. */
const ID_MAX = 255;
const LABEL_MAX = 2_000;
const PLACEHOLDER_MAX = 150;
const INPUT_TEXT_MAX = 3_000;
const MENU_OPTIONS_MAX = 100;
const CHOICES_MAX = 10;
/** See MESSAGE_BLOCKS_TEXT_MAX in limits.ts: somewhat more is what Slack refuses. */
const ALL_TEXT_MAX = 13_200;

export const id = z.string().max(ID_MAX);

export const plainText = (max: number) =>
  z.strictObject({
    type: z.literal('plain_text'),
    text: z.string().min(1).max(max),
    emoji: z.boolean().optional(),
  });

const anyText = (max = limits.SECTION_TEXT_MAX) =>
  z.union([
    plainText(max),
    z.strictObject({
      type: z.literal('mrkdwn'),
      text: z.string().min(1).max(max),
      verbatim: z.boolean().optional(),
    }),
  ]);

const option = <T extends z.ZodType>(text: T) =>
  z.strictObject({ text, value: z.string().min(1).max(150), description: text.optional() });

/** https://docs.slack.dev/reference/block-kit/composition-objects/confirmation-dialog-object */
const confirm = z.strictObject({
  title: plainText(100),
  text: anyText(300),
  confirm: plainText(30),
  deny: plainText(30),
  style: z.enum(['primary', 'danger']).optional(),
});

const common = { action_id: id.optional(), confirm: confirm.optional() };
const placeholder = plainText(PLACEHOLDER_MAX).optional();

const button = z.strictObject({
  type: z.literal('button'),
  ...common,
  text: plainText(limits.BUTTON_TEXT_MAX),
  value: z.string().max(limits.BUTTON_VALUE_MAX).optional(),
  url: z
    .url({ protocol: /^https?$/ })
    .max(limits.BUTTON_URL_MAX)
    .optional(),
  style: z.enum(['primary', 'danger']).optional(),
  accessibility_label: z.string().max(limits.BUTTON_LABEL_MAX).optional(),
});

const plainTextInput = z
  .strictObject({
    type: z.literal('plain_text_input'),
    action_id: id.optional(),
    placeholder,
    multiline: z.boolean().optional(),
    initial_value: z.string().max(INPUT_TEXT_MAX).optional(),
    max_length: z.int().min(1).max(INPUT_TEXT_MAX).optional(),
  })
  .refine(
    ({ initial_value = '', max_length = INPUT_TEXT_MAX }) => initial_value.length <= max_length,
    'initial_value is longer than max_length',
  );

const staticSelect = z
  .strictObject({
    type: z.literal('static_select'),
    ...common,
    placeholder,
    options: z
      .array(option(plainText(75)))
      .min(1)
      .max(MENU_OPTIONS_MAX),
    initial_option: option(plainText(75)).optional(),
  })
  .refine(
    ({ options, initial_option }) => areAmong([initial_option], options),
    'initial_option is no option',
  );

const conversations = {
  ...common,
  placeholder,
  default_to_current_conversation: z.boolean().optional(),
  filter: z
    .strictObject({
      include: z
        .array(z.enum(['im', 'mpim', 'private', 'public']))
        .min(1)
        .optional(),
      exclude_bot_users: z.boolean().optional(),
    })
    .optional(),
};
const conversationsSelect = z.strictObject({ type: z.literal('conversations_select'), ...conversations });
const multiConversationsSelect = z.strictObject({
  type: z.literal('multi_conversations_select'),
  ...conversations,
  initial_conversations: z.array(z.string().min(1)).min(1).optional(),
  max_selected_items: z.int().min(1).optional(),
});

const checkboxes = z
  .strictObject({
    type: z.literal('checkboxes'),
    ...common,
    options: z
      .array(option(anyText(75)))
      .min(1)
      .max(CHOICES_MAX),
    initial_options: z
      .array(option(anyText(75)))
      .min(1)
      .optional(),
  })
  .refine(
    ({ options, initial_options = [] }) => areAmong(initial_options, options),
    'initial_options are no options',
  );

const choosing = [staticSelect, conversationsSelect, multiConversationsSelect, checkboxes] as const;

function areAmong(chosen: readonly unknown[], options: readonly unknown[]): boolean {
  return chosen.every(
    (one) => one === undefined || options.some((candidate) => isDeepStrictEqual(candidate, one)),
  );
}

const block_id = id.optional();

const block = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('section'),
    block_id,
    text: anyText(),
    accessory: z.discriminatedUnion('type', [button, ...choosing]).optional(),
  }),
  z.strictObject({
    type: z.literal('context'),
    block_id,
    elements: z.array(anyText()).min(1).max(limits.CONTEXT_ELEMENTS_MAX),
  }),
  z.strictObject({
    type: z.literal('actions'),
    block_id,
    elements: z
      .array(z.discriminatedUnion('type', [button, ...choosing]))
      .min(1)
      .max(limits.ACTIONS_ELEMENTS_MAX)
      .refine((all) => areUnique(all.map(({ action_id }) => action_id)), 'duplicate action_id'),
  }),
  z.strictObject({ type: z.literal('header'), block_id, text: plainText(limits.HEADER_TEXT_MAX) }),
  z.strictObject({
    type: z.literal('rich_text'),
    block_id,
    elements: z.array(
      z.strictObject({
        type: z.literal('rich_text_quote'),
        elements: z.array(z.strictObject({ type: z.literal('text'), text: z.string().min(1) })),
      }),
    ),
  }),
  z.strictObject({
    type: z.literal('input'),
    block_id,
    label: plainText(LABEL_MAX),
    element: z.discriminatedUnion('type', [plainTextInput, ...choosing]),
    hint: plainText(LABEL_MAX).optional(),
    optional: z.boolean().optional(),
    dispatch_action: z.boolean().optional(),
  }),
]);

/** Blocks that can go together. Of what Slack knows, what the program does not use is not known here. */
export const blockList = (max: number) =>
  z
    .array(block)
    .max(max)
    .refine((all) => areUnique(all.map((one) => one.block_id)), 'duplicate block_id');
const messageBlocks = blockList(limits.MESSAGE_BLOCKS_MAX);

/** Throws ApiError unless Slack takes the blocks in a message: `invalid_blocks`, `msg_blocks_too_long`. */
export function checkedBlocks(value: unknown): readonly Block[] {
  const parsed = messageBlocks.safeParse(value);
  if (!parsed.success) {
    throw new ApiError(
      'invalid_blocks',
      parsed.error.issues.map(({ message, path }) => `${message} [json-pointer:/blocks/${path.join('/')}]`),
    );
  }
  if (textLength(parsed.data) > ALL_TEXT_MAX) throw new ApiError('msg_blocks_too_long');
  return parsed.data as readonly Block[];
}

function areUnique(ids: readonly (string | undefined)[]): boolean {
  const given = ids.filter((value) => value !== undefined);
  return new Set(given).size === given.length;
}

/** The length of all that is called `text`, at any depth. */
function textLength(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce(
    (sum, [key, inner]) =>
      sum + (key === 'text' && typeof inner === 'string' ? inner.length : textLength(inner)),
    0,
  );
}

interface Element {
  readonly type: string;
  readonly action_id?: string;
}

/** The blocks as Slack stores them: each block, and each element to be used, has an id. */
export function withIds(blocks: readonly Block[], keepsBlockIds = true): readonly Block[] {
  const shortId = () => newId('').slice(0, 5);
  const withActionId = (one: unknown) => ({ action_id: shortId(), ...(one as Element) });
  return blocks.map((block) => {
    const { block_id, element, accessory, elements } = block;
    return {
      ...block,
      block_id: keepsBlockIds && block_id !== undefined ? block_id : shortId(),
      ...(element === undefined ? {} : { element: withActionId(element) }),
      ...(accessory === undefined ? {} : { accessory: withActionId(accessory) }),
      ...(block.type === 'actions' ? { elements: (elements as Element[]).map(withActionId) } : {}),
    };
  });
}

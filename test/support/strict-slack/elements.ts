import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { BUTTON_TEXT_MAX, BUTTON_URL_MAX, BUTTON_VALUE_MAX } from './limits.ts';
import { anyOption, confirm, id, plainOption, plainText } from './text-objects.ts';

const PLACEHOLDER_MAX = 150;
const INPUT_TEXT_MAX = 3_000;
const MENU_OPTIONS_MAX = 100;
const CHOICES_MAX = 10;
const OVERFLOW_OPTIONS_MAX = 5;

const common = { action_id: id.optional(), confirm: confirm.optional() };
const focusable = { focus_on_load: z.boolean().optional() };
const withPlaceholder = { placeholder: plainText(PLACEHOLDER_MAX).optional(), ...focusable };

export const image = z.strictObject({
  type: z.literal('image'),
  image_url: z.url(),
  alt_text: z.string().min(1),
});

const button = z.strictObject({
  type: z.literal('button'),
  ...common,
  text: plainText(BUTTON_TEXT_MAX),
  value: z.string().max(BUTTON_VALUE_MAX).optional(),
  url: z
    .url({ protocol: /^https?$/ })
    .max(BUTTON_URL_MAX)
    .optional(),
  style: z.enum(['primary', 'danger']).optional(),
  accessibility_label: z.string().max(BUTTON_TEXT_MAX).optional(),
});

const overflow = z.strictObject({
  type: z.literal('overflow'),
  ...common,
  options: z.array(plainOption).min(1).max(OVERFLOW_OPTIONS_MAX),
});

const plainTextInput = z
  .strictObject({
    type: z.literal('plain_text_input'),
    action_id: id.optional(),
    ...withPlaceholder,
    multiline: z.boolean().optional(),
    initial_value: z.string().max(INPUT_TEXT_MAX).optional(),
    min_length: z.int().min(0).max(INPUT_TEXT_MAX).optional(),
    max_length: z.int().min(1).max(INPUT_TEXT_MAX).optional(),
    dispatch_action_config: z
      .strictObject({
        trigger_actions_on: z.array(z.enum(['on_enter_pressed', 'on_character_entered'])).min(1),
      })
      .optional(),
  })
  .refine(
    ({ initial_value = '', max_length = INPUT_TEXT_MAX }) => initial_value.length <= max_length,
    'initial_value is longer than max_length',
  );

const staticSelect = z
  .strictObject({
    type: z.literal('static_select'),
    ...common,
    ...withPlaceholder,
    options: z.array(plainOption).min(1).max(MENU_OPTIONS_MAX),
    initial_option: plainOption.optional(),
  })
  .refine(
    ({ options, initial_option }) => areAmong([initial_option], options),
    'initial_option is no option',
  );

const conversationFilter = z.strictObject({
  include: z
    .array(z.enum(['im', 'mpim', 'private', 'public']))
    .min(1)
    .optional(),
  exclude_bot_users: z.boolean().optional(),
  exclude_external_shared_channels: z.boolean().optional(),
});

const conversations = {
  ...common,
  ...withPlaceholder,
  default_to_current_conversation: z.boolean().optional(),
  filter: conversationFilter.optional(),
};
const conversationsSelect = z.strictObject({
  type: z.literal('conversations_select'),
  ...conversations,
  initial_conversation: z.string().min(1).optional(),
  response_url_enabled: z.boolean().optional(),
});
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
    ...focusable,
    options: z.array(anyOption).min(1).max(CHOICES_MAX),
    initial_options: z.array(anyOption).min(1).optional(),
  })
  .refine(
    ({ options, initial_options = [] }) => areAmong(initial_options, options),
    'initial_options are no options',
  );

const radioButtons = z
  .strictObject({
    type: z.literal('radio_buttons'),
    ...common,
    ...focusable,
    options: z.array(anyOption).min(1).max(CHOICES_MAX),
    initial_option: anyOption.optional(),
  })
  .refine(
    ({ options, initial_option }) => areAmong([initial_option], options),
    'initial_option is no option',
  );

const choosing = [
  staticSelect,
  conversationsSelect,
  multiConversationsSelect,
  checkboxes,
  radioButtons,
] as const;
/** What an input block asks with. */
export const inputElement = z.discriminatedUnion('type', [plainTextInput, ...choosing]);
/** What an actions block, or the side of a section, can hold. */
export const interactiveElement = z.discriminatedUnion('type', [button, overflow, ...choosing]);

/** By what a person gave it: something that is filled in, rather than pressed. */
export const isInput = (type: string) => type !== 'button' && type !== 'overflow' && type !== 'image';

function areAmong(chosen: readonly unknown[], options: readonly unknown[]): boolean {
  return chosen.every(
    (one) => one === undefined || options.some((candidate) => isDeepStrictEqual(candidate, one)),
  );
}

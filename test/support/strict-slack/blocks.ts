import { z } from 'zod';
import {
  ACTIONS_ELEMENTS_MAX,
  BUTTON_TEXT_MAX,
  BUTTON_URL_MAX,
  BUTTON_VALUE_MAX,
  CONTEXT_ELEMENTS_MAX,
  MESSAGE_BLOCKS_MAX,
  SECTION_TEXT_MAX,
} from '../../../src/slack/views/limits.ts';
import { ApiError } from './api-error.ts';
import type { Block } from './message.ts';

const ID_MAX = 255;
const HEADER_TEXT_MAX = 150;
/** See MESSAGE_BLOCKS_TEXT_MAX in limits.ts: somewhat more is what Slack refuses. */
const ALL_TEXT_MAX = 13_200;

const plainText = (max: number) =>
  z.strictObject({
    type: z.literal('plain_text'),
    text: z.string().min(1).max(max),
    emoji: z.boolean().optional(),
  });
const mrkdwn = z.strictObject({
  type: z.literal('mrkdwn'),
  text: z.string().min(1).max(SECTION_TEXT_MAX),
  verbatim: z.boolean().optional(),
});
const anyText = z.union([plainText(SECTION_TEXT_MAX), mrkdwn]);
const id = z.string().max(ID_MAX);
const image = z.strictObject({ type: z.literal('image'), image_url: z.url(), alt_text: z.string().min(1) });
const button = z.strictObject({
  type: z.literal('button'),
  text: plainText(BUTTON_TEXT_MAX),
  action_id: id.optional(),
  value: z.string().max(BUTTON_VALUE_MAX).optional(),
  url: z
    .url({ protocol: /^https?$/ })
    .max(BUTTON_URL_MAX)
    .optional(),
  style: z.enum(['primary', 'danger']).optional(),
  accessibility_label: z.string().max(BUTTON_TEXT_MAX).optional(),
});

const block = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('section'),
    block_id: id.optional(),
    text: anyText,
    accessory: z.union([button, image]).optional(),
    expand: z.boolean().optional(),
  }),
  z.strictObject({
    type: z.literal('context'),
    block_id: id.optional(),
    elements: z
      .array(z.union([anyText, image]))
      .min(1)
      .max(CONTEXT_ELEMENTS_MAX),
  }),
  z.strictObject({
    type: z.literal('actions'),
    block_id: id.optional(),
    elements: z
      .array(button)
      .min(1)
      .max(ACTIONS_ELEMENTS_MAX)
      .refine((all) => areUnique(all.map(({ action_id }) => action_id)), 'duplicate action_id'),
  }),
  z.strictObject({ type: z.literal('header'), block_id: id.optional(), text: plainText(HEADER_TEXT_MAX) }),
  z.strictObject({ type: z.literal('divider'), block_id: id.optional() }),
]);
const blocks = z
  .array(block)
  .max(MESSAGE_BLOCKS_MAX)
  .refine((all) => areUnique(all.map(({ block_id }) => block_id)), 'duplicate block_id');

/**
 * Throws ApiError unless Slack takes the blocks: `invalid_blocks`, `msg_blocks_too_long`. Only kinds of blocks
 * and fields that are listed here are known.
 */
export function checkedBlocks(value: unknown): readonly Block[] {
  const parsed = blocks.safeParse(value);
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

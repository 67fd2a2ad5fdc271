import { z } from 'zod';
import { ApiError } from './api-error.ts';
import { image, inputElement, interactiveElement } from './elements.ts';
import { ACTIONS_ELEMENTS_MAX, CONTEXT_ELEMENTS_MAX, MESSAGE_BLOCKS_MAX } from './limits.ts';
import type { Block } from './message.ts';
import { richTextElement } from './rich-text.ts';
import { anyText, id, plainText } from './text-objects.ts';

const HEADER_TEXT_MAX = 150;
const FIELDS_MAX = 10;
const FIELD_TEXT_MAX = 2_000;
const LABEL_MAX = 2_000;
/** See MESSAGE_BLOCKS_TEXT_MAX in limits.ts: somewhat more is what Slack refuses. */
const ALL_TEXT_MAX = 13_200;

const block_id = id.optional();

const block = z.discriminatedUnion('type', [
  z
    .strictObject({
      type: z.literal('section'),
      block_id,
      text: anyText().optional(),
      fields: z.array(anyText(FIELD_TEXT_MAX)).min(1).max(FIELDS_MAX).optional(),
      accessory: z.union([interactiveElement, image]).optional(),
      expand: z.boolean().optional(),
    })
    .refine(({ text, fields }) => text !== undefined || fields !== undefined, 'no text and no fields'),
  z.strictObject({
    type: z.literal('context'),
    block_id,
    elements: z
      .array(z.union([anyText(), image]))
      .min(1)
      .max(CONTEXT_ELEMENTS_MAX),
  }),
  z.strictObject({
    type: z.literal('actions'),
    block_id,
    elements: z
      .array(interactiveElement)
      .min(1)
      .max(ACTIONS_ELEMENTS_MAX)
      .refine((all) => areUnique(all.map(({ action_id }) => action_id)), 'duplicate action_id'),
  }),
  z.strictObject({ type: z.literal('header'), block_id, text: plainText(HEADER_TEXT_MAX) }),
  z.strictObject({ type: z.literal('divider'), block_id }),
  z.strictObject({ type: z.literal('rich_text'), block_id, elements: z.array(richTextElement) }),
  z.strictObject({
    type: z.literal('input'),
    block_id,
    label: plainText(LABEL_MAX),
    element: inputElement,
    hint: plainText(LABEL_MAX).optional(),
    optional: z.boolean().optional(),
    dispatch_action: z.boolean().optional(),
  }),
]);

/** Blocks that can go together; only kinds of blocks and fields that are listed here are known. */
export const blockList = (max: number) =>
  z
    .array(block)
    .max(max)
    .refine((all) => areUnique(all.map((one) => one.block_id)), 'duplicate block_id');
const messageBlocks = blockList(MESSAGE_BLOCKS_MAX);

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

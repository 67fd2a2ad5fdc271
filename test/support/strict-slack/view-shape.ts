import { z } from 'zod';
import { ApiError } from './api-error.ts';
import { blockList, id, plainText } from './blocks.ts';
import type { Block } from './message.ts';

const BLOCKS_MAX = 100;
const TITLE_MAX = 24;
const METADATA_MAX = 3_000;
const BYTES_MAX = 250_000;

/** What the bot says of a view. */
export interface ViewDraft {
  readonly type: 'modal' | 'home';
  readonly blocks: readonly Block[];
  readonly title?: unknown;
  readonly submit?: unknown;
  readonly close?: unknown;
  readonly private_metadata?: string | undefined;
  readonly callback_id?: string | undefined;
}

const common = {
  blocks: blockList(BLOCKS_MAX),
  private_metadata: z.string().max(METADATA_MAX).optional(),
  callback_id: id.optional(),
};
const home = z.strictObject({ type: z.literal('home'), ...common });
const modal = z
  .strictObject({
    type: z.literal('modal'),
    ...common,
    title: plainText(TITLE_MAX),
    submit: plainText(TITLE_MAX).optional(),
    close: plainText(TITLE_MAX).optional(),
  })
  .refine(
    ({ blocks, submit }) => submit !== undefined || blocks.every(({ type }) => type !== 'input'),
    'input blocks need a submit',
  );
const view = z.discriminatedUnion('type', [modal, home]);

/**
 * Throws ApiError unless Slack takes the view: `invalid_arguments`, `view_too_large`. Blocks and elements
 * without an id get one.
 */
export function checkedView(value: unknown, type: ViewDraft['type']): ViewDraft {
  const parsed = view.safeParse(value);
  if (!parsed.success) {
    throw new ApiError(
      'invalid_arguments',
      parsed.error.issues.map(({ message, path }) => `${message} [json-pointer:/view/${path.join('/')}]`),
    );
  }
  if (parsed.data.type !== type) throw new ApiError('invalid_arguments', [`not a view of type ${type}`]);
  if (Buffer.byteLength(JSON.stringify(parsed.data)) > BYTES_MAX) throw new ApiError('view_too_large');
  const blocks = parsed.data.blocks as readonly Block[];
  return { ...parsed.data, blocks };
}

export interface ViewElement {
  readonly type: string;
  readonly action_id: string;
  readonly [field: string]: unknown;
}

/** An element that a person can use, with the block that it is in. */
export interface PlacedElement {
  readonly element: ViewElement;
  readonly block: Block & { readonly block_id: string };
}

/** All that can be pressed or filled in, in the order of the view. */
export function elementsOf(blocks: readonly Block[]): readonly PlacedElement[] {
  return blocks.flatMap((block) => {
    const { element, accessory, elements, block_id = '' } = block;
    const all: ViewElement[] = [element, accessory, ...(Array.isArray(elements) ? elements : [])];
    return all
      .filter((one) => one?.action_id !== undefined)
      .map((one) => ({ element: one, block: { ...block, block_id } }));
  });
}

export function inputsOf(blocks: readonly Block[]): readonly PlacedElement[] {
  return elementsOf(blocks).filter(({ element }) => element.type !== 'button');
}

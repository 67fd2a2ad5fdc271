import { newId } from './ids.ts';
import type { Block } from './message.ts';

interface Element {
  readonly type: string;
  readonly action_id?: string;
}

/** The blocks as Slack stores them: each block, and each element to be used, has an id. */
export function withIds(blocks: readonly Block[], keepsBlockIds = true): readonly Block[] {
  return blocks.map((block) => {
    const { block_id, element, accessory, elements } = block;
    return {
      ...block,
      block_id: keepsBlockIds && block_id !== undefined ? block_id : shortId(),
      ...(element === undefined ? {} : { element: withActionId(element as Element) }),
      ...(accessory === undefined ? {} : { accessory: withActionId(accessory as Element) }),
      ...(block.type === 'actions' ? { elements: (elements as Element[]).map(withActionId) } : {}),
    };
  });
}

function withActionId(element: Element): Element {
  return element.type === 'image' || element.action_id !== undefined
    ? element
    : { ...element, action_id: shortId() };
}

function shortId(): string {
  return newId('').slice(0, 5);
}

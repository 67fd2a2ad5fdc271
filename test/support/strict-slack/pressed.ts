import type { Block } from './message.ts';
import type { Payload } from './payloads.ts';
import { elementsOf, type PlacedElement } from './view-shape.ts';
import { enteredValue, type StateValue } from './view-values.ts';

export interface PressedElement {
  readonly placed: PlacedElement;
  /** As the payload names it. */
  readonly action: Payload;
  /** Its present value, if it is something to fill in. */
  readonly value: StateValue | null;
}

/**
 * The element with the action id; of several buttons the one with the value, of the others with the value chosen.
 * Throws if there is none, or if the bot would learn nothing of it.
 */
export function pressedElement(
  blocks: readonly Block[],
  actionId: string,
  value?: string | null,
): PressedElement {
  const named = elementsOf(blocks).filter(({ element }) => element.action_id === actionId);
  const placed = named.find(
    ({ element }) => element.type !== 'button' || value === undefined || element.value === value,
  );
  if (placed === undefined) {
    const present = elementsOf(blocks).map(({ element }) =>
      value === undefined ? element.action_id : `${element.action_id} (${element.value})`,
    );
    throw new Error(`there is no button "${actionId}" to press; there are: ${present.join(', ') || 'none'}`);
  }
  const { element, block } = placed;
  if (block.type === 'input' && !block.dispatch_action) throw new Error(`"${actionId}" is only submitted`);
  const at = { action_id: actionId, block_id: block.block_id, type: element.type };
  if (element.type === 'button') return { placed, action: { ...element, ...at }, value: null };
  const entered = enteredValue(element, value ?? null);
  return { placed, action: { ...at, ...entered }, value: entered };
}

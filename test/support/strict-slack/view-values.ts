import { isDeepStrictEqual } from 'node:util';
import type { Block } from './message.ts';
import { inputsOf, type PlacedElement, type ViewElement } from './view-shape.ts';

/**
 * What a person fills in: text, the value or the text of an option, the id of a conversation; several of these
 * where several can be chosen; null for nothing.
 */
export type FilledIn = string | readonly string[] | null;

/** The value of an element, as Slack sends it. */
export type StateValue = Readonly<Record<string, unknown>> & { readonly type: string };

interface Option {
  readonly text: { readonly text: string };
  readonly value: string;
}

/** The value of an element before anybody touched it. @param channelId where the view was opened */
export function initialValue(element: ViewElement, channelId: string | null): StateValue {
  const { type } = element;
  const current = element.default_to_current_conversation ? channelId : null;
  switch (type) {
    case 'plain_text_input':
      return { type, value: element.initial_value ?? null };
    case 'conversations_select':
      return { type, selected_conversation: current };
    case 'multi_conversations_select':
      return {
        type,
        selected_conversations: element.initial_conversations ?? (current === null ? [] : [current]),
      };
    case 'checkboxes':
      return { type, selected_options: element.initial_options ?? [] };
    default:
      return { type, selected_option: element.initial_option ?? null };
  }
}

/** The value of an element once a person filled it in. Throws if Slack would not let them. */
export function enteredValue(element: ViewElement, given: FilledIn): StateValue {
  const { type } = element;
  const all = given === null ? [] : typeof given === 'string' ? [given] : given;
  const [first = null] = all;
  switch (type) {
    case 'plain_text_input':
      return { type, value: first === null || first === '' ? null : typed(element, first) };
    case 'conversations_select':
      return { type, selected_conversation: first };
    case 'multi_conversations_select':
      return { type, selected_conversations: all };
    case 'checkboxes':
      return { type, selected_options: all.map((one) => optionOf(element, one)) };
    default:
      return { type, selected_option: first === null ? null : optionOf(element, first) };
  }
}

/** The option with the value or the text. Throws if there is none. */
function optionOf(element: ViewElement, given: string): Option {
  const options = element.options as readonly Option[];
  const option =
    options.find(({ value }) => value === given) ?? options.find(({ text }) => text.text === given);
  if (option === undefined) {
    const present = options.map(({ value }) => value).join(', ');
    throw new Error(`"${element.action_id}" has no option "${given}"; it has: ${present}`);
  }
  return option;
}

function typed({ action_id, max_length }: ViewElement, text: string): string {
  if (text.length > Number(max_length ?? 3_000)) throw new Error(`"${action_id}" takes no such long text`);
  return text;
}

/**
 * The element that a person means: by `block_id/action_id`, by either, or by its label. Throws unless there is
 * one.
 */
export function meantInput(blocks: readonly Block[], name: string): PlacedElement {
  const inputs = inputsOf(blocks);
  const found = inputs.filter(({ block, element }) => namesOf({ block, element }).includes(name));
  const [first] = found;
  if (first !== undefined && found.length === 1) return first;
  const present = inputs.map(({ block, element }) => `${block.block_id}/${element.action_id}`).join(', ');
  throw new Error(`the view has ${found.length} inputs "${name}"; it has: ${present || 'none'}`);
}

function namesOf({ block, element }: PlacedElement): readonly unknown[] {
  const { label } = block as { label?: { text: string } };
  return [
    `${block.block_id}/${element.action_id}`,
    block.block_id,
    element.action_id,
    ...(label === undefined ? [] : [label.text]),
  ];
}

/** Whether a value of another version of the element can be kept in this one. */
export function fits({ type, options }: ViewElement, value: StateValue): boolean {
  if (type !== value.type) return false;
  const chosen = [value.selected_option, value.selected_options].flat().filter((one) => one != null);
  return chosen.every((one) =>
    (options as readonly unknown[]).some((other) => isDeepStrictEqual(other, one)),
  );
}

/** Whether it is empty. */
export function isBlank({ type: _type, ...rest }: StateValue): boolean {
  return Object.values(rest).every((value) => value === null || (Array.isArray(value) && value.length === 0));
}

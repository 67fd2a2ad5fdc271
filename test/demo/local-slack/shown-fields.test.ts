import { expect, test } from 'vitest';
import { withShownFields } from '../../../demo/local-slack/shown-fields.ts';

const blocks = ['typed', 'shown', 'empty'].map((id) => ({
  type: 'input',
  block_id: id,
  element: {
    type: 'plain_text_input',
    action_id: id,
    ...(id === 'empty' ? {} : { initial_value: 'At first' }),
  },
}));
const sent = (values: object, type = 'view_submission') =>
  JSON.stringify({ envelope_id: 'e', payload: { type, view: { blocks, state: { values } } } });

test('a form is delivered with what its fields show', () => {
  const field = (id: string, value: string | null) => ({
    [id]: { [id]: { type: 'plain_text_input', value } },
  });
  const others = { ...field('typed', ''), ...field('empty', null) };
  const before = { ...others, ...field('shown', null) };
  expect(withShownFields(sent(before))).toBe(sent({ ...others, ...field('shown', 'At first') }));
  expect(withShownFields(sent(before, 'block_actions'))).toBe(sent(before, 'block_actions'));
  expect(withShownFields('{"type": "hello"}')).toBe('{"type": "hello"}');
});

test('boxes and menus that nobody has touched are delivered as the form has them', () => {
  const [one, two] = ['one', 'two'].map((value) => ({ value }));
  const menu = { type: 'static_select', action_id: 'menu', initial_option: one };
  const boxes = { type: 'checkboxes', action_id: 'boxes', initial_options: [one, two] };
  const blocks = [menu, boxes].map((element) => ({
    type: 'input',
    block_id: element.action_id,
    element,
  }));
  const sent = (option: object | null, options: readonly unknown[]) => {
    const values = {
      menu: { menu: { type: 'static_select', selected_option: option } },
      boxes: { boxes: { type: 'checkboxes', selected_options: options } },
    };
    return JSON.stringify({ payload: { type: 'view_submission', view: { blocks, state: { values } } } });
  };
  expect(withShownFields(sent(null, []))).toBe(sent(one ?? null, [one, two]));
  expect(withShownFields(sent(two ?? null, [two]))).toBe(sent(two ?? null, [two]));
});

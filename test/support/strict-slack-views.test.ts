import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { alice, bob, general } from './local-slack.ts';
import { type Caller, callerOf } from './strict-slack/caller.ts';
import { type StrictSlack, startStrictSlack } from './strict-slack.ts';
import { createTestClock, type TestClock } from './test-clock.ts';

const text = (value: string) => ({ type: 'plain_text', text: value });
const modal = { type: 'modal', title: text('Ask'), submit: text('Start'), blocks: [] };
const home = { type: 'home', blocks: [] };
const input = (element: object, more: object = {}) => ({
  type: 'input',
  label: text('Prompt'),
  element,
  ...more,
});
const field = (more: object = {}) => ({ type: 'plain_text_input', action_id: 'text', ...more });
const option = (value: string, label = value) => ({ text: text(label), value });
const options = (count: number) => Array.from({ length: count }, (_, index) => option(`${index + 1}`));
const divider = { type: 'divider' };

let clock: TestClock;
let slack: StrictSlack;
let call: Caller;

beforeEach(async () => {
  clock = createTestClock(Date.now());
  slack = await startStrictSlack({ clock, app: { mode: 'socket' } });
  call = callerOf(slack);
});
afterEach(() => slack[Symbol.asyncDispose]());

/** Of a command without a recipient: there is no bot. */
async function newTrigger(user = alice): Promise<string> {
  await slack.control.command({ channel: general, user, text: '' });
  return String(slack.deliveries().at(-1)?.payload.trigger_id);
}
const open = async (view: object) => call('views.open', { trigger_id: await newTrigger(), view });
const idOf = ({ view }: Awaited<ReturnType<Caller>>) => Object(view).id as string;
const hashOf = ({ view }: Awaited<ReturnType<Caller>>) => Object(view).hash as string;

describe('a trigger', () => {
  test('opens one view, for the person who made it', async () => {
    const trigger_id = await newTrigger(bob);
    expect((await call('views.open', { trigger_id, view: modal })).ok).toBe(true);
    expect(slack.control.modal(bob)).toMatchObject({ type: 'modal', title: text('Ask') });
    expect(slack.control.modal(alice)).toBeNull();
    expect((await call('views.open', { trigger_id, view: modal })).error).toBe('exchanged_trigger_id');
    expect((await call('views.open', { trigger_id: 'x', view: modal })).error).toBe('invalid_trigger_id');
  });

  test('is good for 3 seconds, and is not used up by a view that is refused', async () => {
    const trigger_id = await newTrigger();
    await clock.advance(2_999);
    expect((await call('views.open', { trigger_id, view: home })).error).toBe('invalid_arguments');
    expect((await call('views.open', { trigger_id, view: modal })).ok).toBe(true);
    const late = await newTrigger();
    await clock.advance(3_000);
    expect((await call('views.open', { trigger_id: late, view: modal })).error).toBe('expired_trigger_id');
  });
});

describe('a modal is refused', () => {
  test.each<[string, object]>([
    ['a long title', { title: text('t'.repeat(25)) }],
    ['no title', { title: undefined }],
    ['a long submit', { submit: text('s'.repeat(25)) }],
    ['a long close', { close: text('c'.repeat(25)) }],
    ['a title in mrkdwn', { title: { type: 'mrkdwn', text: 'Ask' } }],
    ['a long private_metadata', { private_metadata: 'm'.repeat(3_001) }],
    ['a long callback_id', { callback_id: 'c'.repeat(256) }],
    ['an unknown field', { colour: 'red' }],
    ['too many blocks', { blocks: Array.from({ length: 101 }, () => divider) }],
    ['the same block_id twice', { blocks: [1, 2].map(() => ({ ...divider, block_id: 'same' })) }],
    ['an input without submit', { submit: undefined, blocks: [input(field())] }],
    ['a long label', { blocks: [input(field(), { label: text('l'.repeat(2_001)) })] }],
    ['a long initial_value', { blocks: [input(field({ initial_value: 'v'.repeat(3_001) }))] }],
    ['an initial_value over max_length', { blocks: [input(field({ initial_value: 'ab', max_length: 1 }))] }],
    ['a high max_length', { blocks: [input(field({ max_length: 3_001 }))] }],
    ['a long placeholder', { blocks: [input(field({ placeholder: text('p'.repeat(151)) }))] }],
    ['a button as input', { blocks: [input({ type: 'button', text: text('Go') })] }],
    ['a menu without options', { blocks: [input({ type: 'static_select', options: [] })] }],
    ['a menu of many options', { blocks: [input({ type: 'static_select', options: options(101) })] }],
    ['a long option', { blocks: [input({ type: 'static_select', options: [option('1', 'o'.repeat(76))] })] }],
    ['a long value', { blocks: [input({ type: 'static_select', options: [option('v'.repeat(151), 'o')] })] }],
    [
      'an initial option that is none',
      { blocks: [input({ type: 'static_select', options: options(2), initial_option: option('3') })] },
    ],
    ['many checkboxes', { blocks: [input({ type: 'checkboxes', options: options(11) })] }],
    ['many radio buttons', { blocks: [input({ type: 'radio_buttons', options: options(11) })] }],
    ['no text and no fields', { blocks: [{ type: 'section' }] }],
  ])('for %s', async (_what, more) => {
    const answer = await open({ ...modal, ...more });
    expect(answer).toMatchObject({ error: 'invalid_arguments' });
    expect(answer.response_metadata?.messages?.[0]).toContain('[json-pointer:/view');
    expect(slack.control.modal(alice)).toBeNull();
  });

  test('as too large, and for an external_id that another has', async () => {
    const long = { type: 'section', text: { type: 'mrkdwn', text: 'ü'.repeat(3_000) } };
    const large = { ...modal, blocks: Array.from({ length: 60 }, () => long) };
    expect((await open(large)).error).toBe('view_too_large');
    await call('views.publish', { user_id: bob, view: { ...home, external_id: 'mine' } });
    expect((await open({ ...modal, external_id: 'mine' })).error).toBe('duplicate_external_id');
  });
});

test('a modal takes what is at the limits', async () => {
  const blocks = [
    input(field({ initial_value: 'v'.repeat(3_000) })),
    input({ type: 'static_select', action_id: 'one', options: options(100) }),
    input({ type: 'checkboxes', action_id: 'some', options: options(10) }),
    input({ type: 'conversations_select', action_id: 'where', default_to_current_conversation: true }),
    { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: 'x' }] }] },
    ...Array.from({ length: 95 }, () => divider),
  ];
  expect(await open({ ...modal, blocks })).toMatchObject({ ok: true });
});

describe('a view that is open', () => {
  test('is updated by either id, unless it was updated since', async () => {
    const first = await open({ ...modal, external_id: 'mine' });
    const [view_id, hash] = [idOf(first), hashOf(first)];
    const second = await call('views.update', { view_id, hash, view: { ...modal, external_id: 'mine' } });
    expect(second).toMatchObject({ ok: true, view: { id: view_id } });
    expect(hashOf(second)).not.toBe(hash);
    expect((await call('views.update', { view_id, hash, view: modal })).error).toBe('hash_conflict');
    const byExternal = { external_id: 'mine', view: { ...modal, title: text('New') } };
    expect((await call('views.update', byExternal)).ok).toBe(true);
    expect(slack.control.modal(alice)).toMatchObject({ id: view_id, title: text('New') });
    expect((await call('views.update', { view_id: 'V0', view: modal })).error).toBe('not_found');
    expect((await call('views.update', { view: modal })).error).toBe('invalid_arguments');
    expect((await call('views.update', { view_id, view: home })).error).toBe('invalid_arguments');
  });

  test('keeps what was filled in where the input stays', async () => {
    const blocks = [input(field(), { block_id: 'a' }), input(field(), { block_id: 'b' })];
    const { view } = await open({ ...modal, blocks });
    slack.control.fillIn(alice, { a: 'one', b: 'two' });
    const changed = [
      input(field({ initial_value: 'new' }), { block_id: 'a' }),
      input(field(), { block_id: 'c' }),
    ];
    await call('views.update', { view_id: Object(view).id, view: { ...modal, blocks: changed } });
    expect(slack.control.modal(alice)?.state.values).toEqual({
      a: { text: { type: 'plain_text_input', value: 'one' } },
      c: { text: { type: 'plain_text_input', value: null } },
    });
  });

  test('has two others on top of it at most', async () => {
    const push = async () => call('views.push', { trigger_id: await newTrigger(), view: modal });
    expect((await push()).error).toBe('not_found');
    const root = idOf(await open(modal));
    const second = await push();
    expect(second).toMatchObject({ ok: true, view: { root_view_id: root, previous_view_id: root } });
    expect((await push()).ok).toBe(true);
    expect((await push()).error).toBe('push_limit_reached');
  });
});

describe('a home', () => {
  test('is published for one person, and again unless it was published since', async () => {
    const publish = (more: object) => call('views.publish', { user_id: alice, view: home, ...more });
    const first = await publish({});
    expect(slack.control.home(alice)).toMatchObject({ type: 'home', hash: hashOf(first) });
    expect(slack.control.home(bob)).toBeNull();
    const second = await publish({ hash: hashOf(first) });
    expect(idOf(second)).toBe(idOf(first));
    expect((await publish({ hash: hashOf(first) })).error).toBe('hash_conflict');
    expect((await publish({ user_id: 'U0NOBODY' })).error).toBe('user_not_found');
    expect((await publish({ view: { ...home, submit: text('Go') } })).error).toBe('invalid_arguments');
    expect((await publish({ view: modal })).error).toBe('invalid_arguments');
  });
});

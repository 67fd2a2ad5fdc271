import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { alice, general } from './local-slack.ts';
import { type Caller, callerOf } from './strict-slack/caller.ts';
import { connectBot, type Envelope, type SocketBot } from './strict-slack/socket-bot.ts';
import { type StrictSlack, startStrictSlack } from './strict-slack.ts';
import { createTestClock } from './test-clock.ts';

const text = (value: string) => ({ type: 'plain_text', text: value });
const option = (value: string, label: string) => ({ text: text(label), value });
const projects = [option('p1', 'Docs'), option('p2', 'Blog')];
const prompt = {
  type: 'input',
  block_id: 'prompt',
  label: text('What should change?'),
  element: { type: 'plain_text_input', action_id: 'text', min_length: 2, max_length: 10 },
};
const project = {
  type: 'input',
  block_id: 'project',
  label: text('Project'),
  element: {
    type: 'static_select',
    action_id: 'chosen',
    options: projects,
    initial_option: projects[0],
  },
};
const ticks = {
  type: 'section',
  block_id: 'ticks',
  text: text('Context'),
  accessory: {
    type: 'checkboxes',
    action_id: 'messages',
    options: [option('m1', 'One'), option('m2', 'Two')],
  },
};
const ask = {
  type: 'modal',
  callback_id: 'ask',
  private_metadata: 'secret',
  title: text('Ask'),
  submit: text('Start'),
  blocks: [prompt, project, ticks],
};
const page = (title: string) => ({ type: 'modal', title: text(title), submit: text('OK'), blocks: [] });

let slack: StrictSlack;
let bot: SocketBot;
let call: Caller;

beforeEach(async () => {
  slack = await startStrictSlack({ clock: createTestClock(Date.now()), app: { mode: 'socket' } });
  bot = await connectBot(slack);
  call = callerOf(slack);
});
afterEach(() => slack[Symbol.asyncDispose]());

/** What the request tells the bot, which acknowledges it so, and what the request returns. */
async function told<T>(request: Promise<T>, answer?: unknown): Promise<[Envelope['payload'], T]> {
  const envelope = await bot.next();
  bot.acknowledge(envelope, answer);
  return [envelope.payload, await request];
}

async function open(view: object): Promise<void> {
  const [{ trigger_id }] = await told(slack.control.command({ channel: general, user: alice, text: '' }));
  const { error } = await call('views.open', { trigger_id, view });
  if (error !== undefined) throw new Error(error);
}
const titles = () => Object(slack.control.modal(alice)?.title).text;

describe('a submission', () => {
  test('tells the bot the values of the inputs, and closes the modal', async () => {
    await open(ask);
    slack.control.fillIn(alice, { messages: ['m2'] });
    const filled = { 'What should change?': 'the FAQ' };
    const [payload, outcome] = await told(slack.control.submit(alice, filled));
    expect(payload).toMatchObject({
      type: 'view_submission',
      user: { id: alice, team_id: 'T0LOCAL' },
      trigger_id: expect.any(String),
      response_urls: [],
      view: {
        id: expect.stringMatching(/^V/),
        hash: expect.any(String),
        callback_id: 'ask',
        private_metadata: 'secret',
      },
    });
    expect(Object(payload.view).state.values).toEqual({
      prompt: { text: { type: 'plain_text_input', value: 'the FAQ' } },
      project: { chosen: { type: 'static_select', selected_option: projects[0] } },
      ticks: { messages: { type: 'checkboxes', selected_options: [option('m2', 'Two')] } },
    });
    expect(outcome).toEqual({ acknowledged: true, payload: null, errors: null });
    expect(slack.control.modal(alice)).toBeNull();
  });

  test('can be answered with errors at inputs, which are read while the modal stays open', async () => {
    await open(ask);
    const errors = { prompt: 'Too vague' };
    const answer = { response_action: 'errors', errors };
    const [, outcome] = await told(slack.control.submit(alice, { prompt: 'stuff' }), answer);
    expect(outcome.errors).toEqual(errors);
    expect(slack.control.modal(alice)?.state.values.prompt?.text?.value).toBe('stuff');
    await expect(
      told(slack.control.submit(alice), { response_action: 'errors', errors: { ticks: 'No' } }),
    ).rejects.toThrow('no input block ticks');
  });

  test('can be answered with another view in its place, on top of it, or with none at all', async () => {
    await open(page('One'));
    await told(slack.control.submit(alice), { response_action: 'update', view: page('Two') });
    expect(titles()).toBe('Two');
    await told(slack.control.submit(alice), { response_action: 'push', view: page('Three') });
    expect(titles()).toBe('Three');
    await told(slack.control.submit(alice));
    expect(titles()).toBe('Two');
    await told(slack.control.submit(alice), { response_action: 'push', view: page('Three') });
    await told(slack.control.submit(alice), { response_action: 'clear' });
    expect(slack.control.modal(alice)).toBeNull();
  });

  test.each([
    ['a view that Slack does not take', { response_action: 'update', view: { type: 'modal' } }],
    ['an action that Slack does not know', { response_action: 'shout' }],
    ['no errors', { response_action: 'errors', errors: {} }],
  ])('answered with %s goes wrong for the person', async (_what, answer) => {
    await open(page('One'));
    await expect(told(slack.control.submit(alice), answer)).rejects.toThrow(/^invalid_/);
    expect(titles()).toBe('One');
  });

  test('that nobody takes leaves the modal open', async () => {
    await open(page('One'));
    slack.socket.cut();
    expect(await slack.control.submit(alice)).toEqual({ acknowledged: false, payload: null, errors: null });
    expect(titles()).toBe('One');
  });

  test('is not let through by Slack with something empty, too long, too short, or not on the list', async () => {
    await open(ask);
    await expect(slack.control.submit(alice)).rejects.toThrow('still to be filled in: prompt/text');
    for (const values of [{ prompt: 'x' }, { prompt: 'x'.repeat(11) }, { project: 'p3' }, { colour: 'red' }])
      await expect(slack.control.submit(alice, values)).rejects.toThrow();
    expect(slack.deliveries()).toHaveLength(1);
  });

  test('brings an address to answer at, if the modal asks where to answer', async () => {
    const where = {
      type: 'conversations_select',
      action_id: 'to',
      default_to_current_conversation: true,
      response_url_enabled: true,
    };
    const block = { type: 'input', block_id: 'where', label: text('Where?'), element: where };
    await open({ ...page('One'), blocks: [block] });
    const [{ response_urls }] = await told(slack.control.submit(alice));
    expect(response_urls).toEqual([
      { block_id: 'where', action_id: 'to', channel_id: general, response_url: expect.any(String) },
    ]);
  });
});

describe('closing', () => {
  test('tells the bot only if it asked for that', async () => {
    await open(page('One'));
    await slack.control.close(alice);
    expect(slack.control.modal(alice)).toBeNull();
    await open({ ...page('One'), notify_on_close: true });
    const [payload] = await told(slack.control.close(alice));
    expect(payload).toMatchObject({ type: 'view_closed', is_cleared: false, view: { title: text('One') } });
    expect(slack.deliveries()).toHaveLength(3);
  });

  test('of the top view leads back to the one below, unless it clears all', async () => {
    await open(page('One'));
    const pushed = { response_action: 'push', view: page('Two') };
    await told(slack.control.submit(alice), pushed);
    await slack.control.close(alice);
    expect(titles()).toBe('One');
    const clearing = { ...pushed, view: { ...page('Two'), clear_on_close: true, notify_on_close: true } };
    await told(slack.control.submit(alice), clearing);
    const [payload] = await told(slack.control.close(alice));
    expect(payload).toMatchObject({ type: 'view_closed', is_cleared: true });
    expect(slack.control.modal(alice)).toBeNull();
  });
});

describe('a press in a view', () => {
  const row = (value: string) => ({
    type: 'section',
    text: text(value),
    accessory: { type: 'button', text: text('Open'), action_id: 'open', value },
  });

  test('comes with the view, and can push another', async () => {
    const menu = { ...project, dispatch_action: true };
    await open({ ...ask, blocks: [prompt, menu, row('j1'), row('j2')] });
    slack.control.fillIn(alice, { prompt: 'the FAQ' });
    const [payload] = await told(slack.control.pressInView(alice, 'open', 'j2'));
    expect(payload).toMatchObject({
      type: 'block_actions',
      container: { type: 'view', view_id: slack.control.modal(alice)?.id },
      view: { callback_id: 'ask', state: { values: { prompt: { text: { value: 'the FAQ' } } } } },
      actions: [{ action_id: 'open', value: 'j2' }],
    });
    for (const field of ['message', 'channel', 'response_url']) expect(payload).not.toHaveProperty(field);
    const [chosen] = await told(slack.control.pressInView(alice, 'chosen', 'Blog'));
    expect(chosen.actions).toMatchObject([{ type: 'static_select', selected_option: projects[1] }]);
    const { trigger_id } = chosen;
    expect((await call('views.push', { trigger_id, view: page('More') })).ok).toBe(true);
    expect(titles()).toBe('More');
  });

  test('of what is only submitted, or not there, is an error', async () => {
    await open(ask);
    await expect(slack.control.pressInView(alice, 'chosen', 'p2')).rejects.toThrow('only submitted');
    await expect(slack.control.pressInView(alice, 'open')).rejects.toThrow('no button "open"');
  });

  test('at the home comes with the home, which the event of its opening shows', async () => {
    const [first] = await told(slack.control.openHome(alice));
    expect(first.event).toEqual({
      type: 'app_home_opened',
      user: alice,
      channel: 'D0ALICE',
      tab: 'home',
      event_ts: expect.any(String),
    });
    await call('views.publish', { user_id: alice, view: { type: 'home', blocks: [row('j1')] } });
    const [second] = await told(slack.control.openHome(alice));
    expect(second.event?.view).toEqual(slack.control.home(alice));
    const [payload] = await told(slack.control.pressInView(alice, 'open'));
    expect(payload).toMatchObject({ view: { type: 'home' }, actions: [{ value: 'j1' }] });
    expect((await call('views.open', { trigger_id: payload.trigger_id, view: page('One') })).ok).toBe(true);
  });
});

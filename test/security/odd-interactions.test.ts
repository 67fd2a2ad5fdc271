import { afterAll, beforeAll, expect, test } from 'vitest';
import { type StrictWorld, startStrictWorld } from '../e2e/support/strict-world.ts';
import { alice, general } from '../support/local-slack.ts';
import type { SignedSlack } from '../support/signed-slack.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { signedSlackOf } from '../support/strict-slack/signed.ts';

/** What Slack documents, or was seen to send, and is easily taken for malformed. */
let world: StrictWorld;
let signed: SignedSlack;
beforeAll(async () => {
  world = await startStrictWorld({ mode: 'http' });
  signed = signedSlackOf(world);
});
afterAll(() => world[Symbol.asyncDispose]());

type Json = Record<string, unknown>;
const { teamId } = strictApp;
const who = { id: alice, username: 'alice', name: 'alice', team_id: teamId };
const interaction = {
  api_app_id: 'A1',
  token: 'x',
  team: { id: teamId, domain: 'x' },
  enterprise: null,
  is_enterprise_install: false,
  user: who,
  trigger_id: '1.2.abc',
};
const button = {
  type: 'button',
  action_id: 'start_another',
  block_id: 'x',
  text: { type: 'plain_text', text: 'x', emoji: true },
  action_ts: '1.1',
};
const home = {
  id: 'V1',
  team_id: teamId,
  type: 'home',
  blocks: [{ type: 'divider', block_id: 'd' }],
  private_metadata: '',
  callback_id: '',
  state: { values: {} },
  hash: '1.a',
  title: { type: 'plain_text', text: 'x' },
  clear_on_close: false,
  notify_on_close: false,
  close: null,
  submit: null,
  previous_view_id: null,
  root_view_id: 'V1',
  app_id: 'A1',
  external_id: '',
  app_installed_team_id: teamId,
  bot_id: 'B1',
};
const message = {
  type: 'message',
  user: 'U0BOT',
  bot_id: 'B1',
  ts: '1.1',
  text: 'x',
  edited: null,
  thread_ts: null,
  team: teamId,
  blocks: [],
};
const channel = { id: general, name: 'general' };
const typed = { type: 'plain_text_input', value: null };
const fields = {
  prompt: { prompt: { ...typed } },
  project: { project: { type: 'static_select', selected_option: null } },
  date: { d: { type: 'datetimepicker', selected_date_time: 1_700_000_000 } },
  rich: { r: { type: 'rich_text_input', rich_text_value: { type: 'rich_text', elements: [] } } },
  file: { f: { type: 'file_input', files: [{ id: 'F1' }] } },
  users: { u: { type: 'multi_users_select', selected_users: [alice] } },
};

test.each<[string, Json]>([
  [
    'a press in a message',
    {
      type: 'block_actions',
      channel,
      container: { type: 'message', message_ts: '1.1', channel_id: general, is_ephemeral: false },
      message,
      state: { values: {} },
      response_url: 'http://127.0.0.1:9/',
      actions: [{ ...button, value: '{}' }],
    },
  ],
  [
    'a press in a private message',
    {
      type: 'block_actions',
      channel,
      container: {
        type: 'message',
        message_ts: '1.1',
        thread_ts: null,
        channel_id: general,
        is_ephemeral: true,
      },
      response_url: 'http://127.0.0.1:9/',
      actions: [button],
    },
  ],
  [
    'a press of a button without a value',
    {
      type: 'block_actions',
      channel,
      message: null,
      container: null,
      response_url: 'http://127.0.0.1:9/',
      actions: [{ ...button, value: null }],
    },
  ],
  [
    'a press in a direct message of an organisation',
    {
      type: 'block_actions',
      team: null,
      enterprise: { id: 'E1', name: 'x' },
      is_enterprise_install: true,
      channel: { id: 'D0ALICE', name: 'directmessage' },
      message,
      actions: [button],
    },
  ],
  [
    'a press at home, which has no channel',
    { type: 'block_actions', container: { type: 'view', view_id: 'V1' }, view: home, actions: [button] },
  ],
  [
    'a press in a form, with a channel that is null',
    {
      type: 'block_actions',
      channel: null,
      message: null,
      response_url: '',
      view: { ...home, type: 'modal', state: { values: fields } },
      actions: [button],
    },
  ],
  [
    'a shortcut at a message of a bot',
    {
      type: 'message_action',
      callback_id: 'ask_docs_agent',
      action_ts: '1.1',
      message_ts: '1.1',
      channel,
      response_url: 'http://127.0.0.1:9/',
      message: { ...message, subtype: 'bot_message', user: null, text: null, files: null, username: 'ci' },
    },
  ],
  [
    'a shortcut in a direct message',
    {
      type: 'message_action',
      callback_id: 'ask_docs_agent',
      action_ts: '1.1',
      message_ts: '1.1',
      channel: { id: 'D0ALICE', name: 'directmessage' },
      message: { ...message, user: alice, bot_id: null },
    },
  ],
  [
    'a form with fields of other kinds, and empty ones',
    {
      type: 'view_submission',
      view: { ...home, type: 'modal', callback_id: 'compose', state: { values: fields } },
      response_urls: [],
    },
  ],
])('%s is taken in', async (_what, body) => {
  const payload = JSON.stringify({ ...interaction, ...body });
  const { status } = await signed.send(
    'application/x-www-form-urlencoded',
    String(new URLSearchParams({ payload })),
  );
  expect(status).toBe(200);
});

test.each<[string, Record<string, string>]>([
  ['in an organisation', { enterprise_id: 'E1', enterprise_name: 'x', is_enterprise_install: 'true' }],
  ['with empty fields', { enterprise_id: '', enterprise_name: '', is_enterprise_install: '', text: '' }],
])('a command %s is taken in', async (_what, more) => {
  const fieldsOfAll = {
    command: '/docs-agent',
    text: 'help',
    team_id: teamId,
    team_domain: 'x',
    user_id: alice,
    user_name: 'alice',
    channel_id: general,
    channel_name: 'general',
    api_app_id: 'A1',
    trigger_id: '1.2.abc',
  };
  const body = String(new URLSearchParams({ ...fieldsOfAll, ...more }));
  expect((await signed.send('application/x-www-form-urlencoded', body)).status).toBe(200);
});

test('a command without a word is taken for the command alone', async () => {
  const bare = { command: '/docs-agent', team_id: teamId, user_id: alice, channel_id: general };
  const { status, body } = await signed.send(
    'application/x-www-form-urlencoded',
    String(new URLSearchParams(bare)),
  );
  expect(status).toBe(200);
  expect(body).toContain('ephemeral');
});

test('none of this was an error of the program, or reached the agent', async () => {
  await world.settled(2_000);
  expect(world.log.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  expect(world.log.filter((line) => line.includes('request_refused'))).toEqual([]);
  expect(world.prompts()).toEqual([]);
});

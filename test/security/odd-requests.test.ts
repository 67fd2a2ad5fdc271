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
const authorization = {
  enterprise_id: null,
  team_id: teamId,
  user_id: 'U0BOT',
  is_bot: true,
  is_enterprise_install: false,
};
const at = {
  channel: general,
  channel_type: 'channel',
  event_ts: '1700000000.000100',
  ts: '1700000000.000100',
};
const written = {
  type: 'message',
  user: alice,
  text: 'Hi',
  team: teamId,
  blocks: [],
  client_msg_id: 'a-b-c',
  ...at,
};
const told = (subtype: string, more: Json) => ({ type: 'message', subtype, ...at, ...more });
const inner = { type: 'message', user: alice, text: 'Hi', ts: '1700000000.000050', team: teamId };
const ofBot = { type: 'message', subtype: 'bot_message', bot_id: 'B1' };
const noContent = { thread_ts: null, edited: null, subtype: null, bot_id: null, client_msg_id: null };
const elsewhere = { user_team: 'T0OTHER', source_team: 'T0OTHER', user_profile: { team: 'T0OTHER' } };
const root = { ...inner, thread_ts: inner.ts, reply_count: 1, replies: [{ user: alice, ts: '1.1' }] };
const edited = { user: alice, ts: '1700000001.000000' };
const tombstone = { ...inner, subtype: 'tombstone', user: 'USLACKBOT', hidden: true, thread_ts: inner.ts };
const homeView = { id: 'V1', team_id: teamId, type: 'home', blocks: [], previous_view_id: null };
const home = { type: 'app_home_opened', user: alice, event_ts: '1.1' };

test.each<[string, Json]>([
  ['a message', written],
  ['a message that says null of what it lacks', { ...written, ...noContent, files: null }],
  ['a message that says null of what Bolt looks for', { ...written, item: null, subteam: null }],
  ['a message with blocks only', { ...written, text: undefined }],
  [
    'a message with a file that is not described',
    { ...written, subtype: 'file_share', text: '', files: [{ id: 'F1', file_access: 'check_file_info' }] },
  ],
  ['a message from a connected workspace', { ...written, ...elsewhere, user: 'W0ELSEWHERE' }],
  [
    'a reply that is shown in the channel, too',
    { ...written, subtype: 'thread_broadcast', thread_ts: inner.ts, root },
  ],
  ['a message of an app', { ...written, user: 'U0APP', bot_id: 'B1', bot_profile: { id: 'B1', icons: {} } }],
  [
    'a message of a webhook, which has no user',
    told('bot_message', { bot_id: 'B1', username: 'ci', icons: null }),
  ],
  [
    'a message of a bot in a thread of no shape',
    told('bot_message', { bot_id: 'B1', user: null, thread_ts: '' }),
  ],
  ['a person who joins, without a word of who asked', told('channel_join', { user: alice, inviter: null })],
  ['a new topic', told('channel_topic', { user: alice, topic: '', text: '' })],
  [
    'a reply that is described at its root',
    told('message_replied', { hidden: true, message: { ...root, edited } }),
  ],
  ['an edit', told('message_changed', { message: { ...inner, edited }, previous_message: inner })],
  [
    'an edit of what a bot without user wrote, at no time',
    told('message_changed', {
      message: { ...ofBot, edited: { ts: '' } },
      previous_message: ofBot,
      ts: undefined,
    }),
  ],
  ['a message that became a stone', told('message_changed', { message: tombstone, previous_message: inner })],
  ['a deletion', told('message_deleted', { deleted_ts: inner.ts, previous_message: inner })],
  [
    'a deletion of what is not told',
    told('message_deleted', { deleted_ts: inner.ts, previous_message: null }),
  ],
  ['an access that an administrator denies', told('ekm_access_denied', { user: 'UREVOKEDU', text: 'x' })],
  ['a mention by a workflow', { ...ofBot, type: 'app_mention', text: '<@U0BOT> x', ...at }],
  ['the home tab', { ...home, channel: 'D0ALICE', tab: 'home', view: homeView }],
  ['the messages tab, in no channel', { ...home, channel: null, tab: 'messages' }],
  [
    'a link in a composer',
    { type: 'link_shared', channel: 'COMPOSER', user: alice, message_ts: 'Ux-1-2', links: [] },
  ],
  [
    'a reaction to a file',
    { type: 'reaction_added', user: alice, item_user: null, item: { type: 'file', file: 'F1' } },
  ],
  ['a channel that is told as a whole', { type: 'channel_created', channel: { id: 'C9', creator: alice } }],
  [
    'a person who is described as a whole',
    { type: 'user_change', user: { id: alice, team_id: teamId }, cache_ts: 1 },
  ],
])('%s is taken in', async (_what, event) => {
  const { status } = await signed.sendEvent({ event });
  expect(status).toBe(200);
});

test('the wrapping of an event may say null, and may lack what is not needed', async () => {
  const outer = { type: 'event_callback', event: { ...written, ts: '1700000000.000200' } };
  const bare = { ...outer, team_id: teamId };
  const full = {
    ...bare,
    enterprise_id: null,
    context_team_id: teamId,
    context_enterprise_id: null,
    authed_users: ['U0BOT'],
    authorizations: [authorization],
    event_id: 'EvOdd',
    event_time: null,
    is_ext_shared_channel: true,
    event_context: '4-x',
  };
  for (const body of [bare, full, { ...full, authorizations: null, event_time: 'now' }])
    expect((await signed.send('application/json', JSON.stringify(body))).status).toBe(200);
});

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
const homeForm = {
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
    { type: 'block_actions', container: { type: 'view', view_id: 'V1' }, view: homeForm, actions: [button] },
  ],
  [
    'a press in a form, with a channel that is null',
    {
      type: 'block_actions',
      channel: null,
      message: null,
      response_url: '',
      view: { ...homeForm, type: 'modal', state: { values: fields } },
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
      view: { ...homeForm, type: 'modal', callback_id: 'compose', state: { values: fields } },
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

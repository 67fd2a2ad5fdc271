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
const FORM = 'application/x-www-form-urlencoded';
const { teamId } = strictApp;
const ts = '1700000000.000100';
const at = { channel: general, channel_type: 'channel', event_ts: ts, ts };
const written = { type: 'message', user: alice, text: 'Hi', team: teamId, blocks: [], ...at };
const told = (subtype: string, more: Json) => ({ type: 'message', subtype, ...at, ...more });
const inner = { type: 'message', user: alice, text: 'Hi', ts: '1700000000.000050', team: teamId };
const ofBot = { type: 'message', subtype: 'bot_message', bot_id: 'B1' };
const nothing = { thread_ts: null, edited: null, subtype: null, bot_id: null, client_msg_id: null };
const elsewhere = { user_team: 'T0OTHER', source_team: 'T0OTHER', user: 'W0ELSEWHERE' };
const root = { ...inner, thread_ts: inner.ts, reply_count: 1, replies: [{ user: alice, ts: '1.1' }] };
const edit = (before: Json | null, now: Json) =>
  told('message_changed', { message: now, previous_message: before });
const unread = { id: 'F1', file_access: 'check_file_info' };
const home = { type: 'app_home_opened', user: alice, event_ts: '1.1', channel: null, tab: 'messages' };
const toFile = { type: 'reaction_added', user: alice, item_user: null, item: { type: 'file', file: 'F1' } };

test.each<[string, Json]>([
  ['that says null of what it lacks', { ...written, ...nothing, files: null }],
  ['that says null of what Bolt looks for', { ...written, item: null, subteam: null }],
  ['with blocks only', { ...written, text: undefined }],
  ['with a file that is not described', { ...written, subtype: 'file_share', files: [unread] }],
  ['from a connected workspace', { ...written, ...elsewhere }],
  ['that is shown in the channel, too', told('thread_broadcast', { ...written, thread_ts: ts, root })],
  ['of an app', { ...written, user: 'U0APP', bot_id: 'B1', bot_profile: { id: 'B1', icons: {} } }],
  ['of a webhook, which has no user', told('bot_message', { bot_id: 'B1', username: 'ci', icons: null })],
  ['in a thread of no shape', told('bot_message', { bot_id: 'B1', user: null, thread_ts: '' })],
  ['about a person who joins', told('channel_join', { user: alice, inviter: null })],
  ['at a root that it describes', told('message_replied', { hidden: true, message: root })],
  ['that is edited', edit(inner, { ...inner, edited: { user: alice, ts: '1700000001.000000' } })],
  ['of a bot, edited at no time', { ...edit(ofBot, { ...ofBot, edited: { ts: '' } }), ts: undefined }],
  ['that became a stone', edit(inner, { ...root, subtype: 'tombstone', user: 'USLACKBOT', hidden: true })],
  ['that is deleted', told('message_deleted', { deleted_ts: inner.ts, previous_message: null })],
  ['of a workflow that mentions', { ...ofBot, type: 'app_mention', text: '<@U0BOT> x', ...at }],
  ['that is none: a tab in no channel', home],
  ['that is none: a link in a composer', { type: 'link_shared', channel: 'COMPOSER', message_ts: 'Ux-1-2' }],
  ['that is none: a reaction to a file', toFile],
  ['that is none: a new channel', { type: 'channel_created', channel: { id: 'C9', creator: alice } }],
  ['that is none: a person', { type: 'user_change', user: { id: alice, team_id: teamId }, cache_ts: 1 }],
])('a message %s is taken in', async (_what, event) => {
  expect((await signed.sendEvent({ event })).status).toBe(200);
});

test('the wrapping of an event may say null, and may lack what is not needed', async () => {
  const bare = { type: 'event_callback', event: { ...written, ts: '1700000000.000200' }, team_id: teamId };
  const more = {
    enterprise_id: null,
    context_enterprise_id: null,
    authed_users: ['U0BOT'],
    event_id: 'EvOdd',
  };
  const full = {
    ...bare,
    ...more,
    authorizations: [{ enterprise_id: null, team_id: teamId }],
    event_time: null,
  };
  for (const body of [bare, full, { ...full, authorizations: null, event_time: 'now' }])
    expect((await signed.send('application/json', JSON.stringify(body))).status).toBe(200);
});

const interaction = {
  ...{ api_app_id: 'A1', token: 'x', enterprise: null, is_enterprise_install: false, trigger_id: '1.2.abc' },
  ...{ team: { id: teamId, domain: 'x' }, user: { id: alice, username: 'alice', team_id: teamId } },
};
const button = { type: 'button', action_id: 'start_another', block_id: 'x', action_ts: '1.1' };
const press = (more: Json, value?: unknown) => ({
  ...{ type: 'block_actions', channel: { id: general, name: 'general' }, actions: [{ ...button, value }] },
  ...more,
});
const view = {
  ...{ id: 'V1', team_id: teamId, type: 'home', blocks: [{ type: 'divider', block_id: 'd' }], hash: '1.a' },
  ...{ private_metadata: '', callback_id: '', state: { values: {} }, close: null, submit: null },
};
const message = { type: 'message', user: 'U0BOT', bot_id: 'B1', ts: '1.1', text: 'x', edited: null };
const privately = { type: 'message', message_ts: '1.1', thread_ts: null, channel_id: general };
const ofOrganisation = { team: null, enterprise: { id: 'E1', name: 'x' }, is_enterprise_install: true };
const direct = { channel: { id: 'D0ALICE', name: 'directmessage' }, message };
const shortcut = {
  type: 'message_action',
  callback_id: 'ask_docs_agent',
  action_ts: '1.1',
  message_ts: '1.1',
};
const fields = {
  prompt: { prompt: { type: 'plain_text_input', value: null } },
  project: { project: { type: 'static_select', selected_option: null } },
  date: { d: { type: 'datetimepicker', selected_date_time: 1_700_000_000 } },
  rich: { r: { type: 'rich_text_input', rich_text_value: { type: 'rich_text', elements: [] } } },
  file: { f: { type: 'file_input', files: [{ id: 'F1' }] } },
  users: { u: { type: 'multi_users_select', selected_users: [alice] } },
};
const compose = { ...view, type: 'modal', callback_id: 'compose', state: { values: fields } };

test.each<[string, Json]>([
  ['a press in a message', press({ message: { ...message, thread_ts: null }, state: { values: {} } }, '{}')],
  ['a press in a private message', press({ container: { ...privately, is_ephemeral: true } })],
  ['a press of a button without a value', press({ message: null, container: null }, null)],
  ['a press in a direct message of an organisation', press({ ...ofOrganisation, ...direct })],
  ['a press at home', press({ channel: undefined, container: { type: 'view', view_id: 'V1' }, view })],
  ['a press in a form', press({ channel: null, message: null, response_url: '', view: compose })],
  [
    'a shortcut',
    { ...shortcut, ...direct, message: { ...ofBot, ts: '1.1', user: null, text: null, files: null } },
  ],
  ['a shortcut at what a person wrote', { ...shortcut, ...direct, message: { ...inner, bot_id: null } }],
  ['a form with fields of other kinds', { type: 'view_submission', view: compose, response_urls: [] }],
])('%s is taken in', async (_what, body) => {
  const payload = JSON.stringify({ ...interaction, ...body });
  expect((await signed.send(FORM, String(new URLSearchParams({ payload })))).status).toBe(200);
});

const command = { command: '/docs-agent', team_id: teamId, user_id: alice, channel_id: general };

test.each<[string, Record<string, string>]>([
  ['in an organisation', { text: 'help', enterprise_id: 'E1', is_enterprise_install: 'true' }],
  ['with empty fields', { text: '', enterprise_id: '', is_enterprise_install: '' }],
  ['without a word', {}],
])('a command %s is taken in', async (_what, more) => {
  const { status, body } = await signed.send(FORM, String(new URLSearchParams({ ...command, ...more })));
  expect([status, body]).toEqual([200, expect.stringContaining('ephemeral')]);
});

test('none of this was an error of the program, or reached the agent', async () => {
  await world.settled(2_000);
  expect(world.log.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  expect(world.log.filter((line) => line.includes('request_refused'))).toEqual([]);
  expect(world.prompts()).toEqual([]);
});

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

test('none of this was an error of the program, or reached the agent', async () => {
  await world.settled(2_000);
  expect(world.log.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  expect(world.log.filter((line) => line.includes('request_refused'))).toEqual([]);
  expect(world.prompts()).toEqual([]);
});

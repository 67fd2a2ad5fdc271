import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { alice, bob, general } from './local-slack.ts';
import { type Caller, callerOf } from './strict-slack/caller.ts';
import { connectBot, type SocketBot } from './strict-slack/socket-bot.ts';
import { type StrictSlack, startStrictSlack } from './strict-slack.ts';
import { createTestClock } from './test-clock.ts';

const gina = 'U0GINA';
const olaf = 'U0OLAF';
const elsewhere = 'T0ELSEWHERE';

let slack: StrictSlack;
let bot: SocketBot;
let call: Caller;

beforeEach(async () => {
  slack = await startStrictSlack({ clock: createTestClock(Date.now()), app: { mode: 'socket' } });
  bot = await connectBot(slack);
  call = callerOf(slack);
  slack.control.addUser({ id: gina, name: 'gina', isRestricted: true, tz: 'Europe/Berlin' });
  slack.control.addUser({ id: olaf, name: 'olaf', realName: 'Olaf Out', teamId: elsewhere });
});
afterEach(() => slack[Symbol.asyncDispose]());

async function told(request: Promise<unknown>) {
  const envelope = await bot.next();
  bot.acknowledge(envelope);
  await request;
  return envelope.payload;
}

describe('a person', () => {
  test('is known as member, guest, stranger, neighbour, or as gone', async () => {
    const info = async (user: string) => (await call('users.info', { user })).user;
    expect(await info(alice)).toMatchObject({
      team_id: 'T0LOCAL',
      is_restricted: false,
      is_ultra_restricted: false,
      is_bot: false,
      deleted: false,
      tz: 'Etc/UTC',
    });
    expect(await info(alice)).not.toHaveProperty('is_stranger');
    expect(await info(gina)).toMatchObject({ is_restricted: true, tz: 'Europe/Berlin' });
    expect(await info(olaf)).toMatchObject({ team_id: elsewhere, real_name: 'Olaf Out', is_stranger: true });
    slack.control.invite(general, olaf);
    expect(await info(olaf)).toMatchObject({ is_stranger: false });
    expect(await info('U0DOCSAGENT')).toMatchObject({ is_bot: true });
    slack.control.addUser({ id: gina, name: 'gina', isDeleted: true });
    expect(await info(gina)).toMatchObject({ deleted: true });
    expect(await info(gina)).not.toHaveProperty('is_restricted');
    await slack.control.reset();
    expect((await call('users.info', { user: olaf })).error).toBe('user_not_found');
  });

  test('of another workspace brings its id with all that they do', async () => {
    slack.control.invite(general, olaf);
    const hello = { channel: general, user: olaf, text: 'hello' };
    const event = await told(slack.control.message(hello));
    expect(event).toMatchObject({
      team_id: 'T0LOCAL',
      is_ext_shared_channel: true,
      event: { user: olaf, team: elsewhere, user_team: elsewhere, source_team: elsewhere },
    });
    expect(await told(slack.control.command(hello))).toMatchObject({ team_id: elsewhere, user_id: olaf });
    const [message] = await slack.control.messages(general);
    if (message === undefined) throw new Error('no message');
    const shortcut = { message, user: olaf, callbackId: 'ask' };
    expect(await told(slack.control.shortcut(shortcut))).toMatchObject({ user: { team_id: elsewhere } });
    const own = await told(slack.control.message({ ...hello, user: alice }));
    expect(own).toMatchObject({ event: { team: 'T0LOCAL' } });
    expect(own.event).not.toHaveProperty('user_team');
  });
});

test('a user group lists who is in it now', async () => {
  const users = async () => call('usergroups.users.list', { usergroup: 'S0WRITERS' });
  expect((await users()).error).toBe('no_such_subteam');
  slack.control.setUserGroup('S0WRITERS', [alice], 'writers');
  expect((await users()).users).toEqual([alice]);
  slack.control.setUserGroup('S0WRITERS', [bob], 'writers');
  expect((await users()).users).toEqual([bob]);
  expect((await call('usergroups.list', { include_users: true })).usergroups).toEqual([
    expect.objectContaining({ id: 'S0WRITERS', handle: 'writers', users: [bob] }),
  ]);
});

describe('direct messages with the bot', () => {
  test('are opened by either side, and have threads', async () => {
    const opened = await call('conversations.open', { users: alice });
    expect(opened).toMatchObject({ ok: true, channel: { id: 'D0ALICE' } });
    const written = slack.control.message({ channel: alice, user: alice, text: '<@U0DOCSAGENT> hello' });
    const { event } = await told(written);
    const { ts: threadTs } = await written;
    expect(event).toMatchObject({ type: 'message', channel: 'D0ALICE', channel_type: 'im', user: alice });
    const reply = { channel: 'D0ALICE', user: alice, text: 'and', threadTs };
    expect((await told(slack.control.message(reply))).event).toMatchObject({ thread_ts: threadTs });
    expect(slack.deliveries()).toHaveLength(2);
  });

  test.each([
    ['users_list_not_supplied', {}],
    ['user_not_found', { users: 'U0NOBODY' }],
    ['cannot_dm_bot', { users: 'U0DOCSAGENT' }],
    ['method_not_supported_for_channel_type', { channel: general }],
  ])('are refused as %s', async (error, args) => {
    expect((await call('conversations.open', args)).error).toBe(error);
  });
});

test('a mention is delivered as a message and as a mention, each with an id of its own', async () => {
  slack.control.openChannel({
    id: 'C0SECRET',
    name: 'secret',
    members: [alice, 'U0DOCSAGENT'],
    type: 'group',
  });
  const written = slack.control.message({ channel: 'C0SECRET', user: alice, text: 'hey <@U0DOCSAGENT>' });
  const [message, mention] = [await bot.next(), await bot.next()];
  for (const envelope of [message, mention]) bot.acknowledge(envelope);
  const { ts } = await written;
  expect(message.payload.event).toMatchObject({ type: 'message', channel_type: 'group', ts });
  expect(mention.payload.event).toMatchObject({ type: 'app_mention', channel: 'C0SECRET', user: alice, ts });
  expect(mention.payload.event).not.toHaveProperty('channel_type');
  expect(mention.payload.event_id).not.toBe(message.payload.event_id);
});

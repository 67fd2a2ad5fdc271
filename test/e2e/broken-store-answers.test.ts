import { join } from 'node:path';
import { expect, test } from 'vitest';
import { beside } from '../support/beside.ts';
import { present } from '../support/is.ts';
import { alice, general } from '../support/local-slack.ts';
import { startStrictWorld } from './support/strict-world.ts';

const bot = '<@U0DOCSAGENT>';

/** The program, and its store, from another connection. */
async function start() {
  const projects = 'projects: [{ id: acme-docs, name: docs }, { id: acme-api, name: api }]';
  const world = await startStrictWorld({ configFile: `admins: [${alice}]\n${projects}` });
  const file = beside(join(world.env.DATA_DIR ?? '', 'docs-agent.db'));
  const stop = world[Symbol.asyncDispose];
  return Object.assign(world, {
    execute: file.execute,
    /** Such changes fail until they are mended. */
    fail: (change: string) =>
      file.execute(
        `create trigger broken before ${change} begin select raise(abort, 'the disk is broken'); end`,
      ),
    mend: () => file.execute('drop trigger broken'),
    [Symbol.asyncDispose]: async () => {
      file.close();
      await stop();
    },
  });
}

test('who looks at jobs or settings while the store is broken reads so, and can look again (L1, L3, W3)', async () => {
  await using world = await start();
  const { control } = world.slack;
  const card = await world.working('Explain the rate limits');
  world.api.finish(0, { status: 'completed' });
  const end = await world.threadMessage(card, 'Done, no pull request');
  await world.execute('alter table job rename to job_away');
  await world.execute('alter table channel_setting rename to setting_away');
  for (const text of ['list', 'status', 'settings', 'report']) {
    expect((await world.command(text)).payload).toMatchObject({
      response_type: 'ephemeral',
      text: expect.stringContaining('show that right now'),
    });
  }
  const press = control.press(end, 'follow_up', alice);
  await world.threadMessage(card, "can't show that");
  await press;
  await world.execute('alter table job_away rename to job');
  await world.execute('alter table setting_away rename to channel_setting');
  for (const text of ['list', 'status']) {
    const { payload } = await world.command(text);
    expect(payload).toMatchObject({ text: expect.stringContaining('rate limits') });
  }
  await control.press(end, 'follow_up', alice);
  await world.later(() => control.modal(alice)?.callback_id, 'follow_up', 'the form');
  await control.close(alice);

  await world.execute('alter table channel_setting rename to setting_away');
  // The form for a prompt opens without the settings of the channel; the messages of a thread are not offered then.
  expect((await world.command('')).payload).toEqual({});
  expect(control.modal(alice)?.callback_id).toBe('compose');
  await control.close(alice);
  const root = await world.say('The limits are unclear');
  await world.say(`${bot} Fix it`, { threadTs: root.ts });
  const offers = async () =>
    (await control.messages(general)).findLast(({ text }) => text.includes('[Choose messages…]'));
  const offer = await world.later(offers, present, 'the offer');
  await control.press(offer, 'choose_messages', alice);
  await world.formShows('show that right now');
  await world.execute('alter table setting_away rename to channel_setting');
});

test('forms and presses that cannot be stored say so, keep what was typed, and work when they are sent again (L3, S2, S5)', async () => {
  await using world = await start();
  await world.command('settings');
  await world.formShows('follow_up_mode');
  await world.fail('insert on channel_setting');
  expect(JSON.stringify(await world.submit({ follow_up_mode: 'mentions' }))).toContain('save that');
  await world.mend();
  expect(await world.submit()).toBeNull();
  expect(world.form()).toBe('');

  await world.command('');
  await world.fail('insert on job');
  expect((await world.submit({ prompt: 'Fix the typos' }))?.prompt).toContain(
    "I couldn't save that. Please try again in a minute.",
  );
  await world.mend();
  expect(await world.submit()).toBeNull();
  await world.settled();
  await world.command('Fix the typos');
  const question = await world.sentPrivately(general, 'You asked for this');
  await world.settled();
  await world.fail('update on job');
  const press = world.slack.control.press(question, 'start_another', alice);
  await world.sentPrivately(general, 'save that');
  // Slack waits 3 seconds for the acknowledgement.
  await world.clock.advance(3_000);
  await press;
  await world.mend();
  await world.slack.control.press(question, 'start_another', alice);
  await world.settled();
  expect(world.prompts()).toEqual([['Fix the typos'], ['Fix the typos']]);
});

test('a command that is not stored in time says that nobody can tell, and starts once when it is (S1)', async () => {
  await using world = await start();
  await world.settled();
  await world.execute('begin immediate');
  const typed = world.command('Fix the typos');
  // What Slack says of her has arrived; the command itself is not answered.
  await expect.poll(() => world.slack.calls('users.info').length, { message: 'a look at Alice' }).toBe(1);
  await expect.poll(() => world.slack.inFlight(), { message: 'the command alone' }).toBe(1);
  await world.clock.advance(2_400);
  expect(JSON.stringify((await typed).payload)).toContain(
    "I can't tell whether that was saved. If nothing appears within a minute, please try again.",
  );
  await world.execute('rollback');
  await world.started('Fix the typos');
  expect(world.prompts()).toEqual([['Fix the typos']]);
});

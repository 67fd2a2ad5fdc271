import { expect, test } from 'vitest';
import { includes } from '../support/is.ts';
import { alice, bob, general, random } from '../support/local-slack.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import type { ProgramOptions } from '../support/strict-slack/program.ts';
import { startStrictWorld } from './support/strict-world.ts';

const configFile = `
projects:
  - id: acme-docs
    name: handbook
  - id: acme-api
    name: api
admins: [${alice}, ${bob}]
channels:
  ${random}: { follow_ups: mentions }
`;

async function start(options: ProgramOptions = {}) {
  const world = await startStrictWorld({ configFile, ...options });
  world.slack.control.invite(random, strictApp.botUserId);
  /** Types `settings`, and waits for the form. */
  const open = async (user = alice, channel = general) => {
    await world.command('settings', user, channel);
    await world.later(() => world.slack.control.modal(user)?.callback_id, 'settings', 'the form');
    return world.form(user);
  };
  return Object.assign(world, {
    open,
    save: async (values: Record<string, string | string[]>, channel = general) => {
      await open(alice, channel);
      expect(await world.submit(values)).toBeNull();
      await world.sentPrivately(channel, 'Settings saved');
    },
  });
}

test('the settings of a channel hold for its next jobs and replies, and for no other channel; the form shows what holds (L3)', async () => {
  await using world = await start();
  const { control } = world.slack;
  await world.save({ follow_up_mode: 'mentions', follow_up_window: '0' });
  const card = await world.working('Explain the rate limits');
  await control.reply(card, 'Only between us');
  await control.reply(card, `<@${strictApp.botUserId}> Shorter`);
  await world.later(() => world.api.counts.message, 1, 'the mention at the API');
  expect(world.prompts()).toEqual([['Explain the rate limits', 'Shorter']]);

  await world.save({ project: 'acme-api' });
  expect((await world.ask('Explain the keys')).text).toContain(' · api');

  expect(await world.open(alice, random)).toContain(
    '"initial_option":{"text":{"type":"plain_text","text":"Only replies that mention me"',
  );
  await control.close(alice);
  await world.save({ notice_channels: [general] }, random);
  const shown = await world.open(alice, random);
  expect(shown).toContain(`"initial_conversations":["${general}"]`);
  expect(shown).not.toContain('"initial_option":{"text":{"type":"plain_text","text":"api"');

  // Where only mentions are follow-ups, the thread says so.
  await world.command('Add a quickstart', alice, random);
  const posts = async () => (await control.messages(random)).map(({ text }) => text).join('\n');
  await world.later(posts, includes('Mention me here to steer'), 'the news');
  expect(await posts()).not.toContain('Reply here');
});

test('only administrators may change the settings, also when the form is sent (L3)', async () => {
  await using world = await start();
  const refusal = 'Only administrators can change settings here';
  await world.open(bob);
  await world.restart(configFile.replace(`, ${bob}`, ''));
  expect(JSON.stringify(await world.submit({ follow_up_mode: 'mentions' }, bob))).toContain(refusal);
  await world.slack.control.close(bob);
  await world.command('settings', bob);
  expect((await world.privately(bob)).at(-1)).toContain(refusal);
  expect(world.form(bob)).toBe('');
  expect(await world.open()).toContain('"initial_option":{"text":{"type":"plain_text","text":"Every reply');
});

test('a pull request is announced in the notice channels of everywhere, the project and the channel, each once (N1)', async () => {
  const more = ['C0PROJECT', 'C0CHANNEL'];
  const name = 'name: handbook';
  await using world = await start({
    configFile: configFile.replace(name, `${name}\n    notice_channels: [C0PROJECT, ${random}]`),
    settings: { NOTICE_CHANNELS: random },
  });
  const { control } = world.slack;
  const members = [alice, strictApp.botUserId];
  for (const id of more) control.openChannel({ id, name: id.toLowerCase(), type: 'channel', members });
  await world.save({ notice_channels: ['C0CHANNEL', random] });
  const card = await world.working('Explain the rate limits');
  world.api.finish(0, { status: 'completed', prLink: 'https://github.com/acme/docs/pull/7' });
  await world.threadMessage(card, 'Pull request ready');
  await world.clock.advance(10_000);
  for (const channel of [random, ...more]) {
    const notices = (await control.messages(channel)).filter(({ text }) => text.includes('📝'));
    expect(notices, channel).toHaveLength(1);
  }
});

test('a misspelt setting does not keep the program from starting, and is named in its log', async () => {
  await using world = await startStrictWorld({ settings: { NOTICE_CHANEL: 'C0123' } });
  const logged = world.log.filter((line) => line.includes('"setting_ignored"'));
  expect(logged).toEqual([
    expect.stringMatching(/"level":"warn".*"NOTICE_CHANEL".*did you mean NOTICE_CHANNELS\?/),
  ]);
});

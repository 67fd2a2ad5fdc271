import { expect, test } from 'vitest';
import { includes } from '../support/is.ts';
import { alice, bob, general, random } from '../support/local-slack.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { type Program, startProgram } from '../support/strict-slack/program.ts';

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

const start = () => startProgram({ configFile });

/** Types \`settings\`, and waits for the form. */
async function openSettings(program: Program, user = alice, channel = general): Promise<void> {
  await program.slack.control.command({ channel, user, text: 'settings' });
  await program.later(() => program.slack.control.modal(user)?.callback_id, 'settings', 'the form');
}

/** The last private answer to the person. */
const told = async ({ slack }: Program, user: string, channel = general) =>
  (await slack.control.messages(channel)).filter(({ ephemeral_to }) => ephemeral_to === user).at(-1)?.text ??
  '';

test('the settings of a channel hold for its next jobs and replies, and for no other channel (L3)', async () => {
  await using program = await start();
  const { control } = program.slack;
  await openSettings(program);
  const { errors } = await control.submit(alice, { follow_up_mode: 'mentions', follow_up_window: '0' });
  expect(errors).toBeNull();
  await program.later(() => told(program, alice), includes('Settings saved'), 'the confirmation');
  const card = await program.working('Explain the rate limits');
  await control.reply(card, 'Only between us');
  await control.reply(card, `<@${strictApp.botUserId}> Shorter`);
  await program.later(() => program.api.counts.message, 1, 'the mention at the API');
  expect(program.api.jobs[0]?.prompts).toEqual(['Explain the rate limits', 'Shorter']);
});

test('the form shows what holds in the channel, by the configuration and by what was saved (L3)', async () => {
  await using program = await start();
  const { control } = program.slack;
  await openSettings(program, alice, random);
  const shown = () => JSON.stringify(control.modal(alice)?.blocks);
  expect(shown()).toContain(
    '"initial_option":{"text":{"type":"plain_text","text":"Only replies that mention me"',
  );
  await control.submit(alice, { project: 'acme-api', notice_channels: [general] });
  await program.later(() => told(program, alice, random), includes('Settings saved'), 'the confirmation');
  await openSettings(program, alice, random);
  expect(shown()).toContain(`"initial_conversations":["${general}"]`);
  expect(shown()).toContain('"value":"acme-api"');
});

test('the default project of a channel is that of requests which name none (L3)', async () => {
  await using program = await start();
  const { control } = program.slack;
  await openSettings(program);
  await control.submit(alice, { project: 'acme-api' });
  await program.later(() => told(program, alice), includes('Settings saved'), 'the confirmation');
  const card = await program.ask('Explain the rate limits');
  expect(card.text).toContain(' · api');
});

test('only administrators may change the settings (L3)', async () => {
  await using program = await startProgram({ configFile: configFile.replace(`, ${bob}`, '') });
  const { control } = program.slack;
  await control.command({ channel: general, user: bob, text: 'settings' });
  expect(await told(program, bob)).toContain('Only administrators can change settings here');
  expect(control.modal(bob)).toBeNull();
});

test('a form is of no use to a person who is no administrator any more when it is sent (L3)', async () => {
  await using program = await start();
  const { control } = program.slack;
  await openSettings(program, bob);
  await program.restart(configFile.replace(`[${alice}, ${bob}]`, '[U0OTHER]'));
  const ofBob = await control.submit(bob, { follow_up_mode: 'mentions' });
  expect(JSON.stringify(ofBob.errors)).toContain('Only administrators can change settings here');
  await program.restart(configFile);
  await openSettings(program, alice);
  expect(JSON.stringify(control.modal(alice)?.blocks)).toContain(
    '"initial_option":{"text":{"type":"plain_text","text":"Every reply',
  );
});

test('a pull request is announced in the notice channels of everywhere, the project and the channel, each once (N1)', async () => {
  const more = ['C0PROJECT', 'C0CHANNEL'];
  await using program = await startProgram({
    configFile: configFile.replace(
      'name: handbook',
      `name: handbook\n    notice_channels: [C0PROJECT, ${random}]`,
    ),
    settings: { NOTICE_CHANNELS: random },
  });
  const { control } = program.slack;
  for (const id of more)
    control.openChannel({
      id,
      name: id.toLowerCase(),
      type: 'channel',
      members: [alice, strictApp.botUserId],
    });
  control.invite(random, strictApp.botUserId);
  await openSettings(program);
  await control.submit(alice, { notice_channels: ['C0CHANNEL', random] });
  const card = await program.working('Explain the rate limits');
  program.api.finish(0, {
    status: 'completed',
    prLink: 'https://github.com/acme/docs/pull/7',
  });
  await program.threadMessage(card, 'Pull request ready');
  await program.clock.advance(10_000);
  for (const channel of [random, ...more]) {
    const notices = (await control.messages(channel)).filter(({ text }) => text.includes('📝'));
    expect(notices, channel).toHaveLength(1);
  }
});

test('where only mentions are follow-ups, the thread says so (L3)', async () => {
  await using program = await start();
  program.slack.control.invite(random, strictApp.botUserId);
  await program.slack.control.command({ channel: random, user: alice, text: 'Add a quickstart' });
  const posts = async () => (await program.slack.control.messages(random)).map(({ text }) => text).join('\n');
  await program.later(posts, includes('Mention me here to steer'), 'the news');
  expect(await posts()).not.toContain('Reply here');
});

import { expect, test } from 'vitest';
import { examine } from '../../../src/doctor/examine.ts';
import { botScopes } from '../../../src/slack/protocol/scopes.ts';
import { openStore } from '../../../src/store/open.ts';
import { present } from '../../support/is.ts';
import { alice, bob, general, random } from '../../support/local-slack.ts';
import { parse } from '../../support/settings.ts';
import { strictApp } from '../../support/strict-slack/ids.ts';
import { startProgram } from '../../support/strict-slack/program.ts';
import { createTempDir } from '../../support/temp-dir.ts';
import { one, settingsOf, startPatient } from './support.ts';

const { botUserId } = strictApp;

test('each channel that the settings name is looked at: the bot must be in it, and people must be able to ask there (T3, T2, A1)', async () => {
  await using patient = await startPatient();
  const { control } = patient.slack;
  control.grantScopes([...botScopes.map(({ name }) => name), 'reactions:read', 'emoji:read']);
  for (const id of ['C0IN', 'C0FILE', 'C0PROJECT'])
    control.openChannel({ id, name: id.toLowerCase(), members: [botUserId] });
  control.openChannel({ id: 'C0OUT', name: 'out', members: [] });
  patient.env.NOTICE_CHANNELS = 'C0OUT,C0NOWHERE';
  patient.configFile = `
projects: [{ id: acme-docs, notice_channels: [C0PROJECT] }]
access: { channels: [${general}, C0OUT, C0NOWHERE] }
channels: { ${general}: { notice_channels: [C0FILE, C0OUT], reaction: thumbsup }, C0IN: { reaction: memo } }
recipes: [{ name: here, channel: ${general}, request: Go, schedule: "0 9 * * 1" }, { name: closed, channel: C0IN, request: Go }, { name: nowhere, channel: C0NOWHERE, request: Go }]
workflows: { channels: [${general}, C0IN, C0OUT] }
digest: { channel: C0NOWHERE, schedule: "0 9 * * 1" }`;
  const findings = await patient.look();
  const away = (error: string) => `the bot is not in it, or it does not exist (${error})`;
  const invite = '/invite @docs-agent';
  for (const [check, subject, level, found, next] of [
    ['notice_channel', 'C0FILE', 'ok', 'the bot is in it'],
    ['notice_channel', 'C0PROJECT', 'ok', 'the bot is in it'],
    ['notice_channel', 'C0OUT', 'error', away('not_in_channel'), invite],
    ['notice_channel', 'C0NOWHERE', 'error', away('channel_not_found'), invite],
    ['recipe', 'here', 'ok', 'the bot is in it'],
    [
      'recipe',
      'closed',
      'warning',
      'nobody may run it, start its drafts or reply to it: access.channels does not name the channel',
    ],
    ['recipe', 'nowhere', 'error', away('channel_not_found')],
    ['workflow_channel', general, 'ok', 'the bot is in it'],
    ['workflow_channel', 'C0OUT', 'error', away('not_in_channel'), invite],
    ['workflow_channel', 'C0IN', 'warning', 'nobody may reply'],
    ['digest_channel', 'C0NOWHERE', 'error', away('channel_not_found')],
    [
      'reaction',
      general,
      'warning',
      'Slack reports :thumbsup: as :+1:, so it makes no drafts',
      'reaction: "+1"',
    ],
    [
      'reaction',
      'C0IN',
      'warning',
      ':memo: makes no drafts there: access.channels does not name the channel',
    ],
  ] as const) {
    const finding = one(findings, check, subject);
    expect(finding, `${check} ${subject}`).toMatchObject({ level, found: expect.stringContaining(found) });
    if (next !== undefined) expect(finding.next).toContain(next);
  }
});

test('notice channels that are shared with another organisation are named (A3)', async () => {
  await using patient = await startPatient();
  patient.slack.control.share(general, 'pending');
  patient.env.NOTICE_CHANNELS = general;
  expect(await patient.finding('notice_channel')).toMatchObject({
    level: 'error',
    found: 'it is shared with another organisation, so nothing starts and nothing is posted there',
    next: expect.stringContaining('access.shared_channels'),
  });
  patient.configFile = `access: { shared_channels: [${general}] }`;
  expect(await patient.finding('notice_channel')).toMatchObject({ level: 'ok', found: 'the bot is in it' });
});

test('the administrators are named (A0)', async () => {
  await using patient = await startPatient();
  expect(await patient.finding('admins')).toMatchObject({
    level: 'ok',
    found: 'the admins and owners of the workspace',
  });
  patient.env.ADMINS = `${alice},${bob}`;
  expect(await patient.finding('admins')).toMatchObject({ level: 'ok', found: `${alice}, ${bob}` });
});

test('an emoji that makes drafts: whether the app hears of it, and whether there is such an emoji (T2)', async () => {
  await using patient = await startPatient();
  const { control } = patient.slack;
  patient.configFile = `channels: { ${general}: { reaction: memo }, ${random}: { reaction: meno } }`;
  const scopes = botScopes.map(({ name }) => name);
  expect(one(await patient.look(), 'slack_scopes')).toMatchObject({
    level: 'warning',
    found: 'missing: reactions:read (no emoji makes a draft)',
    next: expect.stringContaining('manifest --reactions'),
  });
  control.grantScopes([...scopes, 'reactions:read']);
  const unseen = await patient.look();
  expect(one(unseen, 'slack_scopes').found).toBe('all that are needed');
  expect(one(unseen, 'reaction', general)).toMatchObject({
    level: 'ok',
    found: ':memo: makes drafts; whether the emoji exists was not checked',
  });
  expect(one(unseen, 'reaction', random)).toMatchObject({
    level: 'error',
    found: 'the bot is not in it, or it does not exist (not_in_channel)',
  });

  control.grantScopes([...scopes, 'reactions:read', 'emoji:read']);
  control.invite(random, botUserId);
  const findings = await patient.look();
  expect(one(findings, 'slack_scopes').found).toBe('all that are needed');
  expect(one(findings, 'reaction', general)).toMatchObject({ level: 'ok', found: ':memo: makes drafts' });
  expect(one(findings, 'reaction', random)).toMatchObject({
    level: 'warning',
    found: 'Slack lists no emoji :meno:',
  });
  patient.slack.onCall(({ method }) => (method === 'emoji.list' ? { error: 'fatal_error' } : null));
  expect(one(await patient.look(), 'reaction', general).level).not.toBe('ok');
});

test('threads that the bot may not read, although it may read the channel', async () => {
  await using patient = await startPatient();
  patient.env.NOTICE_CHANNELS = general;
  patient.slack.onCall(({ method }) =>
    method === 'conversations.replies' ? { error: 'no_permission' } : null,
  );
  expect(await patient.finding('notice_channel')).toMatchObject({
    level: 'error',
    found: 'Slack refuses (no_permission)',
  });
  patient.slack.onCall(() => null);
  expect((await patient.finding('notice_channel')).level).toBe('ok');
});

test('a channel that refused its last notice is reported, next to the running program (N1)', async () => {
  await using folder = await createTempDir();
  const NEWS = 'C0NEWS';
  await using program = await startProgram({ settings: { DATA_DIR: folder.path, NOTICE_CHANNELS: NEWS } });
  const { slack, api } = program;
  slack.control.openChannel({ id: NEWS, name: 'news', members: [botUserId] });
  const config = parse({
    ...settingsOf(slack, api, folder.path),
    AGENT_API_KEY: 'test-key',
    NOTICE_CHANNELS: NEWS,
  });
  const look = () => examine(config, { clock: program.clock, timeoutMs: 5_000 });
  const finishJob = async (prompt: string) => {
    const card = await program.ask(prompt);
    const job = await program.later(
      () => api.jobs.find(({ prompts }) => prompts[0] === prompt),
      present,
      'the job',
    );
    api.finish(job?.id ?? '', {
      status: 'completed',
      prLink: `https://git.example.com/pull/${api.jobs.length}`,
    });
    await program.threadMessage(card, 'pull');
  };

  slack.control.archive(NEWS);
  await finishJob('Add a quickstart');
  await program.later(
    async () => one(await look(), 'notice_channel', NEWS),
    ({ level }) => level === 'error',
    'the refused notice',
  );
  const findings = await look();
  expect(one(findings, 'notice_channel', NEWS)).toMatchObject({
    found: expect.stringMatching(/^the last notice was refused at 20.*Z \(is_archived\)$/),
    next: expect.stringContaining('archived'),
  });
  expect(one(findings, 'store').found).toContain('in use by a running docs-agent');
  expect(one(findings, 'store_schema').level).toBe('ok');

  slack.control.unarchive(NEWS);
  slack.control.remove(NEWS, botUserId);
  await finishJob('Add a glossary');
  await program.later(
    () => program.log.some((line) => line.includes('posted') && line.includes('not_in_channel')),
    Boolean,
    'the notice to be refused to who is not there',
  );
  expect(one(await look(), 'notice_channel', NEWS).found).toContain('the bot is not in it');
  slack.control.invite(NEWS, botUserId);
  expect(one(await look(), 'notice_channel', NEWS)).toMatchObject({ level: 'ok', found: 'the bot is in it' });

  await finishJob('Add a tutorial');
  await program.later(
    async () => one(await look(), 'notice_channel', NEWS),
    ({ level }) => level === 'ok',
    'the notice that was taken',
  );
});

test('notice channels that administrators saved in Slack are looked at, of this workspace only', async () => {
  await using patient = await startPatient();
  const store = await openStore({ dataDir: patient.env.DATA_DIR ?? '' });
  for (const [teamId, channelId] of [
    [strictApp.teamId, 'C0SAVED'],
    ['T0OTHER', 'C0OTHER'],
  ] as const) {
    const settings = { noticeChannels: [channelId] };
    await store.transaction((tx) => tx.channelSettings.replace(teamId, general, settings));
  }
  const findings = await patient.look();
  await store.close();
  expect(one(findings, 'notice_channel')).toMatchObject({ subject: 'C0SAVED', level: 'error' });
});

import { expect, test } from 'vitest';
import { examine } from '../../../src/doctor/examine.ts';
import { botScopes } from '../../../src/slack/protocol/scopes.ts';
import { openStore } from '../../../src/store/open.ts';
import { present } from '../../support/is.ts';
import { general, random } from '../../support/local-slack.ts';
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
  const lines = findings.map(
    ({ level, check, subject, found, next }) => `${level} ${check} ${subject}: ${found} → ${next}`,
  );
  for (const line of [
    /^ok notice_channel C0FILE: the bot is in it/,
    /^ok notice_channel C0PROJECT: the bot is in it/,
    /^error notice_channel C0OUT: .*\(not_in_channel\).*\/invite @docs-agent/,
    /^error notice_channel C0NOWHERE: .*\(channel_not_found\).*\/invite @docs-agent/,
    /^ok recipe here: the bot is in it/,
    /^warning recipe closed: nobody may run it, start its drafts or reply to it: access\.channels does not name/,
    /^error recipe nowhere: .*\(channel_not_found\)/,
    new RegExp(`^ok workflow_channel ${general}: the bot is in it`),
    /^error workflow_channel C0OUT: .*\(not_in_channel\).*\/invite @docs-agent/,
    /^warning workflow_channel C0IN: .*nobody may reply/,
    /^error digest_channel C0NOWHERE: .*\(channel_not_found\)/,
    new RegExp(
      `^warning reaction ${general}: Slack reports :thumbsup: as :\\+1:, so .* → .*reaction: "\\+1"`,
    ),
    /^warning reaction C0IN: :memo: makes no drafts there: access\.channels does not name the channel/,
  ])
    expect(lines).toContainEqual(expect.stringMatching(line));
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

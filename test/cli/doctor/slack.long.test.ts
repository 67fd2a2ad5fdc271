import { expect, test } from 'vitest';
import { botScopes } from '../../../src/slack/protocol/scopes.ts';
import { one, startPatient } from './support.ts';

const scopes = botScopes.map(({ name }) => name);

test('in good health, everything is ok, and nothing is changed in Slack or at the agent API', async () => {
  await using patient = await startPatient();
  const findings = await patient.look();
  expect(findings.map(({ check, subject, level }) => [check, subject, level])).toEqual([
    ['settings', null, 'ok'],
    ['store', null, 'ok'],
    ['store_space', null, 'ok'],
    ['slack_connection', null, 'ok'],
    ['slack_token', null, 'ok'],
    ['slack_scopes', null, 'ok'],
    ['admins', null, 'ok'],
    ['agent_api', 'acme-docs', 'ok'],
    ['agent_writing', null, 'ok'],
    ['clock', 'against Slack', 'ok'],
  ]);
  expect(one(findings, 'slack_token').found).toBe('@docs-agent in Strict (T0LOCAL)');
  expect(new Set(patient.slack.calls().map(({ method }) => method))).toEqual(
    new Set(['auth.test', 'apps.connections.open']),
  );
  expect(patient.slack.socket.connections()).toBe(0);
  expect(patient.api.requests.map(({ method }) => method)).toEqual(['GET']);
});

test('tokens that were mixed up, or made up', async () => {
  await using patient = await startPatient();
  patient.env.SLACK_BOT_TOKEN = 'xoxb-made-up';
  patient.env.SLACK_APP_TOKEN = 'xapp-made-up';
  const findings = await patient.look();
  expect(one(findings, 'slack_token').found).toContain('invalid_auth');
  expect(one(findings, 'slack_connection')).toMatchObject({
    level: 'error',
    found: 'Slack refuses the token (invalid_auth)',
    next: expect.stringContaining('SLACK_APP_TOKEN'),
  });
});

test('scopes that were not granted (A4)', async () => {
  await using patient = await startPatient();
  patient.slack.control.grantScopes(['commands', 'chat:write', ...scopes.slice(4)]);
  expect(await patient.finding('slack_scopes')).toMatchObject({
    level: 'error',
    found:
      'missing: app_mentions:read (mentions do nothing), reactions:write (nobody sees whether a reply was stored or sent)',
    next: expect.stringContaining('docs-agent manifest'),
  });
});

test('the scope for user groups is only missed where the settings name some', async () => {
  await using patient = await startPatient();
  patient.slack.control.grantScopes(scopes.filter((name) => name !== 'usergroups:read'));
  expect((await patient.finding('slack_scopes')).level).toBe('ok');
  patient.configFile = 'access: { user_groups: [S0DOCS] }';
  expect(await patient.finding('slack_scopes')).toMatchObject({
    level: 'warning',
    found: 'missing: usergroups:read (user groups in the settings let nobody in)',
  });
});

test('an app token without its scope, and an app without Socket Mode', async () => {
  await using patient = await startPatient();
  const refuse = (error: string) =>
    patient.slack.onCall(({ method }) => (method === 'apps.connections.open' ? { error } : null));
  refuse('missing_scope');
  expect(await patient.finding('slack_connection')).toMatchObject({
    level: 'error',
    found: 'Slack refuses the token (missing_scope)',
    next: expect.stringContaining('connections:write'),
  });
  refuse('socket_mode_disabled');
  expect(await patient.finding('slack_connection')).toMatchObject({
    level: 'error',
    found: 'Slack refuses a Socket Mode connection (socket_mode_disabled)',
    next: expect.stringContaining('Switch Socket Mode on'),
  });
});

test('in HTTP mode it says what Slack must reach', async () => {
  await using patient = await startPatient();
  Object.assign(patient.env, { SLACK_APP_TOKEN: undefined, SLACK_SIGNING_SECRET: 'secret', PORT: '8080' });
  const finding = await patient.finding('slack_connection');
  expect(finding.level).toBe('ok');
  expect(finding.found).toContain('POST /slack/events at port 8080');
  expect(finding.next).toContain('docs-agent manifest --url');
});

test('Slack at its rate limit is no reason to worry', async () => {
  await using patient = await startPatient();
  patient.slack.onCall(() => ({ status: 429, headers: { 'retry-after': '7' } }));
  expect(await patient.finding('slack_token')).toMatchObject({
    level: 'warning',
    next: 'Check again in 7 s.',
  });
});

test.each([
  ['does not answer', 'hang'],
  ['breaks the connection', 'reset_before'],
  ['answers with an error', { status: 503 }],
  ['answers with a page', { status: 200, body: '<html>proxy</html>' }],
] as const)('Slack that %s is reported, and the rest is looked at', async (_name, fault) => {
  await using patient = await startPatient();
  patient.slack.onCall(({ method }) => (method === 'auth.test' ? fault : null));
  const findings = await patient.look();
  const finding = one(findings, 'slack_token');
  expect(finding.level).toBe('error');
  expect(finding.next).toContain('network');
  expect(one(findings, 'slack_connection').level).toBe('ok');
  expect(one(findings, 'agent_api').level).toBe('ok');
});

test('Slack that cannot be reached', async () => {
  await using patient = await startPatient();
  patient.env.SLACK_API_URL = 'http://127.0.0.1:2/api/';
  const findings = await patient.look();
  expect(one(findings, 'slack_token')).toMatchObject({
    level: 'error',
    found: expect.stringContaining('econnrefused'),
    next: expect.stringContaining('SLACK_API_URL'),
  });
  expect(one(findings, 'slack_connection').level).toBe('error');
  expect(findings.filter(({ check }) => check === 'clock')).toEqual([]);
});

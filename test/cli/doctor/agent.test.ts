import { expect, test } from 'vitest';
import { parseConfig } from '../../../src/app/config/config.ts';
import { examine } from '../../../src/doctor/examine.ts';
import { startStrictWorld } from '../../e2e/support/strict-world.ts';
import { noFiles } from '../../support/settings.ts';
import { one, startPatient } from './support.ts';

test('each project is asked for a job that cannot exist: one that is not known, beside one that is', async () => {
  await using patient = await startPatient();
  patient.configFile = 'projects: [{ id: acme-docs, name: docs }, { id: acme-handbok, name: handbook }]';
  const findings = await patient.look();
  expect(one(findings, 'agent_api', 'docs')).toMatchObject({
    level: 'ok',
    found: expect.stringContaining('reached, key accepted (404, "Job not found", to a job'),
  });
  expect(one(findings, 'agent_api', 'handbook')).toMatchObject({
    level: 'error',
    found: expect.stringMatching(/project is unknown \(404, "Project not found"/),
    next: expect.stringContaining('AGENT_PROJECT_ID'),
  });
});

test('an API that is going to end', async () => {
  await using patient = await startPatient();
  const sunset = 'Sun, 31 Jan 2027 00:00:00 GMT';
  patient.api.failAll({ status: 404, body: { error: 'Job not found' }, headers: { sunset } });
  const findings = (await patient.look()).filter(({ check }) => check === 'agent_api');
  expect(findings.map(({ level }) => level)).toEqual(['ok', 'warning']);
  expect(findings[1]?.found).toContain(`going to end (sunset: ${sunset})`);
});

test.each([
  [
    '401',
    { status: 401, body: { error: 'Invalid API key' } },
    'error',
    'the key is rejected (401, "Invalid API key"',
    'AGENT_API_KEY',
  ],
  ['403', { status: 403 }, 'error', 'the key is rejected (403', 'AGENT_API_KEY'],
  ['429', { status: 429 }, 'warning', 'at its rate limit (429', ''],
  ['500', { status: 500 }, 'error', 'gives an unexpected answer (500', ''],
  ['302', { status: 302, headers: { location: 'https://login.example.com' } }, 'error', '(302', ''],
  ['a page of somebody else', 'html', 'error', 'gives an unexpected answer (200', ''],
  ['404 of somebody else', { status: 404, body: '<h1>Not here</h1>' }, 'warning', 'something answers', ''],
  [
    'nothing, and breaks off',
    'reset_before',
    'error',
    'cannot be reached: the connection to the agent API broke before the answer (UND_ERR_SOCKET)',
    'AGENT_BASE_URL',
  ],
  ['half of it', 'half_body', 'warning', 'something answers', ''],
  [
    'nothing, ever',
    'hang',
    'error',
    'cannot be reached: the agent API did not answer in time',
    'AGENT_BASE_URL',
  ],
] as const)('an API that answers %s', async (_name, fault, level, found, next) => {
  await using patient = await startPatient();
  patient.api.failAll(fault);
  expect(one(await patient.look(fault === 'hang' ? 500 : 5_000), 'agent_api')).toMatchObject({
    level,
    found: expect.stringContaining(found),
    next: expect.stringContaining(next),
  });
});

test('whether the key may write is only tried when that is asked for', async () => {
  await using patient = await startPatient();
  expect(await patient.finding('agent_writing')).toMatchObject({
    level: 'ok',
    found: "not checked: write access can't be tested without sending a request",
    next: expect.stringContaining('doctor --probe-write'),
  });
  expect(patient.api.requests.map(({ method }) => method)).toEqual(['GET']);
});

test('an empty request that is refused as such shows that the key may write', async () => {
  await using patient = await startPatient();
  const findings = await patient.look(5_000, { probeWrite: true });
  expect(one(findings, 'agent_writing', 'acme-docs')).toMatchObject({
    level: 'ok',
    found: expect.stringMatching(/^the key may write \(400, "/),
  });
  expect(patient.api.jobs).toEqual([]);
});

const words = { error: 'API key does not have the required scope: write' };

test.each([
  ['a key that may only read', { status: 403, body: words }, 'error', 'the key may not write (403, "API key'],
  ['a key that is rejected', { status: 401 }, 'error', 'the key may not write (401'],
  [
    'a plan that has ended',
    { status: 402, body: { error: 'Upgrade' } },
    'error',
    'the plan does not allow it (402',
  ],
  [
    'a project that is not known',
    { status: 404, body: words },
    'error',
    'the project is unknown to write calls (404',
  ],
  ['the rate limit', { status: 429 }, 'warning', 'unknown: 429'],
  ['an answer that is none', { status: 500 }, 'warning', 'unknown: 500'],
  [
    'a job out of nothing',
    { status: 201, body: { id: 'job_1' } },
    'error',
    'the API accepted an empty request: there may be a job',
  ],
  ['silence', 'reset_before', 'warning', 'unknown: the connection to the agent API broke'],
] as const)('an empty request that meets %s', async (_what, fault, level, found) => {
  await using patient = await startPatient();
  patient.api.failNext('create', fault);
  const findings = await patient.look(5_000, { probeWrite: true });
  expect(one(findings, 'agent_api').level).toBe('ok');
  const finding = one(findings, 'agent_writing');
  expect(finding).toMatchObject({ level, found: expect.stringContaining(found) });
  expect(finding.next).not.toBeNull();
});

test('what the agent said to the last request of the running program is reported, although reading works (E2)', async () => {
  await using world = await startStrictWorld();
  world.api.failNext('create', { status: 403, body: words });
  const card = await world.ask('Keep it');
  await world.threadMessage(card, 'An administrator');
  const look = () =>
    examine(parseConfig(world.env, noFiles), { clock: world.clock, timeoutMs: 5_000, probeWrite: false });
  expect(one(await look(), 'agent_api').level).toBe('ok');
  expect(one(await look(), 'agent_writing', 'acme-docs')).toMatchObject({
    level: 'error',
    found: expect.stringContaining(
      'the last request was refused: API key does not have the required scope: write',
    ),
    next: expect.stringMatching(/AGENT_API_KEY.* plan/),
  });
  await world.threadMessage(card, 'On it');
  expect(one(await look(), 'agent_writing')).toMatchObject({ level: 'ok', subject: null });
});

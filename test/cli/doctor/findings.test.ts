import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { parseConfig } from '../../../src/app/config/config.ts';
import { examine } from '../../../src/doctor/examine.ts';
import { clockFindings, storeFailure, storeFindings } from '../../../src/doctor/machine.ts';
import { clockAheadMs } from '../../../src/runtime/clock.ts';
import { botScopes } from '../../../src/slack/protocol/scopes.ts';
import { StoreError } from '../../../src/store/engines/database.ts';
import { openStore } from '../../../src/store/open.ts';
import { migrations } from '../../../src/store/schema/migrations.ts';
import { startStrictWorld } from '../../e2e/support/strict-world.ts';
import { freePort } from '../../support/free-port.ts';
import { noFiles } from '../../support/settings.ts';
import { one, type Patient, startPatient } from './support.ts';

const scopes = botScopes.map(({ name }) => name);
const dataDirOf = ({ env }: Patient) => env.DATA_DIR ?? '';
const set = (settings: Patient['env']) => (patient: Patient) => void Object.assign(patient.env, settings);
const grant = (granted: readonly string[]) => (patient: Patient) =>
  patient.slack.control.grantScopes([...granted]);
type SlackFault = ReturnType<Parameters<Patient['slack']['onCall']>[0]>;
const slackFails = (fault: SlackFault, name?: string) => (patient: Patient) =>
  patient.slack.onCall(({ method }) => (name === undefined || method === name ? fault : null));
type AgentFault = Parameters<Patient['api']['failAll']>[0];
const agentFails = (fault: AgentFault) => (patient: Patient) => patient.api.failAll(fault);

/** A port that another program has, until the test ends. */
async function takenPort(): Promise<string> {
  const other = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  return String((other.address() as AddressInfo).port);
}

const webhook = `
projects: [{ id: acme-docs }]
recipes: [{ name: notes, channel: C0123456789, request: Go, webhook: { secret_env: HOOK_SECRET } }]`;
const HOOK_SECRET = `whsec_${'A'.repeat(32)}`;
const login = { status: 302, headers: { location: 'https://login.example.com' } };
const badKey = { status: 401, body: { error: 'Invalid API key' } };
const ending = {
  status: 404,
  body: { error: 'Job not found' },
  headers: { sunset: 'Sun, 31 Jan 2027 00:00:00 GMT' },
};
const aGroup = 'access: { user_groups: [S0DOCS] }';
const withoutGroups = scopes.filter((name) => name !== 'usergroups:read');
const opens = (error: string) => slackFails({ error }, 'apps.connections.open');
const signsIn = (fault: SlackFault) => slackFails(fault, 'auth.test');
const http = { SLACK_APP_TOKEN: undefined, SLACK_SIGNING_SECRET: 'secret', PORT: '8080' };
const withFile = (text: string) => (patient: Patient) => {
  patient.configFile = text;
};
const twoProjects = 'projects: [{ id: acme-docs, name: docs }, { id: acme-handbok, name: handbook }]';

async function isFile(patient: Patient): Promise<void> {
  await writeFile(join(dataDirOf(patient), 'file'), '');
  set({ DATA_DIR: join(dataDirOf(patient), 'file', 'data') })(patient);
}

async function isNoDatabase(patient: Patient): Promise<void> {
  const folder = join(dataDirOf(patient), 'other');
  await mkdir(folder);
  await writeFile(join(folder, 'docs-agent.db'), 'This is not a database.'.repeat(1_000));
  set({ DATA_DIR: folder })(patient);
}

async function needsWebhookPort(patient: Patient): Promise<void> {
  set({ PORT: await takenPort(), HEALTH_PORT: String(await freePort()), HOOK_SECRET })(patient);
  withFile(webhook)(patient);
}

async function hasAnotherHost(patient: Patient): Promise<void> {
  set({ HOST: '192.0.2.1', PORT: String(await freePort()) })(patient);
}

function needsGroups(patient: Patient): void {
  grant(withoutGroups)(patient);
  withFile(aGroup)(patient);
}

/** Each finding in a line: its level, check and subject, what was found, and what to do. */
test.each<[line: RegExp, arrange: (patient: Patient) => unknown]>([
  [/^ok agent_api:docs: .*404, "Job not found".*/, withFile(twoProjects)],
  [
    /^error agent_api:handbook: .* is unknown \(404, "Project not found".* → .*AGENT_PROJECT_ID/,
    withFile(twoProjects),
  ],
  [/^error agent_api\S+ .* rejected \(401, "Invalid API key".* → .*AGENT_API_KEY/, agentFails(badKey)],
  [/^error agent_api\S+ .* rejected \(403.* → .*AGENT_API_KEY/, agentFails({ status: 403 })],
  [/^warning agent_api\S+ .*at its rate limit \(429/, agentFails({ status: 429 })],
  [/^error agent_api\S+ .*an unexpected answer \(500/, agentFails({ status: 500 })],
  [/^error agent_api\S+ .*\(302/, agentFails(login)],
  [/^error agent_api\S+ .*an unexpected answer \(200/, agentFails('html')],
  [/^warning agent_api\S+ .*something answers/, agentFails({ status: 404, body: '<h1>Not here</h1>' })],
  [/^warning agent_api\S+ .*something answers/, agentFails('half_body')],
  [
    /^error agent_api\S+ .*broke before the answer \(UND_ERR_SOCKET\).* → .*AGENT_BASE_URL/,
    agentFails('reset_before'),
  ],
  [/^error agent_api\S+ .*did not answer in time.* → .*AGENT_BASE_URL/, agentFails('hang')],
  [/^ok agent_api.*\nwarning agent_api\S+ .*going to end \(sunset: Sun, 31 Jan 2027/, agentFails(ending)],
  [/^error slack_token: .*invalid_auth/, set({ SLACK_BOT_TOKEN: 'xoxb-made-up' })],
  [
    /^error slack_connection: .*token \(invalid_auth\) → .*SLACK_APP_TOKEN/,
    set({ SLACK_APP_TOKEN: 'xapp-made-up' }),
  ],
  [
    /^error slack_scopes: missing: app_mentions:read \(mentions do nothing\), reactions:write \(nobody sees .* → .*docs-agent manifest/,
    grant(['commands', 'chat:write', ...scopes.slice(4)]),
  ],
  [/^ok slack_scopes/, grant(withoutGroups)],
  [
    /^warning slack_scopes: missing: usergroups:read \(user groups in the settings let nobody in\)/,
    needsGroups,
  ],
  [/^error slack_connection: .*missing_scope.* → .*connections:write/, opens('missing_scope')],
  [
    /^error slack_connection: .*socket_mode_disabled.* → .*Switch Socket Mode on/,
    opens('socket_mode_disabled'),
  ],
  [/^ok slack_connection: .*POST \/slack\/events at port 8080.* → .*docs-agent manifest --url/, set(http)],
  [
    /^warning slack_token: .* → Check again in 7 s\.$/,
    slackFails({ status: 429, headers: { 'retry-after': '7' } }),
  ],
  [/^error slack_token: .* → .*network.*[\s\S]*^ok agent_api/, signsIn('hang')],
  [/^error slack_token: .* → .*network/, signsIn('reset_before')],
  [/^error slack_token: .* → .*network/, signsIn({ status: 503 })],
  [
    /^error slack_token: .*econnrefused.* → .*SLACK_API_URL/,
    set({ SLACK_API_URL: 'http://127.0.0.1:2/api/' }),
  ],
  [
    /^ok listening:PORT: 127\.0\.0\.1:\d+ is free/,
    async (one) => set({ PORT: String(await freePort()) })(one),
  ],
  [
    /^error listening:HEALTH_PORT: .* in use by another program → .*set HEALTH_PORT to another/,
    async (one) => set({ HEALTH_PORT: await takenPort() })(one),
  ],
  [/^error listening:PORT: .* in use by another program/, needsWebhookPort],
  [/^error listening\S+ cannot listen on .* \(E[A-Z_]+\) → .*HOST/, hasAnotherHost],
  [/^error store: .* → .*DATA_DIR/, set({ DATA_DIR: '/proc/docs-agent' })],
  [/^error store: .*is not a directory.* → .*DATA_DIR/, isFile],
  [/^error store: .*not a database.* → .*restore the directory from a backup/, isNoDatabase],
  [
    /^error store: .*127\.0\.0\.1 cannot be reached: nothing listens there\. → .*DATABASE_URL/,
    set({ DATABASE_URL: 'postgres://docs:100%hunter2@127.0.0.1:2/docs' }),
  ],
  [
    /^error clock:against Slack: this machine is 1[12]\d s behind → .*NTP/,
    ({ slackClock }) => Object.assign(slackClock, { aheadMs: 120_000 }),
  ],
])('doctor finds %s', async (line, arrange) => {
  await using patient = await startPatient();
  await arrange(patient);
  const findings = await patient.look(/in time|agent_api$/.test(line.source) ? 500 : 5_000);
  const lines = findings.map(({ level, check, subject, found, next }) => {
    return `${level} ${check}${subject === null ? '' : `:${subject}`}: ${found} → ${next}`;
  });
  expect(lines.join('\n')).toMatch(new RegExp(line, 'm'));
});

test('in good health, doctor changes nothing in Slack, at the agent API or on the disk', async () => {
  await using patient = await startPatient();
  patient.env.DATA_DIR = join(dataDirOf(patient), 'deeper', 'still');
  const findings = await patient.look();
  expect(findings.filter(({ level }) => level !== 'ok')).toEqual([]);
  expect(new Set(patient.slack.calls().map(({ method }) => method))).toEqual(
    new Set(['auth.test', 'apps.connections.open']),
  );
  expect(patient.slack.socket.connections()).toBe(0);
  expect(patient.api.requests.map(({ method }) => method)).toEqual(['GET']);
  expect(one(findings, 'agent_writing')).toMatchObject({
    found: "not checked: write access can't be tested without sending a request",
    next: expect.stringContaining('doctor --probe-write'),
  });
  await expect(readdir(join(dataDirOf(patient), '..'))).rejects.toThrow('ENOENT');
});

const words = { error: 'API key does not have the required scope: write' };

test.each([
  ['refused as such', null, 'ok', 'the key may write (400, "'],
  [
    'met by a key that may only read',
    { status: 403, body: words },
    'error',
    'the key may not write (403, "API',
  ],
  ['met by a plan that has ended', { status: 402 }, 'error', 'the plan does not allow it (402'],
  [
    'sent to a project that is not known',
    { status: 404, body: words },
    'error',
    'unknown to write calls (404',
  ],
  ['at the limit', { status: 429 }, 'warning', 'unknown: 429'],
  ['met by a fault', { status: 500 }, 'warning', 'unknown: 500'],
  ['taken', { status: 201, body: { id: 'job_1' } }, 'error', 'accepted an empty request: there may be a job'],
  ['lost', 'reset_before', 'warning', 'unknown: the connection to the agent API broke'],
] as const)(
  'an empty request that is %s says whether the key may write',
  async (_what, fault, level, found) => {
    await using patient = await startPatient();
    if (fault !== null) patient.api.failNext('create', fault);
    const findings = await patient.look(5_000, { probeWrite: true });
    expect(one(findings, 'agent_api').level).toBe('ok');
    expect(one(findings, 'agent_writing')).toMatchObject({ level, found: expect.stringContaining(found) });
    expect(patient.api.jobs).toEqual([]);
  },
);

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
    found: expect.stringContaining(`the last request was refused: ${words.error}`),
    next: expect.stringMatching(/AGENT_API_KEY.* plan/),
  });
  await world.threadMessage(card, 'On it');
  expect(one(await look(), 'agent_writing')).toMatchObject({ level: 'ok', subject: null });
});

test.each([
  ['Fri, 20 Nov 2026 12:00:10 GMT', 100, 0],
  ['Fri, 20 Nov 2026 12:00:15 GMT', 9_000, 0],
  ['Fri, 20 Nov 2026 12:00:15 GMT', 600, -4_000],
  ['Fri, 20 Nov 2026 12:00:00 GMT', 600, 9_400],
  ['soon', 600, null],
  [null, 0, null],
])(
  'a clock is right as long as the way of the answer explains the difference: %s after %i ms',
  (date, tookMs, ahead) => {
    const sentAtMs = Date.parse('2026-11-20T12:00:10.400Z');
    expect(clockAheadMs(date, { sentAtMs, answeredAtMs: sentAtMs + tookMs })).toBe(ahead);
  },
);

test.each([
  [4_000, false, 'ok'],
  [-6_000, false, 'warning'],
  [44_000, false, 'warning'],
  [-46_000, false, 'error'],
  // Two replicas may differ by 15 s.
  [7_000, true, 'warning'],
  [-8_000, true, 'error'],
])('%i ms away from Slack, with replicas: %s', (slack, hasReplicas, level) => {
  expect(clockFindings(slack, hasReplicas)).toMatchObject([{ level }]);
});

test('a store that nobody uses can be written, and is as it was; one in use is read, and its owner is not disturbed', async () => {
  await using patient = await startPatient();
  const before = async () => (await readdir(dataDirOf(patient))).toSorted();
  await (await openStore({ dataDir: dataDirOf(patient) })).close();
  const files = await before();
  const findings = await patient.look();
  expect(one(findings, 'store').found).toMatch(/, can be written, \d\.\d MiB$/);
  expect(one(findings, 'store_schema')).toMatchObject({
    level: 'ok',
    found: expect.stringMatching(/^up to date/),
  });
  expect(await before()).toEqual(files);
  const store = await openStore({ dataDir: dataDirOf(patient) });
  await store.transaction(async (tx) => {
    await tx.inboundRequests.remember(['event:1'], 1);
    // In the middle of a transaction, too.
    expect((await patient.finding('store')).found).toContain('in use by a running docs-agent');
  });
  await store.check();
  expect(await store.transaction((tx) => tx.inboundRequests.isKnown(['event:1']))).toBe(true);
  await store.close();
});

test('an older schema is not brought up to date by looking, a newer one is refused', async () => {
  await using patient = await startPatient();
  await (await openStore({ dataDir: dataDirOf(patient) })).close();
  const file = new DatabaseSync(join(dataDirOf(patient), 'docs-agent.db'));
  file.exec("update kysely_migration set name = '9999_future' where name = '0001_start'");
  expect(await patient.finding('store_schema')).toMatchObject({
    ...{ level: 'error', found: 'newer than this docs-agent (9999_future)' },
    next: 'Start the version that wrote it, or a later one.',
  });
  file.exec('delete from kysely_migration');
  expect(await patient.finding('store_schema')).toMatchObject({
    level: 'warning',
    found: `older than this docs-agent (without ${Object.keys(migrations('sqlite')).join(', ')})`,
    next: expect.stringContaining('Back up'),
  });
  expect(file.prepare('select * from kysely_migration').all()).toEqual([]);
  file.close();
});

test.each([
  [50, 'error', '50.0 MiB free'],
  [500, 'warning', '500.0 MiB free'],
  [5_000, 'ok', '4.9 GiB free'],
])('%i MiB that are left of the disk', (mib, level, found) => {
  const facts = {
    ...{ place: '/data', state: 'writable', sizeBytes: 1, freeBytes: mib * 1024 ** 2 },
    ...{ schema: { applied: ['0001_start'], missing: [], unknown: [] }, notices: { saved: [], refused: [] } },
    ...{ agentRefusals: [], pauses: { reads: [], calls: [] }, failures: [], pullRequests: [], heldLocks: [] },
    ...{ otherConnections: 0, installations: [], organisations: new Map() },
  };
  expect(one(storeFindings(facts as Parameters<typeof storeFindings>[0]), 'store_space')).toMatchObject({
    ...{ level, found },
  });
});

test('what went wrong without a word on it has advice, too', () => {
  const [finding] = storeFailure(new StoreError('Postgres failed: Query read timeout.'));
  expect(finding).toMatchObject({
    found: 'Postgres failed: Query read timeout.',
    next: expect.stringContaining('Check the database'),
  });
});

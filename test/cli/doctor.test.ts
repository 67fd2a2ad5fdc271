import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { openStore } from '../../src/store/open.ts';
import { one, type Patient, startPatient } from './doctor/support.ts';
import { outcomeHere } from './support/printed.ts';
import { SECRET } from './support/settings.ts';

const doctor = (env: Patient['env'], ...args: readonly string[]) => outcomeHere('doctor', args, env);

test('when all is well, doctor says so line by line, and exits with 0', async () => {
  await using patient = await startPatient();
  const { code, output } = await doctor(patient.env);
  expect(output).toMatch(
    new RegExp(
      [
        '^✓ Node: \\d+\\.\\d+\\.\\d+',
        '✓ Settings: Socket Mode, embedded store, agent API at http://127.0.0.1:\\d+, project acme-docs',
        '✓ Store: /.*, empty; created at the first start',
        '✓ Disk: .* free',
        '✓ Connection: Socket Mode: the app token may open connections',
        '✓ Slack: @docs-agent in Strict \\(T0LOCAL\\)',
        '✓ Scopes: all that are needed',
        '✓ Administrators: the admins and owners of the workspace → .*',
        '✓ Agent API acme-docs: reached, key accepted .*',
        '✓ Sending requests: not checked: .* → `docs-agent doctor --probe-write` .*',
        '✓ Clock against Slack: right',
        '',
        'All is well.',
        '$',
      ].join('\n'),
    ),
  );
  expect(code).toBe(0);
});

test('a misspelt setting is reported, though the program starts without it', async () => {
  await using patient = await startPatient();
  const { code, output } = await doctor({ ...patient.env, NOTICE_CHANEL: 'C0NEWS' });
  expect(output).toMatch(
    /^! Settings NOTICE_CHANEL: unknown setting, did you mean NOTICE_CHANNELS\? → Example: NOTICE_CHANNELS=/m,
  );
  expect(code).toBe(1);
});

test('what does not work makes it exit with 2, also as JSON', async () => {
  await using patient = await startPatient();
  patient.slack.control.revokeToken();
  const { code, output } = await doctor(patient.env, '--json');
  expect(code).toBe(2);
  const report = JSON.parse(output);
  expect(Object.keys(report)).toEqual(['worst', 'findings']);
  expect(report.worst).toBe('error');
  expect(one(report.findings, 'slack_token')).toEqual({
    check: 'slack_token',
    subject: null,
    level: 'error',
    found: 'Slack refuses the token (token_revoked)',
    next: expect.stringContaining('Install the app again'),
  });
  expect(one(report.findings, 'node').level).toBe('ok');
});

test('what doctor cannot make sense of makes it exit with 3, which is neither well nor a warning', async () => {
  await using patient = await startPatient();
  const dataDir = patient.env.DATA_DIR ?? '';
  await (await openStore({ dataDir })).close();
  const file = new DatabaseSync(join(dataDir, 'docs-agent.db'));
  file.exec("insert into channel_setting values ('T0LOCAL', 'C0', 'no JSON')");
  file.close();
  const { code, output } = await doctor(patient.env);
  expect(output).toContain('doctor itself has failed');
  expect(code).toBe(3);
});

test('no secret is ever printed, not even if servers send it back', async () => {
  await using patient = await startPatient();
  const secrets = {
    SLACK_BOT_TOKEN: `xoxb-${SECRET}-bot`,
    SLACK_SIGNING_SECRET: `${SECRET}-signing`,
    AGENT_API_KEY: `${SECRET}-key`,
    HANDBOOK_KEY: `${SECRET}-handbook`,
    DATABASE_URL: `postgres://docs:${SECRET}%2Fpassword@127.0.0.1:2/docs`,
  };
  const folder = patient.env.DATA_DIR ?? '';
  const DOCS_AGENT_CONFIG = join(folder, 'docs-agent.yml');
  await writeFile(
    DOCS_AGENT_CONFIG,
    'projects: [{ id: acme-docs }, { id: acme-handbook, api_key_env: HANDBOOK_KEY }]',
  );
  const echo = `The keys ${Object.values(secrets).join(' and ')} are wrong\u001b[2J`;
  patient.api.failAll({ status: 401, body: { error: echo } });
  patient.slack.onCall(() => ({ error: `bad_${secrets.SLACK_BOT_TOKEN}` }));
  const env = { ...patient.env, ...secrets, SLACK_APP_TOKEN: undefined, DOCS_AGENT_CONFIG };
  for (const args of [[], ['--json']]) {
    const { code, output } = await doctor(env, ...args);
    expect(code).toBe(2);
    expect(output).toContain('The keys');
    expect(output).not.toContain(SECRET);
    expect(output).not.toContain('\u001b');
  }
});

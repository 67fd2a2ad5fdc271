import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { botScopes } from '../../src/slack/protocol/scopes.ts';
import { type ChildEnv, runProgram } from '../support/child-program.ts';
import { createTempDir } from '../support/temp-dir.ts';
import { NOWHERE, SECRET, settings, socketSettings } from './support/settings.ts';
import { startTinySlack } from './support/tiny-slack.ts';

/** sysexits.h's, for supervisors: another start may succeed, or somebody must change something first. */
type ExitCode = 75 | 78;

/** Starts the program, which must fail with this code, say so in one plain sentence, and keep its secrets. */
async function failureOf(env: ChildEnv, code: ExitCode): Promise<string> {
  await using program = runProgram(['start'], env);
  expect(await program.exit).toEqual({ code, signal: null });
  const said = program.output();
  expect(said).toContain('docs-agent cannot start. ');
  expect(said).not.toMatch(/^\s+at /m);
  expect(said).not.toContain(SECRET);
  return said;
}

const scopes = botScopes.map(({ name }) => name);

describe('a start that cannot be', () => {
  const refusal = (method: string, error: string) => ({ [method]: { ok: false, error } });

  test.concurrent.each([
    [
      'Slack refuses the bot token',
      settings,
      refusal('auth.test', 'invalid_auth'),
      78,
      /Slack refuses the token \(invalid_auth\)\. Check SLACK_BOT_TOKEN/,
    ],
    [
      'Slack refuses the app token',
      socketSettings,
      refusal('apps.connections.open', 'invalid_auth'),
      78,
      /Slack refuses the token \(invalid_auth\)\. Check SLACK_APP_TOKEN/,
    ],
    [
      'Slack has a fault of its own',
      settings,
      refusal('auth.test', 'internal_error'),
      75,
      /Slack gave an unexpected answer \(internal_error\)/,
    ],
  ] as const)('because %s says so, and where to look', async (_why, base, answers, code, words) => {
    await using folder = await createTempDir();
    await using slack = await startTinySlack(answers);
    expect(await failureOf({ ...base, SLACK_API_URL: slack.apiUrl, DATA_DIR: folder.path }, code)).toMatch(
      words,
    );
  });

  test.concurrent('because Slack cannot be reached says so', async () => {
    await using folder = await createTempDir();
    const said = await failureOf({ ...settings, DATA_DIR: folder.path }, 75);
    expect(said).toMatch(/Slack gave an unexpected answer \(econnrefused\)\. Check the network/);
  });

  test.concurrent('because the token lacks a scope says which, what fails without it, and what to click (A4)', async () => {
    await using folder = await createTempDir();
    const granted = scopes.filter((name) => name !== 'chat:write' && name !== 'files:read');
    await using slack = await startTinySlack({}, granted);
    const said = await failureOf({ ...settings, SLACK_API_URL: slack.apiUrl, DATA_DIR: folder.path }, 78);
    expect(said).toContain('The Slack app lacks permissions: chat:write (nothing is posted). At https://');
    expect(said).toMatch(/"OAuth & Permissions".*"Install App", "Reinstall"/);
  });

  for (const [mode, base] of [
    ['HTTP mode', settings],
    ['Socket Mode', socketSettings],
  ] as const) {
    test.concurrent(`because the port is in use says which, in ${mode}`, async () => {
      await using folder = await createTempDir();
      await using slack = await startTinySlack();
      await using other = createServer().listen(0, '127.0.0.1');
      await new Promise((resolve) => other.once('listening', resolve));
      const { port } = other.address() as AddressInfo;
      const env = { ...base, SLACK_API_URL: slack.apiUrl, DATA_DIR: folder.path, PORT: `${port}` };
      expect(await failureOf(env, 75)).toContain(
        `Port ${port} on 127.0.0.1 is in use. Stop what uses it, or set PORT to another.`,
      );
    });
  }

  test.concurrent('because the data directory is a file says so, before anything is asked of Slack', async () => {
    await using folder = await createTempDir();
    await using slack = await startTinySlack();
    const file = join(folder.path, 'data');
    await writeFile(file, '');
    const said = await failureOf({ ...settings, SLACK_API_URL: slack.apiUrl, DATA_DIR: file }, 78);
    expect(said).toMatch(/is not a directory\. Set DATA_DIR/);
    expect(slack.calls).toEqual([]);
  });

  test.concurrent('because another one uses the data directory says so, and the other one goes on', async () => {
    await using folder = await createTempDir();
    await using slack = await startTinySlack();
    const env = { ...settings, SLACK_API_URL: slack.apiUrl, DATA_DIR: folder.path };
    await using first = runProgram(['start'], env);
    const { port } = await first.logged('started');
    expect(await failureOf(env, 75)).toMatch(/in use by another docs-agent.*DATA_DIR.*DATABASE_URL/);
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
  });

  test.concurrent('because Postgres cannot be reached says so, without its password', async () => {
    await using slack = await startTinySlack();
    const said = await failureOf(
      {
        ...settings,
        SLACK_API_URL: slack.apiUrl,
        DATABASE_URL: `postgres://docs:${SECRET}@${NOWHERE}/docs`,
      },
      75,
    );
    expect(said).toMatch(
      /Postgres database at 127\.0\.0\.1 cannot be reached: nothing listens there\. Check DATABASE_URL/,
    );
  });
});

test('a start without a scope that only one feature needs warns of it (A4)', async () => {
  await using folder = await createTempDir();
  await using slack = await startTinySlack(
    {},
    scopes.filter((name) => name !== 'files:read' && name !== 'usergroups:read'),
  );
  const env = { ...settings, SLACK_API_URL: slack.apiUrl, DATA_DIR: folder.path };
  await using program = runProgram(['start'], env);
  await program.logged('started');
  const warnings = program
    .output()
    .split('\n')
    .filter((line) => line.includes('"scope_missing"'));
  expect(warnings).toHaveLength(1);
  expect(JSON.parse(warnings[0] ?? '')).toMatchObject({
    level: 'warn',
    scope: 'files:read',
    reason: 'the text files and pictures that come along are not read',
    what_to_do: expect.stringContaining('OAuth & Permissions'),
  });
});

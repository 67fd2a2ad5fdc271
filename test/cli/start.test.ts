import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { botScopes } from '../../src/slack/protocol/scopes.ts';
import { type ChildEnv, runProgram } from '../support/child-program.ts';
import { createTempDir } from '../support/temp-dir.ts';
import { NOWHERE, SECRET, settings, socketSettings } from './support/settings.ts';
import { startTinySlack } from './support/tiny-slack.ts';

interface Start {
  readonly answers?: Parameters<typeof startTinySlack>[0];
  /** The scopes of the token. */
  readonly granted?: readonly string[];
  readonly base?: ChildEnv;
  /** @param port that another program has */
  more?(folder: string, port: string): ChildEnv;
}

/** The program with an empty folder, a Slack that answers so, and these settings. */
async function startIn({ answers = {}, granted, base = settings, more = () => ({}) }: Start) {
  const resources = new AsyncDisposableStack();
  const { path: folder } = resources.use(await createTempDir());
  const slack = resources.use(await startTinySlack(answers, granted));
  const other = resources.use(createServer().listen(0, '127.0.0.1'));
  await new Promise((resolve) => other.once('listening', resolve));
  const { port } = other.address() as AddressInfo;
  await writeFile(join(folder, 'file'), '');
  const env = { ...base, SLACK_API_URL: slack.apiUrl, DATA_DIR: join(folder, 'data') };
  const start = () => resources.use(runProgram(['start'], { ...env, ...more(folder, `${port}`) }));
  return { slack, start, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

/** It must fail with this code, say so in one plain sentence, and keep its secrets. */
async function failureOf(program: ReturnType<typeof runProgram>, code: ExitCode): Promise<string> {
  expect(await program.exit).toEqual({ code, signal: null });
  const said = program.output();
  expect(said).toContain('docs-agent cannot start. ');
  expect(said).not.toMatch(/^\s+at /m);
  expect(said).not.toContain(SECRET);
  return said;
}

/** sysexits.h's, for supervisors: another start may succeed, or somebody must change something first. */
type ExitCode = 75 | 78;

const scopes = botScopes.map(({ name }) => name);
const without = (...names: readonly string[]) => scopes.filter((name) => !names.includes(name));
const refuse = (method: string, error: string) => ({ answers: { [method]: { ok: false, error } } });
const inUse = /Port \d+ on 127\.0\.0\.1 is in use\. Stop what uses it, or set PORT to another\./;
const nowhere = { SLACK_API_URL: `http://${NOWHERE}/api/` };
const postgres = { DATABASE_URL: `postgres://docs:${SECRET}@${NOWHERE}/docs` };

describe('a start that cannot be says why, and where to look', () => {
  test.concurrent.each<[why: string, Start, ExitCode, words: RegExp]>([
    [
      'Slack refuses the bot token',
      refuse('auth.test', 'invalid_auth'),
      78,
      /Slack refuses the token \(invalid_auth\)\. Check SLACK_BOT_TOKEN/,
    ],
    [
      'Slack refuses the app token',
      { ...refuse('apps.connections.open', 'invalid_auth'), base: socketSettings },
      78,
      /Slack refuses the token \(invalid_auth\)\. Check SLACK_APP_TOKEN/,
    ],
    [
      'Slack has a fault of its own',
      refuse('auth.test', 'internal_error'),
      75,
      /Slack gave an unexpected answer \(internal_error\)/,
    ],
    ['Slack is out of reach', { more: () => nowhere }, 75, /answer \(econnrefused\)\. Check the network/],
    [
      'the token lacks a scope (A4)',
      { granted: without('chat:write', 'files:read') },
      78,
      /lacks permissions: chat:write \(nothing is posted\)\. At https:.*"OAuth & Permissions".*"Reinstall"/,
    ],
    ['the port is in use', { more: (_, PORT) => ({ PORT }) }, 75, inUse],
    ['so, in Socket Mode', { base: socketSettings, more: (_, PORT) => ({ PORT }) }, 75, inUse],
    [
      'Postgres is out of reach',
      { more: () => postgres },
      75,
      /127\.0\.0\.1 cannot be reached: nothing listens/,
    ],
  ])('%s', async (_why, given, code, words) => {
    await using it = await startIn(given);
    expect(await failureOf(it.start(), code)).toMatch(words);
  });

  test.concurrent('the data directory is a file, before anything is asked of Slack', async () => {
    await using it = await startIn({
      more: (folder) => ({ DATA_DIR: join(folder, 'file') }),
    });
    expect(await failureOf(it.start(), 78)).toMatch(/is not a directory\. Set DATA_DIR/);
    expect(it.slack.calls).toEqual([]);
  });

  test.concurrent('another one uses the data directory, which goes on; only one feature lacks a scope: a warning (A4)', async () => {
    await using it = await startIn({ granted: without('files:read', 'usergroups:read') });
    const first = it.start();
    const { port } = await first.logged('started');
    expect(await failureOf(it.start(), 75)).toMatch(/in use by another docs-agent.*DATA_DIR.*DATABASE_URL/);
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
    expect(first.log().filter(({ event }) => event === 'scope_missing')).toMatchObject([
      {
        ...{ level: 'warn', scope: 'files:read' },
        reason: 'the text files and pictures that come along are not read',
        what_to_do: expect.stringContaining('OAuth & Permissions'),
      },
    ]);
  });
});

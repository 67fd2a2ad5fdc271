import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/runtime/clock.ts';
import { type AgentApi, startAgentApi } from '../support/agent-api/agent-api.ts';
import { runCommand, runProgram } from '../support/child-program.ts';
import { startCodeHost } from '../support/code-host/code-host.ts';
import {
  alice,
  describeWithLocalSlack,
  general,
  startTestSlack,
  type TestSlack,
} from '../support/local-slack.ts';
import { shareOf } from '../support/share.ts';
import { createTempDir } from '../support/temp-dir.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const list = readFileSync(join(root, 'src/app/features.ts'), 'utf8');
const PLUG = /^import \{ (?<name>\w+) \} from '#features\/(?<folder>[^/]+)\/index\.ts';\n/gm;
const features = [...list.matchAll(PLUG)].map(({ groups }) => ({
  name: groups?.name ?? '',
  folder: groups?.folder ?? '',
}));

/** What the compiler points at once the folder and its line are gone: to be deleted with it. */
const POINTS_TO: Readonly<Record<string, readonly string[]>> = {
  // Its members of `JobEvent` and `OfferSubject`, which nothing decides any more.
  'pull-requests': ['src/app/features.ts'],
  // Commands of the command line, each with its row in `cli/table.ts`.
  reports: ['src/cli/commands/report.ts'],
};

/** The sources without the feature, in a folder of their own. */
async function sourcesWithout({ name, folder }: (typeof features)[number]) {
  const copy = await createTempDir();
  cpSync(join(root, 'src'), join(copy.path, 'src'), { recursive: true });
  for (const file of ['package.json', 'tsconfig.json']) cpSync(join(root, file), join(copy.path, file));
  symlinkSync(join(root, 'node_modules'), join(copy.path, 'node_modules'));
  rmSync(join(copy.path, 'src/features', folder), { recursive: true });
  const others = list
    .replace(PLUG, (line, _name, of: string) => (of === folder ? '' : line))
    .replace(new RegExp(`^  ${name},\n`, 'm'), '');
  writeFileSync(join(copy.path, 'src/app/features.ts'), others);
  return copy;
}

/** The files with errors of types. */
function wrongFiles(folder: string): string[] {
  const tsc = join(root, 'node_modules/.bin/tsc');
  const config = JSON.parse(readFileSync(join(folder, 'tsconfig.json'), 'utf8'));
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ ...config, include: ['src'] }));
  try {
    execFileSync(tsc, ['--noEmit', '--pretty', 'false', '-p', '.'], { cwd: folder });
    return [];
  } catch (error) {
    const { stdout } = error as { readonly stdout: Buffer };
    const files = String(stdout)
      .split('\n')
      .flatMap((line) => /^(?<file>src\/[^(]+)\(\d/.exec(line)?.groups?.file ?? []);
    return [...new Set(files)].sort();
  }
}

const given = { apiKey: 'key-of-the-tests', projectId: 'acme-docs' };

const startManualAgent = () =>
  startAgentApi({
    ...given,
    ...{ clock: systemClock, port: 0 },
    script: () => ({ workMs: 0, ending: 'manual' }),
  });

const startIn = (folder: string) => [process.execPath, join(folder, 'src/cli/cli.ts'), 'start'];

const settings = (slack: TestSlack, api: AgentApi, dataDir: string) => ({
  SLACK_BOT_TOKEN: slack.botToken,
  SLACK_APP_TOKEN: slack.appToken,
  SLACK_API_URL: slack.apiUrl,
  AGENT_BASE_URL: api.baseUrl,
  AGENT_API_KEY: given.apiKey,
  AGENT_PROJECT_ID: given.projectId,
  DATA_DIR: dataDir,
  ...{ HOST: '127.0.0.1', PORT: '0', POLL_MIN_INTERVAL: '100ms', SETTLE_WINDOW: '0' },
});

test('the list names all folders', () => {
  expect(features.length).toBeGreaterThan(2);
});

describe.each(shareOf(features))('the program without $folder', (feature) => {
  test('is what its compiler asks for', async () => {
    await using copy = await sourcesWithout(feature);
    expect(wrongFiles(copy.path)).toEqual(POINTS_TO[feature.folder] ?? []);
  });
});

describeWithLocalSlack('a store with a reminder of the removed feature pull-requests', () => {
  test('serves its job, and a press on the old button is answered', async () => {
    await using resources = new AsyncDisposableStack();
    const feature = features.find(({ folder }) => folder === 'pull-requests') ?? { name: '', folder: '' };
    const copy = resources.use(await sourcesWithout(feature));
    const slack = await startTestSlack();
    resources.defer(() => slack.stop());
    const api = await startManualAgent();
    resources.defer(() => api.close());
    const codeHost = await startCodeHost({ token: 'token-of-the-tests', clock: systemClock });
    resources.defer(() => codeHost.close());
    const env = {
      ...settings(slack, api, join(copy.path, 'data')),
      ...{ GITHUB_TOKEN: 'token-of-the-tests', GITHUB_WEB_URL: codeHost.webUrl, PR_REMINDER_AFTER: '1s' },
    };
    const whole = resources.use(runProgram(['start'], env));
    await whole.logged('started');
    await slack.control.command({ channel: general, user: alice, text: 'Add a quickstart' });
    await expect.poll(() => api.jobs.length).toBe(1);
    const prLink = codeHost.githubLink(codeHost.open({ repository: 'acme/docs' }));
    api.finish(api.jobs[0]?.id ?? '', { status: 'completed', prLink });
    const post = async (words: string) =>
      (await slack.control.messages(general)).find(({ text }) => text.includes(words));
    await expect.poll(() => post('👋'), { timeout: 30_000 }).toBeDefined();
    const reminder = await post('👋');
    whole.kill('SIGTERM');
    await whole.exit;
    const program = resources.use(runCommand(startIn(copy.path), env));
    await program.logged('started');
    if (reminder === undefined) throw new Error('there is no reminder');
    await slack.control.press(reminder, 'no_more_reminders', alice);
    await expect.poll(() => post('not available here')).toMatchObject({ ephemeral_to: alice });
    const threadTs = reminder.thread_ts ?? '';
    await slack.control.message({ channel: general, user: alice, text: 'Shorten it', threadTs });
    await expect
      .poll(() => api.jobs[0]?.prompts, { timeout: 30_000 })
      .toEqual(['Add a quickstart', 'Shorten it']);
    await expect.poll(() => post('👋'), { timeout: 30_000 }).toBeUndefined();
    program.kill('SIGTERM');
    expect(await program.exit).toMatchObject({ code: 0 });
    expect(program.log().filter(({ level }) => level === 'error')).toEqual([]);
  });
});

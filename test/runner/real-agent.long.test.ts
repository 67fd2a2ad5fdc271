import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { share } from '../support/share.ts';
import { startScriptedModel } from './support/scripted-model.ts';
import { type ApiJob, type RunnerWorld, startRunnerWorld } from './support/world.ts';

const VERSION = '1.18.33';
/** Outside of the project, since it takes 350 MB. */
const CACHE = join(
  process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'),
  'docs-agent',
  `opencode-${VERSION}`,
);
/** The package of the machine's kind holds the program, without a script that has to be run. */
const PACKAGE = `opencode-${process.platform}-${process.arch}`;
const OPENCODE = join(CACHE, 'node_modules', PACKAGE, 'bin', 'opencode');

/** Returns why opencode cannot be used; null: it can. */
function install(): string | null {
  if (existsSync(OPENCODE)) return null;
  mkdirSync(CACHE, { recursive: true });
  try {
    const options = ['--no-audit', '--no-fund', '--no-save', '--prefix', CACHE];
    execFileSync('npm', ['install', ...options, `${PACKAGE}@${VERSION}`], {
      stdio: 'pipe',
      timeout: 300_000,
    });
    return null;
  } catch (error) {
    return `opencode cannot be installed: ${error instanceof Error ? error.message : error}`;
  }
}

/** For nightly runs, which play all shares: the package has to be fetched first. */
const missing = share.shares > 1 ? 'opencode is started at night' : install();
let model: Awaited<ReturnType<typeof startScriptedModel>>;
let world: RunnerWorld;

beforeAll(async () => {
  if (missing !== null) return console.warn(missing);
  model = await startScriptedModel();
  const scripted = {
    npm: '@ai-sdk/openai-compatible',
    name: 'Scripted',
    options: { baseURL: model.baseUrl, apiKey: 'none' },
    models: { one: { name: 'One', tool_call: true } },
  };
  const names = { model: 'scripted/one', small_model: 'scripted/one' };
  const config = { provider: { scripted }, ...names, autoupdate: false, share: 'disabled' };
  world = await startRunnerWorld({
    command: [OPENCODE, 'acp'],
    agentEnv: {
      PATH: process.env.PATH ?? '',
      HOME: join(CACHE, 'home'),
      OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
    },
  });
}, 360_000);
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  model?.close();
});

const changes = (job: ApiJob) => {
  const head = world.pulls.find(({ html_url }) => html_url === job.prLink)?.head ?? '';
  return world.git('diff', '--name-only', `main...${head}`).split('\n');
};
/** The requests of people in the conversation that the model got last. */
const conversation = () =>
  JSON.stringify(model.requests.at(-1)?.messages.filter(({ role }) => role === 'user') ?? []);

test.skipIf(missing)(
  'opencode works on a request, a reply in the same session, and goes on after a stop',
  async () => {
    expect(world.runner.agents).toEqual({ docs: `OpenCode ${VERSION}` });
    const { id } = await world.create('Add a page\nwrite docs/a.md Hello');
    const first = await world.rested(id);
    expect(first).toMatchObject({ status: 'completed', summary: 'Done.', reason: null });
    expect(changes(first)).toEqual(['docs/a.md']);

    await world.message(id, 'Another one\nwrite docs/b.md World');
    const second = await world.rested(id);
    expect([second.prLink, changes(second)]).toEqual([first.prLink, ['docs/a.md', 'docs/b.md']]);
    expect(conversation()).toContain('Add a page');
    expect(conversation()).not.toContain('What was asked and done before');

    await world.message(id, 'And one more\nwrite docs/c.md Again\nhang');
    const busy = await world.rested(id, ({ activity }) => activity?.includes('docs/c.md') === true);
    expect(busy.status).toBe('active');
    await world.rested(id, () => model.requests.at(-1)?.messages.at(-1)?.role === 'tool');
    const { body } = await world.call('POST', `/v2/agent/docs/job/${id}/cancel`);
    expect(body).toMatchObject({ status: 'completed', reason: 'Stopped by a caller of the API.' });

    await world.message(id, 'Thanks, go on');
    expect(changes(await world.rested(id))).toEqual(['docs/a.md', 'docs/b.md', 'docs/c.md']);
  },
);

test.skipIf(missing)('opencode starts again on a request during which the runner was restarted', async () => {
  const { id } = await world.create('write docs/d.md Hello\nhang once');
  await world.rested(id, ({ activity }) => activity?.includes('docs/d.md') === true);
  await world.restart();
  model.resume();
  const end = await world.rested(id);
  expect([end.status, changes(end)]).toEqual(['completed', ['docs/d.md']]);
});

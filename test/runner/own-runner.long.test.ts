import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { localApp } from '../../demo/local-slack/workspace.ts';
import { SIGNING_SECRET, settings } from '../cli/support/settings.ts';
import { startTinySlack } from '../cli/support/tiny-slack.ts';
import { runProgram } from '../support/child-program.ts';
import { createSignedSlack } from '../support/signed-slack.ts';
import { waitFor } from '../support/wait-for.ts';
import { startRunnerWorld } from './support/world.ts';

/** The process ids of `docs-agent runner` with this folder. */
function runners(dataDir: string): number[] {
  const read = (pid: string, file: string) => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, 'utf8').split('\0');
    } catch {
      return [];
    }
  };
  return readdirSync('/proc')
    .filter(
      (pid) =>
        read(pid, 'cmdline').includes('runner') &&
        read(pid, 'environ').includes(`RUNNER_DATA_DIR=${dataDir}`),
    )
    .map(Number);
}

test('a program with a repository and no agent API runs its own runner, and keeps it running', async () => {
  await using world = await startRunnerWorld();
  await world.runner.stop();
  await using slack = await startTinySlack();
  const { AGENT_BASE_URL: _url, AGENT_API_KEY: _key, AGENT_PROJECT_ID: _project, ...others } = settings;
  const { dataDir, repository, command } = world.settings;
  const env = {
    ...others,
    SLACK_API_URL: slack.apiUrl,
    DATA_DIR: join(world.root, 'data'),
    RUNNER_REPOSITORY: repository,
    RUNNER_COMMAND: command.join(' '),
    RUNNER_DATA_DIR: dataDir,
    PATH: process.env.PATH,
    HOME: join(world.root, 'home'),
  };
  const branches = () => world.git('for-each-ref', '--format=%(refname:short)', 'refs/heads/docs-agent');
  const start = async () => {
    const program = runProgram(['start'], env);
    const { port } = await program.logged('started');
    const url = `http://127.0.0.1:${port}/slack/events`;
    const people = createSignedSlack({ url, signingSecret: SIGNING_SECRET, teamId: localApp.teamId });
    const ask = (channelId: string, text: string) =>
      people.sendCommand({ channelId, userId: 'U0ALICE', text });
    return { program, ask };
  };

  const first = await start();
  await first.ask('C0DOCS', 'Add a page\nwrite docs/a.md A');
  await waitFor(branches, (names) => names.includes('add-a-page'), { what: 'the branch' });

  const [running] = runners(dataDir);
  process.kill(running ?? 0, 'SIGKILL');
  await first.program.logged('runner_ended');
  await first.ask('C0HELP', 'Another page\nwrite docs/b.md B');
  await waitFor(branches, (names) => names.includes('another-page'), { what: 'it again' });

  first.program.kill('SIGKILL');
  await first.program.exit;
  await waitFor(
    () => runners(dataDir),
    (pids) => pids.length === 0,
    { what: 'the runner to end' },
  );

  await using doctor = runProgram(['doctor'], env);
  await doctor.exit;
  expect(doctor.output()).toMatch(/✓ Agent API docs: reached, key accepted/);

  const second = await start();
  second.program.kill('SIGTERM');
  expect(await second.program.exit).toEqual({ code: 0, signal: null });
  expect(runners(dataDir)).toEqual([]);
});

test('its repositories may be those of the file, each of a project', async () => {
  await using docs = await startRunnerWorld();
  await using handbook = await startRunnerWorld();
  await Promise.all([docs, handbook].map(({ runner }) => runner.stop()));
  await using slack = await startTinySlack();
  const file = join(docs.root, 'docs-agent.yml');
  writeFileSync(
    file,
    `projects: [{ id: docs, repository: ${docs.remote} }, { id: handbook, repository: ${handbook.remote} }]`,
  );
  const { AGENT_BASE_URL: _url, AGENT_API_KEY: _key, AGENT_PROJECT_ID: _project, ...others } = settings;
  const env = {
    ...others,
    SLACK_API_URL: slack.apiUrl,
    DATA_DIR: join(docs.root, 'data'),
    DOCS_AGENT_CONFIG: file,
    RUNNER_COMMAND: docs.settings.command.join(' '),
    RUNNER_DATA_DIR: docs.settings.dataDir,
    PATH: process.env.PATH,
    HOME: join(docs.root, 'home'),
  };
  await using program = runProgram(['start'], env);
  const { port } = await program.logged('started');
  const url = `http://127.0.0.1:${port}/slack/events`;
  const people = createSignedSlack({ url, signingSecret: SIGNING_SECRET, teamId: localApp.teamId });
  const text = 'project=handbook Add a page\nwrite docs/a.md A';
  await people.sendCommand({ channelId: 'C0DOCS', userId: 'U0ALICE', text });
  const branches = () => handbook.git('for-each-ref', '--format=%(refname:short)', 'refs/heads/docs-agent');
  await waitFor(branches, (names) => names.includes('add-a-page'), { what: 'the branch' });

  await using doctor = runProgram(['doctor'], env);
  await doctor.exit;
  expect(doctor.output()).toMatch(/✓ Agent API docs: reached, key accepted/);
  expect(doctor.output()).toMatch(/✓ Agent API handbook: reached, key accepted/);
});

test('a command that is no agent is said at the start, as a mistake in the settings', async () => {
  await using world = await startRunnerWorld();
  await world.runner.stop();
  const { AGENT_BASE_URL: _url, ...others } = settings;
  const env = {
    ...others,
    DATA_DIR: join(world.root, 'data'),
    RUNNER_REPOSITORY: world.settings.repository,
    RUNNER_COMMAND: '/bin/false',
    RUNNER_DATA_DIR: world.settings.dataDir,
  };
  await using program = runProgram(['start'], env);
  expect(await program.exit).toEqual({ code: 78, signal: null });
  expect(program.output()).toContain('RUNNER_COMMAND: The agent ended by itself: exit code 1');
  await using doctor = runProgram(['doctor'], env);
  await doctor.exit;
  expect(doctor.output()).toContain('✗ Runner: does not start (exit code 78)');
});

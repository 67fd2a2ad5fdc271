import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { localApp } from '../../demo/local-slack/workspace.ts';
import { SIGNING_SECRET, settings } from '../cli/support/settings.ts';
import { startTinySlack } from '../cli/support/tiny-slack.ts';
import { type ChildEnv, runProgram } from '../support/child-program.ts';
import { createSignedSlack } from '../support/signed-slack.ts';
import { waitFor } from '../support/wait-for.ts';
import { type RunnerWorld, startRunnerWorld } from './support/world.ts';

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

/** The settings of a program that has no agent API, but for the repositories. */
function envOf({ root, settings: { command, dataDir } }: RunnerWorld): ChildEnv {
  const { AGENT_BASE_URL: _url, AGENT_API_KEY: _key, AGENT_PROJECT_ID: _project, ...others } = settings;
  return {
    ...others,
    DATA_DIR: join(root, 'data'),
    RUNNER_COMMAND: command.join(' '),
    RUNNER_DATA_DIR: dataDir,
    PATH: process.env.PATH,
    HOME: join(root, 'home'),
  };
}

/** The program, and how people ask it. */
async function start(env: ChildEnv) {
  const program = runProgram(['start'], env);
  const { port } = await program.logged('started');
  const url = `http://127.0.0.1:${port}/slack/events`;
  const people = createSignedSlack({ url, signingSecret: SIGNING_SECRET, teamId: localApp.teamId });
  const ask = (channelId: string, text: string) => people.sendCommand({ channelId, userId: 'U0ALICE', text });
  return { program, ask, [Symbol.asyncDispose]: () => program[Symbol.asyncDispose]() };
}

const branchesOf = ({ git }: RunnerWorld) =>
  git('for-each-ref', '--format=%(refname:short)', 'refs/heads/docs-agent');

test.concurrent('a program with a repository and no agent API runs its own runner, and keeps it running', async () => {
  await using world = await startRunnerWorld();
  await world.runner.stop();
  await using slack = await startTinySlack();
  const { dataDir, repository } = world.settings;
  const env = { ...envOf(world), SLACK_API_URL: slack.apiUrl, RUNNER_REPOSITORY: repository };
  const branches = () => branchesOf(world);

  await using first = await start(env);
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

  await using second = await start(env);
  second.program.kill('SIGTERM');
  expect(await second.program.exit).toEqual({ code: 0, signal: null });
  expect(runners(dataDir)).toEqual([]);
});

test.concurrent('its repositories may be those of the file, each of a project', async () => {
  await using docs = await startRunnerWorld();
  await using handbook = await startRunnerWorld();
  await Promise.all([docs, handbook].map(({ runner }) => runner.stop()));
  await using slack = await startTinySlack();
  const file = join(docs.root, 'docs-agent.yml');
  writeFileSync(
    file,
    `projects: [{ id: docs, repository: ${docs.remote} }, { id: handbook, repository: ${handbook.remote} }]`,
  );
  const env = { ...envOf(docs), SLACK_API_URL: slack.apiUrl, DOCS_AGENT_CONFIG: file };
  await using program = await start(env);
  await program.ask('C0DOCS', 'project=handbook Add a page\nwrite docs/a.md A');
  const branches = () => branchesOf(handbook);
  await waitFor(branches, (names) => names.includes('add-a-page'), { what: 'the branch' });

  await using doctor = runProgram(['doctor'], env);
  await doctor.exit;
  expect(doctor.output()).toMatch(/✓ Agent API docs: reached, key accepted/);
  expect(doctor.output()).toMatch(/✓ Agent API handbook: reached, key accepted/);
});

test.concurrent('a command that is no agent is said at the start, as a mistake in the settings', async () => {
  await using world = await startRunnerWorld();
  await world.runner.stop();
  const { repository } = world.settings;
  const env = { ...envOf(world), RUNNER_REPOSITORY: repository, RUNNER_COMMAND: '/bin/false' };
  await using program = runProgram(['start'], env);
  expect(await program.exit).toEqual({ code: 78, signal: null });
  expect(program.output()).toContain('RUNNER_COMMAND: The agent ended by itself: exit code 1');
  await using doctor = runProgram(['doctor'], env);
  await doctor.exit;
  expect(doctor.output()).toContain('✗ Runner: does not start (exit code 78)');
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseRunnerConfig } from '../src/app/config/config.ts';
import type { Environment } from '../src/app/config/values.ts';
import { StartError } from '../src/app/service/workspaces.ts';
import { systemClock } from '../src/runtime/clock.ts';
import type { Logger } from '../src/runtime/redact.ts';
import { startCodeHost } from './code-host/code-host.ts';
import { GitPulls } from './code-host/git-pulls.ts';
import { GitRepository } from './code-host/git-repository.ts';
import { StandInRepositories } from './code-host/repositories.ts';
import { demoProjects } from './config-file.ts';
import { startGate } from './gate.ts';

const SCRIPTED_AGENT = fileURLToPath(new URL('agent/scripted-agent.ts', import.meta.url));
const SAMPLES = fileURLToPath(new URL('repositories/', import.meta.url));
/** Scripted agents mostly wait. */
const SCRIPTED_TURNS = '12';
/** What a program of its user needs, and no token but those that RUNNER_ENV names. */
const INHERITED = ['PATH', 'HOME', 'LANG', 'TERM', 'TMPDIR', 'RUNNER_ENV'];

export const apiKey = 'demo-key';
export const codeHostToken = 'demo-token';

export interface AgentSideOptions {
  readonly env: Environment;
  /** Deleted with the demo. */
  readonly folder: string;
  readonly log: Logger;
  readonly resources: AsyncDisposableStack;
  /** The path of somebody's own repository, and the command of their agent. */
  readonly repo?: string | undefined;
  readonly command?: string | undefined;
}

/** The code host with its repositories, and behind the gate the runners of both projects. */
export async function startAgentSide({ env, folder, log, resources, repo, command }: AgentSideOptions) {
  const making = [
    repo === undefined ? sample('docs', folder) : copyOf(resolve(repo), resources),
    sample('handbook', folder),
  ] as const;
  // If one fails, git must not go on in a folder that is being removed.
  await Promise.allSettled(making);
  const [docs, handbook] = await Promise.all(making);
  const git = new GitPulls(new Map([docs, handbook]), systemClock);
  const repositories = new StandInRepositories(systemClock);
  const codeHost = await startCodeHost({ token: codeHostToken, repositories, git });
  resources.defer(() => codeHost.close());

  const start = (project: string, [name, { directory }]: NamedRepository, own?: string) => {
    const names = [...INHERITED, ...(env.RUNNER_ENV ?? '').split(',').map((one) => one.trim())];
    const config = parseRunnerConfig({
      ...Object.fromEntries(names.map((one) => [one, env[one]])),
      RUNNER_PROJECT: project,
      RUNNER_REPOSITORY: directory,
      RUNNER_CODE_HOST_REPOSITORY: name,
      RUNNER_COMMAND: own ?? process.execPath,
      ...(own === undefined && { RUNNER_CONCURRENCY: SCRIPTED_TURNS }),
      RUNNER_API_KEY: apiKey,
      RUNNER_PORT: '0',
      RUNNER_DATA_DIR: join(folder, 'runners', project),
      GITHUB_TOKEN: codeHostToken,
      GITHUB_WEB_URL: codeHost.webUrl,
    });
    const agentEnv = { ...config.agentEnv, NODE_COMPILE_CACHE: join(folder, 'cache') };
    const command = [process.execPath, SCRIPTED_AGENT] as const;
    const scripted = { agentEnv, projects: config.projects.map((one) => ({ ...one, command })) };
    const settings = own === undefined ? { ...config, ...scripted } : config;
    // Loaded when it is needed: the bot is to be ready first.
    const runner = import('../src/runner/runner.ts').then(({ startRunner }) =>
      startRunner(settings, { clock: systemClock, log }),
    );
    resources.defer(() =>
      runner.then(
        ({ stop }) => stop(),
        () => {},
      ),
    );
    return runner.then(({ port }) => `http://127.0.0.1:${port}`, explain('The agent'));
  };
  const docsRunner = once(() => start(demoProjects.docs, docs, command));
  const gate = await startGate({
    [demoProjects.docs]: { url: docsRunner },
    [demoProjects.handbook]: { url: once(() => start(demoProjects.handbook, handbook)), isPlain: true },
  });
  resources.defer(() => gate.close());
  // Somebody's own agent may not start.
  if (command !== undefined) await docsRunner();
  return {
    agentUrl: gate.url,
    codeHostUrl: codeHost.webUrl,
    copy: repo === undefined ? null : docs[1].directory,
    /** So that the first request does not wait. */
    warmUp: () => void docsRunner().catch(() => {}),
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

type NamedRepository = readonly [name: string, repository: GitRepository];

async function sample(name: string, folder: string): Promise<NamedRepository> {
  const repository = GitRepository.of(join(SAMPLES, name), join(folder, `${name}.git`));
  return [`acme/${name}`, await repository.catch(explain('git'))];
}

/** A copy that outlives the demo if an agent has worked in it. */
async function copyOf(path: string, resources: AsyncDisposableStack): Promise<NamedRepository> {
  const folder = mkdtempSync(join(tmpdir(), 'docs-agent-copy-'));
  const name =
    basename(path)
      .replace(/\.git$/, '')
      .replace(/[^\w.-]/g, '-') || 'docs';
  const directory = join(folder, `${name}.git`);
  let branches = '';
  resources.defer(() => {
    if (branches === '') rmSync(folder, { recursive: true, force: true });
  });
  const repository = await GitRepository.copyOf(path, directory).catch(explain(`--repo ${path}`));
  const before = await repository.branchesOfAgent();
  resources.defer(async () => {
    branches = await repository.branchesOfAgent();
    if (branches === before) branches = '';
    else console.log(`\n  Kept, with what the agent has done: ${directory}\n`);
  });
  return [`local/${name}`, repository];
}

/** For people. */
function explain(what: string): (error: unknown) => never {
  return (error) => {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    throw new StartError(`${what}: ${said || (error instanceof Error ? error.message : error)}`, error);
  };
}

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Runner, startRunner } from '../../../src/runner/runner.ts';
import type { RunnerProject, RunnerSettings } from '../../../src/runner/settings.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import type { Logger } from '../../../src/runtime/redact.ts';
import type { ChildEnv } from '../../support/child-program.ts';
import { readAll } from '../../support/fault-proxy/forward.ts';
import { createTempDir } from '../../support/temp-dir.ts';
import { waitFor } from '../../support/wait-for.ts';

const AGENT = fileURLToPath(new URL('scripted-agent.ts', import.meta.url));
export const KEY = 'the-key';
export const AS_CALLER = { authorization: `Bearer ${KEY}` };

export interface ApiJob {
  readonly id: string;
  readonly status: string;
  readonly prLink: string | null;
  readonly summary: string | null;
  readonly activity: string | null;
  readonly reason: string | null;
  readonly queued: number;
  readonly model: string;
  readonly createdAt: string;
  readonly archivedAt: string | null;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: ApiJob & { readonly error?: string };
}

interface StandInPull {
  readonly number: number;
  readonly html_url: string;
  state: string;
  readonly title: string;
  readonly body: string;
  readonly head: string;
}

/** A code host that opens pull requests, as GitHub's API does. */
async function startPulls(repository: string) {
  const pulls: StandInPull[] = [];
  let held: { readonly isMade: boolean; readonly isLost: boolean; readonly reached: () => void } | null =
    null;
  const server = createServer(async (request: IncomingMessage, response) => {
    const url = new URL(request.url ?? '', 'http://host');
    response.setHeader('content-type', 'application/json');
    if (request.headers.authorization !== 'Bearer code-host-token')
      return response.writeHead(401).end('{"message":"Bad credentials"}');
    if (url.pathname !== `/api/v3/repos/${repository}/pulls`)
      return response.writeHead(404).end('{"message":"Not Found"}');
    if (request.method === 'GET') {
      const head = url.searchParams.get('head')?.split(':')[1];
      const wanted = url.searchParams.get('state') ?? 'open';
      const found = pulls.filter((pull) => pull.head === head && [pull.state, 'all'].includes(wanted));
      return response.end(JSON.stringify(found.toReversed()));
    }
    const holding = held;
    held = null;
    if (holding !== null && !holding.isMade) {
      if (holding.isLost) request.socket.destroy();
      return holding.reached();
    }
    const { title, body, head } = JSON.parse((await readAll(request)).toString());
    const number = pulls.length + 1;
    const pull = {
      number,
      html_url: `${webUrl}/${repository}/pull/${number}`,
      state: 'open',
      title,
      body,
      head,
    };
    pulls.push(pull);
    if (holding?.isLost) request.socket.destroy();
    if (holding !== null) return holding.reached();
    return response.writeHead(201).end(JSON.stringify(pull));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const webUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  /** The next request for a pull request gets no answer, or loses its connection. Resolves when it has come. */
  const hold = (isMade: boolean, isLost = false) =>
    new Promise<void>((reached) => {
      held = { isMade, isLost, reached };
    });
  return { webUrl, pulls, hold, close: () => server.close().closeAllConnections() };
}

export interface RunnerWorld extends AsyncDisposable {
  readonly root: string;
  readonly remote: string;
  readonly pulls: StandInPull[];
  readonly runner: Runner;
  /** Its only project, unless others were given, is a part of them. */
  readonly settings: RunnerSettings & RunnerProject;
  readonly log: readonly string[];
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>;
  create(prompt: string): Promise<ApiJob>;
  message(id: string, prompt: string): Promise<Answer>;
  /** Waits until the job has come to rest, or to another state. */
  rested(id: string, isReached?: (job: ApiJob) => boolean): Promise<ApiJob>;
  /** git in the remote repository. */
  git(...args: string[]): string;
  /** Commits a file to a branch of the remote, as a person does. */
  push(branch: string, file: string, text: string): void;
  /** The prompt that the agent got last. */
  lastPrompt(): string;
  /** The next request for a pull request is made or not, and gets no answer. Resolves when it has come. */
  holdPull(isMade: boolean, isLost?: boolean): Promise<void>;
  /** Opens a pull request at the code host, as anybody does. */
  openPull(branch: string): Promise<void>;
  /** Ends what an agent waits for. */
  go(): void;
  restart(changed?: Partial<RunnerSettings>): Promise<void>;
}

export async function startRunnerWorld(
  more: Partial<RunnerSettings & RunnerProject> = {},
): Promise<RunnerWorld> {
  const folder = await createTempDir();
  const root = folder.path;
  const remote = join(root, 'remote.git');
  const home = join(root, 'home');
  await mkdir(home);
  const run = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Bob', '-c', 'user.email=bob@example.com', ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  run('init', '--quiet', '--bare', '--initial-branch=main', remote);
  const clone = join(root, 'clone');
  run('clone', '--quiet', remote, clone);
  const commitFile = (file: string, text: string) => {
    const path = join(clone, file);
    execFileSync('mkdir', ['-p', join(path, '..')]);
    writeFileSync(path, text);
    run('-C', clone, 'add', '--all');
    run('-C', clone, 'commit', '--quiet', '--message', `Change ${file}`);
  };
  run('-C', clone, 'checkout', '--quiet', '-B', 'main');
  commitFile('docs/index.md', 'Welcome\n');
  commitFile('.github/workflows/ci.yml', 'on: push\n');
  run('-C', clone, 'push', '--quiet', 'origin', 'main');
  const host = await startPulls('acme/docs');
  const lines: string[] = [];
  const note = (event: string, fields = {}) => void lines.push(`${event} ${JSON.stringify(fields)}`);
  const log: Logger = { debug: note, info: note, warn: note, error: note };
  const project: RunnerProject = {
    id: 'docs',
    repository: remote,
    branch: null,
    command: [process.execPath, AGENT],
    paths: [],
    codeHostRepository: 'acme/docs',
    ...more,
  };
  const settings = {
    ...project,
    projects: [project],
    apiKey: KEY,
    host: '127.0.0.1',
    port: 0,
    dataDir: join(root, 'runner-data'),
    concurrency: 2,
    // A real agent needs a minute for its first turn where other tests run beside it.
    turnTimeoutMs: 300_000,
    gitEnv: { PATH: process.env.PATH ?? '', HOME: home },
    agentEnv: { PATH: process.env.PATH ?? '', HOME: home },
    instructions: null,
    hourlyLimit: null,
    keepMs: 86_400_000,
    codeHosts: [
      {
        host: 'github',
        webUrl: host.webUrl,
        apiUrl: `${host.webUrl}/api/v3`,
        credentials: { kind: 'token', token: 'code-host-token' },
      },
    ],
    ...more,
  } satisfies RunnerSettings;
  let runner = await startRunner(settings, { clock: systemClock, log });
  const call: RunnerWorld['call'] = async (method, path, body, headers = AS_CALLER) => {
    const response = await fetch(`http://127.0.0.1:${runner.port}${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as Answer['body'],
    };
  };
  return {
    ...{ root, remote, pulls: host.pulls, holdPull: host.hold, settings, log: lines, call },
    get runner() {
      return runner;
    },
    create: async (prompt) => (await call('POST', '/v2/agent/docs/job', { prompt })).body,
    message: (id, prompt) => {
      rmSync(join(home, 'go'), { force: true });
      return call('POST', `/v2/agent/docs/job/${id}/message`, { prompt });
    },
    rested: (id, isReached = ({ status }) => status !== 'active') =>
      waitFor(async () => (await call('GET', `/v2/agent/docs/job/${id}`)).body, isReached, {
        what: 'the job',
        timeoutMs: 240_000,
      }),
    git: (...args) => run(`--git-dir=${remote}`, ...args),
    push: (branch, file, text) => {
      run('-C', clone, 'fetch', '--quiet', 'origin', branch);
      run('-C', clone, 'checkout', '--quiet', '-B', branch, 'FETCH_HEAD');
      commitFile(file, text);
      run('-C', clone, 'push', '--quiet', 'origin', branch);
    },
    lastPrompt: () => readFileSync(join(home, 'last-prompt'), 'utf8'),
    openPull: async (head) => {
      const answer = await fetch(`${host.webUrl}/api/v3/repos/acme/docs/pulls`, {
        method: 'POST',
        headers: { authorization: 'Bearer code-host-token' },
        body: JSON.stringify({ title: head, body: '', head }),
      });
      if (!answer.ok) throw new Error(`the code host answered ${answer.status}`);
    },
    go: () => writeFileSync(join(home, 'go'), ''),
    restart: async (changed = {}) => {
      await runner.stop();
      runner = await startRunner({ ...settings, ...changed }, { clock: systemClock, log });
    },
    [Symbol.asyncDispose]: async () => {
      await runner.stop();
      host.close();
      await folder.remove();
    },
  };
}

/** The settings of `docs-agent runner` in this world, but for its port. */
export function runnerEnv({ root, settings }: RunnerWorld): ChildEnv {
  return {
    PATH: process.env.PATH,
    RUNNER_REPOSITORY: settings.repository,
    RUNNER_COMMAND: settings.command.join(' '),
    RUNNER_API_KEY: KEY,
    RUNNER_CONCURRENCY: String(settings.concurrency),
    RUNNER_DATA_DIR: settings.dataDir,
    RUNNER_CODE_HOST_REPOSITORY: 'acme/docs',
    GITHUB_TOKEN: 'code-host-token',
    GITHUB_WEB_URL: settings.codeHosts[0]?.webUrl ?? '',
    HOME: join(root, 'home'),
  };
}

/** The branch of the job's pull request. */
export function headOf({ pulls }: RunnerWorld, { prLink }: ApiJob): string {
  return pulls.find(({ html_url }) => html_url === prLink)?.head ?? '';
}

/** What the job's branch changes, as in `A docs/a.md`. */
export function changesOf(world: RunnerWorld, job: ApiJob): string[] {
  return world.git('diff', '--name-status', 'main', headOf(world, job)).replaceAll('\t', ' ').split('\n');
}

export function isEditing(file: string): (job: ApiJob) => boolean {
  return ({ activity }) => activity === `Editing ${file}`;
}

export async function cancel(world: RunnerWorld, id: string): Promise<ApiJob> {
  return (await world.call('POST', `/v2/agent/docs/job/${id}/cancel`)).body;
}

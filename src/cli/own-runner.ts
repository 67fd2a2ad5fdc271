import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import type { DestinationStream } from 'pino';
import { parseRunnerConfig } from '../app/config/config.ts';
import type { Environment } from '../app/config/values.ts';
import type { Clock } from '../engine/runtime/clock.ts';
import type { Logger } from '../engine/runtime/redact.ts';

const HOST = '127.0.0.1';
/** Not the secrets of Slack and of the store: an agent of the same user can read the runner's environment. */
const FOR_THE_RUNNER =
  /^(?:RUNNER_\w+|GIT(?:HUB|LAB)_\w+|NODE_\w+|LC_\w+|SSH_AUTH_SOCK|LOG_LEVEL|PLAIN_HTTP_HOSTS|PATH|HOME|LANG|TERM|TZ|TMPDIR|\w+_PROXY)$/i;
const FIRST_PAUSE_MS = 1_000;
const PAUSE_MAX_MS = 60_000;
/** A runner that has lived so long is started again without a pause that grows. */
const STABLE_AFTER_MS = 10 * 60_000;
/** Its turns are run again at the next start, so nothing is lost if it is ended before. */
const STOP_WITHIN_MS = 5_000;

/** The environments of the program and of its own runner. */
export interface OwnRunner {
  readonly botEnv: Environment;
  readonly runnerEnv: Environment;
}

/**
 * What a program needs that has `RUNNER_REPOSITORY` and no `AGENT_BASE_URL`: a free port of this machine, and a key
 * made for the occasion. Null: another service is the agent. Throws ConfigError.
 */
export async function ownRunnerOf(env: Environment): Promise<OwnRunner | null> {
  if (!env.RUNNER_REPOSITORY?.trim() || env.AGENT_BASE_URL?.trim()) return null;
  const port = String(await freePort());
  const key = randomBytes(32).toString('hex');
  const named = new Set(env.RUNNER_ENV?.split(',').map((name) => name.trim()));
  const own = { RUNNER_HOST: HOST, RUNNER_PORT: port, RUNNER_API_KEY: key };
  const given = Object.entries(env).filter(([name]) => FOR_THE_RUNNER.test(name) || named.has(name));
  const runnerEnv = { ...Object.fromEntries(given), ...own, RUNNER_API_KEY_FILE: undefined };
  const { project } = parseRunnerConfig(runnerEnv);
  const address = { AGENT_BASE_URL: `http://${HOST}:${port}`, AGENT_API_KEY: key, AGENT_PROJECT_ID: project };
  return { botEnv: { ...env, ...address, AGENT_API_KEY_FILE: undefined }, runnerEnv };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, HOST);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/**
 * Starts the runner as a process of its own, and again whenever it ends by itself. It ends with this process, however
 * that ends. Resolves when it is ready, or to the exit code with which it refused to start.
 */
export async function startOwnRunner(
  env: Environment,
  { destination, log, clock }: { destination: DestinationStream; log: Logger; clock: Clock },
): Promise<{ readonly exitCode: number } | { readonly stop: () => Promise<void> }> {
  const { promise: stopped, resolve: stop } = Promise.withResolvers<'stopped'>();
  let child = launch(env, destination);
  const exitCode = await Promise.race([child.ready, child.ended]);
  if (exitCode !== null) return { exitCode };

  const watch = async () => {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MAX_MS)) {
      const startedAtMs = clock.now();
      const code = await Promise.race([child.ended, stopped]);
      if (code === 'stopped') return;
      if (clock.now() - startedAtMs > STABLE_AFTER_MS) pauseMs = FIRST_PAUSE_MS;
      log.error('runner_ended', { exit_code: code, restart_in_ms: pauseMs });
      if ((await Promise.race([clock.sleep(pauseMs), stopped])) === 'stopped') return;
      child = launch(env, destination);
    }
  };
  const watching = watch();
  return {
    stop: async () => {
      stop('stopped');
      await watching;
      child.process.kill('SIGTERM');
      await clock.timeout(STOP_WITHIN_MS, child.ended, null);
      child.process.kill('SIGKILL');
    },
  };
}

interface Launched {
  readonly process: ChildProcess;
  /** Resolves to null. */
  readonly ready: Promise<null>;
  /** Resolves to the exit code; 128 if a signal ended it. */
  readonly ended: Promise<number>;
}

/** The channel between the processes closes when either ends; a Ctrl-C of a terminal reaches only this one. */
function launch(env: Environment, destination: DestinationStream): Launched {
  const args = [...process.execArgv, process.argv[1] ?? '', 'runner'];
  const stdio = ['ignore', 'pipe', 'inherit', 'ipc'] as const;
  const child = spawn(process.execPath, args, { env: { ...env }, detached: true, stdio: [...stdio] });
  const { promise: ready, resolve } = Promise.withResolvers<null>();
  const { promise: ended, resolve: end } = Promise.withResolvers<number>();
  child.once('error', () => end(1));
  child.once('exit', (code) => end(code ?? 128));
  if (child.stdout !== null) {
    createInterface({ input: child.stdout }).on('line', (line) => {
      destination.write(`${line}\n`);
      if (line.includes('"event":"runner_started"')) resolve(null);
    });
  }
  return { process: child, ready, ended };
}

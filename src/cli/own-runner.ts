import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { DestinationStream } from 'pino';
import { isOwnRunnerMeant, parseRunnerConfig } from '#app/config/config.ts';
import type { Environment } from '#app/config/values.ts';
import { systemClock } from '#runtime/clock.ts';
import { serveRoutes } from '#runtime/http-server.ts';
import type { Logger } from '#runtime/redact.ts';

const HOST = '127.0.0.1';
/** No secrets of Slack or the store: an agent of the same user can read this environment. */
const FOR_THE_RUNNER =
  /^(?:RUNNER_\w+|GIT(?:HUB|LAB)_\w+|NODE_\w+|LC_\w+|SSH_AUTH_SOCK|DOCS_AGENT_CONFIG|LOG_LEVEL|PLAIN_HTTP_HOSTS|PATH|HOME|LANG|TERM|TZ|TMPDIR|\w+_PROXY)$/i;
const RESTART_AFTER_MS = 5_000;
/** Killing is safe: turns run again at the next start. */
const STOP_WITHIN_MS = 5_000;

/**
 * Environments of the bot and its runner, with a free port and a new key. Null: another service is the agent.
 * Throws ConfigError.
 */
export async function ownRunnerOf(env: Environment) {
  if (!isOwnRunnerMeant(env)) return null;
  const { port, close } = await serveRoutes([], { host: HOST, port: 0 });
  await close();
  const key = randomBytes(32).toString('hex');
  const named = new Set(env.RUNNER_ENV?.split(',').map((name) => name.trim()));
  const given = Object.entries(env).filter(([name]) => FOR_THE_RUNNER.test(name) || named.has(name));
  const runnerEnv: Environment = {
    ...Object.fromEntries(given),
    RUNNER_HOST: HOST,
    RUNNER_PORT: String(port),
    RUNNER_API_KEY: key,
    RUNNER_API_KEY_FILE: undefined,
  };
  const [first, ...others] = parseRunnerConfig(runnerEnv).projects;
  const botEnv: Environment = {
    ...env,
    AGENT_BASE_URL: `http://${HOST}:${port}`,
    AGENT_API_KEY: key,
    AGENT_API_KEY_FILE: undefined,
    // Among several, it names the default.
    AGENT_PROJECT_ID: others.length > 0 ? env.AGENT_PROJECT_ID : first?.id,
  };
  return { botEnv, runnerEnv };
}

/**
 * Restarts the runner if it exits. It dies with this process. Resolves when ready, or to a failed start's
 * exit code.
 */
export async function startOwnRunner(
  env: Environment,
  destination: DestinationStream,
  log: Logger,
): Promise<{ readonly exitCode: number } | { readonly stop: () => Promise<void> }> {
  const { promise: stopped, resolve: stop } = Promise.withResolvers<'stopped'>();
  let child = launch(env, destination);
  const exitCode = await Promise.race([child.ready, child.ended]);
  if (exitCode !== null) return { exitCode };

  const watch = async () => {
    for (;;) {
      const code = await Promise.race([child.ended, stopped]);
      if (code === 'stopped') return;
      log.error('runner_ended', { exit_code: code });
      if ((await Promise.race([systemClock.sleep(RESTART_AFTER_MS), stopped])) === 'stopped') return;
      child = launch(env, destination);
    }
  };
  const watching = watch();
  return {
    stop: async () => {
      stop('stopped');
      await watching;
      child.process.kill('SIGTERM');
      await systemClock.timeout(STOP_WITHIN_MS, child.ended, null);
      child.process.kill('SIGKILL');
    },
  };
}

/**
 * The IPC channel closes when either process ends. Ctrl-C reaches only the parent. `ended`: 128 after a
 * signal.
 */
function launch(env: Environment, destination: DestinationStream) {
  const child = spawn(process.execPath, [...process.execArgv, process.argv[1] ?? '', 'runner'], {
    env: { ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const ended: Promise<number> = once(child, 'exit').then(
    ([code]) => code ?? 128,
    () => 1,
  );
  const { promise: ready, resolve } = Promise.withResolvers<null>();
  if (child.stdout !== null) {
    createInterface({ input: child.stdout }).on('line', (line) => {
      destination.write(`${line}\n`);
      if (line.includes('"event":"runner_started"')) resolve(null);
    });
  }
  return { process: child, ready, ended };
}

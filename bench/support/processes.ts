import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { spawnGuarded } from '../../test/support/guarded-child.ts';
import { programPath, referencePath } from './build.ts';
import { inProject } from './paths.ts';
import type { BenchSettings } from './rounds.ts';

/** Settings that the program and the references share. */
export const slackApp = {
  botToken: 'xoxb-bench',
  signingSecret: 'bench-signing-secret',
  teamId: 'T0TEAM',
  projectId: 'acme-docs',
} as const;

export interface RunningProcess extends AsyncDisposable {
  /** Where it takes requests. */
  readonly port: number;
  /** From its beginning until it said that it had started. */
  readonly startMs: number;
  residentBytes(): Promise<number>;
  /** User and system time so far, of all threads. */
  processorMs(): Promise<number>;
  /** Ends it as an operator would, and waits. */
  stop(): Promise<void>;
}

export interface ProgramOptions {
  readonly settings: Pick<BenchSettings, 'profileDir' | 'disk'>;
  readonly standIns: Pick<StandIns, 'slackApiUrl' | 'agentBaseUrl'>;
  /** Of the embedded store; with Postgres, give `DATABASE_URL` in `env` as well. */
  readonly dataDir: string;
  /** In place of the defaults. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The compiled program as in production, in HTTP mode. */
export function startProgram({
  settings,
  standIns,
  dataDir,
  env = {},
}: ProgramOptions): Promise<RunningProcess> {
  const { profileDir, disk } = settings;
  const profiling = profileDir === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDir}`];
  return startNode([...profiling, programPath, 'start'], {
    // As the image sets it.
    NODE_OPTIONS: '--max-semi-space-size=8',
    MALLOC_ARENA_MAX: '1',
    SLACK_BOT_TOKEN: slackApp.botToken,
    SLACK_SIGNING_SECRET: slackApp.signingSecret,
    SLACK_API_URL: standIns.slackApiUrl,
    AGENT_BASE_URL: standIns.agentBaseUrl,
    AGENT_API_KEY: 'bench',
    AGENT_PROJECT_ID: slackApp.projectId,
    DATA_DIR: dataDir,
    HOST: '127.0.0.1',
    PORT: '0',
    ...disk.env,
    ...env,
  });
}

/** A bare Bolt app that acknowledges; with a folder, once it has written to a database there. */
export function startBolt(
  standIns: StandIns,
  disk: BenchSettings['disk'],
  dataDir: string | null,
): Promise<RunningProcess> {
  return startNode([referencePath(dataDir === null ? 'bare-bolt' : 'bare-bolt-sqlite')], {
    SLACK_BOT_TOKEN: slackApp.botToken,
    SLACK_SIGNING_SECRET: slackApp.signingSecret,
    SLACK_API_URL: standIns.slackApiUrl,
    ...(dataDir === null ? {} : { DATABASE_FILE: join(dataDir, 'reference.db') }),
    ...disk.env,
  });
}

/** Runs Node until the process prints a line of JSON with `"event":"started"` and a port. Throws if it ends before. */
export async function startNode(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<RunningProcess> {
  const spawnedAtMs = performance.now();
  const child = spawnGuarded([process.execPath, ...args], { NODE_ENV: 'production', ...env });
  const ended = once(child, 'close');
  const started = Promise.withResolvers<{ port: number; startMs: number }>();
  let output: string | null = '';
  // What it prints later is read and dropped.
  const read = (chunk: Buffer) => {
    if (output === null) return;
    output += chunk.toString();
    const port = /"event":"started".*"port":(\d+)|"port":(\d+).*"event":"started"/.exec(output);
    if (port === null) return;
    started.resolve({ port: Number(port[1] ?? port[2]), startMs: performance.now() - spawnedAtMs });
    output = null;
  };
  child.stdout.on('data', read);
  child.stderr.on('data', (chunk: Buffer) => {
    if (output === null) process.stderr.write(chunk);
    else read(chunk);
  });
  ended.then(() => started.reject(new Error(`${args.join(' ')} did not start:\n${output}`)));
  const { port, startMs } = await started.promise;
  return {
    port,
    startMs,
    residentBytes: () => residentBytesOf(child.pid),
    processorMs: () => processorMsOf(child.pid),
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
    [Symbol.asyncDispose]: async () => {
      // The guard kills what still runs.
      child.stdin.destroy();
      await ended;
    },
  };
}

async function residentBytesOf(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch((error) => {
    throw new Error('the resident memory of a process can be read on Linux only', { cause: error });
  });
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

/** What Linux counts in, on all machines that Node runs on. */
const TICK_MS = 10;

async function processorMsOf(pid: number | undefined): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch((error) => {
    throw new Error('the processor time of a process can be read on Linux only', { cause: error });
  });
  // The name of the program, the second field, may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system] = [fields[11], fields[12]].map(Number);
  return ((user ?? Number.NaN) + (system ?? Number.NaN)) * TICK_MS;
}

/** Stand-ins for Slack's Web API and the agent API, in a process of their own. */
export interface StandIns extends AsyncDisposable {
  readonly slackApiUrl: string;
  readonly agentBaseUrl: string;
  /** How many calls came in so far, by what was called: `chat.postMessage`, `create`, `message`, `get`. */
  counts(): Promise<Readonly<Record<string, number>>>;
}

export async function startStandIns(): Promise<StandIns> {
  const server = await startNode([inProject('bench/support/stand-ins/server.ts')], {});
  const origin = `http://127.0.0.1:${server.port}`;
  return {
    slackApiUrl: `${origin}/api/`,
    agentBaseUrl: origin,
    counts: async () => (await (await fetch(`${origin}/counts`)).json()) as Record<string, number>,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

const QUIET_MS = 300;
const QUIET_LIMIT_MS = 30_000;

/** Waits until no more calls come in: the program has done what there was to do. Throws if it goes on and on. */
export async function untilIdle(standIns: StandIns): Promise<void> {
  let before = await callsIn(standIns);
  for (let waitedMs = 0; waitedMs < QUIET_LIMIT_MS; waitedMs += QUIET_MS) {
    await pause(QUIET_MS);
    const now = await callsIn(standIns);
    if (now === before) return;
    before = now;
  }
  throw new Error(`the program was still at work after ${QUIET_LIMIT_MS / 1_000} s`);
}

async function callsIn(standIns: StandIns): Promise<number> {
  return allOf(await standIns.counts());
}

/** Of all kinds of calls together. */
export function allOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((all, count) => all + count, 0);
}

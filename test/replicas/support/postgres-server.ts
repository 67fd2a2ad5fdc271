import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../support/free-port.ts';

const run = promisify(execFile);
const DEBIAN = '/usr/lib/postgresql';
const START_LIMIT_S = 60;

/** A Postgres server of the test's own, to be stopped and started. */
export interface PostgresServer extends AsyncDisposable {
  readonly url: string;
  /** `fast`: breaks all connections and ends in order. `immediate`: like a crash; recovers at its start. */
  stop(mode: 'fast' | 'immediate'): Promise<void>;
  /** Returns when it takes connections. */
  start(): Promise<void>;
}

/** The folder of the newest server's programs, or null. */
function findPrograms(): string | null {
  try {
    const [newest] = readdirSync(DEBIAN).toSorted((a, b) => Number(b) - Number(a));
    return newest === undefined ? null : join(DEBIAN, newest, 'bin');
  } catch {
    return null;
  }
}

const programs = findPrograms();
const isRoot = process.geteuid?.() === 0;

/** Why this machine cannot start a server, or null. */
export const noPostgresServer: string | null = whyNot();

function whyNot(): string | null {
  if (programs === null) return `no Postgres server in ${DEBIAN}`;
  // Postgres refuses to run as root.
  const hasUser = /^postgres:/m.test(readFileSync('/etc/passwd', 'utf8'));
  return isRoot && !hasUser ? 'no user "postgres", and root may not run a server' : null;
}

async function asPostgres(program: string, ...args: string[]): Promise<string> {
  const path = join(programs ?? '', program);
  const [command, ...rest] = isRoot ? ['runuser', '-u', 'postgres', '--', path] : [path];
  const { stdout } = await run(command, [...rest, ...args], { cwd: '/' });
  return stdout;
}

export async function startPostgresServer(): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'docs-agent-postgres-'));
  if (isRoot) await chown(folder, await idOf('-u'), await idOf('-g'));
  const data = join(folder, 'data');
  const port = await freePort();
  const cluster = '-U postgres -A trust -E UTF8 --locale=C --no-sync'.split(' ');
  await asPostgres('initdb', '-D', data, ...cluster);
  const settings = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder}`;
  const start = async () => {
    const log = join(folder, 'log');
    const wait = ['-w', '-t', String(START_LIMIT_S)];
    await asPostgres('pg_ctl', '-D', data, '-l', log, ...wait, '-s', '-o', settings, 'start');
  };
  const stop = async (mode: 'fast' | 'immediate') => {
    await asPostgres('pg_ctl', '-D', data, '-m', mode, '-w', '-s', 'stop');
  };
  await start();
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    start,
    stop,
    [Symbol.asyncDispose]: async () => {
      // It may have stopped already.
      await stop('immediate').catch(() => {});
      await rm(folder, { recursive: true });
    },
  };
}

async function idOf(option: '-u' | '-g'): Promise<number> {
  return Number((await run('id', [option, 'postgres'])).stdout);
}

import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { spawnGuarded } from './guarded-child.ts';
import { createTempDir } from './temp-dir.ts';
import { waitFor } from './wait-for.ts';

export type PoolMode = 'session' | 'transaction';

/** Where Debian puts it. */
const PROGRAM = '/usr/sbin/pgbouncer';

/** Why this machine cannot run it, or null. */
export const noPgBouncer: string | null =
  spawnSync(PROGRAM, ['--version']).status === 0 ? null : `no PgBouncer at ${PROGRAM}`;

/** PgBouncer before a server, for the user of the server's URL. */
export interface PgBouncer extends AsyncDisposable {
  /** The same database, through it. */
  urlOf(databaseUrl: string): string;
}

/** `poolSize`: how many connections to each database it makes. */
export async function startPgBouncer(
  serverUrl: string,
  mode: PoolMode,
  poolSize: number,
): Promise<PgBouncer> {
  const resources = new AsyncDisposableStack();
  const folder = resources.use(await createTempDir()).path;
  const { hostname, port, username, password } = new URL(serverUrl);
  const server = { host: hostname, port: port || '5432', password };
  const listenPort = await freePort();
  const file = join(folder, 'pgbouncer.ini');
  const users = join(folder, 'users.txt');
  const quoted = Object.entries(server)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}='${decodeURIComponent(value)}'`);
  const settings = [
    '[databases]',
    `* = ${quoted.join(' ')}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${listenPort}`,
    'unix_socket_dir =',
    'auth_type = trust',
    `auth_file = ${users}`,
    `pool_mode = ${mode}`,
    `default_pool_size = ${poolSize}`,
  ];
  await writeFile(users, `"${decodeURIComponent(username)}" ""\n`);
  await writeFile(file, settings.join('\n'));
  await chmod(folder, 0o755);
  // It refuses to run as root.
  const asNobody = process.geteuid?.() === 0 ? ['--user', 'nobody'] : [];
  const child = spawnGuarded([PROGRAM, '--quiet', ...asNobody, file], {});
  const ended = once(child, 'close');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  resources.defer(async () => {
    child.stdin.destroy();
    await ended;
  });
  await waitFor(
    () => takesConnections(listenPort),
    (does) => does,
    { what: 'PgBouncer to take connections' },
  ).catch((cause: unknown) => {
    throw new Error(`PgBouncer did not start: ${output}`, { cause });
  });
  return {
    urlOf: (databaseUrl) => {
      const url = new URL(databaseUrl);
      url.hostname = '127.0.0.1';
      url.port = String(listenPort);
      return url.href;
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

async function takesConnections(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const isTaken = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isTaken;
}

import { execFile } from 'node:child_process';
import { chmod, chown, copyFile, lstat, mkdir, readlink, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ChildEnv, type ChildProgram, runCommand } from './child-program.ts';
import { createTempDir } from './temp-dir.ts';

const run = promisify(execFile);

/** The image's user. */
const NONROOT = 65_532;
const NODE = '/nodejs/bin/node';
/** Of the machine: what Node is linked with. */
const LIBRARIES = ['usr', 'lib', 'lib64'];

/** As `docker run --read-only` with a volume at /data: $1 is the root, $2 the volume, $3 Node; what is run follows. */
const CONTAIN = `
root=$1 data=$2 node=$3; shift 3
mount --bind "$root" "$root"
for folder in ${LIBRARIES.join(' ')}; do
  [ ! -d "$root/$folder" ] || [ -L "$root/$folder" ] || mount --rbind -o ro "/$folder" "$root/$folder"
done
mount --bind "$node" "$root${NODE}"
mount --bind /dev "$root/dev"
mount -o remount,bind,ro "$root"
mount --bind "$data" "$root/data"
exec chroot --userspec=${NONROOT}:${NONROOT} "$root" "$@"`;

/** Why this machine cannot run the image's content on a read-only root, or null. */
export const noReadOnlyRoot: string | null = await whyNot();

async function whyNot(): Promise<string | null> {
  if (process.geteuid?.() !== 0) return 'only root can mount';
  const tried = run('unshare', ['--mount', 'true']).then(() => null);
  return tried.catch(() => 'this machine makes no mount namespaces');
}

/** What the image holds, without Docker, and a volume. */
export interface Image extends AsyncDisposable {
  /** Where DATA_DIR leads to. */
  readonly dataDir: string;
  /** Runs `docs-agent <args>` as the image's user. Nothing but DATA_DIR can be written, and there is no /tmp. */
  run(args: readonly string[], env: ChildEnv): ChildProgram;
}

/** Builds the program and lays it out as the Dockerfile does. */
export async function createImage(): Promise<Image> {
  const resources = new AsyncDisposableStack();
  const root = resources.use(await createTempDir()).path;
  const dataDir = resources.use(await createTempDir()).path;
  await chmod(root, 0o755);
  await chown(dataDir, NONROOT, NONROOT);
  for (const folder of ['app', 'data', 'dev', 'nodejs/bin']) {
    await mkdir(join(root, folder), { recursive: true });
  }
  await writeFile(join(root, NODE), '');
  for (const folder of LIBRARIES) await sameFolder(folder, root);
  // Its packages are part of the program; those that the image holds besides are for their licences.
  await run('npm', ['run', 'build', '--', '--dir', join(root, 'app/dist')]);
  for (const file of ['package.json', 'LICENSE']) await copyFile(file, join(root, 'app', file));
  const contain = ['unshare', '--mount', 'sh', '-euc', CONTAIN, 'contain', root, dataDir, process.execPath];
  return {
    dataDir,
    run: (args, env) =>
      runCommand([...contain, NODE, '/app/dist/cli.js', ...args], {
        PATH: process.env.PATH,
        NODE_ENV: 'production',
        ...env,
        DATA_DIR: '/data',
      }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** On some systems /lib and /lib64 are links into /usr. */
async function sameFolder(name: string, root: string): Promise<void> {
  const found = await lstat(`/${name}`).catch(() => null);
  if (found?.isSymbolicLink()) await symlink(await readlink(`/${name}`), join(root, name));
  else if (found?.isDirectory()) await mkdir(join(root, name));
}

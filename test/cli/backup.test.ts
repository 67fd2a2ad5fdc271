import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { backup as backupCommand } from '../../src/cli/commands/store.ts';
import { StepTokens } from '../../src/features/workflow-step/start.ts';
import { backUp } from '../../src/store/backup.ts';
import { StoreError } from '../../src/store/engines/database.ts';
import { openStore } from '../../src/store/open.ts';
import { aDecision } from '../contract/store/samples.ts';
import { noReadOnlyRoot } from '../support/image.ts';
import { createTempDir } from '../support/temp-dir.ts';

const NOW_MS = Date.UTC(2026, 10, 22, 3);
const DAY_MS = 86_400_000;
const skipped = noReadOnlyRoot === null ? '' : ` (skipped: ${noReadOnlyRoot})`;

async function emptyFolder(): Promise<string> {
  const folder = await createTempDir();
  onTestFinished(() => folder.remove());
  return folder.path;
}

async function storeIn(dataDir: string) {
  const store = await openStore({ dataDir });
  onTestFinished(() => store.close());
  return store;
}

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

test('a backup holds no tokens of steps of workflows', async () => {
  const dataDir = await emptyFolder();
  const store = await storeIn(dataDir);
  const { job } = aDecision({});
  await store.transaction(async (tx) => {
    await tx.write(aDecision({}), NOW_MS);
    await tx.queries(StepTokens).keep(job.id, 'xwfp-hush', NOW_MS + DAY_MS);
  });
  const { path } = await backUp(dataDir, { directory: await emptyFolder(), keep: 1, nowMs: NOW_MS });
  expect((await readFile(path)).includes('xwfp-hush')).toBe(false);
  expect(await store.transaction((tx) => tx.queries(StepTokens).get(job.id, NOW_MS))).toBe('xwfp-hush');
});

test('a backup is of one moment, however much is written meanwhile', async () => {
  const dataDir = await emptyFolder();
  const store = await storeIn(dataDir);
  let isOver = false;
  const writing = (async () => {
    for (let pair = 0; !isOver; pair += 1) {
      await store.transaction((tx) => tx.inboundRequests.remember([`left:${pair}`, `right:${pair}`], NOW_MS));
    }
  })();
  const directory = await emptyFolder();
  for (let day = 0; day < 5; day += 1) {
    const { path } = await backUp(dataDir, { directory, keep: 9, nowMs: NOW_MS + day * DAY_MS });
    const copy = new DatabaseSync(path, { readOnly: true });
    const halves = copy
      .prepare("select count(*) as count from inbound_request where key like 'left%' or key like 'right%'")
      .get();
    copy.close();
    expect(Number(halves?.count) % 2).toBe(0);
  }
  isOver = true;
  await writing;
});

test('the newest are kept, nobody else can read them, and other files are left alone', async () => {
  const dataDir = await emptyFolder();
  await storeIn(dataDir);
  const directory = join(await emptyFolder(), 'backups');
  await mkdir(directory, { mode: 0o755 });
  await writeFile(join(directory, 'mine.db'), '');
  for (let day = 0; day < 4; day += 1) {
    await backUp(dataDir, { directory, keep: 2, nowMs: NOW_MS + day * DAY_MS });
  }
  const names = (await readdir(directory)).sort();
  expect(names).toEqual([
    'docs-agent-2026-11-24T03-00-00Z.db',
    'docs-agent-2026-11-25T03-00-00Z.db',
    'mine.db',
  ]);
  expect(await modeOf(join(directory, names[0] ?? ''))).toBe('600');
  const made = join(await emptyFolder(), 'new', 'backups');
  await backUp(dataDir, { directory: made, keep: 2, nowMs: NOW_MS });
  expect(await modeOf(made)).toBe('700');
});

const KEEP_ONE = { keep: 1, nowMs: NOW_MS };

test('the newest is the last that was made, whatever the clock said then', async () => {
  const dataDir = await emptyFolder();
  await storeIn(dataDir);
  const directory = await emptyFolder();
  const options = { ...KEEP_ONE, directory };
  const ahead = await backUp(dataDir, { ...options, nowMs: NOW_MS + 3_650 * DAY_MS });
  const last = await backUp(dataDir, options);
  expect(last.deleted).toEqual([ahead.path]);
  expect(await readdir(directory)).toEqual([basename(last.path)]);
  // In the same second, too.
  const next = await backUp(dataDir, options);
  expect(await readdir(directory)).toEqual([basename(next.path)]);
});

test('two installations that share a folder keep their own backups, also of the same second', async () => {
  const directory = await emptyFolder();
  const made: string[] = [];
  for (const dataDir of [await emptyFolder(), await emptyFolder()]) {
    await storeIn(dataDir);
    for (let times = 0; times < 2; times += 1) {
      const { path, deleted } = await backUp(dataDir, { ...KEEP_ONE, directory });
      expect(deleted).toHaveLength(times);
      made.push(path);
    }
  }
  const [, ofFirst = '', , ofSecond = ''] = made;
  expect((await readdir(directory)).toSorted()).toEqual([basename(ofFirst), basename(ofSecond)].toSorted());
  expect(ofFirst).not.toBe(ofSecond);
});

test('a store that is damaged makes no backup, and takes the place of none', async () => {
  const dataDir = await emptyFolder();
  await writeFile(join(dataDir, 'docs-agent.db'), 'This is not a database.'.repeat(1_000));
  const directory = await emptyFolder();
  const failing = backUp(dataDir, { directory, keep: 1, nowMs: NOW_MS });
  await expect(failing).rejects.toThrow(/not a database.*damaged/);
  expect(await readdir(directory)).toEqual([]);
});

test('what cannot be backed up is reported, with what to do', async () => {
  const dataDir = await emptyFolder();
  const run = (env: Record<string, string>, ...args: string[]) =>
    backupCommand(args, { env, now: () => NOW_MS });
  await expect(run({ DATA_DIR: dataDir })).rejects.toThrow(/There is no store in .* DATA_DIR/);
  await expect(run({ DATABASE_URL: 'postgres://docs@127.0.0.1/docs' })).rejects.toThrow(/pg_dump -Fc/);
  await expect(run({ DATA_DIR: dataDir }, '--keep', '0')).rejects.toThrow('--keep must be a number');
  await expect(run({ DATA_DIR: dataDir }, 'a', 'b')).rejects.toThrow('one directory');
  // An unset variable of a script: it must not mean the working directory.
  for (const blank of ['', ' ']) {
    await expect(run({ DATA_DIR: dataDir }, blank)).rejects.toThrow('The name of the directory is empty');
  }
  await storeIn(dataDir);
  await writeFile(join(dataDir, 'file'), '');
  for (const place of [join(dataDir, 'file', 'backups'), join(dataDir, 'file')]) {
    const unusable = run({ DATA_DIR: dataDir }, place);
    await expect(unusable).rejects.toThrow(StoreError);
    await expect(unusable).rejects.toThrow(/cannot be written to .*Name a directory/);
    await expect(unusable).rejects.toMatchObject({ isTemporary: false });
  }
});

test.skipIf(noReadOnlyRoot !== null)(
  `a disk without room for the copy is reported by its directory, and nothing is left there${skipped}`,
  async () => {
    const dataDir = await emptyFolder();
    await storeIn(dataDir);
    const directory = await emptyFolder();
    const backUpTo =
      'mount -t tmpfs -o size=64k none "$1"; "$2" src/cli/cli.ts backup "$1" || echo "exit $?"; ls -A "$1"';
    const { stdout, stderr } = await promisify(execFile)(
      'unshare',
      ['--mount', 'sh', '-euc', backUpTo, 'sh', directory, process.execPath],
      { env: { PATH: process.env.PATH, DATA_DIR: dataDir } },
    );
    expect(stderr).toContain(`cannot be written to ${directory} (ENOSPC)`);
    expect(stdout).toBe('exit 75\n');
  },
);

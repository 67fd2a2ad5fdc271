import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { slowDiskEnv } from '../../bench/support/slow-disk.ts';
import { createTempDir } from '../support/temp-dir.ts';

const run = promisify(execFile);

/** Prints how long an insert takes that SQLite flushes itself, and then a flush of Node's own. */
const FLUSHES = `
  const { closeSync, fdatasync, openSync } = require('node:fs');
  const { DatabaseSync } = require('node:sqlite');
  const database = new DatabaseSync(process.argv[1]);
  database.exec('pragma journal_mode = wal; pragma synchronous = full; create table row (content)');
  const beganAtMs = performance.now();
  database.exec('insert into row values (1)');
  const insertedAtMs = performance.now();
  fdatasync(openSync(process.argv[1] + '-wal'), () => {
    console.log(JSON.stringify([insertedAtMs - beganAtMs, performance.now() - insertedAtMs]));
  });`;

test('on a slow disk, each flush of SQLite and of Node takes so much longer', async ({ skip }) => {
  const env = await slowDiskEnv(50);
  if (env === null) return skip('no C compiler');
  await using folder = await createTempDir();
  const { stdout } = await run(process.execPath, ['-e', FLUSHES, join(folder.path, 'flushed.db')], { env });
  for (const tookMs of JSON.parse(stdout) as number[]) expect(tookMs).toBeGreaterThanOrEqual(50);
});

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ChildEnv } from '../support/child-program.ts';
import { createTestDatabase, testServerUrl } from '../support/postgres.ts';
import { createTempDir } from '../support/temp-dir.ts';
import { outcomeHere } from './support/printed.ts';

const run = (args: readonly string[], env: ChildEnv) => outcomeHere('copy-store', args, env);

test.skipIf(testServerUrl === undefined)(
  'copy-store says what it copied, and which setting to change; then the old store does not start',
  async () => {
    await using folder = await createTempDir();
    const database = await createTestDatabase(testServerUrl ?? '');
    onTestFinished(() => database.drop());
    // It may have a password.
    const address = join(folder.path, 'address');
    await writeFile(address, database.url);
    const { code, output } = await run(['--to-file', address], { DATA_DIR: join(folder.path, 'data') });
    expect(output).toMatch(/^ {2}job: 0$/m);
    expect(output).toMatch(/Copied and checked: .* → Postgres at .*\. Now set DATABASE_URL to this database/);
    expect(code).toBe(0);
  },
);

test('copy-store takes no password in its arguments, and shows none, not even that of a file', async () => {
  await using folder = await createTempDir();
  for (const to of [
    'postgres://docs:hunter2@127.0.0.1:1/docs',
    'postgres://docs@127.0.0.1:1/docs?password=hunter2',
  ]) {
    const { code, output } = await run(['--to', to], { DATA_DIR: folder.path });
    expect(output).toMatch(/PGPASSWORD, or .* --to-file <path>/);
    expect(output).not.toContain('hunter2');
    expect(code).toBe(64);
  }
  const file = join(folder.path, 'address');
  await writeFile(file, 'postgres://docs:hunter2@127.0.0.1:1/docs\n');
  const { code, output } = await run(['--to-file', file], { DATA_DIR: join(folder.path, 'data') });
  expect(output).toContain('cannot be reached');
  expect(output).not.toContain('hunter2');
  expect(code).toBe(75);
});

test('copy-store says how to name its target, and what is wrong with the file of the address', async () => {
  await using folder = await createTempDir();
  const empty = join(folder.path, 'empty');
  await writeFile(empty, ' \n');
  for (const [args, words] of [
    [[], /^Name the target: --to postgres:/],
    [['--to', 'new', '--to-file', empty], /^Name the target/],
    [['--to-file', join(folder.path, 'missing')], /cannot be read \(ENOENT\)/],
    [['--to-file', empty], /is empty/],
  ] as const) {
    expect(await run(args, { DATA_DIR: folder.path })).toEqual({
      code: 64,
      output: expect.stringMatching(words),
    });
  }
});

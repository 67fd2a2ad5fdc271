import { expect, onTestFinished, test } from 'vitest';
import { runProgram } from '../support/child-program.ts';
import { createTestDatabase, testServerUrl } from '../support/postgres.ts';
import { createTempDir } from '../support/temp-dir.ts';

async function run(args: readonly string[], env: Readonly<Record<string, string>>) {
  await using program = runProgram(['copy-store', ...args], env);
  const { code } = await program.exit;
  return { code, output: program.output() };
}

test.skipIf(testServerUrl === undefined)(
  'copy-store says what it copied, and which setting to change; then the old store does not start',
  async () => {
    await using folder = await createTempDir();
    const database = await createTestDatabase(testServerUrl ?? '');
    onTestFinished(() => database.drop());
    const { code, output } = await run(['--to', database.url], { DATA_DIR: folder.path });
    expect(output).toMatch(/^ {2}job: 0\n/);
    expect(output).toMatch(/Copied and checked: .* → Postgres at .*\. Now set DATABASE_URL to this database/);
    expect(code).toBe(0);
  },
);

test('copy-store without a target says how to name one, and changes nothing', async () => {
  await using folder = await createTempDir();
  const { code, output } = await run([], { DATA_DIR: folder.path });
  expect(output).toMatch(/^Name the target: --to postgres:/);
  expect(code).toBe(64);
});

test('copy-store does not show the password of a database that it cannot reach', async () => {
  await using folder = await createTempDir();
  const to = 'postgres://docs:hunter2@127.0.0.1:1/docs';
  const { code, output } = await run(['--to', to], { DATA_DIR: folder.path });
  expect(output).toContain('127.0.0.1');
  expect(output).not.toContain('hunter2');
  expect(code).not.toBe(0);
});

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { createTempDir } from '../support/temp-dir.ts';

const run = promisify(execFile);

test('the build is the program, and needs no packages beside it', async () => {
  const folder = await createTempDir();
  onTestFinished(folder.remove);
  await run('npm', ['run', 'build', '--', '--dir', folder.path]);
  const docsAgent = (...args: string[]) =>
    run(process.execPath, [join(folder.path, 'cli.js'), ...args], {
      cwd: folder.path,
      env: { DATA_DIR: join(folder.path, 'data') },
    });
  expect((await docsAgent('manifest')).stdout).toBe(readFileSync('manifest.yml', 'utf8'));
  expect((await docsAgent('migrate')).stdout).toContain('0001_start');
  await expect(docsAgent('start')).rejects.toMatchObject({
    code: 78,
    stderr: expect.stringContaining('SLACK_BOT_TOKEN'),
  });
});

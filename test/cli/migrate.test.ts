import { expect, test } from 'vitest';
import { type ChildEnv, outcomeOf } from '../support/child-program.ts';
import { createTempDir } from '../support/temp-dir.ts';

const migrate = (env: ChildEnv) => outcomeOf(['migrate'], env);

test('migrate says what it did, or that there was nothing to do, and needs only the settings of the store', async () => {
  await using folder = await createTempDir();
  const env = { DATA_DIR: folder.path };
  expect(await migrate(env)).toEqual({
    code: 0,
    output: expect.stringMatching(/^The schema was brought up to date:\n {2}0001_start\n/),
  });
  expect(await migrate(env)).toEqual({
    code: 0,
    output: 'The schema is up to date: there was nothing to do.\n',
  });
});

test('migrate with a setting that is wrong says which, without its value', async () => {
  const { code, output } = await migrate({ DATABASE_URL: 'mysql://docs:hunter2@db.example.com/docs' });
  expect(code).toBe(78);
  expect(output).toMatch(/^DATABASE_URL .*Example: DATABASE_URL=postgres:/);
  expect(output).not.toContain('hunter2');
});

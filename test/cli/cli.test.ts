import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { outcomeOf } from '../support/child-program.ts';
import { createTempDir } from '../support/temp-dir.ts';
import { outcomeHere } from './support/printed.ts';
import { SECRET, settings } from './support/settings.ts';

const doctorUsage = /^Unknown option '--jsn'\. Did you mean --json\?\n\nUsage: docs-agent doctor \[--json\]/;

test.concurrent.each<[what: string, args: string[], code: number, words: RegExp]>([
  ['nothing is asked of it', [], 0, /^Usage: docs-agent <command>[\s\S]*start[\s\S]*doctor[\s\S]*--version/],
  [
    'a command is misspelt',
    ['strat'],
    64,
    /^There is no command "strat"\. Did you mean docs-agent start\?\n$/,
  ],
  ['it knows no such command', ['frobnicate'], 64, /"frobnicate"\.[\s\S]*Usage: docs-agent <command>/],
  ['an option is misspelt', ['doctor', '--jsn'], 64, doctorUsage],
  [
    'a word is not expected',
    ['start', 'now'],
    64,
    /^Unexpected argument 'now'\.\n\nUsage: docs-agent start\n/,
  ],
  ['it is asked about one command', ['start', '--help'], 0, /^Usage: docs-agent start\n/],
])('the command line prints how it is used when %s', async (_what, args, code, words) => {
  expect(await outcomeOf(args)).toEqual({ code, output: expect.stringMatching(words) });
});

test.concurrent('it prints its version, the one of the package', async () => {
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
  expect(await outcomeOf(['--version'])).toEqual({ code: 0, output: `${version}\n` });
});

test.concurrent('settings that are wrong are all named at once, with an example each, without their values and without a stack trace', async () => {
  const { code, output } = await outcomeOf(['start'], {
    ...settings,
    SLACK_BOT_TOKEN: undefined,
    SLACK_BOT_TOKN: 'xoxb-1',
    AGENT_API_KEY: `my ${SECRET}`,
    DATABASE_URL: `mysql://docs:${SECRET}@db.example.com/docs`,
    SLACK_SIGNING_SECRET_FILE: '/nowhere/at/all',
    POLL_MIN_INTERVAL: 'soon',
    PORT: '99999',
  });
  expect(code).toBe(78);
  const lines = output.trim().split('\n');
  expect(lines.map((line) => line.split(/[ :]/)[0]).toSorted()).toEqual([
    ...['AGENT_API_KEY', 'DATABASE_URL', 'POLL_MIN_INTERVAL', 'PORT', 'SLACK_BOT_TOKN'],
    'SLACK_SIGNING_SECRET',
  ]);
  expect(lines.find((line) => line.startsWith('SLACK_BOT_TOKN'))).toMatch(
    /unknown setting, did you mean SLACK_BOT_TOKEN\? .*Example: SLACK_BOT_TOKEN=xoxb-12-34-abcd/,
  );
  expect(output).not.toContain(SECRET);
  expect(output).not.toMatch(/^\s+at /m);
});

test.each([['migrate'], ['forget', '--user', 'U0123456789']])(
  'docs-agent %s says that it failed, and why',
  async (name, ...args) => {
    const { code, output } = await outcomeHere(name, args, { DATA_DIR: '/dev/null/data' });
    expect(code).toBe(78);
    expect(output).toMatch(
      new RegExp(`^docs-agent ${name} failed\\. The data directory /dev/null/data cannot`),
    );
  },
);

test('migrate says what it did, or that there was nothing to do, and which of its settings is wrong', async () => {
  await using folder = await createTempDir();
  const migrate = (env: Record<string, string>) => outcomeHere('migrate', [], env);
  const env = { DATA_DIR: folder.path };
  expect((await migrate(env)).output).toMatch(/^The schema was brought up to date:\n {2}0001_start\n/);
  expect(await migrate(env)).toEqual({
    code: 0,
    output: 'The schema is up to date: there was nothing to do.\n',
  });
  const { code, output } = await migrate({ DATABASE_URL: `mysql://docs:${SECRET}@db.example.com/docs` });
  expect(code).toBe(78);
  expect(output).toMatch(/^DATABASE_URL .*Example: DATABASE_URL=postgres:/);
  expect(output).not.toContain(SECRET);
});

import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { outcomeOf } from '../support/child-program.ts';
import { SECRET, settings } from './support/settings.ts';

describe('the command line', () => {
  test.concurrent('prints how it is used', async () => {
    const { code, output } = await outcomeOf(['--help']);
    expect(code).toBe(0);
    expect(output).toMatch(/^Usage: docs-agent <command>/);
    for (const word of ['start', 'doctor', '.env.example', '--version']) expect(output).toContain(word);
  });

  test.concurrent('prints the same when nothing is asked of it', async () => {
    expect(await outcomeOf([])).toEqual(await outcomeOf(['--help']));
  });

  test.concurrent('prints its version, the one of the package', async () => {
    const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(await outcomeOf(['--version'])).toEqual({ code: 0, output: `${version}\n` });
  });

  test.concurrent.each([
    ['strat', 'docs-agent start'],
    ['docter', 'docs-agent doctor'],
    ['manifst', 'docs-agent manifest'],
    ['version', 'docs-agent --version'],
  ])('asks whether %s was meant as %s', async (typed, meant) => {
    expect(await outcomeOf([typed])).toEqual({
      code: 64,
      output: `There is no command "${typed}". Did you mean ${meant}?\n`,
    });
  });

  test.concurrent.each([
    ['doctor', '--jsn', '--json'],
    ['doctor', '--probewrite', '--probe-write'],
    ['manifest', '--sockt', '--socket'],
    ['forget', '--usr', '--user'],
  ])('asks whether %s %s was meant as %s', async (command, typed, meant) => {
    const { code, output } = await outcomeOf([command, typed]);
    expect(code).toBe(64);
    expect(output).toContain(
      `Unknown option '${typed}'. Did you mean ${meant}?\n\nUsage: docs-agent ${command}`,
    );
  });

  test.concurrent.each([
    [
      'a command that it has no idea of',
      ['frobnicate'],
      64,
      /There is no command "frobnicate"\.[\s\S]*Usage: docs-agent <command>/,
    ],
    [
      'a flag that a command does not have',
      ['start', '--port=3000'],
      64,
      /^Unknown option '--port'\.\n\nUsage: docs-agent start\n/,
    ],
    [
      'a word that a command does not expect',
      ['start', 'now'],
      64,
      /^Unexpected argument 'now'\.\n\nUsage: docs-agent start\n/,
    ],
    ['a question about one command', ['start', '--help'], 0, /^Usage: docs-agent start\n/],
  ])('prints how it is used at %s', async (_what, args, code, words) => {
    expect(await outcomeOf(args)).toEqual({ code, output: expect.stringMatching(words) });
  });

  test.concurrent.each([['migrate'], ['forget', '--user', 'U0123456789']])(
    'says that docs-agent %s failed, and why',
    async (...args) => {
      const { code, output } = await outcomeOf(args, { DATA_DIR: '/dev/null/data' });
      expect(code).toBe(78);
      expect(
        output.startsWith(`docs-agent ${args[0]} failed. The data directory /dev/null/data cannot`),
      ).toBe(true);
    },
  );
});

describe('settings that are wrong', () => {
  test.concurrent.each(['start', 'doctor'])(
    'are named once when one has a slip in its name: %s',
    async (command) => {
      const { output } = await outcomeOf([command], {
        ...settings,
        SLACK_BOT_TOKEN: undefined,
        SLACK_BOT_TOKN: 'xoxb-1',
      });
      const lines = output.split('\n').filter((line) => line.includes('SLACK_BOT_TOK'));
      expect(lines).toHaveLength(1);
      expect(lines[0]).toMatch(/SLACK_BOT_TOKN: unknown setting, did you mean SLACK_BOT_TOKEN\? /);
      expect(lines[0]).toContain('Example: SLACK_BOT_TOKEN=xoxb-12-34-abcd');
    },
  );

  test.concurrent('are all named at once, with an example each, without their values and without a stack trace', async () => {
    const { code, output } = await outcomeOf(['start'], {
      ...settings,
      SLACK_BOT_TOKEN: `xapp-${SECRET}`,
      AGENT_API_KEY: `my ${SECRET}`,
      DATABASE_URL: `mysql://docs:${SECRET}@db.example.com/docs`,
      SLACK_SIGNING_SECRET_FILE: '/nowhere/at/all',
      POLL_MIN_INTERVAL: 'soon',
      PORT: '99999',
    });
    expect(code).toBe(78);
    const named = output
      .trim()
      .split('\n')
      .map((line) => line.split(' ')[0]);
    expect(named.toSorted()).toEqual([
      'AGENT_API_KEY',
      'DATABASE_URL',
      'POLL_MIN_INTERVAL',
      'PORT',
      'SLACK_BOT_TOKEN',
      'SLACK_SIGNING_SECRET',
    ]);
    expect(output).not.toContain(SECRET);
    expect(output).not.toMatch(/^\s+at /m);
  });
});

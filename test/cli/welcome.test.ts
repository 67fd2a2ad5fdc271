import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { includes } from '../support/is.ts';
import { createTempDir } from '../support/temp-dir.ts';
import { waitFor } from '../support/wait-for.ts';
import { settings } from './support/settings.ts';
import { startTinySlack } from './support/tiny-slack.ts';

const cli = fileURLToPath(new URL('../../src/cli/cli.ts', import.meta.url));

/** `script` gives a program a terminal; this is the one of util-linux. */
const hasTerminal = spawnSync('script', ['--version']).stdout?.toString().includes('util-linux') ?? false;

describe.skipIf(!hasTerminal)('on a terminal', () => {
  test('a start ends with what to type', async () => {
    await using folder = await createTempDir();
    await using slack = await startTinySlack();
    let said = '';
    const child = execFile(
      'script',
      ['--quiet', '--return', '--command', `exec '${process.execPath}' '${cli}' start`, '/dev/null'],
      {
        env: {
          PATH: process.env.PATH,
          NO_COLOR: '1',
          ...settings,
          SLACK_API_URL: slack.apiUrl,
          DATA_DIR: folder.path,
        },
      },
    );
    child.stdout?.on('data', (chunk) => {
      said += String(chunk);
    });
    try {
      await waitFor(() => said, includes('Try /docs-agent help in Slack.'), { what: 'what to type' });
      const lines = said.replaceAll('\r', '').trim().split('\n');
      expect(lines.at(-1)).toBe('Try /docs-agent help in Slack.');
      expect(said).toContain('Bot     @docs-agent in Acme');
      expect(said).not.toMatch(/ExperimentalWarning|slack_library|Deprecation/);
    } finally {
      child.kill('SIGTERM');
    }
  });
});

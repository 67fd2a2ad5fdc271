import { execFileSync } from 'node:child_process';
import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findLocalSlack } from '../../demo/local-slack/find.ts';
import { demoWorkspace } from '../../demo/local-slack/workspace.ts';
import { runDemo } from '../support/child-program.ts';
import { alice, createSlackControl, describeWithLocalSlack } from '../support/local-slack.ts';
import { createTempDir } from '../support/temp-dir.ts';
import { waitFor } from '../support/wait-for.ts';

const [docs] = demoWorkspace.channels;
const demoFolder = join(import.meta.dirname, '../../demo');
const samples = join(demoFolder, 'repositories/docs');
const agent = join(demoFolder, 'agent/scripted-agent.ts');

describeWithLocalSlack('the demo', () => {
  const LOCAL_SLACK_BIN = findLocalSlack(process.env) ?? '';

  test.concurrent("works in a copy of somebody's own repository, with their agent, and keeps it", async () => {
    await using folder = await createTempDir();
    const own = join(folder.path, 'my docs');
    const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8', stdio: 'pipe' }).trim();
    await cp(samples, own, { recursive: true });
    git('-C', own, 'init', '--quiet', '--initial-branch=trunk');
    git('-C', own, 'add', '--all');
    git('-C', own, '-c', 'user.name=Bob', '-c', 'user.email=b@example.com', 'commit', '-qm', 'Mine');
    const command = `${process.execPath} ${agent}`;
    const args = ['--repo', own, '--command', command];
    await using demo = runDemo({ LOCAL_SLACK_BIN, TMPDIR: folder.path, PATH: process.env.PATH }, args);
    const [, url = ''] = await demo.printed(/Open (http:\S+) and/);
    const [, copy = ''] = await demo.printed(/git fetch (\S+) docs-agent/);
    const slack = createSlackControl(url);
    await slack.command({ channel: docs.id, user: alice, text: 'Explain the webhooks' });
    const branch = await waitFor(
      async () =>
        git(`--git-dir=${copy}`, 'for-each-ref', '--format=%(refname:short)', 'refs/heads/docs-agent'),
      (name) => name !== '',
      { what: 'the branch' },
    );
    demo.kill('SIGINT');
    expect(await demo.exit).toEqual({ code: 0, signal: null });
    expect(demo.output()).toContain(`Kept, with what the agent has done: ${copy}`);
    expect(git('-C', own, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/trunk');
    git('-C', own, 'fetch', '--quiet', copy, branch);
    expect(git('-C', own, 'diff', '--name-only', 'trunk', 'FETCH_HEAD')).toBe('docs/webhooks.md');
  });

  test.concurrent('says what is wrong with a repository or a command, and leaves nothing behind', async () => {
    await using folder = await createTempDir();
    const start = async (...args: string[]) => {
      await using demo = runDemo({ LOCAL_SLACK_BIN, TMPDIR: folder.path, PATH: process.env.PATH }, args);
      expect(await demo.exit).toEqual({ code: 78, signal: null });
      expect(demo.output()).not.toMatch(/^\s+at /m);
      return demo.output();
    };
    expect(await start('--repo', '/nowhere')).toContain(
      "cannot start. --repo /nowhere: fatal: repository '/nowhere'",
    );
    expect(await start('--command', '/bin/false')).toContain(
      'The agent: The agent ended by itself: exit code 1',
    );
    expect(await readdir(folder.path)).toEqual([]);
  });
});

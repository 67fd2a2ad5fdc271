import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { waitFor } from '../support/wait-for.ts';
import { headOf, startRunnerWorld } from './support/world.ts';

const SANDBOX = '/usr/bin/bwrap';

describe.concurrent('a job at the runner', () => {
  test('is archived when it has rested, and a message opens it again', async () => {
    await using world = await startRunnerWorld({ keepMs: 0 });
    const { id } = await world.create('write docs/a.md A');
    const done = await world.rested(id);
    // As a git that was killed leaves it.
    const bare = join(world.settings.dataDir, 'repositories', world.settings.id);
    writeFileSync(join(bare, `refs/heads/${headOf(world, done)}.lock`), '');
    await world.restart();
    const archived = await world.rested(id, ({ status }) => status === 'archived');
    expect(archived).toMatchObject({ archivedAt: expect.any(String), prLink: done.prLink });
    const folder = join(world.settings.dataDir, 'worktrees', id);
    await waitFor(
      () => existsSync(folder),
      (exists) => !exists,
      { what: 'the folder to go' },
    );
    await world.message(id, 'write docs/b.md B');
    const again = await world.rested(id, ({ status }) => status === 'completed');
    expect(again.prLink).toBe(done.prLink);
    expect(world.git('diff', '--name-only', `main...${headOf(world, again)}`)).toBe('docs/a.md\ndocs/b.md');
  });

  test('that is archived takes a message at any moment', async () => {
    await using world = await startRunnerWorld({ keepMs: 0 });
    const { id } = await world.create(
      'run mkdir big && cd big && seq 1 3000 | xargs touch && cd .. && echo big > .gitignore',
    );
    await world.rested(id);
    await world.restart();
    await world.message(id, 'write docs/b.md B');
    const end = await world.rested(id, ({ queued, status }) => queued === 0 && status !== 'active');
    expect(end).toMatchObject({ reason: null, prLink: expect.any(String) });
    expect(world.log.filter((line) => line.includes('not_archived'))).toEqual([]);
  });

  test('fails after the time limit, and goes on from its edits', async () => {
    await using world = await startRunnerWorld({ turnTimeoutMs: 20_000 });
    const { id } = await world.create('write docs/a.md A\nhang');
    expect(await world.rested(id)).toMatchObject({
      status: 'failed',
      reason: 'The agent took longer than a turn may take.',
    });
    await world.message(id, 'Go on');
    const end = await world.rested(id);
    expect(world.git('diff', '--name-only', `main...${headOf(world, end)}`)).toBe('docs/a.md');
  });

  test('goes on after a restart, as if nothing had been', async () => {
    await using world = await startRunnerWorld();
    const { id } = await world.create('write docs/a.md A\nwait');
    await world.rested(id, ({ activity }) => activity !== null);
    const restarted = world.restart();
    world.go();
    await restarted;
    expect(await world.rested(id)).toMatchObject({ status: 'completed', prLink: expect.any(String) });
  });

  test('goes on with an agent that loads a session and repeats what was said in it', async () => {
    await using world = await startRunnerWorld();
    const { id } = await world.create('First');
    await world.rested(id);
    const { settings } = world;
    await world.restart({ projects: [{ ...settings, command: ['env', 'LOADS=1', ...settings.command] }] });
    await world.message(id, 'Second');
    expect(await world.rested(id)).toMatchObject({ summary: 'I begin.Done.', reason: null });
    expect(world.lastPrompt()).toBe('Second');
  });

  test('keeps to the patterns of files that may change', async () => {
    await using world = await startRunnerWorld({ paths: ['docs/**', '*.md'], instructions: 'Be brief.' });
    const { id } = await world.create('write docs/.site/a.md A\nwrite README.md R\nwrite src/evil.ts E');
    const end = await world.rested(id);
    expect(world.git('diff', '--name-only', `main...${headOf(world, end)}`)).toBe(
      'README.md\ndocs/.site/a.md',
    );
    expect(end.summary).toBe('Done.\n\nLeft out, since these files may not change here: src/evil.ts.');
    expect(world.lastPrompt()).toMatch(/^Be brief\.\n\nwrite docs/);
  });

  test('leaves files alone whose line ends git would change', async () => {
    await using world = await startRunnerWorld();
    const file = join(world.root, 'a.crlf');
    writeFileSync(file, 'a\r\nb\r\n');
    world.push('main', '.gitattributes', '*.crlf text\n');
    // git itself would store it with other line ends.
    world.git('read-tree', 'main');
    const blob = world.git('hash-object', '-w', '--no-filters', file);
    world.git('update-index', '--add', '--cacheinfo', `100644,${blob},a.crlf`);
    world.git(
      'update-ref',
      'refs/heads/main',
      world.git('commit-tree', world.git('write-tree'), '-p', 'main', '-m', 'As it is'),
    );
    const { id } = await world.create('What is here?');
    expect(await world.rested(id)).toMatchObject({ status: 'completed', prLink: null });
    await world.message(id, 'write a.crlf Another');
    const end = await world.rested(id);
    expect(world.git('diff', '--name-only', `main...${headOf(world, end)}`)).toBe('a.crlf');
  });

  test.skipIf(!existsSync(SANDBOX))(
    'keeps an agent in a sandbox away from secrets and other files',
    async () => {
      await using plain = await startRunnerWorld();
      const { root, settings } = plain;
      await using world = await startRunnerWorld({
        dataDir: join(root, 'sandboxed'),
        agentEnv: settings.agentEnv,
        command: [
          ...[SANDBOX, '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
          ...['--unshare-pid', '--die-with-parent'],
          ...['--bind', join(root, 'sandboxed', 'worktrees'), join(root, 'sandboxed', 'worktrees')],
          ...['--bind', join(root, 'home'), join(root, 'home'), ...settings.command],
        ] as [string, ...string[]],
      });
      const { id } = await world.create(
        `write docs/a.md A\nrun touch ${root}/outside || true\nrun cat /proc/[0-9]*/environ | tr "\\0" "\\n" > docs/seen.md`,
      );
      const end = await world.rested(id);
      expect(end.reason).toBeNull();
      expect(existsSync(join(root, 'outside'))).toBe(false);
      const seen = world.git('show', `${headOf(world, end)}:docs/seen.md`);
      expect(seen).toContain('DOCS_AGENT_RUNNER=');
      expect(seen).not.toContain('VITEST');
    },
  );

  test('fails where the repository refuses the push, or is gone', async () => {
    await using world = await startRunnerWorld();
    const hook = join(world.remote, 'hooks', 'pre-receive');
    mkdirSync(join(world.remote, 'hooks'), { recursive: true });
    writeFileSync(hook, '#!/bin/sh\nexit 1\n');
    chmodSync(hook, 0o755);
    const { id } = await world.create('write docs/a.md A');
    expect(await world.rested(id)).toMatchObject({
      status: 'failed',
      reason: 'The repository refused the push: pre-receive hook declined.',
    });
    execFileSync('rm', [hook]);
    // What could not be pushed goes along with the next turn.
    await world.message(id, 'write docs/b.md B');
    expect(world.git('diff', '--name-only', `main...${headOf(world, await world.rested(id))}`)).toBe(
      'docs/a.md\ndocs/b.md',
    );
    execFileSync('mv', [world.remote, `${world.remote}.away`]);
    await world.message(id, 'write docs/c.md C');
    expect(await world.rested(id)).toMatchObject({
      status: 'failed',
      reason: expect.stringMatching(/^Git failed: /),
    });
  });

  test('works over the network, with a remote that speaks its protocol', async () => {
    const port = await freePort();
    await using world = await startRunnerWorld({ branch: 'main', codeHosts: [] });
    const options = ['--reuseaddr', '--export-all', '--enable=receive-pack', `--base-path=${world.root}`];
    const server = spawn('git', ['daemon', ...options, '--listen=127.0.0.1', `--port=${port}`]);
    const address = `git://127.0.0.1:${port}/remote.git`;
    await waitFor(
      () => execFileSync('git', ['ls-remote', address], { stdio: 'pipe' }),
      () => true,
      { what: 'the daemon' },
    );
    await using far = await startRunnerWorld({ repository: address, codeHosts: [] });
    const { id } = await far.create('write docs/a.md A');
    expect(await far.rested(id)).toMatchObject({ status: 'completed', prLink: null });
    expect(world.git('for-each-ref', '--format=%(refname:short)', 'refs/heads/docs-agent')).toMatch(
      /^docs-agent\//,
    );
    server.kill();
  });
});

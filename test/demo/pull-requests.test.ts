import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startCodeHost } from '../../demo/code-host/code-host.ts';
import { GitPulls } from '../../demo/code-host/git-pulls.ts';
import { GitRepository } from '../../demo/code-host/git-repository.ts';
import { StandInRepositories } from '../../demo/code-host/repositories.ts';
import { createTempDir } from '../support/temp-dir.ts';
import { createTestClock } from '../support/test-clock.ts';

/** Of all that GitHub would say, what is looked at here. */
interface Said {
  readonly title: string;
  readonly state: string;
  readonly merged: boolean;
  readonly merged_by: { readonly login: string };
  readonly html_url: string;
  readonly head: { readonly sha: string };
  readonly additions: number;
  readonly check_runs: readonly { readonly conclusion: string | null; readonly status: string }[];
}

const samples = join(import.meta.dirname, '../../demo/repositories/docs');

const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

async function start(name = 'acme/docs') {
  const folder = await createTempDir();
  const clock = createTestClock(Date.now());
  const directory = join(folder.path, 'docs.git');
  const repository = await GitRepository.of(samples, directory);
  const git = new GitPulls(new Map([[name, repository]]), clock);
  const host = await startCodeHost({ token: 'demo', repositories: new StandInRepositories(clock), git });
  const clone = join(folder.path, 'clone');
  const run = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Agent', '-c', 'user.email=a@example.com', ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  run('clone', '--quiet', directory, clone);
  run('-C', clone, 'checkout', '--quiet', '-b', 'docs-agent/npx');
  onTestFinished(async () => {
    host.close();
    await folder.remove();
  });
  const call = async (path: string, body?: object, token = 'demo') => {
    const response = await fetch(`${host.webUrl}/api/v3/repos/${name}/${path}`, {
      headers: { authorization: `Bearer ${token}` },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Said & Said[] };
  };
  return {
    ...{ clock, host, call },
    git: (...args: string[]) => run(`--git-dir=${directory}`, ...args),
    push: (subject: string, file = 'docs/cli.md') => {
      writeFileSync(join(clone, file), `${subject}\n<script>\n`);
      run('-C', clone, 'commit', '--quiet', '--all', '--message', subject);
      run('-C', clone, 'push', '--quiet', 'origin', 'HEAD');
    },
    open: async (title: string) =>
      (await call('pulls', { title, body: 'I did it.', head: 'docs-agent/npx', base: 'main' })).body,
    pull: async () => {
      const { title, state, merged, merged_by, head } = (await call('pulls/1')).body;
      const [run] = (await call(`commits/${head.sha}/check-runs`)).body.check_runs;
      const reviews = (await call('pulls/1/reviews')).body.map((review) => review.state);
      const became = merged ? `merged by ${merged_by.login}` : state;
      return { title, state: became, check: run?.conclusion ?? run?.status, reviews };
    },
    page: async (path = '') => {
      const response = await fetch(`${host.webUrl}/${name}/pull/1${path}`, path ? { method: 'POST' } : {});
      return { status: response.status, text: await response.text() };
    },
  };
}

test('a pull request is found by its branch, and has the commits that were pushed', async () => {
  const { push, open, call, git, host } = await start();
  expect(await call('pulls', undefined, 'no')).toMatchObject({ status: 401 });
  expect((await call('pulls?state=all&head=acme:docs-agent/npx')).body).toEqual([]);
  push('Mention npx');
  expect(await open('Mention npx')).toMatchObject({ html_url: `${host.webUrl}/acme/docs/pull/1` });
  const [found] = (await call('pulls?state=all&head=acme:docs-agent/npx')).body;
  expect(found).toMatchObject({ state: 'open', head: { sha: git('rev-parse', 'docs-agent/npx') } });
  push('Mention yarn', 'docs/api.md');
  const after = (await call('pulls/1')).body;
  expect(after.head.sha).toBe(git('rev-parse', 'docs-agent/npx'));
  expect(after.additions).toBe(4);
});

test('its page shows the diff, and its button merges it in the repository', async () => {
  const { push, open, page, git, pull } = await start();
  push('Mention npx');
  await open('Mention <npx>');
  push('Mention yarn', 'docs/api.md');
  const { text } = await page();
  expect(text).toContain('Mention &#60;npx&#62;');
  expect(text).toContain('<span class="add">+&#60;script&#62;</span>');
  expect(text).toMatch(/wants to merge 2 commits.*<code>main<\/code>/s);
  expect(git('show', 'main:docs/cli.md')).not.toContain('npx');
  expect((await page('/merge')).text).toContain('merged by alice');
  expect(git('show', 'main:docs/cli.md')).toContain('Mention npx');
  expect(git('log', '-1', '--format=%s', 'main')).toBe('Mention <npx> (#1)');
  expect((await page()).text).toContain('<span class="add">+Mention npx</span>');
  expect(await pull()).toMatchObject({ state: 'merged by alice' });
});

test('one that conflicts with what was merged meanwhile says so, and stays open', async () => {
  const { push, open, page, pull, git } = await start();
  push('Mention npx');
  await open('Mention npx');
  git('update-ref', 'refs/heads/main', git('commit-tree', EMPTY_TREE, '-p', 'main', '-m', 'Remove all'));
  expect(await page('/merge')).toEqual({
    status: 500,
    text: 'It has conflicts with main, and cannot be merged.',
  });
  expect(await pull()).toMatchObject({ state: 'open' });
});

test('left alone it is checked, approved and merged by itself, within two minutes', async () => {
  const { clock, push, open, pull, git } = await start();
  push('Mention npx');
  await open('Mention npx');
  expect(await pull()).toMatchObject({ title: 'Mention npx', state: 'open', check: 'in_progress' });
  await clock.advance(40_000);
  expect(await pull()).toMatchObject({ state: 'open', check: 'success', reviews: ['APPROVED'] });
  push('Mention yarn');
  expect(await pull()).toMatchObject({ state: 'open', check: 'in_progress' });
  await clock.advance(50_000);
  expect(await pull()).toMatchObject({ state: 'open', check: 'success' });
  await clock.advance(20_000);
  await expect.poll(pull).toMatchObject({ state: 'merged by carol' });
  expect(git('show', 'main:docs/cli.md')).toContain('Mention yarn');
});

test('once somebody reads its page, nobody else merges it', async () => {
  const { clock, push, open, page, pull } = await start();
  push('Mention npx');
  await open('Mention npx');
  await page();
  await clock.advance(300_000);
  expect(await pull()).toMatchObject({ state: 'open', check: 'success', reviews: ['APPROVED'] });
});

test('with "red" its checks fail and it stays open, with "close" it is closed', async () => {
  const { clock, push, open, pull } = await start();
  push('Mention npx: red');
  await open('Mention npx: red');
  await pull();
  await clock.advance(120_000);
  expect(await pull()).toMatchObject({ state: 'open', check: 'failure', reviews: [] });
  push('Then close it');
  expect(await pull()).toMatchObject({ check: 'in_progress' });
  await clock.advance(120_000);
  expect(await pull()).toMatchObject({ state: 'closed', check: 'success' });
});

test('with "red" and "picky" it is corrected twice before it is merged (P5)', async () => {
  const { clock, push, open, pull } = await start();
  push('Mention npx: red and picky');
  await open('Mention npx: red and picky');
  await pull();
  await clock.advance(120_000);
  expect(await pull()).toMatchObject({ state: 'open', check: 'failure', reviews: [] });
  push('The check “build” fails');
  await pull();
  await clock.advance(120_000);
  expect(await pull()).toMatchObject({ state: 'open', check: 'success', reviews: ['CHANGES_REQUESTED'] });
  push('carol requested changes on acme/docs#1:');
  await pull();
  await clock.advance(120_000);
  await expect.poll(pull).toMatchObject({ state: 'merged by carol', check: 'success' });
});

test("in somebody's own repository, nothing happens to it by itself", async () => {
  const { clock, push, open, call } = await start('local/docs');
  push('Mention npx');
  await open('Mention npx');
  await call('pulls/1');
  await clock.advance(300_000);
  expect((await call('pulls/1')).body).toMatchObject({ state: 'open' });
});

import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { cancel, changesOf, headOf, isEditing, type RunnerWorld, startRunnerWorld } from './support/world.ts';

/** A turn that is stopped after it has written a file. */
async function stopped(world: RunnerWorld, id: string, file: string) {
  await world.message(id, `write ${file} Stopped\nhang`);
  await world.rested(id, isEditing(file));
  await cancel(world, id);
}

/** Merges the branch into one commit, as many code hosts do. */
function squash(world: RunnerWorld, head: string) {
  const commit = world.git('commit-tree', `${head}^{tree}`, '-p', 'main', '-m', 'Squashed');
  world.git('update-ref', 'refs/heads/main', commit);
}

/** The remote holds each push until it refuses it. */
function holdPush(world: RunnerWorld) {
  const hook = join(world.remote, 'hooks', 'pre-receive');
  mkdirSync(join(world.remote, 'hooks'), { recursive: true });
  writeFileSync(hook, '#!/bin/sh\ntouch "$0.begun"; while [ -e "$0" ]; do sleep 0.05; done; exit 1\n');
  chmodSync(hook, 0o755);
  const begun = () => waitFor(() => existsSync(`${hook}.begun`), Boolean, { what: 'the push' });
  return { begun, refuse: () => rmSync(hook) };
}

/** The remote refuses a push whose history has a file of this name. */
function refuse(world: RunnerWorld, name: string): () => void {
  const hook = join(world.remote, 'hooks', 'pre-receive');
  mkdirSync(join(world.remote, 'hooks'), { recursive: true });
  const search = `git log --name-only --format= $new --not --all | grep -q ${name} && exit 1`;
  writeFileSync(hook, `#!/bin/sh\nwhile read old new ref; do ${search}; done; exit 0\n`);
  chmodSync(hook, 0o755);
  return () => rmSync(hook);
}

describe.concurrent('what a stopped turn has done', () => {
  test('goes on alone, if the pull request before it was closed', async () => {
    await using world = await startRunnerWorld();
    const { id } = await world.create('write docs/rejected.md R');
    await world.rested(id);
    await stopped(world, id, 'docs/b.md');
    Object.assign(world.pulls[0] ?? {}, { state: 'closed' });
    await world.message(id, 'write docs/c.md C');
    expect(changesOf(world, await world.rested(id))).toEqual(['A docs/b.md', 'A docs/c.md']);
  });

  test('fits a branch that was squashed and changed by a reviewer', async () => {
    await using world = await startRunnerWorld();
    const { id } = await world.create('write docs/a.md A');
    const head = headOf(world, await world.rested(id));
    await stopped(world, id, 'docs/b.md');
    squash(world, head);
    world.push('main', 'docs/a.md', 'As the reviewer wants it\n');
    Object.assign(world.pulls[0] ?? {}, { state: 'closed' });
    await world.message(id, 'write docs/c.md C');
    expect(changesOf(world, await world.rested(id))).toEqual(['A docs/b.md', 'A docs/c.md']);
  });

  test('is not done again after a push that was refused', async () => {
    await using world = await startRunnerWorld();
    const { id } = await world.create('What is here?');
    await world.rested(id);
    await stopped(world, id, 'docs/gone.md');
    const admit = refuse(world, 'x.md');
    await world.message(id, 'run rm docs/gone.md\nwrite docs/x.md X');
    expect(await world.rested(id)).toMatchObject({ status: 'failed' });
    admit();
    await world.message(id, 'Thanks');
    expect(changesOf(world, await world.rested(id))).toEqual(['A docs/x.md']);
  });

  test('goes without a change to a page that others have deleted, and the agent is told so', async () => {
    await using world = await startRunnerWorld();
    world.push('main', 'docs/page.md', 'Page\n');
    const { id } = await world.create('What is here?');
    await world.rested(id);
    await stopped(world, id, 'docs/page.md');
    rmSync(join(world.root, 'clone', 'docs', 'page.md'));
    world.push('main', 'docs/other.md', 'Other\n');
    await world.message(id, 'write docs/c.md C');
    expect(changesOf(world, await world.rested(id))).toEqual(['A docs/c.md']);
    expect(world.lastPrompt()).toContain('is gone. Others have changed:\ndocs/page.md');
  });
});

describe.concurrent('a turn that failed', () => {
  test('at a push that is refused for what a file holds: the next one can take it out', async () => {
    await using world = await startRunnerWorld();
    refuse(world, 'secret.md');
    const { id } = await world.create('write docs/secret.md S\nwrite docs/a.md A');
    expect(await world.rested(id)).toMatchObject({ status: 'failed', summary: 'Done.' });
    await world.message(id, 'run rm docs/secret.md');
    expect(changesOf(world, await world.rested(id))).toEqual(['A docs/a.md']);
  });

  test('at the push: "Try again" is enough', async () => {
    await using world = await startRunnerWorld();
    const admit = refuse(world, 'a.md');
    const { id } = await world.create('write docs/a.md A');
    expect(await world.rested(id)).toMatchObject({ status: 'failed' });
    admit();
    await world.message(id, 'Try again');
    expect(changesOf(world, await world.rested(id))).toEqual(['A docs/a.md']);
  });

  test('at the code host, whose answer was lost before it opened anything: "Try again" is enough', async () => {
    await using world = await startRunnerWorld();
    void world.holdPull(false, true);
    const { id } = await world.create('write docs/a.md A');
    expect(await world.rested(id)).toMatchObject({ status: 'failed', summary: 'Done.' });
    await world.message(id, 'Try again');
    expect(changesOf(world, await world.rested(id))).toEqual(['A docs/a.md']);
  });

  test('at a conflict with what others have pushed: its work is not lost', async () => {
    await using world = await startRunnerWorld();
    const { id } = await world.create('write docs/a.md First');
    const head = headOf(world, await world.rested(id));
    await world.message(id, 'write docs/a.md stubborn\nwrite docs/b.md B\nwait');
    await world.rested(id, isEditing('docs/b.md'));
    world.push(head, 'docs/a.md', 'Theirs\n');
    world.go();
    expect(await world.rested(id)).toMatchObject({ status: 'failed' });
    await world.message(id, 'run grep -v "^[<=>|]\\{7\\}" docs/a.md > x; mv x docs/a.md');
    expect(changesOf(world, await world.rested(id))).toEqual(['A docs/a.md', 'A docs/b.md']);
  });

  test('is told in full to the next, since its edits are gone', async () => {
    await using world = await startRunnerWorld();
    const { id } = await world.create('write docs/a.md A');
    await world.rested(id);
    await world.message(id, 'write docs/b.md B\ndie');
    expect(await world.rested(id)).toMatchObject({ status: 'failed' });
    await world.message(id, 'Go on');
    await world.rested(id);
    expect(world.lastPrompt()).toContain('Request 2: write docs/b.md B');
  });
});

test('a pull request that is merged while the runner is away is not followed by another', async () => {
  await using world = await startRunnerWorld();
  const held = world.holdPull(true);
  const { id } = await world.create('write docs/a.md A');
  await held;
  Object.assign(world.pulls[0] ?? {}, { state: 'closed' });
  squash(world, world.pulls[0]?.head ?? '');
  await world.restart();
  const end = await world.rested(id);
  expect([end.prLink, world.pulls.length]).toEqual([world.pulls[0]?.html_url, 1]);
});

test.concurrent.each([
  ['merged', 'while the agent works'],
  ['closed', 'while the agent works'],
  ['merged', 'while the commit is pushed, and the runner restarts'],
] as const)('a pull request that is %s %s gets nothing more', async (what, when) => {
  await using world = await startRunnerWorld();
  const { id } = await world.create('write docs/a.md A');
  const head = headOf(world, await world.rested(id));
  const isAtWork = when === 'while the agent works';
  const push = isAtWork ? null : holdPush(world);
  await world.message(id, `write docs/b.md B${isAtWork ? '\nwait' : ''}`);
  await (push?.begun() ?? world.rested(id, isEditing('docs/b.md')));
  if (what === 'merged') squash(world, head);
  Object.assign(world.pulls[0] ?? {}, { state: 'closed' });
  world.go();
  push?.refuse();
  if (push !== null) await world.restart();
  const end = await world.rested(id);
  const branch = headOf(world, end);
  expect([branch, changesOf(world, end)]).toEqual([`${head}-2`, ['A docs/b.md']]);
  expect(world.git('rev-list', '--count', `main..${branch}`)).toBe('1');
});

import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { cancel, changesOf, headOf, isEditing, startRunnerWorld } from './support/world.ts';

const JOBS = '/v2/agent/docs/job';
const STOPPED = { status: 'completed', reason: 'Stopped by a caller of the API.', queued: 0 };

describe.concurrent('what a stopped turn has done', () => {
  test('goes on in the next turn, on top of what others have pushed meanwhile', async () => {
    await using world = await startRunnerWorld();
    const { id } = await world.create('write docs/ours.md Ours\nhang');
    await world.rested(id, isEditing('docs/ours.md'));
    expect(await cancel(world, id)).toMatchObject(STOPPED);
    world.push('main', 'docs/theirs.md', 'Theirs\n');
    await world.message(id, 'write docs/more.md More');
    expect(changesOf(world, await world.rested(id))).toEqual(['A docs/more.md', 'A docs/ours.md']);
  });

  test.each([
    ['Ours', 'Theirs\nOurs'],
    ['stubborn', null],
  ])('and conflicts with that, is resolved by the agent or fails (%s)', async (text, content) => {
    await using world = await startRunnerWorld();
    const { id } = await world.create(`write docs/same.md ${text}\nhang`);
    await world.rested(id, isEditing('docs/same.md'));
    await cancel(world, id);
    world.push('main', 'docs/same.md', 'Theirs\n');
    await world.message(id, 'Go on');
    const end = await world.rested(id);
    if (content === null) expect(end.reason).toMatch(/could not be resolved/);
    else expect(world.git('show', `${headOf(world, end)}:docs/same.md`)).toBe(content);
  });

  test('includes what the agent had committed on a branch of its own', async () => {
    await using world = await startRunnerWorld();
    const own = ['git checkout --quiet -b mine', 'write docs/far.md Far', 'git add --all'];
    const back = [
      'git commit --quiet --message=mine',
      'git checkout --quiet -',
      'write docs/near.md N',
      'hang',
    ];
    const { id } = await world.create([...own, ...back].join('\n'));
    await world.rested(id, isEditing('docs/near.md'));
    await cancel(world, id);
    await world.message(id, 'Go on');
    expect(changesOf(world, await world.rested(id))).toEqual(['A docs/far.md', 'A docs/near.md']);
  });

  test('is never published with conflict markers, also when it was stopped among them', async () => {
    await using world = await startRunnerWorld();
    const { id } = await world.create('write docs/same.md First');
    const branch = headOf(world, await world.rested(id));
    await world.message(id, 'write docs/same.md Ours hangs\nwait');
    await world.rested(id, isEditing('docs/same.md'));
    world.push(branch, 'docs/same.md', 'Theirs\n');
    world.go();
    await world.rested(id, isEditing('the conflict'));
    expect(await cancel(world, id)).toMatchObject(STOPPED);
    expect(world.git('show', `${branch}:docs/same.md`)).toBe('Theirs');
    await world.message(id, 'Thanks');
    expect(await world.rested(id)).toMatchObject({ status: 'completed', prLink: expect.any(String) });
    expect(world.git('show', `${branch}:docs/same.md`)).toBe('Theirs\nOurs hangs');
  });

  test('is kept over a turn that fails', async () => {
    await using world = await startRunnerWorld();
    const { id } = await world.create('write docs/kept.md Kept\nhang');
    await world.rested(id, isEditing('docs/kept.md'));
    await cancel(world, id);
    await world.message(id, 'refuse');
    expect(await world.rested(id)).toMatchObject({ status: 'failed' });
    await world.message(id, 'Go on');
    expect(changesOf(world, await world.rested(id))).toEqual(['A docs/kept.md']);
  });
});

describe.concurrent('a stop', () => {
  test('reaches a turn whose remote never answers, as the time limit does, and the end of the runner', async () => {
    const remote = createServer(() => {}).listen(0, '127.0.0.1');
    await once(remote, 'listening');
    const repository = `git://127.0.0.1:${(remote.address() as AddressInfo).port}/x`;
    await using world = await startRunnerWorld({
      repository,
      codeHosts: [],
      branch: 'main',
      turnTimeoutMs: 2_000,
    });
    const [stopped, limited] = [await world.create('One'), await world.create('Two')];
    expect(await cancel(world, stopped.id)).toMatchObject(STOPPED);
    expect(await world.rested(limited.id)).toMatchObject({
      status: 'failed',
      reason: /longer than a turn may/,
    });
    const { id } = await world.create('Three');
    await world.restart();
    expect((await world.call('GET', `${JOBS}/${id}`)).body.status).toBe('active');
    remote.close();
  });

  test('is no failure, whether the agent ends by itself then or not', async () => {
    await using world = await startRunnerWorld();
    const { id } = await world.create('mortal\nwrite docs/a.md A\nhang');
    await world.rested(id, isEditing('docs/a.md'));
    expect(await cancel(world, id)).toMatchObject(STOPPED);
    await world.message(id, 'mortal\nwrite docs/b.md B\nwait');
    await world.rested(id, isEditing('docs/b.md'));
    await world.restart();
    world.go();
    expect(changesOf(world, await world.rested(id))).toEqual(['A docs/a.md', 'A docs/b.md']);
  });

  test('before the agent has the request keeps it from the agent', async () => {
    await using world = await startRunnerWorld();
    const { id } = await world.create(`run touch $HOME/was-run`);
    expect(await cancel(world, id)).toMatchObject(STOPPED);
    expect(existsSync(join(world.root, 'home', 'was-run'))).toBe(false);
  });

  test('before its turn, while another job is at work, ends the job', async () => {
    await using world = await startRunnerWorld({ concurrency: 1 });
    await world.create('hang');
    const { id } = await world.create('write docs/a.md A');
    expect(await cancel(world, id)).toMatchObject(STOPPED);
  });

  test('of a turn ends no agent of another, whatever their numbers', async () => {
    await using world = await startRunnerWorld();
    const first = await world.create('hang');
    for (let turn = 2; turn < 10; turn += 1) await world.rested((await world.create('What is here?')).id);
    const tenth = await world.create('write docs/a.md A\nwait');
    await world.rested(tenth.id, isEditing('docs/a.md'));
    expect(await cancel(world, first.id)).toMatchObject(STOPPED);
    world.go();
    expect(changesOf(world, await world.rested(tenth.id))).toEqual(['A docs/a.md']);
  });

  test('drops the messages that wait, which no later agent is told as done, and none that comes after it', async () => {
    await using world = await startRunnerWorld({ instructions: 'Be brief.' });
    const { id } = await world.create('write docs/a.md A\nhang');
    await world.message(id, 'Delete everything');
    await world.rested(id, isEditing('docs/a.md'));
    const [stopped] = await Promise.all([cancel(world, id), world.message(id, 'write docs/later.md L')]);
    expect(stopped.id).toBe(id);
    expect(changesOf(world, await world.rested(id))).toContain('A docs/later.md');
    expect(world.lastPrompt()).not.toContain('Delete everything');
  });

  test.each([
    ['has failed by itself, since it may have been killed, too', 'kill -9 $PPID', 300_000, 'completed', []],
    [
      'has reached its time limit, does not give it that time again',
      'sleep 600',
      5_000,
      'failed',
      ['A .gitignore'],
    ],
  ])('of the runner just after a turn %s', async (_what, end, turnTimeoutMs, status, kept) => {
    await using world = await startRunnerWorld({ turnTimeoutMs });
    const many = 'mkdir many && echo many > .gitignore && (cd many && seq 1 20000 | xargs touch)';
    const { id } = await world.create(
      `write docs/a.md A\nrun test -e $HOME/ended || { ${many}; touch $HOME/ended; ${end}; }`,
    );
    await waitFor(() => existsSync(join(world.root, 'home', 'ended')), true, { what: 'the end' });
    // The turn is over once its files are being removed.
    const worktree = join(world.settings.dataDir, 'worktrees', id);
    const areThere = () =>
      ['many/1', 'many/20000', 'docs/a.md', '.git'].every((file) => existsSync(join(worktree, file)));
    await waitFor(areThere, false, { what: 'the files to go' });
    await world.restart();
    expect(await world.rested(id)).toMatchObject({ status });
    await world.message(id, 'write docs/b.md B');
    expect(changesOf(world, await world.rested(id))).toEqual([...kept, 'A docs/a.md', 'A docs/b.md']);
  });

  test('of the runner has the request given anew, with all that belongs to it', async () => {
    await using world = await startRunnerWorld({ instructions: 'Be brief.' });
    const { id } = await world.create('write docs/a.md A\nwait');
    await world.rested(id, isEditing('docs/a.md'));
    // Only kills are counted.
    for (let restarts = 0; restarts < 3; restarts += 1) {
      await world.restart();
      await world.rested(id, isEditing('docs/a.md'));
      expect(world.lastPrompt()).toMatch(/^Be brief\.\n\nwrite/);
    }
    world.go();
    expect(await world.rested(id)).toMatchObject({ status: 'completed', summary: 'Done.' });
  });
});

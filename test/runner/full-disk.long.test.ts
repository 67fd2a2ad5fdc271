import { mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { mountSmallDisk, noSmallDisk, type SmallDisk } from '../store/support/small-disk.ts';
import { createTempDir } from '../support/temp-dir.ts';
import { waitFor } from '../support/wait-for.ts';
import { changesOf, isEditing, type RunnerWorld, startRunnerWorld } from './support/world.ts';

const NO_ROOM = { status: 'failed', reason: "The runner's disk is full.", prLink: null };
/** Room for git's small files, and not for the big one. */
const A_LITTLE_BYTES = 64 * 1024;
const BIG = 'run mkdir -p docs && head -c 400000 /dev/urandom > docs/big';

/** A job whose disk is full when the agent comes to its end. */
async function filled(world: RunnerWorld, disk: SmallDisk, prompt: string, freeBytes = 0) {
  const { id } = await world.create(`${prompt}\nwrite docs/small.md small\nwait`);
  await world.rested(id, isEditing('docs/small.md'));
  disk.fill(freeBytes);
  world.go();
  return id;
}

function branches({ git }: RunnerWorld): string {
  return git('for-each-ref', '--format=%(refname:short)', 'refs/heads/docs-agent');
}

describe.skipIf(noSmallDisk !== null).concurrent('a full disk', () => {
  test('ends the turn and says so; the service lives, and the job goes on when there is room', async () => {
    using disk = mountSmallDisk();
    await using world = await startRunnerWorld({ dataDir: join(disk.path, 'runner') });
    const id = await filled(world, disk, 'Add a page');
    const refused = await waitFor(
      () => world.call('POST', '/v2/agent/docs/job', { prompt: `x${'x'.repeat(20_000)}` }),
      ({ status }) => status !== 201,
      { what: 'a refusal' },
    );
    expect(refused).toMatchObject({ status: 500, body: { error: "The runner's disk is full." } });
    expect((await world.call('GET', '/livez')).status).toBe(200);
    expect((await world.call('GET', `/v2/agent/docs/job/${id}`)).status).toBe(200);
    const hasEnded = () => world.log.some((line) => /^turn_(?:not_)?ended/.test(line));
    await waitFor(hasEnded, Boolean, { what: 'the end of the turn' });
    disk.makeRoom();
    expect(await world.rested(id)).toMatchObject(NO_ROOM);
    expect([branches(world), world.pulls]).toEqual(['', []]);

    await world.message(id, 'write docs/a.md A\nwrite docs/b.md B');
    const end = await world.rested(id);
    expect(end).toMatchObject({ status: 'completed', reason: null });
    expect(changesOf(world, end)).toEqual(['A docs/a.md', 'A docs/b.md']);
  });

  test('that an agent fills is free again after its turn', async () => {
    using disk = mountSmallDisk();
    await using world = await startRunnerWorld({ dataDir: join(disk.path, 'runner') });
    const { id } = await world.create('run cat /dev/zero > big || true\nwrite docs/a.md A');
    expect(await world.rested(id)).toMatchObject({ status: 'failed' });
    const next = await world.create('write docs/b.md B');
    expect(await world.rested(next.id)).toMatchObject({ status: 'completed', reason: null });
  });

  test('stops an agent that fills it, when somebody asks for that', async () => {
    using disk = mountSmallDisk();
    await using world = await startRunnerWorld({ dataDir: join(disk.path, 'runner') });
    const { id } = await world.create('run cat /dev/zero > big || true\nwrite docs/a.md\nhang');
    await world.rested(id, isEditing('docs/a.md'));
    const { body } = await world.call('POST', `/v2/agent/docs/job/${id}/cancel`);
    expect(body).toMatchObject({ status: 'completed', reason: 'Stopped by a caller of the API.' });
  });

  describe('where the clone is', () => {
    async function startOn({ path }: SmallDisk, root: string): Promise<RunnerWorld> {
      const dataDir = join(root, 'data');
      mkdirSync(dataDir);
      symlinkSync(path, join(dataDir, 'repositories'));
      return startRunnerWorld({ dataDir });
    }

    test.each([
      ['edits', BIG],
      ['commits', `${BIG}\ngit add .\ngit commit -m big`],
      [
        'commits on a branch that it left',
        `git checkout -b own\n${BIG}\ngit add .\ngit commit -m big\ngit checkout -`,
      ],
    ])('has no part of the %s of the agent published', async (_what, script) => {
      using disk = mountSmallDisk();
      await using folder = await createTempDir();
      await using world = await startOn(disk, folder.path);
      const id = await filled(world, disk, script, A_LITTLE_BYTES);
      expect(await world.rested(id)).toMatchObject(NO_ROOM);
      expect([branches(world), world.pulls]).toEqual(['', []]);
      disk.makeRoom();
      await world.message(id, `${script}\nwrite docs/small.md small`);
      const end = await world.rested(id);
      expect(changesOf(world, end)).toEqual(['A docs/big', 'A docs/small.md']);
    });

    test('fails each turn before the agent has it, and leaves nothing behind that takes room', async () => {
      using disk = mountSmallDisk();
      await using folder = await createTempDir();
      await using world = await startOn(disk, folder.path);
      const { id } = await world.create('What is here?');
      await world.rested(id);
      world.push('main', 'docs/big', Array.from({ length: 40_000 }, () => Math.random()).join('\n'));
      for (const freeBytes of [A_LITTLE_BYTES, 0]) {
        disk.fill(freeBytes);
        await world.message(id, 'write docs/a.md A');
        expect(await world.rested(id)).toMatchObject(NO_ROOM);
        disk.makeRoom();
      }
      const left = readdirSync(disk.path, { recursive: true })
        .map(String)
        .filter((file) => /tmp_|\.lock$|index-/.test(file));
      expect(left.filter((file) => statSync(join(disk.path, file)).size > 0)).toEqual([]);
      expect(world.lastPrompt()).toBe('What is here?');
      await world.message(id, 'write docs/a.md A');
      expect(await world.rested(id)).toMatchObject({ status: 'completed', reason: null });
    });
  });
});

test('a turn that the store could not begin is begun later', async () => {
  await using world = await startRunnerWorld({ concurrency: 1 });
  const first = await world.create('write docs/a.md A\nwait');
  await world.rested(first.id, isEditing('docs/a.md'));
  const second = await world.create('write docs/b.md B');
  using store = new DatabaseSync(join(world.settings.dataDir, 'docs-agent.db'));
  store.exec(`create trigger full before update on turn when new.state = 'running'
    begin select raise(abort, 'the disk is full'); end`);
  world.go();
  await waitFor(() => world.log.some((line) => line.startsWith('turn_not_begun')), Boolean, {
    what: 'the failure',
  });
  store.exec('drop trigger full');
  expect(await world.rested(second.id)).toMatchObject({ status: 'completed' });
});

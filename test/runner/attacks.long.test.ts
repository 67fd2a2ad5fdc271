import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type RunnerWorld, startRunnerWorld } from './support/world.ts';

/** A job whose agent runs a script. */
async function attack(world: RunnerWorld, script: string, prompt = '') {
  const file = join(world.root, 'attack.sh');
  writeFileSync(file, script);
  const { id } = await world.create(`run sh ${file}\n${prompt}`);
  return world.rested(id);
}

describe.concurrent("the runner's git runs nothing", () => {
  test('that the settings of the work tree name for missing objects', async () => {
    await using world = await startRunnerWorld();
    const marker = join(world.root, 'pwned');
    const settings = [
      '[core]\nrepositoryformatversion = 1\n[extensions]\npartialClone = evil',
      `[remote "evil"]\nurl = /tmp\npromisor = true\nuploadpack = "touch ${marker};"`,
    ].join('\n');
    const ref = `echo ${'1'.repeat(40)} > .git/refs/heads/x`;
    const end = await attack(world, `cat > .git/config <<X\n${settings}\nX\n${ref}\n`, 'write docs/a.md A');
    expect([end.status, existsSync(marker)]).toEqual(['completed', false]);
  });

  test('that a repository in the place of a submodule names', async () => {
    await using world = await startRunnerWorld();
    const marker = join(world.root, 'pwned');
    world.git('read-tree', 'main');
    const commit = world.git('rev-parse', 'main');
    world.git('update-index', '--add', '--cacheinfo', `160000,${commit},theme`);
    const tree = world.git('write-tree');
    world.git('update-ref', 'refs/heads/main', world.git('commit-tree', tree, '-p', 'main', '-m', 'A theme'));
    const filter = `git config filter.evil.clean "touch ${marker}; cat" && echo '* filter=evil' > .git/info/attributes`;
    const nested = `cd theme && git init -q && git fetch -q .. && git checkout -q ${commit}`;
    const end = await attack(
      world,
      `${nested} && ${filter} && touch -d 2020-01-01 docs/index.md\n`,
      'write docs/a.md A',
    );
    expect([end.status, end.prLink, existsSync(marker)]).toEqual(['completed', expect.any(String), false]);
  });

  test('and hangs at no pipe', async () => {
    await using world = await startRunnerWorld();
    const end = await attack(world, 'mkfifo docs/.gitignore .git/objects/pipe', 'write docs/a.md A');
    expect(end).toMatchObject({ status: 'completed', prLink: expect.any(String) });
  });

  test('and obeys no ignore file of the user', async () => {
    await using world = await startRunnerWorld();
    const script = 'mkdir -p $HOME/.config/git && echo "*.md" > $HOME/.config/git/ignore\n';
    expect((await attack(world, script, 'write docs/a.md A')).prLink).not.toBeNull();
  });
});

describe.concurrent('is left out, and the rest committed:', () => {
  test.each([
    ['a link into git', 'ln -s ../.git/config docs/cfg.md', [], 'docs/cfg.md'],
    [
      'more links than anybody makes',
      'mkdir l && cd l && for i in $(seq 1 400); do ln -s x $i; done',
      [],
      'l/',
    ],
    [
      'a file in the place of which a folder came',
      'rm LICENSE && mkdir LICENSE && echo x > LICENSE/a.md',
      ['**/*.md'],
      'LICENSE',
    ],
  ])('%s', async (_what, script, paths, leftOut) => {
    await using world = await startRunnerWorld({ paths });
    world.push('main', 'LICENSE', 'MIT\n');
    const end = await attack(world, script, 'write docs/a.md A');
    expect(end).toMatchObject({ status: 'completed', summary: expect.stringContaining(leftOut) });
    const [pull] = world.pulls;
    expect(world.git('diff', '--name-only', `main...${pull?.head}`).split('\n')).toContain('docs/a.md');
  });
});

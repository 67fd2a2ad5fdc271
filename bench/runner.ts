import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type RunnerWorld, startRunnerWorld } from '../test/runner/support/world.ts';
import { takeTurns } from './support/rounds.ts';
import { type Bench, compare } from './support/rows.ts';

const FILES = 5_000;
const FILE_BYTES = 2_000;
const QUEUED = 20;
const OURS = 'the runner';
const BARE = 'bare git';
const run = promisify(execFile);

export const runner: Bench = {
  about: `The runner's own share of a turn in a repository of ${FILES.toLocaleString('en')} files: fetch, work tree, commit, push and pull request, without the agent; and the memory that ${QUEUED} waiting jobs take. The reference is the same by bare git commands and one HTTP call.`,
  run: async (settings) => {
    await using world = await startRunnerWorld();
    const folder = join(world.root, 'clone', 'pages');
    mkdirSync(folder);
    for (let page = 0; page < (settings.quick ? 200 : FILES); page += 1)
      writeFileSync(join(folder, `${page}.md`), `${page} `.repeat(FILE_BYTES / 4));
    world.push('main', 'docs/last.md', 'Last\n');
    const bare = await startBare(world);
    const rounds = await takeTurns(
      [
        { name: OURS, measure: async () => ({ ms: await turnOf(world) }) },
        { name: BARE, measure: async () => ({ ms: await bare() }) },
      ],
      settings,
    );
    const memory = await takeTurns([{ name: OURS, measure: () => queue(world) }], {
      ...settings,
      rounds: 1,
      warmUpRounds: 0,
    });
    return [
      compare(rounds, {
        label: 'one turn',
        unit: 'ms',
        ours: [OURS, 'ms'],
        reference: [BARE, 'ms'],
        target: { atMost: 1.5 },
      }),
      compare(memory, {
        label: `${QUEUED} jobs, two at once: memory after, and before`,
        unit: 'MB',
        ours: [OURS, 'after'],
        reference: [OURS, 'before'],
      }),
    ];
  },
};

/** How long a turn took, without the agent's part, from its start to the end of its answer. */
async function turnOf(world: RunnerWorld): Promise<number> {
  const { id } = await world.create('write pages/1.md Another text');
  const end = await world.rested(id);
  if (end.prLink === null) throw new Error(`no pull request: ${end.reason}`);
  const line = world.log.findLast((each) => each.startsWith('turn_ended') && each.includes(id)) ?? '';
  const { duration_ms } = JSON.parse(line.slice('turn_ended '.length)) as { duration_ms: number };
  return duration_ms - Number(readFileSync(join(world.root, 'home', 'agent-ms'), 'utf8'));
}

async function queue(world: RunnerWorld) {
  const memory = () => {
    globalThis.gc?.();
    return process.memoryUsage().rss / 1e6;
  };
  const before = memory();
  const jobs = await Promise.all(
    Array.from({ length: QUEUED }, (_, at) => world.create(`write pages/${at}.md Text`)),
  );
  for (const { id } of jobs) await world.rested(id);
  const ended = world.log.filter((line) => line.startsWith('turn_ended')).slice(-QUEUED);
  const order = ended.map((line) => jobs.findIndex(({ id }) => line.includes(id)));
  // Two at once may pass each other, but nobody else.
  if (order.some((job, at) => Math.abs(job - at) > 1)) throw new Error(`not in order: ${order.join(' ')}`);
  return { before, after: memory() };
}

/** The same work by the commands that a person would give, in a clone that has been fetched before. */
async function startBare(world: RunnerWorld): Promise<() => Promise<number>> {
  const clone = join(world.root, 'reference');
  const git = (...args: readonly string[]) =>
    run('git', ['-c', 'user.name=Bob', '-c', 'user.email=bob@example.com', ...args]);
  await git('clone', '--quiet', '--bare', world.remote, clone);
  let turns = 0;
  return async () => {
    const worktree = join(world.root, `worktree-${turns}`);
    const branch = `docs-agent/bare-${turns++}`;
    const startMs = performance.now();
    await git('-C', clone, 'fetch', '--quiet', 'origin', '+refs/heads/main:refs/heads/main');
    await git('-C', clone, 'worktree', 'add', '--quiet', '-b', branch, worktree, 'main');
    const agentMs = performance.now();
    writeFileSync(join(worktree, 'pages', '1.md'), 'Another text\n');
    const editedMs = performance.now();
    await git('-C', worktree, 'add', '--all');
    await git('-C', worktree, 'commit', '--quiet', '--message', 'Another text');
    await git('-C', worktree, 'push', '--quiet', 'origin', branch);
    await world.openPull(branch);
    const tookMs = performance.now() - startMs - (editedMs - agentMs);
    rmSync(worktree, { recursive: true });
    return tookMs;
  };
}

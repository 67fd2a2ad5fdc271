import { expect, test } from 'vitest';
import type { RunnerProject } from '../../src/runner/settings.ts';
import { includes } from '../support/is.ts';
import { waitFor } from '../support/wait-for.ts';
import { type ApiJob, AS_CALLER, type RunnerWorld, startRunnerWorld } from './support/world.ts';

const jobs = (project: string, ...rest: string[]) => ['/v2/agent', project, 'job', ...rest].join('/');

/** Two repositories, and a runner that has both as its projects. */
async function start(hourlyLimit: number | null = null) {
  const docs = await startRunnerWorld();
  const handbook = await startRunnerWorld();
  handbook.git('branch', 'next', 'main');
  handbook.push('next', 'docs/next.md', 'Next');
  const ofHandbook: RunnerProject = {
    ...handbook.settings,
    id: 'handbook',
    branch: 'next',
    command: ['env', 'HERE=handbook', ...handbook.settings.command],
    paths: ['docs/**'],
    codeHostRepository: null,
  };
  const projects = [docs.settings, ofHandbook];
  const { codeHosts } = docs.settings;
  const world = await startRunnerWorld({ projects, codeHosts, hourlyLimit });
  const stop = async () => {
    for (const one of [world, handbook, docs]) await one[Symbol.asyncDispose]();
  };
  return { docs, handbook, world, projects, [Symbol.asyncDispose]: stop };
}

function rested(world: RunnerWorld, project: string, { id }: ApiJob): Promise<ApiJob> {
  const read = async () => (await world.call('GET', jobs(project, id))).body;
  return waitFor(read, ({ status }) => status !== 'active', { what: 'the job' });
}

function branchesOf({ git }: RunnerWorld): string {
  return git('for-each-ref', '--format=%(refname:short)', 'refs/heads/docs-agent');
}

test.concurrent('each project has its own repository, branch, command, files and pull requests', async () => {
  await using all = await start();
  const { docs, handbook, world } = all;
  const prompt = 'write docs/a.md A\nwrite other.md B\nenv HERE';
  const create = async (project: string) => (await world.call('POST', jobs(project), { prompt })).body;
  const [inDocs, inHandbook] = await Promise.all([create('docs'), create('handbook')]);
  const first = await rested(world, 'docs', inDocs);
  const second = await rested(world, 'handbook', inHandbook);
  expect(first).toMatchObject({
    status: 'completed',
    source: { repository: 'acme/docs', ref: null },
    summary: 'HERE is not set',
  });
  expect(second).toMatchObject({
    status: 'completed',
    source: { repository: handbook.remote, ref: 'next' },
    prLink: null,
    summary: 'HERE is handbook\n\nLeft out, since these files may not change here: other.md.',
  });
  expect(docs.pulls.map(({ html_url }) => html_url)).toEqual([first.prLink]);
  const changed = (world: RunnerWorld, base: string) =>
    world.git('diff', '--name-only', `${base}...${branchesOf(world)}`);
  expect(changed(docs, 'main')).toBe('docs/a.md\nother.md');
  expect(changed(handbook, 'next')).toBe('docs/a.md');
});

test.concurrent('a project knows nothing of the jobs, keys and limits of another', async () => {
  await using all = await start(1);
  const { world } = all;
  const headers = { ...AS_CALLER, 'idempotency-key': 'one' };
  const create = (project: string, prompt: string) => world.call('POST', jobs(project), { prompt }, headers);
  const mine = await create('docs', 'Mine');
  const yours = await create('handbook', 'Yours');
  expect([mine.status, yours.status]).toEqual([201, 201]);
  expect(yours.body.id).not.toBe(mine.body.id);
  const foreign = await Promise.all([
    world.call('GET', jobs('handbook', mine.body.id)),
    world.call('POST', jobs('handbook', mine.body.id, 'message'), { prompt: 'More' }),
    world.call('POST', jobs('handbook', mine.body.id, 'cancel')),
    world.call('GET', jobs('elsewhere', mine.body.id)),
  ]);
  expect(foreign.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  expect(await rested(world, 'docs', mine.body)).toMatchObject({ status: 'completed' });
});

test.concurrent('turns of a project that is no longer there do not run in another', async () => {
  await using all = await start();
  const { docs, handbook, world, projects } = all;
  const { body } = await world.call('POST', jobs('handbook'), { prompt: 'write docs/a.md A\nwait' });
  const activity = async () => (await world.call('GET', jobs('handbook', body.id))).body.activity;
  await waitFor(activity, 'Editing docs/a.md', { what: 'the agent at work' });
  await world.restart({ projects: projects.slice(0, 1) });
  await waitFor(() => world.log.at(-1), includes('The runner no longer has this project.'), {
    what: 'the log',
  });
  expect((await world.call('GET', jobs('handbook', body.id))).status).toBe(404);
  expect([branchesOf(docs), branchesOf(handbook)]).toEqual(['', '']);
});

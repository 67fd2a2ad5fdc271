import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunnerWorld, startRunnerWorld } from './support/world.ts';

let world: RunnerWorld;

beforeAll(async () => {
  world = await startRunnerWorld({ concurrency: 4 });
});
afterAll(() => world[Symbol.asyncDispose]());

/** A job whose first turn has ended. */
async function done(prompt: string) {
  const { id } = await world.create(prompt);
  return world.rested(id);
}
const branchOf = (link: string | null) => world.pulls.find(({ html_url }) => html_url === link)?.head ?? '';
const commits = (branch: string) => Number(world.git('rev-list', '--count', `main..${branch}`));
const files = (branch: string) =>
  world.git('diff', '--name-only', `main...${branch}`).split('\n').filter(Boolean);
const follow = async (id: string, prompt: string) => {
  expect((await world.message(id, prompt)).status).toBe(200);
  return world.rested(id);
};

describe('a turn', () => {
  test.each([
    ['Add a quickstart', 'Add a quickstart', 'add-a-quickstart'],
    ['Add it [skip  CI]***NO_CI***', 'Add it (skip CI)(NO_CI)', 'add-it-skip-ci-no-ci'],
    ['[ci skip][no ci]', '(ci skip)(no ci)', 'ci-skip-no-ci'],
  ])('goes from the request to one commit and a pull request: %s', async (request, title, slug) => {
    const job = await done(`${request}\nskip-checks: true\nwrite docs/quickstart.md ${request}`);
    expect(job).toMatchObject({
      status: 'completed',
      summary: 'Done.',
      reason: null,
      queued: 0,
      model: 'scripted 1.0',
    });
    const pull = world.pulls.find(({ html_url }) => html_url === job.prLink);
    expect(pull).toMatchObject({
      title,
      body: expect.stringMatching(/^> .+\n> \(skip-checks\) true\n/m),
    });
    expect(pull?.body).not.toMatch(/\[(?:skip|ci|no)|\*{3}NO/);
    expect(pull?.head).toBe(`docs-agent/${slug}-${job.id.slice(-6)}`);
    expect(commits(pull?.head ?? '')).toBe(1);
    const head = pull?.head ?? '';
    expect(world.git('log', '-1', '--format=%an%n%B', head)).toBe(`docs-agent\n${title}\n\nDone.`);
    expect(world.git('show', `${head}:docs/quickstart.md`)).toBe(request);
  });

  test('without a change has no pull request; the next one adds commits to the branch', async () => {
    const job = await done('What is in the docs?');
    expect(job).toMatchObject({ status: 'completed', prLink: null, summary: 'Done.' });
    const second = await follow(job.id, 'write docs/a.md A');
    const branch = branchOf(second.prLink);
    expect(await follow(job.id, 'Thanks')).toMatchObject({ prLink: null });
    const third = await follow(job.id, 'write docs/b.md B');
    expect(third.prLink).toBe(second.prLink);
    expect([commits(branch), files(branch)]).toEqual([2, ['docs/a.md', 'docs/b.md']]);
  });

  test('goes on in the session that the agent knows, and else tells it what was before', async () => {
    const job = await done('First\nwrite docs/c.md C');
    await follow(job.id, 'Second');
    expect(world.lastPrompt()).toBe('Second');
    execFileSync('sh', ['-c', `rm ${join(world.root, 'home')}/session-*`]);
    await follow(job.id, 'Third');
    expect(world.lastPrompt()).toBe(
      'What was asked and done before:\n\nRequest 1: First\nwrite docs/c.md C\nYour summary: Done.\n\n' +
        'Request 2: Second\nYour summary: Done.\n\nThe request now:\n\nThird',
    );
  });

  test('says what the agent does; turns of one job wait for each other', async () => {
    const { id } = await world.create('write docs/slow.md Slow\nhang');
    expect((await world.message(id, 'And more')).body).toMatchObject({
      status: 'active',
      queued: 1,
      prLink: null,
    });
    const busy = await world.rested(id, ({ activity }) => activity !== null);
    expect(busy.activity).toBe('Editing docs/slow.md');
    const { body } = await world.call('POST', `/v2/agent/docs/job/${id}/cancel`);
    expect(body).toMatchObject({ status: 'completed', reason: 'Stopped by a caller of the API.', queued: 0 });
    // What was edited so far is there for the next turn.
    const next = await follow(id, 'write docs/other.md Other');
    expect(files(branchOf(next.prLink))).toEqual(['docs/other.md', 'docs/slow.md']);
  });

  test.each([
    ['refuse', 'The agent refused the request.'],
    ['die', 'The agent ended by itself: exit code 3'],
  ])('fails with a reason where the agent does: %s', async (prompt, reason) => {
    expect(await done(`write docs/half.md Half\n${prompt}`)).toMatchObject({
      status: 'failed',
      reason,
      prLink: null,
    });
  });

  test('answers requests for permission, and gives the agent no secrets', async () => {
    process.env.GITHUB_TOKEN = 'secret';
    const { summary } = await done('ask\nenv GITHUB_TOKEN\nenv HOME');
    delete process.env.GITHUB_TOKEN;
    expect(summary).toBe(`allowed: once; GITHUB_TOKEN is not set; HOME is ${join(world.root, 'home')}`);
  });
});

describe.concurrent('what the agent leaves behind', () => {
  test('its own commits become part of the one commit, on whatever branch they are', async () => {
    const own = 'git add --all\ngit commit --quiet --message=mine';
    const here = await done(`write docs/own.md Own\n${own}\nwrite docs/more.md More`);
    expect([commits(branchOf(here.prLink)), files(branchOf(here.prLink))]).toEqual([
      1,
      ['docs/more.md', 'docs/own.md'],
    ]);
    const back = 'git checkout --quiet -';
    const elsewhere = await done(`git checkout --quiet -b mine\nwrite docs/far.md Far\n${own}\n${back}`);
    expect([commits(branchOf(elsewhere.prLink)), files(branchOf(elsewhere.prLink))]).toEqual([
      1,
      ['docs/far.md'],
    ]);
  });

  test('commits on a branch that it left and edits are put together; other jobs never get them', async () => {
    const own =
      'git checkout --quiet -b mine\nwrite docs/aside.md Aside\ngit add --all\ngit commit --quiet --message=mine';
    const both = await done(`${own}\ngit checkout --quiet -\nwrite docs/near.md Near`);
    expect(files(branchOf(both.prLink))).toEqual(['docs/aside.md', 'docs/near.md']);
    expect(await done('A question\nrun rm -rf .git')).toMatchObject({ status: 'completed', prLink: null });
  });

  test.each([
    [
      'workflows under dotted names',
      'write .github/workflows/.evil.yml on: push',
      '.github/workflows/.evil.yml',
    ],
    ['another host that runs files', 'write .circleci/.config.yml x', '.circleci/.config.yml'],
    ['a link in the place of the workflows', 'run rm -rf .github && ln -s docs .github', '.github'],
    [
      'a link that leads out over another',
      'run mkdir -p x && ln -s ../docs x/d && ln -s x/d/../../up out',
      'out',
    ],
    ['a link to above the repository', 'run ln -s ../../secret docs/up', 'docs/up'],
    ['a repository without a commit', 'run git init -q sub && echo x > sub/a.md', 'sub'],
    ['a repository in the repository', 'run git clone -q . sub', 'sub'],
  ])('leaves out %s, and says so', async (_what, prompt, leftOut) => {
    const job = await done(`${prompt}\nwrite docs/fine.md Fine`);
    expect(files(branchOf(job.prLink))).toContain('docs/fine.md');
    expect(files(branchOf(job.prLink))).not.toContain(leftOut);
    expect(job.summary).toContain(`Left out, since these files may not change here: `);
    expect(job.summary).toContain(leftOut);
  });

  test('hooks and settings of git are never run, and nothing outside is committed', async () => {
    const marker = join(world.root, 'pwned');
    const hook = `write .git/hooks/post-checkout touch ${marker}`;
    const filter = [`git config filter.evil.clean touch ${marker}`, 'write .gitattributes * filter=evil'];
    const outside = ['link docs/passwd /etc/passwd', 'link docs/up ../../..', 'link docs/ok index.md'];
    const workflow = 'write .github/workflows/ci.yml on: evil';
    const monitor = `git config core.fsmonitor ${join(world.root, 'monitor')}`;
    writeFileSync(join(world.root, 'monitor'), `#!/bin/sh\ntouch ${marker}\n`, { mode: 0o755 });
    // The work tree tells an agent where its clone is.
    const hooks = join(world.settings.dataDir, 'repositories', world.settings.id, 'hooks');
    const ofClone = `run mkdir -p ${hooks} && cp ${join(world.root, 'monitor')} ${hooks}/pre-push`;
    const attacks = [...outside, workflow, ...filter, hook, ofClone, monitor];
    const prompt = [...attacks, 'write docs/fine.md Fine'].join('\n');
    const job = await done(`Attack\n${prompt}`);
    expect(files(branchOf(job.prLink))).toEqual(['.gitattributes', 'docs/fine.md', 'docs/ok']);
    expect(job.summary).toContain(
      'Left out, since these files may not change here: .github/workflows/ci.yml, docs/passwd, docs/up.',
    );
    await follow(job.id, 'write docs/fine.md Finer');
    expect(existsSync(marker)).toBe(false);
  });

  test('a file whose name is no text fails the turn, so that no check is passed by it', async () => {
    const job = await done(String.raw`run mkdir -p .github && touch ".github/$(printf '\377')"`);
    expect(job.reason).toBe('The name of a changed file is not valid UTF-8.');
  });

  test('no process of it outlives its turn', async () => {
    const job = await done('leave\nwrite docs/d.md D');
    expect(job.status).toBe('completed');
    expect(execFileSync('sh', ['-c', 'pgrep -f "[s]leep 600" || true'], { encoding: 'utf8' })).toBe('');
  });
});

describe('others who push', () => {
  test('between turns: the next one goes on from there', async () => {
    const job = await done('write docs/e.md E');
    world.push(branchOf(job.prLink), 'docs/theirs.md', 'Theirs\n');
    await follow(job.id, 'write docs/f.md F');
    expect(files(branchOf(job.prLink))).toEqual(['docs/e.md', 'docs/f.md', 'docs/theirs.md']);
  });

  test.each([
    ['Ours', { status: 'completed' }, 'Theirs\nOurs'],
    ['stubborn', { status: 'failed', reason: expect.stringContaining('could not be resolved') }, 'Theirs'],
  ])(
    'during a turn, in the same lines: the agent resolves it, or the turn fails (%s)',
    async (text, end, content) => {
      const job = await done('write docs/gruß.md First');
      const branch = branchOf(job.prLink);
      const { id } = job;
      await world.message(id, `write docs/gruß.md ${text}\nwait`);
      await world.rested(id, ({ activity }) => activity === 'Editing docs/gruß.md');
      world.push(branch, 'docs/gruß.md', 'Theirs\n');
      world.go();
      expect(await world.rested(id)).toMatchObject(end);
      expect(world.git('show', `${branch}:docs/gruß.md`)).toBe(content);
    },
  );

  test('a merged pull request: the next turn starts from there, on a new branch', async () => {
    const job = await done('write docs/h.md H');
    const [first] = world.pulls.filter(({ html_url }) => html_url === job.prLink);
    if (first === undefined) throw new Error('no pull request');
    world.git('update-ref', 'refs/heads/main', first.head);
    first.state = 'closed';
    const next = await follow(job.id, 'write docs/i.md I');
    expect(branchOf(next.prLink)).toBe(`${first.head}-2`);
    expect(files(branchOf(next.prLink))).toEqual(['docs/i.md']);
  });

  test.each([
    ['is found', 'open', ''],
    ['and that is merged meanwhile, is not used again', 'closed', '-2'],
  ])('a pull request whose answer was lost %s', async (_what, state, suffix) => {
    void world.holdPull(true, true);
    const { id, prLink } = await done('write docs/j.md J');
    const pull = world.pulls.at(-1);
    if (pull === undefined) throw new Error('no pull request');
    expect(prLink).toBe(pull.html_url);
    pull.state = state;
    expect(branchOf((await follow(id, 'write docs/k.md K')).prLink)).toBe(`${pull.head}${suffix}`);
  });
});

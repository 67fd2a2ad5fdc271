import { describe, expect, test } from 'vitest';
import { factsOf, lookingAt, START_MS } from './hosts.ts';

const repository = 'group/sub/docs';

describe('a merge request at GitLab (P1)', () => {
  test('is described by title, state, size and times', async () => {
    await using at = await lookingAt('gitlab');
    const pull = at.host.open({
      repository,
      title: 'Add a *quickstart*',
      description: '## What\n\nA **first** step.',
    });
    await at.clock.advance(60_000);
    pull.push();
    expect(await factsOf(at.look(pull))).toEqual({
      title: 'Add a *quickstart*',
      description: 'A first step.',
      state: 'open',
      openedAtMs: START_MS,
      updatedAtMs: START_MS + 60_000,
      size: { files: 3, lines: { added: 120, removed: 8 } },
      pages: ['page-0.md', 'page-1.md', 'page-2.md'],
    });
  });

  test('shows who merged it, who closed it, and that it was opened again', async () => {
    await using at = await lookingAt('gitlab');
    const pull = at.host.open({ repository, isDraft: true });
    expect(await factsOf(at.look(pull))).toMatchObject({ state: 'draft' });
    pull.close('bob');
    const closed = { state: 'closed', endedBy: 'bob' };
    expect(await factsOf(at.look(pull))).toMatchObject(closed);
    pull.reopen();
    expect(Object.keys(await factsOf(at.look(pull)))).not.toContain('endedBy');
    pull.merge('alice');
    const merged = { state: 'merged', endedBy: 'alice' };
    expect(await factsOf(at.look(pull))).toMatchObject(merged);
  });

  test('names at most five changed pages, also where GitLab leaves out diffs (W6)', async () => {
    await using at = await lookingAt('gitlab');
    const pages = ['a.mdx', 'guide/b.MD', 'c.rst', 'd.adoc', 'e.html', 'f.md'];
    const pull = at.host.open({ repository, files: ['logo.png', ...pages] });
    expect(await factsOf(at.look(pull))).toMatchObject({ pages: pages.slice(0, 5) });
    pull.hasLongDiffs = true;
    pull.push();
    expect(await factsOf(at.look(pull))).toMatchObject({ pages: pages.slice(0, 5) });
  });

  test('with 10,000 files has as many as GitLab counts', async () => {
    await using at = await lookingAt('gitlab');
    const pull = at.host.open({ repository, size: { files: 10_000, added: 1, removed: 1 } });
    expect(await factsOf(at.look(pull))).toMatchObject({ size: { files: 1_000, lines: null } });
  });

  test.each([
    ['success', 'passing'],
    ['failed', 'failing'],
    ['canceled', 'failing'],
    ['manual', 'pending'],
    [null, 'pending'],
  ] as const)('whose last pipeline says %s is %s', async (status, checks) => {
    await using at = await lookingAt('gitlab');
    const pull = at.host.open({ repository });
    pull.check('first', 'failed');
    pull.check('last', status);
    expect(await factsOf(at.look(pull))).toMatchObject({ checks });
    pull.push();
    expect(await factsOf(at.look(pull))).not.toHaveProperty('checks');
  });

  test('has no lines where GitLab leaves out diffs, or has none in its API, or not for this token', async () => {
    await using at = await lookingAt('gitlab');
    const pull = at.host.open({ repository });
    const size = { files: 3, lines: null };
    pull.hasLongDiffs = true;
    expect(await factsOf(at.look(pull))).toMatchObject({ size });
    // Before 18.4, nothing but the empty diff says so.
    pull.saysWhatIsLeftOut = false;
    pull.push();
    expect(await factsOf(at.look(pull))).toMatchObject({ size });
    pull.hasLongDiffs = false;
    expect(await factsOf(at.look(pull))).toMatchObject({
      size: { files: 3, lines: { added: 120, removed: 8 } },
    });
    at.host.failAt(/diffs/, { status: 404 });
    expect(await factsOf(at.look(pull))).toMatchObject({ size });
    expect(at.logged.filter(({ event }) => event === 'code_host_permission_missing')).toEqual([]);
    at.host.failAt(/diffs/, null);
    at.host.withhold('diffs');
    pull.push();
    expect(await factsOf(at.look(pull))).toMatchObject({ size });
    expect(at.logged.find(({ event }) => event === 'code_host_permission_missing')?.fields).toMatchObject({
      ...{ lost: 'size', permissions: ['read_api'] },
    });
  });

  test('does not pass because a docs host says so: its own pipeline counts, too', async () => {
    await using at = await lookingAt('gitlab');
    const pull = at.host.open({ repository });
    pull.check('build', 'failed');
    pull.status('docs host', 'success');
    expect(await factsOf(at.look(pull))).toMatchObject({ checks: 'failing' });
    pull.check('build again', 'success');
    expect(await factsOf(at.look(pull))).toMatchObject({ checks: 'passing' });
    pull.status('docs host', 'failed');
    expect(await factsOf(at.look(pull))).toMatchObject({ checks: 'failing' });
  });

  test.each([
    ['nobody', [], undefined],
    ['somebody who approves', [['alice', 'APPROVED']], 'approved'],
    [
      'somebody who wants changes',
      [
        ['alice', 'APPROVED'],
        ['bob', 'CHANGES_REQUESTED'],
      ],
      'changes_requested',
    ],
    ['somebody who comments', [['alice', 'COMMENTED']], undefined],
  ] as const)('is reviewed by %s', async (_who, reviews, review) => {
    await using at = await lookingAt('gitlab');
    const pull = at.host.open({ repository });
    for (const [by, state] of reviews) pull.review(by, state);
    expect((await factsOf(at.look(pull))).review).toBe(review);
  });

  test('has its preview where the commit was deployed to', async () => {
    await using at = await lookingAt('gitlab');
    const pull = at.host.open({ repository });
    pull.deploy('https://review-1.docs.example/');
    pull.deploy('https://docs.example/', { isProduction: true });
    const preview = { previewUrl: 'https://review-1.docs.example/' };
    expect(await factsOf(at.look(pull))).toMatchObject(preview);
    pull.push();
    expect(await factsOf(at.look(pull))).not.toHaveProperty('previewUrl');
  });

  test.each([
    ['project_7_bot_a1b2', 'https://docs-1.netlify.app/'],
    ['mallory', undefined],
    ['my_project_7_bot', undefined],
  ])('or what a docs host wrote: %s', async (by, address) => {
    await using at = await lookingAt('gitlab');
    const pull = at.host.open({ repository });
    pull.comment(by, 'Preview: https://docs-1.netlify.app/');
    expect((await factsOf(at.look(pull))).previewUrl).toBe(address);
  });

  test('costs nothing where nothing has changed, and is asked for by its path alone', async () => {
    await using at = await lookingAt('gitlab');
    const pull = at.host.open({ repository });
    pull.review('alice', 'APPROVED');
    const facts = await factsOf(at.look(pull));
    const asked = at.host.requests.length;
    expect(await factsOf(at.look(pull))).toEqual(facts);
    expect(new Set(at.host.requests.slice(asked).map(({ status }) => status))).toEqual(new Set([304]));
    const other = at.host.requests.filter(
      ({ path }) => !path.startsWith('/api/v4/projects/group%2Fsub%2Fdocs/'),
    );
    expect(other).toEqual([]);
  });

  test.each(['pipelines', 'approvals', 'deployments', 'diffs'])(
    'is seen without its %s, if these are not for the token',
    async (what) => {
      await using at = await lookingAt('gitlab');
      const pull = at.host.open({ repository });
      pull.check('build', 'success');
      pull.review('alice', 'APPROVED');
      pull.comment('project_7_bot', 'https://docs-1.netlify.app/');
      const lost = { pipelines: 'checks', approvals: 'review', deployments: 'nothing', diffs: 'pages' }[what];
      const all = Object.keys(await factsOf(at.look(pull)));
      at.host.withhold(what);
      const facts = await factsOf(at.look(pull));
      expect(all.filter((name) => !(name in facts))).toEqual(lost === 'nothing' ? [] : [lost]);
    },
  );
});

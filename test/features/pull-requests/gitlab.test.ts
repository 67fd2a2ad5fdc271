import { describe, expect, test } from 'vitest';
import { lookingAt } from './hosts.ts';

const repository = 'group/sub/docs';

describe('a merge request at GitLab (P1)', () => {
  test('shows who merged it, who closed it, and that it was opened again', async () => {
    await using at = await lookingAt('gitlab');
    const pull = at.host.open({ repository, isDraft: true });
    expect(await at.facts(pull)).toMatchObject({ state: 'draft' });
    pull.close('bob');
    const closed = { state: 'closed', endedBy: 'bob' };
    expect(await at.facts(pull)).toMatchObject(closed);
    pull.reopen();
    expect(Object.keys(await at.facts(pull))).not.toContain('endedBy');
    pull.merge('alice');
    const merged = { state: 'merged', endedBy: 'alice' };
    expect(await at.facts(pull)).toMatchObject(merged);
  });

  test('names at most five changed pages, also where GitLab leaves out diffs (W6)', async () => {
    await using at = await lookingAt('gitlab');
    const pages = ['a.mdx', 'guide/b.MD', 'c.rst', 'd.adoc', 'e.html', 'f.md'];
    const pull = at.host.open({ repository, files: ['logo.png', ...pages] });
    expect(await at.facts(pull)).toMatchObject({ pages: pages.slice(0, 5) });
    pull.hasLongDiffs = true;
    pull.push();
    expect(await at.facts(pull)).toMatchObject({ pages: pages.slice(0, 5) });
  });

  test.each([
    ['success', 'passing'],
    ['failed', 'failing'],
    ['canceled', 'failing'],
    ['manual', 'pending'],
    [null, 'pending'],
  ] as const)('whose last pipeline says %s is %s', async (status, checks) => {
    await using at = await lookingAt('gitlab');
    at.pull.check('first', 'failed');
    at.pull.check('last', status);
    expect(await at.facts()).toMatchObject({ checks });
    at.pull.push();
    expect(await at.facts()).not.toHaveProperty('checks');
  });

  test('has no lines where GitLab leaves out diffs, or has none in its API, or not for this token', async () => {
    await using at = await lookingAt('gitlab');
    const size = { files: 3, lines: null };
    at.pull.hasLongDiffs = true;
    expect(await at.facts()).toMatchObject({ size });
    // Before 18.4, nothing but the empty diff says so.
    at.pull.saysWhatIsLeftOut = false;
    at.pull.push();
    expect(await at.facts()).toMatchObject({ size });
    at.pull.hasLongDiffs = false;
    expect(await at.facts()).toMatchObject({
      size: { files: 3, lines: { added: 120, removed: 8 } },
    });
    at.host.failAt(/diffs/, { status: 404 });
    expect(await at.facts()).toMatchObject({ size });
    expect(at.logged.filter(({ event }) => event === 'code_host_permission_missing')).toEqual([]);
    at.host.failAt(/diffs/, null);
    at.host.withhold('diffs');
    at.pull.push();
    expect(await at.facts()).toMatchObject({ size });
    expect(at.logged.find(({ event }) => event === 'code_host_permission_missing')?.fields).toMatchObject({
      ...{ lost: 'size', permissions: ['read_api'] },
    });
  });

  test('does not pass because a docs host says so: its own pipeline counts, too', async () => {
    await using at = await lookingAt('gitlab');
    at.pull.check('build', 'failed');
    at.pull.status('docs host', 'success');
    expect(await at.facts()).toMatchObject({ checks: 'failing' });
    at.pull.check('build again', 'success');
    expect(await at.facts()).toMatchObject({ checks: 'passing' });
    at.pull.status('docs host', 'failed');
    expect(await at.facts()).toMatchObject({ checks: 'failing' });
  });

  test.each([
    ['nobody', '', undefined],
    ['somebody who approves', 'alice APPROVED', 'approved'],
    ['somebody who wants changes', 'alice APPROVED, bob CHANGES_REQUESTED', 'changes_requested'],
    ['somebody who comments', 'alice COMMENTED', undefined],
  ])('is reviewed by %s: %s', async (_who, reviews, review) => {
    await using at = await lookingAt('gitlab');
    for (const [, by = '', state = ''] of reviews.matchAll(/(\w+) (\w+)/g)) at.pull.review(by, state);
    expect((await at.facts()).review).toBe(review);
  });

  test('has its preview where the commit was deployed to', async () => {
    await using at = await lookingAt('gitlab');
    at.pull.deploy('https://review-1.docs.example/');
    at.pull.deploy('https://docs.example/', { isProduction: true });
    const preview = { previewUrl: 'https://review-1.docs.example/' };
    expect(await at.facts()).toMatchObject(preview);
    at.pull.push();
    expect(await at.facts()).not.toHaveProperty('previewUrl');
  });

  test.each([
    ['project_7_bot_a1b2', 'https://docs-1.netlify.app/'],
    ['mallory', undefined],
    ['my_project_7_bot', undefined],
  ])('or what a docs host wrote: %s', async (by, address) => {
    await using at = await lookingAt('gitlab');
    at.pull.comment(by, 'Preview: https://docs-1.netlify.app/');
    expect((await at.facts()).previewUrl).toBe(address);
  });

  test('costs nothing where nothing has changed, and is asked for by its path alone', async () => {
    await using at = await lookingAt('gitlab');
    const pull = at.host.open({ repository });
    pull.review('alice', 'APPROVED');
    const facts = await at.facts(pull);
    const asked = at.host.requests.length;
    expect(await at.facts(pull)).toEqual(facts);
    expect(new Set(at.host.requests.slice(asked).map(({ status }) => status))).toEqual(new Set([304]));
    const other = at.host.requests.filter(
      ({ path }) => !path.startsWith('/api/v4/projects/group%2Fsub%2Fdocs/'),
    );
    expect(other).toEqual([]);
  });
});

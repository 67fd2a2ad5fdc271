import { describe, expect, test } from 'vitest';
import { factsOf, lookingAtGithub, START_MS } from './hosts.ts';

const preview = 'https://docs-git-change.vercel.app/';

describe('a pull request at GitHub (P1)', () => {
  test('is described by title, state, size and times', async () => {
    await using at = await lookingAtGithub();
    const pull = at.host.open({
      repository: 'acme/docs',
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

  test('shows who merged it, and when', async () => {
    await using at = await lookingAtGithub();
    const pull = at.host.open({ repository: 'acme/docs' });
    await at.clock.advance(5_000);
    pull.merge('alice');
    expect(await factsOf(at.look(pull))).toMatchObject({
      state: 'merged',
      endedBy: 'alice',
    });
  });

  test('shows who closed it, and that it was opened again', async () => {
    await using at = await lookingAtGithub();
    const pull = at.host.open({ repository: 'acme/docs', isDraft: true });
    expect(await factsOf(at.look(pull))).toMatchObject({ state: 'draft' });
    pull.close('bob');
    expect(await factsOf(at.look(pull))).toMatchObject({ state: 'closed', endedBy: 'bob' });
    pull.reopen();
    const facts = await factsOf(at.look(pull));
    expect(facts.state).toBe('draft');
    expect(facts).not.toHaveProperty('endedBy');
  });

  test('that was closed is closed, though nobody may say by whom', async () => {
    await using at = await lookingAtGithub();
    const pull = at.host.open({ repository: 'acme/docs' });
    pull.close('bob');
    at.host.withhold('Issues');
    const facts = await factsOf(at.look(pull));
    expect(facts.state).toBe('closed');
    expect(facts).not.toHaveProperty('endedBy');
  });

  test('names at most five changed pages, and no other files (W6)', async () => {
    await using at = await lookingAtGithub();
    const pages = ['a.mdx', 'guide/b.MD', 'c.rst', '<!here>.adoc', 'e.html', 'f.md'];
    const files = ['logo.png', 'src/index.ts', `${'x'.repeat(300)}.md`, ...pages];
    const pull = at.host.open({ repository: 'acme/docs', files });
    expect(await factsOf(at.look(pull))).toMatchObject({ pages: pages.slice(0, 5) });
    const other = at.host.open({ repository: 'acme/docs', files: files.slice(0, 3) });
    expect(await factsOf(at.look(other))).not.toHaveProperty('pages');
  });

  test('keeps everything else if its files cannot be read (W6)', async () => {
    await using at = await lookingAtGithub();
    const pull = at.host.open({ repository: 'acme/docs' });
    pull.check('build', 'success');
    at.host.failAt(/files/, { status: 403 });
    const facts = await factsOf(at.look(pull));
    expect(facts).toMatchObject({ checks: 'passing', size: { files: 3 } });
    expect(facts).not.toHaveProperty('pages');
  });

  test('with 10,000 files has them counted, and only the first hundred read', async () => {
    await using at = await lookingAtGithub();
    const size = { files: 10_000, added: 2_000_000, removed: 1 };
    const pull = at.host.open({ repository: 'acme/docs', size });
    expect(await factsOf(at.look(pull))).toMatchObject({
      size: { files: 10_000, lines: { added: 2_000_000, removed: 1 } },
    });
    const asked = at.host.requests.flatMap(({ path }) => /files.*/.exec(path) ?? []);
    expect(asked).toEqual(['files?per_page=100']);
  });

  test('has a title that is left as it is, whatever is in it, and cut', async () => {
    await using at = await lookingAtGithub();
    const title = '<!channel> <https://evil.example|click> *bold* \u202Eright to left';
    const pull = at.host.open({ repository: 'acme/docs', title });
    expect(await factsOf(at.look(pull))).toMatchObject({ title });
    pull.title = `\0${'x'.repeat(299)}🎉🎉`;
    expect(await factsOf(at.look(pull))).toMatchObject({ title: 'x'.repeat(299) });
  });
});

test('a team whose review is wanted is no account of the same name (P5)', async () => {
  await using at = await lookingAtGithub();
  const pull = at.host.open({ repository: 'acme/docs' });
  const asked = { requested_reviewers: [{ login: 'writers' }], requested_teams: [{ slug: 'writers' }] };
  at.host.failAt(/pulls\/\d+$/, { status: 200, body: { title: 'Pages', state: 'open', ...asked } });
  expect((await factsOf(at.look(pull))).reviewers?.map(({ name }) => name)).toEqual([
    'writers',
    'team writers',
  ]);
});

describe('its checks', () => {
  test.each([
    ['that none has reported yet are not spoken of', [], undefined],
    ['pass if all pass', ['success', 'neutral', 'skipped'], 'passing'],
    ['are pending while one is at work', ['success', null], 'pending'],
    ['fail if one fails, though others are at work', ['failure', null], 'failing'],
    ['fail if one was cancelled', ['cancelled', 'success'], 'failing'],
    ['are pending with a conclusion that nobody knows', ['a new one'], 'pending'],
  ] as const)('%s', async (_what, conclusions, checks) => {
    await using at = await lookingAtGithub();
    const pull = at.host.open({ repository: 'acme/docs' });
    conclusions.forEach((conclusion, index) => {
      pull.check(`check ${index}`, conclusion);
    });
    expect((await factsOf(at.look(pull))).checks).toBe(checks);
  });

  test('are also those that report as a commit status', async () => {
    await using at = await lookingAtGithub();
    const pull = at.host.open({ repository: 'acme/docs' });
    pull.check('build', 'success');
    pull.status('netlify', 'failure');
    expect(await factsOf(at.look(pull))).toMatchObject({ checks: 'failing' });
  });

  test('are those of GitHub Actions where the token may not read checks, as a fine-grained one', async () => {
    await using at = await lookingAtGithub();
    const pull = at.host.open({ repository: 'acme/docs' });
    pull.check('build', 'failure');
    at.host.withhold('Checks');
    expect(await factsOf(at.look(pull))).toMatchObject({ checks: 'failing' });
  });

  test('of GitHub Actions are read page by page, and not said to pass while some are unread', async () => {
    await using at = await lookingAtGithub();
    const pull = at.host.open({ repository: 'acme/docs' });
    for (let index = 0; index < 100; index += 1) pull.check(`build ${index}`, 'success');
    at.host.withhold('Checks');
    expect(await factsOf(at.look(pull))).toMatchObject({ checks: 'passing' });
    pull.check('build 100', 'failure');
    expect(await factsOf(at.look(pull))).toMatchObject({ checks: 'failing' });
    for (let index = 0; index < 301; index += 1) pull.check(`build ${index}`, 'success');
    expect(await factsOf(at.look(pull))).toMatchObject({ checks: 'pending' });
  });

  test.each([
    ['Commit statuses', ['Commit statuses']],
    ['Checks and Actions', ['Checks', 'Actions']],
  ])('are not said to pass while %s may not be read, but a failure is a failure', async (_what, lacking) => {
    await using at = await lookingAtGithub();
    const pull = at.host.open({ repository: 'acme/docs' });
    pull.check('build', 'success');
    pull.status('docs host', 'success');
    expect(await factsOf(at.look(pull))).toMatchObject({ checks: 'passing' });
    for (const permission of lacking) at.host.withhold(permission);
    expect(await factsOf(at.look(pull))).not.toHaveProperty('checks');
    pull.check('build', 'failure');
    pull.status('docs host', 'failure');
    expect(await factsOf(at.look(pull))).toMatchObject({ checks: 'failing' });
    const told = at.logged.find(({ event }) => event === 'code_host_permission_missing');
    expect(told?.fields).toMatchObject({ lost: 'checks', permissions: [lacking.join(' or ')] });
  });

  test('of an older commit are forgotten', async () => {
    await using at = await lookingAtGithub();
    const pull = at.host.open({ repository: 'acme/docs' });
    pull.check('build', 'failure');
    pull.deploy(preview);
    expect(await factsOf(at.look(pull))).toMatchObject({ checks: 'failing', previewUrl: preview });
    pull.push();
    at.host.failAt(/commits|deployments/, { status: 500 });
    const facts = await factsOf(at.look(pull));
    expect(facts).not.toHaveProperty('checks');
    expect(facts).not.toHaveProperty('previewUrl');
  });

  test('are read page by page, and not passed while some are unread', async () => {
    await using at = await lookingAtGithub();
    const pull = at.host.open({ repository: 'acme/docs' });
    for (let index = 0; index < 150; index += 1) pull.check(`check ${index}`, 'success');
    expect(await factsOf(at.look(pull))).toMatchObject({ checks: 'passing' });
    pull.check('check 149', 'failure');
    expect(await factsOf(at.look(pull))).toMatchObject({ checks: 'failing' });
    for (let index = 0; index < 301; index += 1) pull.check(`check ${index}`, 'success');
    expect(await factsOf(at.look(pull))).toMatchObject({ checks: 'pending' });
  });
});

describe('its review', () => {
  test.each([
    ['is nothing before anybody reviews', [], undefined],
    ['is nothing after comments', [['alice', 'COMMENTED']], undefined],
    ['is an approval', [['alice', 'APPROVED']], 'approved'],
    [
      'is an approval, though the reviewer comments on',
      [
        ['alice', 'APPROVED'],
        ['alice', 'COMMENTED'],
      ],
      'approved',
    ],
    [
      'is the last opinion',
      [
        ['alice', 'CHANGES_REQUESTED'],
        ['alice', 'APPROVED'],
      ],
      'approved',
    ],
    [
      'wants changes if one reviewer does',
      [
        ['alice', 'CHANGES_REQUESTED'],
        ['bob', 'APPROVED'],
      ],
      'changes_requested',
    ],
    [
      'is nothing once it was dismissed',
      [
        ['alice', 'APPROVED'],
        ['alice', 'DISMISSED'],
      ],
      undefined,
    ],
  ] as const)('%s', async (_what, reviews, review) => {
    await using at = await lookingAtGithub();
    const pull = at.host.open({ repository: 'acme/docs' });
    for (const [by, state] of reviews) pull.review(by, state);
    expect((await factsOf(at.look(pull))).review).toBe(review);
  });
});

describe('its preview', () => {
  test('is where the commit was deployed to', async () => {
    await using at = await lookingAtGithub();
    const pull = at.host.open({ repository: 'acme/docs' });
    pull.deploy('https://docs.acme.example/', { isProduction: true });
    pull.deploy('https://failed.example/', { state: 'failure' });
    pull.deploy('http://not-encrypted.example/');
    pull.deploy('https://user:password@docs.example/');
    pull.deploy(preview);
    expect(await factsOf(at.look(pull))).toMatchObject({ previewUrl: preview });
  });

  test('is never what a deployment says that is no public address', async () => {
    await using at = await lookingAtGithub();
    const pull = at.host.open({ repository: 'acme/docs' });
    pull.deploy('javascript:alert(1)');
    pull.deploy('http://not-encrypted.example/');
    pull.deploy('https://user:password@docs.example/');
    expect(await factsOf(at.look(pull))).not.toHaveProperty('previewUrl');
  });

  test.each([
    [
      'mintlify[bot]',
      'Preview: [docs](https://acme-1.mintlify.app/page) https://dashboard.mintlify.com/',
      'https://acme-1.mintlify.app/page',
    ],
    [
      'netlify[bot]',
      '| 😎 Deploy | https://deploy-1--acme.netlify.app |',
      'https://deploy-1--acme.netlify.app/',
    ],
    ['vercel[bot]', '<a href="https://docs-1.vercel.app">Visit</a>', 'https://docs-1.vercel.app/'],
    [
      'cloudflare-workers-and-pages[bot]',
      "<a href='https://abc.docs.pages.dev'>",
      'https://abc.docs.pages.dev/',
    ],
    ['mallory', 'https://evil.vercel.app/', undefined],
    ['github-actions[bot]', 'https://evil.vercel.app/', undefined],
    [
      'vercel[bot]',
      'https://evil-vercel.app/ https://vercel.app.example/ https://a@b.vercel.app/',
      undefined,
    ],
  ])('is what %s writes: %s', async (by, words, address) => {
    await using at = await lookingAtGithub();
    const pull = at.host.open({ repository: 'acme/docs' });
    pull.comment(by, words);
    pull.comment('alice', 'Looks good');
    expect((await factsOf(at.look(pull))).previewUrl).toBe(address);
  });
});

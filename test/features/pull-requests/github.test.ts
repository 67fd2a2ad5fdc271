import { describe, expect, test } from 'vitest';
import { lookingAtGithub } from './hosts.ts';

const preview = 'https://docs-git-change.vercel.app/';

describe('a pull request at GitHub (P1)', () => {
  test('shows who closed or merged it, and that it was opened again', async () => {
    await using at = await lookingAtGithub();
    const pull = at.host.open({ repository: 'acme/docs', isDraft: true });
    expect(await at.facts(pull)).toMatchObject({ state: 'draft' });
    pull.close('bob');
    expect(await at.facts(pull)).toMatchObject({ state: 'closed', endedBy: 'bob' });
    pull.reopen();
    const facts = await at.facts(pull);
    expect(facts.state).toBe('draft');
    expect(facts).not.toHaveProperty('endedBy');
    pull.merge('alice');
    expect(await at.facts(pull)).toMatchObject({ state: 'merged', endedBy: 'alice' });
  });

  test('that was closed is closed, though nobody may say by whom', async () => {
    await using at = await lookingAtGithub();
    at.pull.close('bob');
    at.host.withhold('Issues');
    const facts = await at.facts();
    expect(facts.state).toBe('closed');
    expect(facts).not.toHaveProperty('endedBy');
  });

  test('names at most five changed pages, and no other files (W6)', async () => {
    await using at = await lookingAtGithub();
    const pages = ['a.mdx', 'guide/b.MD', 'c.rst', '<!here>.adoc', 'e.html', 'f.md'];
    const files = ['logo.png', 'src/index.ts', `${'x'.repeat(300)}.md`, ...pages];
    const pull = at.host.open({ repository: 'acme/docs', files });
    expect(await at.facts(pull)).toMatchObject({ pages: pages.slice(0, 5) });
    const other = at.host.open({ repository: 'acme/docs', files: files.slice(0, 3) });
    expect(await at.facts(other)).not.toHaveProperty('pages');
  });

  test('has a title that is left as it is, whatever is in it, and cut', async () => {
    await using at = await lookingAtGithub();
    const title = '<!channel> <https://evil.example|click> *bold* \u202Eright to left';
    const pull = at.host.open({ repository: 'acme/docs', title });
    expect(await at.facts(pull)).toMatchObject({ title });
    pull.title = `\0${'x'.repeat(299)}🎉🎉`;
    expect(await at.facts(pull)).toMatchObject({ title: 'x'.repeat(299) });
  });
});

test('a team whose review is wanted is no account of the same name (P5)', async () => {
  await using at = await lookingAtGithub();
  const asked = { requested_reviewers: [{ login: 'writers' }], requested_teams: [{ slug: 'writers' }] };
  at.host.failAt(/pulls\/\d+$/, { status: 200, body: { title: 'Pages', state: 'open', ...asked } });
  expect((await at.facts()).reviewers?.map(({ name }) => name)).toEqual(['writers', 'team writers']);
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
    conclusions.forEach((conclusion, index) => {
      at.pull.check(`check ${index}`, conclusion);
    });
    expect((await at.facts()).checks).toBe(checks);
  });

  test.each([
    ['Commit statuses', ['Commit statuses']],
    ['Checks and Actions', ['Checks', 'Actions']],
  ])('are not said to pass while %s may not be read, but a failure is a failure', async (_what, lacking) => {
    await using at = await lookingAtGithub();
    at.pull.check('build', 'success');
    at.pull.status('docs host', 'success');
    expect(await at.facts()).toMatchObject({ checks: 'passing' });
    for (const permission of lacking) at.host.withhold(permission);
    expect(await at.facts()).not.toHaveProperty('checks');
    at.pull.check('build', 'failure');
    at.pull.status('docs host', 'failure');
    expect(await at.facts()).toMatchObject({ checks: 'failing' });
    const told = at.logged.find(({ event }) => event === 'code_host_permission_missing');
    expect(told?.fields).toMatchObject({ lost: 'checks', permissions: [lacking.join(' or ')] });
  });

  test('of an older commit are forgotten', async () => {
    await using at = await lookingAtGithub();
    at.pull.check('build', 'failure');
    at.pull.deploy(preview);
    expect(await at.facts()).toMatchObject({ checks: 'failing', previewUrl: preview });
    at.pull.push();
    at.host.failAt(/commits|deployments/, { status: 500 });
    const facts = await at.facts();
    expect(facts).not.toHaveProperty('checks');
    expect(facts).not.toHaveProperty('previewUrl');
  });

  test.each([
    ['of any App', 150, []],
    ['of GitHub Actions, where the token may not read others', 100, ['Checks']],
  ])('%s are read page by page, and not passed while some are unread', async (_of, count, lacking) => {
    await using at = await lookingAtGithub();
    for (const permission of lacking) at.host.withhold(permission);
    for (let index = 0; index < count; index += 1) at.pull.check(`check ${index}`, 'success');
    expect(await at.facts()).toMatchObject({ checks: 'passing' });
    at.pull.check(`check ${count}`, 'failure');
    expect(await at.facts()).toMatchObject({ checks: 'failing' });
    for (let index = 0; index < 301; index += 1) at.pull.check(`check ${index}`, 'success');
    expect(await at.facts()).toMatchObject({ checks: 'pending' });
  });
});

describe('its review', () => {
  test.each([
    ['is nothing before anybody reviews', '', undefined],
    ['is nothing after comments', 'alice COMMENTED', undefined],
    ['is an approval', 'alice APPROVED', 'approved'],
    ['is an approval, though the reviewer comments on', 'alice APPROVED, alice COMMENTED', 'approved'],
    ['is the last opinion', 'alice CHANGES_REQUESTED, alice APPROVED', 'approved'],
    ['wants changes if one reviewer does', 'alice CHANGES_REQUESTED, bob APPROVED', 'changes_requested'],
    ['is nothing once it was dismissed', 'alice APPROVED, alice DISMISSED', undefined],
  ])('%s: %s', async (_what, reviews, review) => {
    await using at = await lookingAtGithub();
    for (const [, by = '', state = ''] of reviews.matchAll(/(\w+) (\w+)/g)) at.pull.review(by, state);
    expect((await at.facts()).review).toBe(review);
  });
});

describe('its preview', () => {
  test('is where the commit was deployed to', async () => {
    await using at = await lookingAtGithub();
    at.pull.deploy('https://docs.acme.example/', { isProduction: true });
    at.pull.deploy('https://failed.example/', { state: 'failure' });
    at.pull.deploy('http://not-encrypted.example/');
    at.pull.deploy('https://user:password@docs.example/');
    at.pull.deploy(preview);
    expect(await at.facts()).toMatchObject({ previewUrl: preview });
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
    at.pull.comment(by, words);
    at.pull.comment('alice', 'Looks good');
    expect((await at.facts()).previewUrl).toBe(address);
  });
});

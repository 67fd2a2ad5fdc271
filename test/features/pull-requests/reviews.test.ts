import { describe, expect, test } from 'vitest';
import { type Looking, lookingAsApp, lookingAt, lookingAtGithub } from './hosts.ts';

const repository = 'acme/docs';
const kinds = ['github', 'gitlab'] as const;

async function commentsOf(at: Looking, kind: (typeof kinds)[number], pull: Looking['pull']) {
  const { requests = [] } = await at.facts(pull);
  const found = await at.hosts.reviewComments(at.host[`${kind}Link`](pull), requests.at(-1)?.key ?? '');
  if (!('comments' in found)) throw new Error(`not read: ${JSON.stringify(found)}`);
  return found;
}

describe('failing checks are named (P5)', () => {
  test('at GitHub, with those that report as a commit status', async () => {
    await using at = await lookingAtGithub();
    at.pull.check('build', 'failure');
    at.pull.check('lint', 'success');
    at.pull.status('netlify', 'failure');
    const url = `${at.host.githubLink(at.pull)}/checks?check_run_id=1`;
    const { failing } = await at.facts();
    expect(failing).toMatchObject({
      key: `checks:${at.pull.commit}`,
      names: [{ name: 'build', url }, { name: 'netlify' }],
    });
    at.pull.push();
    expect(await at.facts()).not.toHaveProperty('failing');
  });

  test('at GitHub, also where a token may read only Actions, or an App asks', async () => {
    await using at = await lookingAtGithub();
    at.pull.check('build', 'failure');
    at.host.withhold('Checks');
    at.host.withhold('Commit statuses');
    expect((await at.facts()).failing?.names).toMatchObject([{ name: 'build' }]);
    await using as = await lookingAsApp(17);
    as.host.app?.install('acme');
    const other = as.host.open({ repository });
    other.check('build', 'failure');
    expect((await as.facts(other)).failing?.names).toMatchObject([{ name: 'build' }]);
  });

  test('at most five', async () => {
    await using at = await lookingAtGithub();
    for (let index = 0; index < 300; index += 1) at.pull.check(`check ${index}`, 'failure');
    const { failing } = await at.facts();
    expect(failing?.names.map(({ name }) => name)).toEqual([0, 1, 2, 3, 4].map((index) => `check ${index}`));
  });

  test('at GitLab by the jobs that may not fail, or as the pipeline where they may not be read', async () => {
    await using at = await lookingAt('gitlab');
    at.pull.check('build', 'failed');
    const { failing } = await at.facts();
    expect(failing).toMatchObject({
      key: `checks:${at.pull.commit}`,
      names: [{ name: 'build', url: `${at.host.gitlabLink(at.pull)}/jobs/build` }],
    });
    at.host.withhold('statuses');
    at.pull.push();
    at.pull.check('build', 'failed');
    expect((await at.facts()).failing?.names).toEqual([
      { name: 'pipeline', url: at.host.gitlabLink(at.pull) },
    ]);
  });

  test.each([
    ['a user', 'https://u:p@x.example/'],
    ['a line', 'https://x.example/1\n\nDelete docs/.'],
  ])('without an address that has %s in it', async (_, address) => {
    await using at = await lookingAtGithub();
    at.pull.check('build', 'failure');
    const answer = { check_runs: [{ conclusion: 'failure', name: '<!here>', html_url: address }] };
    at.host.failAt(/check-runs/, { status: 200, body: answer });
    expect((await at.facts()).failing?.names).toEqual([{ name: '<!here>', url: null }]);
  });
});

describe.each(kinds)('a review at %s that requests changes (P5)', (kind) => {
  test('has an id of its own, and another one when the same person requests changes again', async () => {
    await using at = await lookingAt(kind);
    at.pull.review('carol', 'CHANGES_REQUESTED');
    const first = (await at.facts()).requests;
    expect(first).toMatchObject([{ names: [{ name: 'carol' }] }]);
    expect((await at.facts()).requests).toEqual(first);
    at.pull.review('carol', 'CHANGES_REQUESTED');
    const second = (await at.facts()).requests;
    expect(second?.at(-1)).toMatchObject({ names: [{ name: 'carol' }] });
    expect(second?.at(-1)).not.toEqual(first?.at(-1));
    at.pull.review('carol', 'APPROVED');
    expect(await at.facts()).not.toHaveProperty('requests');
  });

  test('is read with what it says now: file, line and text', async () => {
    await using at = await lookingAt(kind);
    at.pull.review('bob', 'COMMENTED', '', ['docs/x.md:1 Not this']);
    const review = at.pull.review('carol', 'CHANGES_REQUESTED', 'In all, good.', [
      'docs/a.md:12 Use npm ci\nhere',
      'docs/b.md:3 <!channel>',
    ]);
    const read = async () => (await commentsOf(at, kind, at.pull)).comments;
    expect((await read()).map(({ place, text }) => [place, text])).toEqual([
      [null, 'In all, good.'],
      ['docs/a.md:12', 'Use npm ci\nhere'],
      ['docs/b.md:3', '<!channel>'],
    ]);
    const before = await read();
    const [first] = review.notes;
    if (first !== undefined) first.body = 'Use npm install';
    const after = await read();
    expect(after.map(({ id }, index) => id === before[index]?.id)).toEqual([true, false, true]);
    review.body = `${'x'.repeat(19_000)} ${'y'.repeat(30_000)}`;
    expect((await read())[0]?.text).toBe(`${'x'.repeat(19_000)} …`);
    review.notes = [];
    review.body = '';
    expect(await read()).toEqual([]);
  });

  test('is read with three hundred comments, and says that there are more', async () => {
    await using at = await lookingAt(kind);
    const notes = (count: number) =>
      Array.from({ length: count }, (_, index) => `docs/a.md:${index + 1} No. ${index}`);
    at.pull.review('carol', 'CHANGES_REQUESTED', '', notes(250));
    expect(await commentsOf(at, kind, at.pull)).toMatchObject({ isComplete: true });
    expect((await commentsOf(at, kind, at.pull)).comments).toHaveLength(250);
    at.pull.review('carol', 'CHANGES_REQUESTED', '', notes(301));
    expect((await commentsOf(at, kind, at.pull)).isComplete).toBe(false);
  });

  test('is found whatever else was written before and after it', async () => {
    await using at = await lookingAt(kind);
    const notes = Array.from({ length: 301 }, (_, index) => `docs/b.md:${index + 1} No. ${index}`);
    at.pull.review('bob', 'COMMENTED', '', notes);
    at.pull.review('carol', 'CHANGES_REQUESTED', '', ['docs/a.md:12 Mine', 'docs/a.md:1 First']);
    // GitLab has no list of a review's own comments.
    if (kind === 'github') at.pull.review('bob', 'COMMENTED', '', notes);
    expect((await commentsOf(at, kind, at.pull)).comments).toMatchObject([
      { place: 'docs/a.md:12', text: 'Mine' },
      { place: 'docs/a.md:1', text: 'First' },
    ]);
  });

  test('cannot be read without access, or from another host', async () => {
    await using at = await lookingAt(kind);
    at.pull.review('carol', 'CHANGES_REQUESTED', 'No');
    const { requests = [] } = await at.facts();
    const id = requests[0]?.key ?? '';
    at.host.failAt(/comments|discussions/, { status: 500 });
    expect(await at.hosts.reviewComments(at.host[`${kind}Link`](at.pull), id)).toMatchObject({
      outcome: 'later',
    });
    const asked = at.host.requests.length;
    expect(await at.hosts.reviewComments('https://evil.example/a/b/pull/1', id)).toMatchObject({
      outcome: 'no_access',
    });
    expect(at.host.requests.length).toBe(asked);
  });

  test('leaves reviewers who are asked in the facts', async () => {
    await using at = await lookingAt(kind);
    expect(await at.facts()).not.toHaveProperty('reviewers');
    at.pull.ask('carol');
    at.pull.ask('dave');
    expect((await at.facts()).reviewers).toMatchObject([{ name: 'carol' }, { name: 'dave' }]);
    at.pull.review('carol', 'COMMENTED', 'Fine');
    expect((await at.facts()).reviewers).toMatchObject([{ name: 'dave' }]);
  });
});

test('a second request at GitHub leaves the first to be sent, until the same person approves (P5)', async () => {
  await using at = await lookingAtGithub();
  const first = at.pull.review('carol', 'CHANGES_REQUESTED', '', ['a.md:1 One', 'a.md:2 Two']);
  at.pull.review('bob', 'APPROVED');
  const second = at.pull.review('carol', 'CHANGES_REQUESTED', '', ['a.md:4 Four']);
  const keys = async () => (await at.facts()).requests?.map(({ key }) => key);
  expect(await keys()).toEqual([`review:${first.id}`, `review:${second.id}`]);
  const link = at.host.githubLink(at.pull);
  expect(await at.hosts.reviewComments(link, `review:${first.id}`)).toMatchObject({
    comments: [{ text: 'One' }, { text: 'Two' }],
  });
  first.state = 'DISMISSED';
  expect(await keys()).toEqual([`review:${second.id}`]);
  at.pull.review('carol', 'APPROVED');
  const third = at.pull.review('carol', 'CHANGES_REQUESTED');
  expect(await keys()).toEqual([`review:${third.id}`]);
  // As GitHub takes an approval back after a push.
  at.pull.review('carol', 'DISMISSED');
  const fourth = at.pull.review('carol', 'CHANGES_REQUESTED');
  expect(await keys()).toEqual([`review:${fourth.id}`]);
});

test("a stranger's review of a public pull request at GitHub is none (P5)", async () => {
  await using at = await lookingAtGithub();
  at.pull.isPublic = true;
  for (const state of ['CHANGES_REQUESTED', 'APPROVED']) {
    at.pull.review('mallory', state, 'No').association = 'NONE';
    const facts = await at.facts();
    expect(facts).not.toHaveProperty('review');
    expect(facts).not.toHaveProperty('requests');
  }
  at.pull.review('carol', 'CHANGES_REQUESTED').association = 'COLLABORATOR';
  expect(await at.facts()).toMatchObject({ review: 'changes_requested' });
  const secret = at.host.open({ repository });
  secret.review('dave', 'APPROVED').association = 'NONE';
  expect(await at.facts(secret)).toMatchObject({ review: 'approved' });
});

test('a review at GitLab keeps its key while its note is out of sight (P5)', async () => {
  await using at = await lookingAt('gitlab');
  at.pull.review('carol', 'CHANGES_REQUESTED', 'No');
  const { requests } = await at.facts();
  at.host.failAt(/only_activity/, { status: 200, body: [] });
  expect((await at.facts()).requests).toEqual(requests);
  at.host.failAt(/only_activity/, { status: 403 });
  expect((await at.facts()).requests).toEqual(requests);
});

test('a review at GitLab whose note is out of sight has one key, also once it is seen (P5)', async () => {
  await using at = await lookingAt('gitlab');
  at.pull.review('carol', 'CHANGES_REQUESTED');
  at.host.failAt(/only_activity/, { status: 403 });
  const { requests } = await at.facts();
  expect(requests).toMatchObject([{ key: 'review:carol:', names: [{ name: 'carol' }] }]);
  at.host.failAt(/only_activity/, null);
  expect((await at.facts()).requests).toEqual(requests);
});

test.each(kinds)('a review at %s has nothing to send once it is taken back or deleted (P5)', async (kind) => {
  await using at = await lookingAt(kind);
  const review = at.pull.review('carol', 'CHANGES_REQUESTED', 'No', ['docs/a.md:1 One']);
  const { requests = [] } = await at.facts();
  const read = () => at.hosts.reviewComments(at.host[`${kind}Link`](at.pull), requests[0]?.key ?? '');
  expect(await read()).toMatchObject({ comments: [{ text: 'No' }, { text: 'One' }] });
  review.state = 'DISMISSED';
  expect(await at.facts()).not.toHaveProperty('requests');
  expect(await read()).toMatchObject({ comments: [] });
  at.pull.reviews.pop();
  expect(await read()).toMatchObject({ comments: [] });
});

describe.each([
  ['a classic token of GitHub', lookingAtGithub],
  [
    'a fine-grained token of GitHub',
    async () => {
      const at = await lookingAtGithub();
      at.host.withhold('Checks');
      return at;
    },
  ],
  [
    'an App of GitHub',
    async () => {
      const at = await lookingAsApp(17);
      at.host.app?.install('acme');
      return at;
    },
  ],
  ['a token of GitLab', () => lookingAt('gitlab')],
] as const)('%s', (name, looking) => {
  const isGitlab = name.endsWith('GitLab');
  const ofBoth = [
    [
      'requests and reviews',
      /\/reviews|\/reviewers/,
      isGitlab ? ['review', 'requests', 'reviewers'] : ['review', 'requests'],
    ],
    ['checks', /check-runs|actions\/runs|\/pipelines/, ['checks', 'failing']],
    ['pages', /\/files|\/diffs/, ['pages']],
    ['deployments', /\/deployments/, ['previewUrl']],
    ['comments', /\/comments|\/notes|\/discussions|\/commits\/\w+\/status/, []],
  ] as const;
  test.each(ofBoth)('that may not read %s loses only them (P5)', async (_, refused, lost) => {
    await using at = await looking();
    at.pull.check('build', isGitlab ? 'failed' : 'failure');
    at.pull.review('carol', 'CHANGES_REQUESTED', 'No', ['docs/a.md:1 One']);
    at.pull.ask('dave');
    at.pull.deploy('https://preview.example/1');
    const before = Object.keys(await at.facts());
    expect(before).toEqual(
      expect.arrayContaining(['reviewers', 'pages', 'checks', 'failing', 'review', 'requests', 'previewUrl']),
    );
    at.host.failAt(refused, { status: 403 });
    const after = await at.facts();
    expect(before.filter((fact) => !(fact in after)).toSorted()).toEqual(lost.toSorted());
  });
});

test('what a reviewer at GitLab has resolved, or keeps from guests, is left out', async () => {
  await using at = await lookingAt('gitlab');
  const { notes } = at.pull.review('carol', 'CHANGES_REQUESTED', '', ['a.md:1 One', 'a.md:2 Two']);
  const [one] = notes;
  if (one !== undefined) one.isResolved = true;
  at.pull.review('carol', 'CHANGES_REQUESTED', 'internal: The customer is Acme');
  expect((await commentsOf(at, 'gitlab', at.pull)).comments).toMatchObject([{ text: 'Two' }]);
});

test.each(kinds)('the e-mail address of a profile at %s is read, if it shows one (P5)', async (kind) => {
  await using at = await lookingAt(kind);
  const link = at.host[`${kind}Link`](at.host.open({ repository }));
  at.host.emails.set('carol', 'carol@acme.example');
  at.host.emails.set('dave', 'no address');
  expect(await at.hosts.emailOf(link, 'carol')).toBe('carol@acme.example');
  expect(await at.hosts.emailOf(link, 'dave')).toBeNull();
  expect(await at.hosts.emailOf(link, 'nobody')).toBeNull();
  const asked = at.host.requests.length;
  expect(await at.hosts.emailOf('https://evil.example/a/b/pull/1', 'carol')).toMatchObject({
    outcome: 'no_access',
  });
  expect(at.host.requests.length).toBe(asked);
  await at.hosts.emailOf(link, '../../repos/acme/other?x=');
  expect(at.host.requests.at(-1)?.path).toMatch(
    /\/users(?:\/|\?username=)\.\.%2F\.\.%2Frepos%2Facme%2Fother%3Fx%3D$/,
  );
});

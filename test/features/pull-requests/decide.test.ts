import { describe, expect, test } from 'vitest';
import type { AnyJobContext } from '../../../src/engine/apply-event.ts';
import { watchLinks } from '../../../src/features/pull-requests/follow.ts';
import { openNews } from '../../../src/features/pull-requests/review-news.ts';
import type { Decision } from '../../../src/jobs/decide/decision-builder.ts';
import type { OfferSubject } from '../../../src/jobs/job.ts';
import type { Policy } from '../../../src/jobs/policy.ts';
import type { PullRequestFacts } from '../../../src/jobs/pull-requests/pull-request.ts';
import { cardActions } from '../../../src/slack/views/job.ts';
import type { Transaction } from '../../../src/store/store.ts';
import { anAgentJob, HOUR_MS, MINUTE_MS, policy } from '../../jobs/support/builders.ts';
import { anEndedJob, aWorkingJob, followUp } from '../../jobs/support/stages.ts';
import { START_MS, type World } from '../../jobs/support/world.ts';
import { fc } from '../../support/properties.ts';

const LINK = 'https://github.com/acme/docs/pull/14';
/** The same pull request. */
const OTHER = 'https://github.com/Acme/Docs/pull/14/files';
const DAY_MS = 24 * HOUR_MS;
const sites = [{ host: 'github', webUrl: 'https://github.com' }] as const;
const github = { pullRequests: { ...policy.pullRequests, sites, watchedSites: sites } };

/** A job whose pull request the thread knows. */
const announced = (set: Partial<Policy> = github): World => anEndedJob({ prLink: LINK }, set);
const seen = (world: World, facts: PullRequestFacts = {}, url = LINK) =>
  world.apply({ type: 'pull_request_seen', url, facts: { state: 'open', updatedAtMs: START_MS, ...facts } });
const names = (world: World, prLink: string) => world.check(anAgentJob({ status: 'completed', prLink }));
/** What the thread heard of it since the pull request was announced. */
const heard = (world: World) =>
  world.news.filter((news) => /^(merged|closed|reminder|checks|review)/.test(news));
const offers = (world: World, kind: OfferSubject['kind']) =>
  (world.job.offers ?? []).flatMap(({ about, outcome }) => (about.kind === kind ? [outcome] : []));
const moot = { answer: 'moot', by: null };

const failing = (commit: string, ...checks: readonly string[]): PullRequestFacts => ({
  checks: 'failing',
  failing: { kind: 'checks', key: `checks:${commit}`, names: checks.map((name) => ({ name, url: null })) },
});
const requested = (...ids: readonly string[]): PullRequestFacts => ({
  review: 'changes_requested',
  requests: ids.map((id) => ({ kind: 'review', key: `review:${id}`, names: [{ name: 'carol', url: null }] })),
});
/** Each by name, or as `name=U1` with an id in Slack. */
const awaiting = (...people: readonly string[]): PullRequestFacts => ({
  reviewers: people.map((one) => {
    const [name = '', userId] = one.split('=');
    return { name, url: null, ...(userId !== undefined && { userId }) };
  }),
});
const answer = (world: World, news: string, more: object = {}) =>
  world.apply({ type: 'news_answered', news, userId: 'U2', text: 'Please', ...more });

/** What is seen one after the other; how long nothing happens; by which address the agent calls it from now on. */
type Step = PullRequestFacts | number | string;

function play(world: World, steps: readonly Step[]): void {
  let url = LINK;
  for (const step of steps) {
    if (typeof step === 'number') world.advance(step);
    else if (typeof step === 'object') seen(world, step, url);
    else {
      url = step;
      names(world, url);
    }
  }
}

const open: PullRequestFacts = { state: 'open' };
const merged: PullRequestFacts = { state: 'merged' };
const closed: PullRequestFacts = { state: 'closed' };
const draft: PullRequestFacts = { state: 'draft' };
const byNobody = (...ends: readonly string[]) => ends.map((end) => `${end} by nobody known`);
const moved: PullRequestFacts = { updatedAtMs: START_MS + DAY_MS };
const all = { ...failing('a'), ...requested('1'), ...awaiting('bob') };
const gathered = 'checks:f and review:3 and review:4 and review:5';

test.each<[what: string, steps: readonly Step[], told: readonly string[]]>([
  [
    'merged once, by whom',
    [open, ...Array(3).fill({ ...merged, endedBy: 'octocat' })],
    ['merged by octocat'],
  ],
  ['merged before the first look, too', [merged], byNobody('merged')],
  [
    'closed once, and merged in the end, but not opened again',
    [closed, open, closed, open, merged, open, merged],
    byNobody('closed', 'merged'),
  ],
  ['each of its pull requests for itself', [merged, `${LINK}2`, merged], byNobody('merged', 'merged')],
  [
    'once each, whichever address the agent gives it',
    [closed, open, OTHER, open, closed, open, merged, LINK, open, merged],
    byNobody('closed', 'merged'),
  ],
  ['no more by another address what it was', [merged, OTHER, merged], byNobody('merged')],
  ['a reminder once, by whichever address', [3 * DAY_MS, {}, OTHER, {}, LINK, {}], [`reminder of ${LINK}`]],
  [
    'a reminder once, three days after the last movement',
    [2 * DAY_MS, {}, moved, DAY_MS, moved, DAY_MS, moved, moved, 20 * DAY_MS, moved],
    [`reminder of ${LINK}`],
  ],
  ['no reminder before', [2 * DAY_MS, {}, moved, DAY_MS, moved], []],
  ['no reminder of a draft', [9 * DAY_MS, draft], []],
  [
    'failing checks once for each commit, whatever fails (P5)',
    [{ checks: 'pending' }, failing('a', 'build'), failing('a', 'lint'), {}, failing('a'), failing('b')],
    ['checks:a', 'checks:b'],
  ],
  [
    'requested changes once for each review (P5)',
    [requested('1'), requested('1'), {}, requested('2'), requested('2', '3')],
    ['review:1', 'review:2', 'review:3'],
  ],
  ['no news once it is over (P5)', [{ ...all, ...closed }], byNobody('closed')],
  ['all that the first look sees (P5)', [all], ['checks:a', 'review:1', 'review wanted: bob']],
  [
    'at once, gathered, what would be more than three (P5)',
    [{ ...failing('a'), ...requested('1', '2', '3') }],
    ['checks:a and review:1 and review:2 and review:3'],
  ],
  [
    'three news in ten minutes, and the rest later, gathered (P5)',
    [
      ...[failing('a'), requested('1'), failing('b'), failing('c'), 9 * MINUTE_MS],
      ...[
        { ...failing('d'), ...requested('1', '2') },
        MINUTE_MS,
        { ...failing('d'), ...requested('1', '2') },
      ],
      ...[failing('e'), { ...failing('f'), ...requested('3', '4') }, 10 * MINUTE_MS],
      { ...failing('f'), ...requested('3', '4', '5') },
    ],
    ['checks:a', 'review:1', 'checks:b', 'checks:d', 'review:2', 'checks:e', gathered],
  ],
  [
    'a wanted review once for each reviewer, with those who are known in Slack (P5)',
    [
      awaiting('Octocat=U0CAT', 'bob'),
      awaiting('octocat', 'bob'),
      awaiting('carol', 'bob'),
      awaiting('octocat'),
    ],
    ['review wanted: U0CAT,bob', 'review wanted: carol'],
  ],
  [
    'a wanted review of a draft once it is ready (P5)',
    [{ ...draft, ...awaiting('bob') }, awaiting('bob'), { ...draft, ...awaiting('bob') }, awaiting('bob')],
    ['review wanted: bob'],
  ],
  [
    'a draft that becomes ready again, with all who were asked (P5)',
    [awaiting('bob'), { ...draft, ...awaiting('bob') }, awaiting('bob', 'carol')],
    ['review wanted: bob', 'review wanted: bob,carol'],
  ],
  ['a draft that becomes ready without anybody asked (P5)', [open, draft, open], ['review wanted: ']],
])('the thread is told %s (P2)', (_what, steps, told) => {
  const world = announced();
  play(world, steps);
  expect(heard(world)).toEqual(told);
});

test('a job that has announced no link hears of none', () => {
  const world = aWorkingJob();
  const before = world.job;
  expect(seen(world, merged)).toMatchObject({ calls: [], tasks: [] });
  expect(world.job).toEqual(before);
});

test('where reminders are off, there are none (P2)', () => {
  const off = announced({ pullRequests: { ...policy.pullRequests, remindAfterMs: 0 } });
  play(off, [9 * DAY_MS, {}]);
  expect(heard(off)).toEqual([]);
});

test('a pull request is shown at all of its addresses as it is now (P2)', () => {
  const world = announced();
  play(world, [{ title: 'Quickstart' }, OTHER]);
  expect(seen(world, { title: 'Quickstart' }, OTHER).tasks.map(({ kind }) => kind)).toContain(
    'refresh_posts',
  );
  seen(world, merged, OTHER);
  expect(world.job.pullRequests?.map(({ url, facts }) => [url, facts.state])).toEqual([
    [LINK, 'merged'],
    [OTHER, 'merged'],
  ]);
});

test('a job keeps its twenty latest pull requests, and older ones do not come back', () => {
  const world = announced();
  const links = Array.from({ length: 22 }, (_, index) => `https://github.com/acme/docs/pull/${index}`);
  for (const prLink of links) {
    names(world, prLink);
    seen(world, {}, prLink);
    // At once, they would be too many.
    world.nowMs += 2 * MINUTE_MS;
  }
  seen(world, merged, links[0]);
  expect(heard(world)).toEqual([]);
  expect(world.job.pullRequests?.map(({ url }) => url)).toEqual(links.slice(-20));
});

const shown: PullRequestFacts = { title: 'Quickstart', checks: 'pending' };
const over = { ...shown, ...merged };

/** `posts`: after how many milliseconds messages and notices are edited. */
test.each<[before: PullRequestFacts, now: PullRequestFacts, posts: number | null, isCard: boolean]>([
  [{}, shown, 0, false],
  [shown, { ...shown, title: 'Quick start' }, 0, false],
  [shown, over, 0, true],
  [over, shown, 0, true],
  [shown, { ...shown, ...failing('a', 'build') }, 0, true],
  [{ ...shown, ...failing('a', 'build') }, { ...shown, checks: 'passing' }, 0, true],
  [failing('a', 'build'), failing('a', 'build'), null, false],
  [failing('a', 'build'), failing('a', 'build', 'lint'), null, true],
  [shown, { ...shown, checks: 'passing' }, 10_000, false],
  [shown, { ...shown, size: { files: 2, lines: null } }, 10_000, false],
  [shown, { ...shown, updatedAtMs: 5 }, null, false],
  [over, { ...over, checks: 'failing', review: 'approved' }, null, false],
])('after %o, a look that sees %o edits what shows it: %s, %s (P1)', (before, now, posts, isCard) => {
  const world = announced();
  seen(world, before);
  const { tasks, notices } = seen(world, now);
  const edit = tasks.find(({ kind }) => kind === 'refresh_posts');
  expect(edit === undefined ? null : edit.runAtMs - world.nowMs).toBe(posts);
  expect([notices?.runAtMs, notices?.ifScheduled]).toEqual([edit?.runAtMs, edit?.ifScheduled]);
  expect(tasks.some(({ kind }) => kind === 'refresh_card')).toBe(isCard);
});

describe('which pull requests are looked at (P2)', () => {
  const link = (url: string) => ({ key: url.replace(/(pull\/\d+).*/, '$1'), url });
  const watched = async (decision: Decision, set: Partial<Policy> = github) => {
    const found: object[] = [];
    const queries = () => ({ watch: async (_job: unknown, link: object) => found.push(link) });
    const context = { nowMs: 0, policy: { ...policy, ...set } } as AnyJobContext;
    await watchLinks({ queries } as unknown as Transaction, decision, context);
    return found;
  };

  test('those that are announced, if their code host is set up', async () => {
    const announces = (prLink: string, set?: Partial<Policy>) =>
      watched(names(aWorkingJob(github), prLink), set);
    expect(await announces(`${LINK}/files`)).toEqual([link(`${LINK}/files`)]);
    expect(await announces('https://gitlab.com/acme/docs/-/merge_requests/3')).toEqual([]);
    expect(await announces('no link')).toEqual([]);
    expect(await announces(LINK, {})).toEqual([]);
  });

  test('those that a later turn may have changed, but not at every check', async () => {
    const world = announced();
    expect(await watched(names(world, LINK))).toEqual([]);
    followUp(world);
    world.check(anAgentJob());
    expect(await watched(names(world, LINK))).toEqual([link(LINK)]);
  });

  test('at once, and for as long as a new one, where somebody wants to be reminded again', async () => {
    const [world, other] = [announced(), announced()];
    for (const one of [world, other]) play(one, [3 * DAY_MS, {}]);
    expect(await watched(pressed(world, 'no_more_reminders'))).toEqual([]);
    expect(await watched(pressed(other, 'remind_again'))).toEqual([link(LINK)]);
    expect(await watched(pressed(other, 'remind_again'))).toEqual([]);
  });
});

function pressed(world: World, button: 'remind_again' | 'no_more_reminders') {
  const last = world.told.findLast(({ kind }) => kind === 'reminder');
  const reminderId = last?.kind === 'reminder' ? last.reminderId : 'none';
  return world.apply({ type: `${button}_pressed`, reminderId, userId: 'U2' });
}

test('a reminder comes again only if somebody asked, as much later, and only if it is still open (P2)', () => {
  const world = announced();
  play(world, [3 * DAY_MS, {}, HOUR_MS]);
  pressed(world, 'remind_again');
  expect(offers(world, 'reminder')).toEqual([{ answer: 'wants_reminder', by: 'U2' }]);
  expect(world.tasks.has('refresh_posts')).toBe(true);
  play(world, [3 * DAY_MS - MINUTE_MS, {}]);
  expect(heard(world)).toHaveLength(1);
  play(world, [MINUTE_MS, {}, {}]);
  const quietForMs = world.told.flatMap((news) => (news.kind === 'reminder' ? [news.afterMs] : []));
  expect(quietForMs).toEqual([3 * DAY_MS, undefined]);
  pressed(world, 'remind_again');
  play(world, [3 * DAY_MS, closed]);
  expect(heard(world).slice(2)).toEqual(byNobody('closed'));
});

test('a reminder offers nothing any more once it is over (P2)', () => {
  const world = announced();
  play(world, [3 * DAY_MS, {}]);
  expect(offers(world, 'reminder')).toEqual([null]);
  seen(world, merged);
  expect(offers(world, 'reminder')).toEqual([moot]);
});

describe('news about checks and reviews (P5)', () => {
  const unpressed = { sendNow: null, undecided: null };

  test('offer an answer until one was given, something newer is there, or it is over', () => {
    const world = announced();
    seen(world, failing('a', 'build'));
    expect(world.calls.map(({ naturalKey }) => naturalKey)).toContain(`pr:${world.job.id}:${LINK}:checks:a`);
    answer(world, 'checks:a');
    expect(answer(world, 'checks:a', { userId: 'U3' }).calls).toEqual([]);
    expect(world.news.filter((news) => news.startsWith('follow-up'))).toEqual(['follow-up by U2: Please']);
    play(world, [failing('b'), {}, failing('c'), merged]);
    expect(world.repeatedKeys).toEqual([]);
    expect(offers(world, 'review_news')).toEqual([{ answer: 'answered', by: 'U2' }, moot, moot]);
  });

  test('that were gathered are answered one by one', () => {
    const world = announced();
    seen(world, { ...failing('a'), ...requested('1', '2', '3') });
    answer(world, 'review:2');
    expect(offers(world, 'review_news')).toEqual([null]);
  });

  test('are not sent once a review was dismissed, or it is merged, nor without a word', () => {
    const world = announced();
    seen(world, requested('1'));
    expect(answer(world, 'review:1', { text: '' }).calls).toEqual([]);
    expect(openNews(world.job, 'review:1')).not.toBeNull();
    seen(world, {});
    expect(offers(world, 'review_news')).toEqual([moot]);
    play(world, [requested('2'), { ...requested('2'), ...merged }]);
    for (const news of ['review:1', 'review:2', 'review:unknown'])
      expect(answer(world, news).calls).toEqual([]);
  });

  test.each([
    ['a fix that was asked for', failing('a'), 'checks:a', []],
    ['a review of which a part was sent', requested('1'), 'review:1', ['c1', 'c2']],
  ] as const)('%s is offered again once the next turn is over and it is still so', (_, facts, news, sent) => {
    const world = announced();
    seen(world, facts);
    answer(world, news, { sent, hasMore: true });
    expect(openNews(world.job, news)).toBeNull();
    followUp(world);
    expect(openNews(world.job, news)).toBeNull();
    world.advance(5 * MINUTE_MS);
    expect(openNews(world.job, news)?.sent).toEqual(sent);
    expect(cardActions(world.job, unpressed)).toBeTruthy();
    seen(world, facts);
    expect(heard(world)).toEqual([news]);
    answer(world, news, { sent: ['c3'], hasMore: true });
    followUp(world);
    world.advance(5 * MINUTE_MS);
    expect(openNews(world.job, news)?.sent).toEqual([...sent, 'c3']);
    answer(world, news, { sent: ['c4'] });
    followUp(world);
    world.advance(5 * MINUTE_MS);
    expect(openNews(world.job, news)).toBeNull();
    expect(cardActions(world.job, unpressed)).toMatchObject({ text: { text: 'Reply to the agent' } });
  });

  test('leave out what was sent with an earlier request of the same person', () => {
    const world = announced();
    seen(world, requested('carol:1'));
    answer(world, 'review:carol:1', { sent: ['c1'] });
    seen(world, requested('carol:2'));
    expect(openNews(world.job, 'review:carol:2')?.sent).toEqual(['c1']);
  });

  test('are not told in a muted thread, and what is still so once it is unmuted is', () => {
    const world = announced();
    world.apply({ type: 'mute_pressed', userId: 'U2' });
    seen(world, all);
    expect(heard(world)).toEqual([]);
    world.reply('unmute');
    seen(world, { ...requested('1'), ...awaiting('bob') });
    expect(heard(world)).toEqual(['review:1', 'review wanted: bob']);
  });

  test('take away no older offer that is open, however many they are', () => {
    const world = announced();
    for (let commit = 0; commit < 25; commit += 1) {
      seen(world, { ...failing(`${commit}`), updatedAtMs: 0 });
      world.nowMs += 10 * MINUTE_MS;
    }
    const { offers: kept = [] } = world.job;
    expect(kept).toHaveLength(20);
    const left = kept.filter(({ outcome }) => outcome === null).map(({ about }) => about.kind);
    expect(left).toEqual(['reminder', 'review_news']);
  });
});

test('whatever the code host says, ends are told once, reminders one more than were asked for, and three news in ten minutes (P2, P5)', () => {
  const anyStep = fc.record({
    waitMs: fc.constantFrom(0, MINUTE_MS, 6 * MINUTE_MS, DAY_MS, 3 * DAY_MS),
    press: fc.constantFrom('remind_again', 'no_more_reminders', null, null, null),
    state: fc.constantFrom('draft', 'open', 'open', 'merged', 'closed'),
    commit: fc.constantFrom('a', 'b', 'c', 'd', null),
    ids: fc.uniqueArray(fc.constantFrom('1', '2', '3', '4', '5'), { maxLength: 5 }),
  });
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 30 }), (steps) => {
      const world = announced();
      let asked = 0;
      const again = () => offers(world, 'reminder').filter((one) => one?.answer === 'wants_reminder').length;
      for (const { waitMs, press, state, commit, ids } of steps) {
        world.advance(waitMs);
        const before = again();
        if (press !== null) pressed(world, press);
        asked += again() - before;
        const some = { ...(commit && failing(commit)), ...(ids.length > 0 && requested(...ids)) };
        seen(world, { ...some, state });
      }
      const counts = (word: string) => heard(world).filter((news) => news.startsWith(word)).length;
      expect(counts('merged')).toBeLessThanOrEqual(1);
      expect(counts('closed')).toBeLessThanOrEqual(1);
      expect(counts('reminder')).toBeLessThanOrEqual(1 + asked);
      // A wanted review is not held back.
      const messages = world.calls.filter(
        ({ request }) =>
          request.kind === 'announce' &&
          request.announcement.kind === 'review_news' &&
          request.announcement.news.some(({ kind }) => kind !== 'reviewers'),
      );
      const keys = heard(world).flatMap((news) => news.match(/(?:checks|review):\w+/g) ?? []);
      expect(new Set(keys).size).toBe(keys.length);
      for (const { createdAtMs: fromMs } of messages) {
        const near = messages.filter(
          ({ createdAtMs }) => createdAtMs >= fromMs && createdAtMs < fromMs + 10 * MINUTE_MS,
        );
        expect(near.length).toBeLessThanOrEqual(3);
      }
    }),
  );
});

import { describe, expect, test } from 'vitest';
import { openNews } from '../../../src/features/pull-requests/review-news.ts';
import type { PullRequestFacts, SeenPullRequest } from '../../../src/jobs/pull-requests/pull-request.ts';
import { cardActions } from '../../../src/slack/views/job.ts';
import { MINUTE_MS } from '../../jobs/support/builders.ts';
import { anEndedJob, followUp } from '../../jobs/support/stages.ts';
import type { World } from '../../jobs/support/world.ts';
import { fc } from '../../support/properties.ts';

const LINK = 'https://github.com/acme/docs/pull/14';
const failing = (commit: string, ...names: readonly string[]): PullRequestFacts => ({
  checks: 'failing',
  failing: { kind: 'checks', key: `checks:${commit}`, names: names.map((name) => ({ name, url: null })) },
});
const requested = (...ids: readonly string[]): PullRequestFacts => ({
  review: 'changes_requested',
  requests: ids.map((id) => ({
    kind: 'review',
    key: `review:${id}`,
    names: [{ name: 'carol', url: null }],
  })),
});

function seen(world: World, facts: PullRequestFacts = {}) {
  return world.apply({ type: 'pull_request_seen', url: LINK, facts: { state: 'open', ...facts } });
}

/** Each by name, or as `name=U1` with an id in Slack. */
const awaiting = (...people: readonly string[]): PullRequestFacts => ({
  reviewers: people.map((one) => {
    const [name = '', userId] = one.split('=');
    return { name, url: null, ...(userId !== undefined && { userId }) };
  }),
});

const heard = (world: World) => world.news.filter((news) => /^(checks|review)/.test(news));
const offers = (world: World) =>
  (world.job.offers ?? []).flatMap(({ about, outcome }) => (about.kind === 'review_news' ? [outcome] : []));
const answer = (world: World, news: string, userId = 'U2') =>
  world.apply({ type: 'news_answered', news, userId, text: 'Please' });

describe('failing checks (P5)', () => {
  test('are told once for each commit, whatever fails', () => {
    const world = anEndedJob({ prLink: LINK });
    seen(world, { checks: 'pending' });
    for (const names of [['build'], ['build', 'lint'], []]) seen(world, failing('a', ...names));
    seen(world, { checks: 'pending' });
    seen(world, failing('a', 'build'));
    expect(heard(world)).toEqual(['checks:a']);
    seen(world, failing('b', 'build'));
    expect(heard(world)).toEqual(['checks:a', 'checks:b']);
    expect(world.repeatedKeys).toEqual([]);
    expect(world.calls.map(({ naturalKey }) => naturalKey)).toContain(`pr:${world.job.id}:${LINK}:checks:a`);
  });

  test('are not told once it is over', () => {
    for (const state of ['merged', 'closed'] as const) {
      const world = anEndedJob({ prLink: LINK });
      seen(world, { ...failing('a'), ...requested('1'), state, ...awaiting('bob') });
      expect(heard(world)).toEqual([]);
    }
  });

  test('offer a fix until one was asked for, another commit is there, or it is over', () => {
    const world = anEndedJob({ prLink: LINK });
    seen(world, failing('a', 'build'));
    expect(offers(world)).toEqual([null]);
    answer(world, 'checks:a');
    expect(answer(world, 'checks:a', 'U3').calls).toEqual([]);
    expect(offers(world)).toEqual([{ answer: 'answered', by: 'U2' }]);
    seen(world, failing('b', 'build'));
    seen(world, { checks: 'pending' });
    seen(world, failing('c', 'build'));
    seen(world, { state: 'merged' });
    expect(offers(world).slice(1)).toEqual([
      { answer: 'moot', by: null },
      { answer: 'moot', by: null },
    ]);
  });

  test('bring the card and its names up to date', () => {
    const world = anEndedJob({ prLink: LINK });
    const refreshes = (facts: PullRequestFacts) =>
      seen(world, facts).tasks.some(({ kind }) => kind === 'refresh_card');
    expect(refreshes(failing('a', 'build'))).toBe(true);
    expect(refreshes(failing('a', 'build'))).toBe(false);
    expect(refreshes(failing('a', 'build', 'lint'))).toBe(true);
  });
});

describe('changes requested (P5)', () => {
  test('are told once for each review', () => {
    const world = anEndedJob({ prLink: LINK });
    seen(world, requested('1'));
    seen(world, requested('1'));
    seen(world, {});
    seen(world, requested('2'));
    seen(world, requested('2', '3'));
    expect(heard(world)).toEqual(['review:1', 'review:2', 'review:3']);
  });

  test('are sent once, by whoever is first, as a reply of that person', () => {
    const world = anEndedJob({ prLink: LINK });
    seen(world, requested('1'));
    answer(world, 'review:1', 'U2');
    expect(answer(world, 'review:1', 'U3').calls).toEqual([]);
    expect(world.news.filter((news) => news.startsWith('follow-up'))).toEqual(['follow-up by U2: Please']);
    expect(offers(world)).toEqual([{ answer: 'answered', by: 'U2' }]);
  });

  test.each([
    ['a fix that was asked for', failing('a'), 'checks:a', {}],
    ['a review of which a part was sent', requested('1'), 'review:1', { sent: ['c1', 'c2'] }],
  ] as const)('%s is offered again once the next turn is over and it is still so', (_, facts, news, sent) => {
    const world = anEndedJob({ prLink: LINK });
    seen(world, facts);
    world.apply({ type: 'news_answered', news, userId: 'U2', text: 'Please', ...sent, hasMore: true });
    expect(openNews(world.job, news)).toBeNull();
    followUp(world);
    expect(openNews(world.job, news)).toBeNull();
    world.advance(5 * MINUTE_MS);
    expect(world.job.stage.kind).toBe('ended');
    expect(openNews(world.job, news)?.sent).toEqual('sent' in sent ? sent.sent : []);
    expect(cardActions(world.job, { sendNow: null, undecided: null })).toBeTruthy();
    seen(world, facts);
    expect(heard(world)).toEqual([news]);
    world.apply({ type: 'news_answered', news, userId: 'U3', text: 'More', sent: ['c3'] });
    followUp(world);
    world.advance(5 * MINUTE_MS);
    expect(openNews(world.job, news)).toBeNull();
    expect(cardActions(world.job, { sendNow: null, undecided: null })).toMatchObject({
      text: { text: 'Reply to the agent' },
    });
  });

  test('are not sent again with the next request of the same person', () => {
    const world = anEndedJob({ prLink: LINK });
    seen(world, requested('carol:1'));
    world.apply({
      type: 'news_answered',
      news: 'review:carol:1',
      userId: 'U2',
      text: 'Please',
      sent: ['c1'],
    });
    seen(world, requested('carol:2'));
    expect(openNews(world.job, 'review:carol:2')?.sent).toEqual(['c1']);
  });

  test('are not sent without a word, and can be sent after that', () => {
    const world = anEndedJob({ prLink: LINK });
    seen(world, requested('1'));
    expect(world.apply({ type: 'news_answered', news: 'review:1', userId: 'U2', text: '' }).calls).toEqual(
      [],
    );
    expect(openNews(world.job, 'review:1')).not.toBeNull();
  });

  test('are not sent once they were dismissed or it is merged', () => {
    const world = anEndedJob({ prLink: LINK });
    seen(world, requested('1'));
    seen(world, {});
    expect(offers(world)).toEqual([{ answer: 'moot', by: null }]);
    expect(answer(world, 'review:1').calls).toEqual([]);
    seen(world, requested('2'));
    seen(world, { ...requested('2'), state: 'merged' });
    expect(answer(world, 'review:2').calls).toEqual([]);
    expect(answer(world, 'review:unknown').calls).toEqual([]);
  });
});

describe('the cap on messages about checks and reviews (P5)', () => {
  test('is three in ten minutes; what comes beyond is gathered into one', () => {
    const world = anEndedJob({ prLink: LINK });
    seen(world, failing('a'));
    seen(world, requested('1'));
    seen(world, failing('b'));
    const three = ['checks:a', 'review:1', 'checks:b'];
    expect(heard(world)).toEqual(three);
    seen(world, failing('c'));
    world.nowMs += 9 * MINUTE_MS;
    seen(world, { ...failing('d'), ...requested('1', '2') });
    expect(heard(world)).toEqual(three);
    world.nowMs += MINUTE_MS;
    seen(world, { ...failing('d'), ...requested('1', '2') });
    // All three are older than ten minutes.
    expect(heard(world)).toEqual([...three, 'checks:d', 'review:2']);
    seen(world, failing('e'));
    seen(world, { ...failing('f'), ...requested('3', '4') });
    expect(heard(world).slice(5)).toEqual(['checks:e']);
    world.nowMs += 10 * MINUTE_MS;
    seen(world, { ...failing('f'), ...requested('3', '4', '5') });
    expect(heard(world).slice(6)).toEqual(['checks:f and review:3 and review:4 and review:5']);
  });

  test('gathers at once what would be more than three', () => {
    const world = anEndedJob({ prLink: LINK });
    seen(world, { ...failing('a'), ...requested('1', '2', '3') });
    expect(heard(world)).toEqual(['checks:a and review:1 and review:2 and review:3']);
    answer(world, 'review:2');
    expect(offers(world)).toEqual([null]);
  });

  test('holds whatever the host says, and nothing is told twice', () => {
    const facts = fc.record({
      waitMs: fc.constantFrom(0, MINUTE_MS, 6 * MINUTE_MS),
      commit: fc.constantFrom('a', 'b', 'c', 'd', null),
      ids: fc.uniqueArray(fc.constantFrom('1', '2', '3', '4', '5'), { maxLength: 5 }),
    });
    fc.assert(
      fc.property(fc.array(facts, { maxLength: 30 }), (looks) => {
        const world = anEndedJob({ prLink: LINK });
        for (const { waitMs, commit, ids } of looks) {
          world.nowMs += waitMs;
          seen(world, { ...(commit && failing(commit)), ...(ids.length > 0 && requested(...ids)) });
        }
        const messages = world.calls.filter(
          ({ request }) => request.kind === 'announce' && request.announcement.kind === 'review_news',
        );
        const keys = heard(world).flatMap((news) => news.split(' and '));
        expect(new Set(keys).size).toBe(keys.length);
        for (const { createdAtMs } of messages) {
          const near = messages.filter(
            (other) => other.createdAtMs >= createdAtMs && other.createdAtMs < createdAtMs + 10 * MINUTE_MS,
          );
          expect(near.length).toBeLessThanOrEqual(3);
        }
      }),
    );
  });

  test('a muted thread hears of none of it, and of what is still so once it is unmuted', () => {
    const world = anEndedJob({ prLink: LINK });
    world.apply({ type: 'mute_pressed', userId: 'U2' });
    seen(world, { ...failing('a'), ...requested('1'), ...awaiting('bob') });
    expect(heard(world)).toEqual([]);
    world.reply('unmute');
    seen(world, { ...requested('1'), ...awaiting('bob') });
    expect(heard(world)).toEqual(['review:1', 'review wanted: bob']);
  });
});

test('much news takes away no older offer that is open (P5)', () => {
  const world = anEndedJob({ prLink: LINK });
  for (let commit = 0; commit < 25; commit += 1) {
    seen(world, { ...failing(`${commit}`), updatedAtMs: 0 });
    world.nowMs += 10 * MINUTE_MS;
  }
  const { offers = [] } = world.job;
  expect(offers).toHaveLength(20);
  expect(offers.filter(({ outcome }) => outcome === null).map(({ about }) => about.kind)).toEqual([
    'reminder',
    'review_news',
  ]);
});

describe('after an update', () => {
  test('what earlier looks saw is no news, but what comes later is (P5)', () => {
    const world = anEndedJob({ prLink: LINK });
    seen(world);
    const [{ told: _, ...earlier } = { url: LINK }] = world.job.pullRequests ?? [];
    world.job = { ...world.job, pullRequests: [earlier as SeenPullRequest] };
    seen(world, { ...failing('a'), ...requested('1'), ...awaiting('bob') });
    expect(heard(world)).toEqual([]);
    seen(world, { ...failing('b'), ...requested('1'), ...awaiting('bob', 'carol') });
    expect(heard(world)).toEqual(['checks:b', 'review wanted: carol']);
  });

  test('the first look tells all', () => {
    const world = anEndedJob({ prLink: LINK });
    seen(world, { ...failing('a'), ...awaiting('bob') });
    expect(heard(world)).toEqual(['checks:a', 'review wanted: bob']);
  });
});

describe('a wanted review (P5)', () => {
  test('is told once for each reviewer, with those who are known in Slack', () => {
    const world = anEndedJob({ prLink: LINK });
    seen(world, { ...awaiting('Octocat=U0CAT', 'bob') });
    seen(world, { ...awaiting('octocat', 'bob') });
    seen(world, { ...awaiting('carol', 'bob') });
    seen(world, { ...awaiting('octocat') });
    expect(heard(world)).toEqual(['review wanted: U0CAT,bob', 'review wanted: carol']);
  });

  test('is not told of a draft; once it is ready, of those who were asked', () => {
    const world = anEndedJob({ prLink: LINK });
    seen(world, { state: 'draft', ...awaiting('bob') });
    expect(heard(world)).toEqual([]);
    seen(world, { ...awaiting('bob') });
    seen(world, { state: 'draft', ...awaiting('bob') });
    seen(world, { ...awaiting('bob') });
    expect(heard(world)).toEqual(['review wanted: bob']);
  });

  test('of a draft that becomes ready again is told with all who were asked', () => {
    const world = anEndedJob({ prLink: LINK });
    seen(world, { ...awaiting('bob') });
    seen(world, { state: 'draft', ...awaiting('bob') });
    seen(world, { ...awaiting('bob', 'carol') });
    expect(heard(world)).toEqual(['review wanted: bob', 'review wanted: bob,carol']);
  });

  test('is told of a draft that becomes ready without anybody asked, and of no other such', () => {
    const world = anEndedJob({ prLink: LINK });
    seen(world);
    expect(heard(world)).toEqual([]);
    seen(world, { state: 'draft' });
    seen(world);
    expect(heard(world)).toEqual(['review wanted: ']);
  });
});

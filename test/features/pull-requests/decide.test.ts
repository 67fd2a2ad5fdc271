import { describe, expect, test } from 'vitest';
import type { AnyJobContext } from '../../../src/engine/apply-event.ts';
import { watchLinks } from '../../../src/features/pull-requests/follow.ts';
import type { Decision } from '../../../src/jobs/decide/decision-builder.ts';
import type { JobEvent } from '../../../src/jobs/event.ts';
import type { Policy } from '../../../src/jobs/policy.ts';
import type { PullRequestFacts } from '../../../src/jobs/pull-requests/pull-request.ts';
import type { Transaction } from '../../../src/store/store.ts';
import { anAgentJob, HOUR_MS, MINUTE_MS, policy } from '../../jobs/support/builders.ts';
import { anEndedJob, aWorkingJob, followUp } from '../../jobs/support/stages.ts';
import { START_MS, type World } from '../../jobs/support/world.ts';
import { fc } from '../../support/properties.ts';

const LINK = 'https://github.com/acme/docs/pull/14';
const DAY_MS = 24 * HOUR_MS;

/** A job whose pull request the thread knows. */
function anAnnouncedJob(policy = {}): World {
  return anEndedJob({ prLink: LINK }, policy);
}

function seen(world: World, facts: PullRequestFacts = {}, url = LINK) {
  return world.apply({
    type: 'pull_request_seen',
    url,
    facts: { state: 'open', updatedAtMs: START_MS, ...facts },
  });
}

/** What the thread heard of it since the pull request was announced. */
function heard(world: World): string[] {
  return world.news.filter((news) => /^(merged|closed|reminder)/.test(news));
}

function lastReminder(world: World): string {
  const last = world.told.findLast(({ kind }) => kind === 'reminder');
  return last?.kind === 'reminder' ? last.reminderId : 'none';
}

const remindAgain = (world: World, userId = 'U2') =>
  world.apply({ type: 'remind_again_pressed', reminderId: lastReminder(world), userId });
const noMore = (world: World, userId = 'U2') =>
  world.apply({ type: 'no_more_reminders_pressed', reminderId: lastReminder(world), userId });
const outcomes = (world: World) => (world.job.offers ?? []).map(({ outcome }) => outcome);

describe('what becomes of a pull request (P2)', () => {
  test('merged is told once, by whom, however often it is seen', () => {
    const world = anAnnouncedJob();
    seen(world);
    expect(heard(world)).toEqual([]);
    for (let look = 0; look < 3; look += 1) seen(world, { state: 'merged', endedBy: 'octocat' });
    expect(heard(world)).toEqual(['merged by octocat']);
  });

  test('merged before the first look is told, too', () => {
    const world = anAnnouncedJob();
    seen(world, { state: 'merged' });
    expect(heard(world)).toEqual(['merged by nobody known']);
  });

  test('closed is told once; reopened is not told, nor closed again; merged in the end is', () => {
    const world = anAnnouncedJob();
    for (const state of ['closed', 'open', 'closed', 'open', 'merged', 'open', 'merged'] as const)
      seen(world, { state });
    expect(heard(world)).toEqual(['closed by nobody known', 'merged by nobody known']);
  });

  test('each pull request of a job is told of for itself', () => {
    const world = anAnnouncedJob();
    const other = `${LINK}2`;
    seen(world, { state: 'merged' });
    world.check(anAgentJob({ status: 'completed', prLink: other }));
    seen(world, { state: 'merged' }, other);
    seen(world, { state: 'merged' });
    expect(heard(world)).toEqual(['merged by nobody known', 'merged by nobody known']);
    expect(world.job.pullRequests?.map(({ url }) => url)).toEqual([LINK, other]);
  });

  test('a job that has announced no link hears of none', () => {
    const world = aWorkingJob();
    const before = world.job;
    expect(seen(world, { state: 'merged' })).toMatchObject({ calls: [], tasks: [] });
    expect(world.job).toEqual(before);
  });

  test('the card is refreshed for what it shows, not for a new size or title', () => {
    const world = anAnnouncedJob();
    const refreshes = (facts: PullRequestFacts) =>
      seen(world, facts).tasks.some(({ kind }) => kind === 'refresh_card');
    expect(refreshes({})).toBe(false);
    expect(refreshes({ title: 'Quickstart', checks: 'pending' })).toBe(false);
    expect(refreshes({ title: 'Quickstart', checks: 'failing' })).toBe(true);
    expect(refreshes({ title: 'Quick start', checks: 'failing' })).toBe(false);
    expect(refreshes({ checks: 'passing' })).toBe(true);
    expect(refreshes({ state: 'merged' })).toBe(true);
    expect(refreshes({ state: 'open' })).toBe(true);
  });

  test('a job keeps its twenty latest pull requests, and older ones do not come back', () => {
    const world = anAnnouncedJob();
    const links = Array.from({ length: 22 }, (_, index) => `https://github.com/acme/docs/pull/${index}`);
    for (const prLink of links) {
      world.check(anAgentJob({ status: 'completed', prLink }));
      seen(world, {}, prLink);
      // At once, they would be too many.
      world.nowMs += 2 * MINUTE_MS;
    }
    expect(world.job.pullRequests?.map(({ url }) => url)).toEqual(links.slice(-20));
    seen(world, { state: 'merged' }, links[0]);
    expect(heard(world)).toEqual([]);
    expect(world.job.pullRequests?.map(({ url }) => url)).toEqual(links.slice(-20));
  });
});

describe('which pull requests are looked at (P2)', () => {
  const sites = [{ host: 'github', webUrl: 'https://github.com' }] as const;
  const github = { pullRequests: { ...policy.pullRequests, sites, watchedSites: sites } };
  const link = (url: string) => ({ key: url.replace(/(pull\/\d+).*/, '$1'), url });
  const watched = async (decision: Decision, set: Partial<Policy> = github) => {
    const found: object[] = [];
    const queries = () => ({ watch: async (_job: unknown, link: object) => found.push(link) });
    const context = { nowMs: 0, policy: { ...policy, ...set } } as AnyJobContext;
    await watchLinks({ queries } as unknown as Transaction, decision, context);
    return found;
  };
  const finished = (world: World, prLink: string, set?: Partial<Policy>) =>
    watched(world.check(anAgentJob({ status: 'completed', prLink })), set);

  test('those that are announced, if their code host is set up', async () => {
    expect(await finished(aWorkingJob(github), `${LINK}/files`)).toEqual([link(`${LINK}/files`)]);
    expect(await finished(aWorkingJob(github), 'https://gitlab.com/acme/docs/-/merge_requests/3')).toEqual(
      [],
    );
    expect(await finished(aWorkingJob(github), 'no link')).toEqual([]);
    expect(await finished(aWorkingJob(), LINK, {})).toEqual([]);
  });

  test('those that a later turn may have changed, but not at every check', async () => {
    const world = anAnnouncedJob(github);
    expect(await finished(world, LINK)).toEqual([]);
    followUp(world);
    world.check(anAgentJob());
    expect(await finished(world, LINK)).toEqual([link(LINK)]);
  });

  test('at once, and for as long as a new one, where somebody wants to be reminded again', async () => {
    const world = anAnnouncedJob(github);
    world.advance(3 * DAY_MS);
    seen(world);
    expect(await watched(noMore(world))).toEqual([]);
    const other = anAnnouncedJob(github);
    other.advance(3 * DAY_MS);
    seen(other);
    expect(await watched(remindAgain(other))).toEqual([link(LINK)]);
    expect(await watched(remindAgain(other))).toEqual([]);
  });
});

describe('a reminder of an open pull request (P2)', () => {
  test('comes once, three days after the last movement', async () => {
    const world = anAnnouncedJob();
    world.advance(2 * DAY_MS);
    seen(world);
    seen(world, { updatedAtMs: START_MS + DAY_MS });
    world.advance(DAY_MS);
    seen(world, { updatedAtMs: START_MS + DAY_MS });
    expect(heard(world)).toEqual([]);
    world.advance(DAY_MS);
    for (let look = 0; look < 3; look += 1) seen(world, { updatedAtMs: START_MS + DAY_MS });
    world.advance(20 * DAY_MS);
    seen(world, { updatedAtMs: START_MS + DAY_MS });
    expect(heard(world)).toEqual([`reminder of ${LINK}`]);
  });

  test('does not come for a draft, after an end, or where reminders are off', async () => {
    for (const state of ['draft', 'merged', 'closed'] as const) {
      const world = anAnnouncedJob();
      world.advance(9 * DAY_MS);
      seen(world, { state });
      expect(world.told.some(({ kind }) => kind === 'reminder')).toBe(false);
    }
    const off = anAnnouncedJob({ pullRequests: { ...policy.pullRequests, remindAfterMs: 0 } });
    off.advance(9 * DAY_MS);
    seen(off);
    expect(heard(off)).toEqual([]);
  });

  test('comes again only if somebody asked, as much later, and only if it is still open', async () => {
    const world = anAnnouncedJob();
    world.advance(3 * DAY_MS);
    seen(world);
    world.advance(HOUR_MS);
    remindAgain(world);
    expect(outcomes(world)).toEqual([{ answer: 'wants_reminder', by: 'U2' }]);
    expect(world.tasks.has('refresh_posts')).toBe(true);
    world.advance(3 * DAY_MS - MINUTE_MS);
    seen(world);
    expect(heard(world)).toHaveLength(1);
    world.advance(MINUTE_MS);
    seen(world);
    seen(world);
    expect(heard(world)).toHaveLength(2);
    const quietForMs = world.told.flatMap((news) => (news.kind === 'reminder' ? [news.afterMs] : []));
    expect(quietForMs).toEqual([3 * DAY_MS, undefined]);
    remindAgain(world);
    world.advance(3 * DAY_MS);
    seen(world, { state: 'closed' });
    expect(heard(world).filter((news) => news.startsWith('reminder'))).toHaveLength(2);
  });

  test('does not come again after *No more reminders*; the first press counts', async () => {
    const world = anAnnouncedJob();
    world.advance(3 * DAY_MS);
    seen(world);
    noMore(world, 'U2');
    remindAgain(world, 'U3');
    noMore(world, 'U4');
    expect(outcomes(world)).toEqual([{ answer: 'wants_no_reminder', by: 'U2' }]);
    world.advance(9 * DAY_MS);
    seen(world);
    expect(heard(world)).toHaveLength(1);
  });

  test('offers nothing any more once the pull request is merged or closed', async () => {
    const world = anAnnouncedJob();
    world.advance(3 * DAY_MS);
    seen(world);
    expect(outcomes(world)).toEqual([null]);
    seen(world, { state: 'merged' });
    expect(outcomes(world)).toEqual([{ answer: 'moot', by: null }]);
    remindAgain(world);
    world.advance(9 * DAY_MS);
    seen(world, { state: 'open' });
    expect(heard(world).filter((news) => news.startsWith('reminder'))).toHaveLength(1);
  });
});

describe('whatever the code host says, in whatever order', () => {
  const anyFacts = fc.record(
    {
      state: fc.constantFrom('draft', 'open', 'merged', 'closed'),
      updatedAtMs: fc.integer({ min: 0, max: 40 }).map((days) => START_MS + days * DAY_MS),
      checks: fc.constantFrom('pending', 'passing', 'failing'),
    },
    { requiredKeys: [] },
  );
  type Step = { readonly waitMs: number; readonly does: PullRequestFacts | 'again' | 'no_more' };
  const anyStep: fc.Arbitrary<Step> = fc.record({
    waitMs: fc.constantFrom(0, MINUTE_MS, DAY_MS, 3 * DAY_MS),
    does: fc.oneof({ weight: 4, arbitrary: anyFacts }, fc.constant('again'), fc.constant('no_more')),
  });

  test('merged and closed are told once at most, and reminders are one more than were asked for', async () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 30 }), (steps) => {
        const world = anAnnouncedJob();
        let asked = 0;
        for (const { waitMs, does } of steps) {
          world.advance(waitMs);
          const before = outcomes(world).filter((outcome) => outcome?.answer === 'wants_reminder').length;
          if (does === 'again') remindAgain(world);
          else if (does === 'no_more') noMore(world);
          else world.apply({ type: 'pull_request_seen', url: LINK, facts: does });
          asked += outcomes(world).filter((outcome) => outcome?.answer === 'wants_reminder').length - before;
        }
        const counts = (word: string) => heard(world).filter((news) => news.startsWith(word)).length;
        expect(counts('merged')).toBeLessThanOrEqual(1);
        expect(counts('closed')).toBeLessThanOrEqual(1);
        expect(counts('reminder')).toBeLessThanOrEqual(1 + asked);
      }),
    );
  });

  test('what was seen before the announcement, or for a link that nobody announced, is told to nobody', async () => {
    fc.assert(
      fc.property(fc.array(anyFacts, { maxLength: 10 }), (looks) => {
        const world = aWorkingJob();
        const events = looks.map((facts): JobEvent => ({ type: 'pull_request_seen', url: LINK, facts }));
        for (const event of events) world.apply(event);
        expect(heard(world)).toEqual([]);
      }),
    );
  });
});

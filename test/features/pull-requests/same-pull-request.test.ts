import { describe, expect, test } from 'vitest';
import type { PullRequestFacts } from '../../../src/jobs/pull-requests/pull-request.ts';
import { anAgentJob, HOUR_MS, policy } from '../../jobs/support/builders.ts';
import { anEndedJob } from '../../jobs/support/stages.ts';
import { START_MS, type World } from '../../jobs/support/world.ts';

const LINK = 'https://github.com/acme/docs/pull/14';
const OTHER = 'https://github.com/Acme/Docs/pull/14/files';
const AFTER_MS = 72 * HOUR_MS;

/** A job whose thread knows `LINK`. */
function aWorld(): World {
  const sites = [{ host: 'github', webUrl: 'https://github.com' }] as const;
  return anEndedJob(
    { prLink: LINK },
    { pullRequests: { ...policy.pullRequests, sites, watchedSites: sites } },
  );
}

function seen(world: World, url: string, facts: PullRequestFacts = {}) {
  const now = { state: 'open', updatedAtMs: START_MS, ...facts } as const;
  return world.apply({ type: 'pull_request_seen', url, facts: now });
}

const names = (world: World, prLink: string) => world.check(anAgentJob({ status: 'completed', prLink }));
const heard = (world: World) => world.news.filter((news) => /^(merged|closed|reminder)/.test(news));
const states = (world: World) => world.job.pullRequests?.map(({ url, facts }) => [url, facts.state]);

describe('a pull request that the agent names by another address in a later turn (P2)', () => {
  test('is shown at both as it is now', () => {
    const world = aWorld();
    seen(world, LINK, { title: 'Quickstart' });
    names(world, OTHER);
    const { tasks } = seen(world, OTHER, { title: 'Quickstart' });
    expect(tasks.map(({ kind }) => kind)).toContain('refresh_posts');
    seen(world, OTHER, { state: 'merged' });
    expect(states(world)).toEqual([
      [LINK, 'merged'],
      [OTHER, 'merged'],
    ]);
  });

  test('is told to be merged and closed once each', () => {
    const world = aWorld();
    seen(world, LINK, { state: 'closed' });
    seen(world, LINK);
    names(world, OTHER);
    for (const state of ['open', 'closed', 'open', 'merged'] as const) seen(world, OTHER, { state });
    names(world, LINK);
    seen(world, LINK, { state: 'open' });
    seen(world, LINK, { state: 'merged' });
    expect(heard(world)).toEqual(['closed by nobody known', 'merged by nobody known']);
  });

  test('is not told again to be what it was', () => {
    const world = aWorld();
    seen(world, LINK, { state: 'merged' });
    names(world, OTHER);
    seen(world, OTHER, { state: 'merged' });
    expect(heard(world)).toEqual(['merged by nobody known']);
  });

  test('is reminded of once, whichever address it has by then', () => {
    const world = aWorld();
    world.advance(AFTER_MS);
    seen(world, LINK);
    names(world, OTHER);
    seen(world, OTHER);
    names(world, LINK);
    seen(world, LINK);
    expect(heard(world)).toEqual([`reminder of ${LINK}`]);
  });
});

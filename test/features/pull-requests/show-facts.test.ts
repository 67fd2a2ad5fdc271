import { describe, expect, test } from 'vitest';
import type { Decision } from '../../../src/jobs/decide/decision-builder.ts';
import type { PullRequestFacts } from '../../../src/jobs/pull-requests/pull-request.ts';
import { anEndedJob } from '../../jobs/support/stages.ts';
import type { World } from '../../jobs/support/world.ts';

const url = 'https://github.com/acme/docs/pull/14';
const open: PullRequestFacts = { title: 'Quickstart', state: 'open', checks: 'pending' };

const seen = (world: World, facts: PullRequestFacts) =>
  world.apply({ type: 'pull_request_seen', url, facts });

/** How long after the look the messages and notices are edited; null: not at all. */
function editedAfterMs({ tasks, notices }: Decision, { nowMs }: World): number | null {
  const posts = tasks.find(({ kind }) => kind === 'refresh_posts');
  expect(notices?.runAtMs).toBe(posts?.runAtMs);
  expect(notices?.ifScheduled).toBe(posts?.ifScheduled);
  return posts === undefined ? null : posts.runAtMs - nowMs;
}

describe('messages and notices of a pull request are edited (P1)', () => {
  test('at once when it has a title, another one, or another state', () => {
    const world = anEndedJob({ prLink: url });
    expect(editedAfterMs(seen(world, open), world)).toBe(0);
    expect(editedAfterMs(seen(world, { ...open, title: 'Quick start' }), world)).toBe(0);
    expect(editedAfterMs(seen(world, { ...open, state: 'merged' }), world)).toBe(0);
  });

  test('at once when the card says that checks fail, or no longer says so', () => {
    const world = anEndedJob({ prLink: url });
    seen(world, open);
    expect(editedAfterMs(seen(world, { ...open, checks: 'failing' }), world)).toBe(0);
    expect(editedAfterMs(seen(world, { ...open, checks: 'passing' }), world)).toBe(0);
  });

  test('a bit later for how far it has come, once for all that happens until then', () => {
    const world = anEndedJob({ prLink: url });
    seen(world, open);
    const gathered = seen(world, { ...open, checks: 'passing' });
    expect(editedAfterMs(gathered, world)).toBe(10_000);
    expect(gathered.notices?.ifScheduled).toBe('keep');
    expect(editedAfterMs(seen(world, { ...open, size: { files: 2, lines: null } }), world)).toBe(10_000);
  });

  test('not when nothing that they show is new', () => {
    const world = anEndedJob({ prLink: url });
    seen(world, open);
    expect(editedAfterMs(seen(world, { ...open, updatedAtMs: 5 }), world)).toBeNull();
    seen(world, { ...open, state: 'merged' });
    const late = { ...open, state: 'merged', checks: 'failing', review: 'approved' } as const;
    expect(editedAfterMs(seen(world, late), world)).toBeNull();
  });
});

import { describe, expect, test } from 'vitest';
import {
  isOver,
  type SeenPullRequest,
  seenPullRequest,
} from '../../../src/jobs/pull-requests/pull-request.ts';

describe('a pull request', () => {
  test.each([
    ['draft', false],
    ['open', false],
    ['merged', true],
    ['closed', true],
  ] as const)('that is %s: over: %s', (state, isOverThen) => expect(isOver({ state })).toBe(isOverThen));

  test('of which nothing is known is not over', () => expect(isOver({})).toBe(false));
});

describe('what is known of the link of a job', () => {
  const seen = (url: string): SeenPullRequest => ({ url, facts: {}, seenAtMs: 1, reminders: 0 });

  test('is what was seen of that link', () => {
    const job = { pullRequests: [seen('https://a.example/1'), seen('https://a.example/2')] };
    expect(seenPullRequest(job, 'https://a.example/2')).toEqual(seen('https://a.example/2'));
    expect(seenPullRequest(job, 'https://a.example/3')).toBeNull();
  });

  test('is nothing while no host was asked', () =>
    expect(seenPullRequest({}, 'https://a.example/1')).toBeNull());
});

import { describe, expect, test } from 'vitest';
import { aFailure, anAgentJob, failures, HOUR_MS, MINUTE_MS, SECOND_MS } from '../support/builders.ts';
import { aWorkingJob } from '../support/stages.ts';
import type { World } from '../support/world.ts';

const limitedChecks = aFailure({ reason: 'rate_limited', status: 429, retryAfterMs: 30 * SECOND_MS });

function sendFails(world: World, failure = failures.unreachable): void {
  world.reply('one');
  world.advance(4 * SECOND_MS);
  world.messageFails(failure);
}

describe('an API that cannot be reached', () => {
  test('is told after three misses, once, and once more when it is back', () => {
    const world = aWorkingJob();
    world.answer = failures.unreachable;
    world.advance(12 * SECOND_MS);
    expect(world.news).toEqual(['started turn 1']);
    world.advance(HOUR_MS);
    expect(world.news).toEqual(['started turn 1', 'unreachable until 40 s']);
    world.answer = anAgentJob();
    world.advance(10 * MINUTE_MS);
    expect(world.news.slice(2)).toEqual(['recovered']);
    expect(world.job.trouble).toBeNull();
  });

  test('is said to be back also when our own budget ran out meanwhile', () => {
    const world = aWorkingJob();
    world.reply('one');
    world.answer = failures.unreachable;
    world.advance(4 * SECOND_MS);
    world.advance(MINUTE_MS);
    world.messageFails(failures.overBudget);
    world.answer = anAgentJob();
    world.advance(2 * HOUR_MS);
    world.accepted();
    world.advance(10 * MINUTE_MS);
    expect(world.news.filter((news) => news.startsWith('unreachable'))).toHaveLength(1);
    expect(world.news).toContain('recovered');
    expect(world.job.trouble).toBeNull();
  });

  test('is asked less and less often, at least every five minutes or so', () => {
    const world = aWorkingJob();
    world.answer = failures.unreachable;
    world.advance(HOUR_MS);
    const checks = world.events.filter(({ type }) => type === 'check_failed').length;
    expect(checks).toBeGreaterThan(12);
    expect(checks).toBeLessThan(25);
  });

  test('is not worth a word in the thread if it is back soon', () => {
    const world = aWorkingJob();
    world.answer = failures.serverError;
    world.advance(12 * SECOND_MS);
    expect(world.job.trouble).toMatchObject({ kind: 'unreachable', misses: 2, told: false });
    world.answer = anAgentJob();
    world.advance(MINUTE_MS);
    expect(world.news).toEqual(['started turn 1']);
    expect(world.job.trouble).toBeNull();
  });

  test('is back when it limits the rate', () => {
    const world = aWorkingJob();
    world.answer = failures.unreachable;
    world.advance(MINUTE_MS);
    world.answer = limitedChecks;
    world.advance(MINUTE_MS);
    world.answer = anAgentJob();
    world.advance(10 * MINUTE_MS);
    expect(world.news).toEqual(['started turn 1', 'unreachable until 40 s', 'recovered']);
  });

  test('for messages only: working checks do not hide it, and the tries grow rarer', () => {
    const world = aWorkingJob({ retryUnknown: 'messages' });
    sendFails(world, failures.serverError);
    for (let minutes = 0; minutes < 60; minutes += 1) {
      world.advance(MINUTE_MS);
      if (world.open('send_message').length > 0) world.messageFails(failures.serverError);
    }
    expect(world.messages.length).toBeLessThan(20);
    expect(world.news.filter((line) => line.startsWith('unreachable'))).toHaveLength(1);
    world.advance(10 * MINUTE_MS);
    world.accepted();
    expect(world.news.at(-1)).toBe('recovered');
  });
});

describe('a rate limit', () => {
  test('of the checks is obeyed, and told only when it lasts', () => {
    const world = aWorkingJob();
    world.answer = limitedChecks;
    world.advance(5 * SECOND_MS);
    expect(world.seconds(world.tasks.get('check_job'))).toBe(35);
    expect(world.news).toEqual(['started turn 1']);
    world.advance(10 * MINUTE_MS);
    expect(world.news.slice(1)).toEqual(['rate_limited until 95 s']);
    world.answer = anAgentJob();
    world.advance(10 * MINUTE_MS);
    expect(world.news.slice(2)).toEqual([]);
    expect(world.job.trouble).toBeNull();
  });

  test('of the messages outlasts checks that work, and checks that are limited for a moment', () => {
    const world = aWorkingJob();
    sendFails(world, failures.rateLimited);
    world.advance(MINUTE_MS);
    expect(world.job.trouble).toMatchObject({ kind: 'rate_limited', source: 'send' });
    world.check(limitedChecks);
    world.advance(2 * MINUTE_MS);
    expect(world.job.trouble).toMatchObject({ kind: 'rate_limited', source: 'send' });
    world.advance(10 * MINUTE_MS);
    world.messageFails(failures.rateLimited);
    expect(world.news.filter((line) => line.startsWith('rate_limited'))).toHaveLength(1);
    world.advance(10 * MINUTE_MS);
    world.accepted();
    expect(world.job.trouble).toBeNull();
  });

  test('of the checks is not over because a message got through', () => {
    const world = aWorkingJob();
    world.reply('one');
    world.advance(4 * SECOND_MS);
    world.check(limitedChecks);
    world.accepted();
    expect(world.job.trouble).toMatchObject({ kind: 'rate_limited', source: 'check' });
  });

  test('without a time, or with a time of zero, makes the tries grow rarer', () => {
    for (const retryAfterMs of [null, 0]) {
      const world = aWorkingJob();
      world.answer = aFailure({ reason: 'rate_limited', status: 429, retryAfterMs });
      world.advance(HOUR_MS);
      expect(world.events.filter(({ type }) => type === 'check_failed').length).toBeLessThan(25);
    }
  });

  test('that no reply waits for any more is over with the next check', () => {
    const world = aWorkingJob();
    sendFails(world, failures.rateLimited);
    world.advance(10 * MINUTE_MS);
    world.messageFails(failures.timeout);
    world.advance(2 * MINUTE_MS);
    expect(world.job.trouble).toBeNull();
  });
});

describe('a key that is refused', () => {
  test('is told at once, and once when it is mended; the replies are kept', () => {
    const world = aWorkingJob();
    sendFails(world, failures.unauthorized);
    expect(world.news.slice(1)).toEqual(['needs_admin until 9 s']);
    expect(world.states).toEqual(['waiting']);
    world.advance(10 * SECOND_MS);
    world.messageFails(failures.unauthorized);
    world.advance(20 * SECOND_MS);
    world.accepted();
    expect(world.news.slice(2)).toEqual(['recovered']);
    expect(world.states).toEqual(['sent']);
  });

  test('for messages only is told once, however many checks work in between', () => {
    const world = aWorkingJob();
    sendFails(world, failures.unauthorized);
    for (let minutes = 0; minutes < 30; minutes += 1) {
      world.advance(MINUTE_MS);
      if (world.open('send_message').length > 0) world.messageFails(failures.unauthorized);
    }
    expect(world.news.slice(1)).toEqual(['needs_admin until 9 s']);
  });

  test('by turns with other failures is told once', () => {
    const world = aWorkingJob();
    for (const failure of [
      failures.unauthorized,
      failures.unreachable,
      limitedChecks,
      failures.unauthorized,
    ]) {
      world.check(failure);
    }
    expect(world.news.slice(1)).toEqual(['needs_admin until 5 s']);
    world.check(anAgentJob());
    expect(world.news.slice(2)).toEqual(['recovered']);
  });

  test('after an outage that was told takes its place', () => {
    const world = aWorkingJob();
    for (let miss = 0; miss < 3; miss += 1) world.check(failures.unreachable);
    world.check(failures.unauthorized);
    world.check(anAgentJob());
    expect(world.news.slice(1)).toEqual(['unreachable until 20 s', 'needs_admin until 5 s', 'recovered']);
  });
});

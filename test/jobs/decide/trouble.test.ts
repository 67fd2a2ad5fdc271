import { describe, expect, test } from 'vitest';
import { aFailure, anAgentJob, failures, HOUR_MS, MINUTE_MS, SECOND_MS } from '../support/builders.ts';
import { aJobBeingCreated, aWorkingJob } from '../support/stages.ts';
import type { World } from '../support/world.ts';

const limitedChecks = aFailure({ reason: 'rate_limited', status: 429, retryAfterMs: 30 * SECOND_MS });

function sendFails(world: World, failure = failures.unreachable): void {
  world.reply('one');
  world.advance(4 * SECOND_MS);
  world.messageFails(failure);
}

describe('an API that cannot be reached', () => {
  test('is announced after ten minutes, once, and once more when it is back', () => {
    const world = aWorkingJob();
    world.answer = failures.unreachable;
    world.advance(10 * MINUTE_MS);
    expect(world.news).toEqual(['started']);
    expect(world.job.trouble).toMatchObject({ kind: 'unreachable', isAnnounced: false });
    world.advance(MINUTE_MS);
    expect(world.news).toEqual(['started', 'unreachable until 680 s']);
    world.advance(HOUR_MS);
    world.answer = anAgentJob();
    world.advance(10 * MINUTE_MS);
    expect(world.news.slice(2)).toEqual(['recovered']);
    expect(world.job.trouble).toBeNull();
  });

  test('is announced when a person has waited for two minutes for a reply to go out', () => {
    const world = aWorkingJob();
    world.answer = failures.unreachable;
    world.advance(5 * MINUTE_MS);
    world.reply('one');
    const failSends = (seconds: number) => {
      for (let second = 0; second < seconds; second += 1) {
        world.advance(SECOND_MS);
        if (world.open('send_message').length > 0) world.messageFails(failures.unreachable);
      }
    };
    failSends(119);
    expect(world.news).toEqual(['started']);
    failSends(61);
    expect(world.news).toHaveLength(2);
    expect(world.news[1]).toMatch(/^unreachable/);
    failSends(600);
    expect(world.news).toHaveLength(2);
  });

  test('is announced at once where the API itself asks to be left alone for ten minutes', () => {
    const world = aWorkingJob();
    world.check(aFailure({ reason: 'server_error', status: 503, retryAfterMs: 10 * MINUTE_MS - 1 }));
    expect(world.news).toEqual(['started']);
    world.check(aFailure({ reason: 'server_error', status: 503, retryAfterMs: 10 * MINUTE_MS }));
    expect(world.news).toEqual(['started', 'unreachable until 600 s']);
  });

  test('is said to be back when what waited went out, not when it can only be read again', () => {
    const world = aWorkingJob();
    sendFails(world);
    world.nowMs += 10 * MINUTE_MS;
    world.check(failures.unreachable);
    expect(world.news.slice(1)).toEqual(['unreachable until 614 s']);
    world.check(anAgentJob());
    expect(world.news).toHaveLength(2);
    world.advance(MINUTE_MS);
    world.accepted();
    expect(world.news.slice(2)).toEqual(['recovered']);
  });

  test('is said to be back, too, when the reply that waited was deleted', () => {
    const world = aWorkingJob();
    world.reply('one');
    world.advance(4 * SECOND_MS);
    world.messageFails(failures.unreachable);
    world.nowMs += 2 * MINUTE_MS;
    world.sendDue();
    world.messageFails(failures.unreachable);
    expect(world.news.slice(1)).toEqual(['unreachable until 134 s']);
    world.thread.remove(0);
    world.tell(0);
    world.check(anAgentJob());
    expect(world.news.slice(2)).toEqual(['recovered']);
  });

  test('is said to be back even when our own budget ran out meanwhile', () => {
    const world = aWorkingJob();
    world.answer = failures.unreachable;
    world.advance(11 * MINUTE_MS);
    world.reply('one');
    world.advance(4 * SECOND_MS);
    world.messageFails(failures.overBudget);
    world.answer = anAgentJob();
    world.advance(2 * HOUR_MS);
    world.accepted();
    world.advance(10 * MINUTE_MS);
    expect(world.news.filter((news) => news.startsWith('unreachable'))).toHaveLength(1);
    expect(world.news).toContain('recovered');
    expect(world.job.trouble).toBeNull();
  });

  test('does not begin anew when our own budget runs out meanwhile', () => {
    const world = aWorkingJob();
    world.answer = failures.unreachable;
    world.advance(9 * MINUTE_MS);
    world.reply('one');
    world.advance(4 * SECOND_MS);
    world.messageFails(failures.overBudget);
    world.advance(2 * MINUTE_MS);
    expect(world.news.slice(1)).toEqual(['unreachable until 680 s']);
  });

  test('is forgotten when the request went out after all, whatever became of it: another start begins anew', () => {
    const world = aJobBeingCreated();
    world.createFails(failures.unreachable);
    world.createFails(failures.timeout);
    expect(world.job.trouble).toBeNull();
    world.nowMs += HOUR_MS;
    world.apply({ type: 'start_again_pressed', callId: world.buttonCallId });
    world.createFails(failures.unreachable);
    expect(world.news.filter((line) => line.includes('unreachable'))).toEqual([]);
  });

  test('is asked less and less often, at least once a minute', () => {
    const world = aWorkingJob();
    world.answer = failures.unreachable;
    world.advance(HOUR_MS);
    const checks = world.events.filter(({ type }) => type === 'check_failed').length;
    expect(checks).toBeGreaterThanOrEqual(60);
    expect(checks).toBeLessThan(70);
  });

  test('is not worth a word in the thread if it is back soon', () => {
    const world = aWorkingJob();
    world.answer = failures.serverError;
    world.advance(12 * SECOND_MS);
    expect(world.job.trouble).toMatchObject({ kind: 'unreachable', misses: 2, isAnnounced: false });
    world.answer = anAgentJob();
    world.advance(MINUTE_MS);
    expect(world.news).toEqual(['started']);
    expect(world.job.trouble).toBeNull();
  });

  test('is back when it limits the rate', () => {
    const world = aWorkingJob();
    world.answer = failures.unreachable;
    world.advance(11 * MINUTE_MS);
    world.answer = limitedChecks;
    world.advance(MINUTE_MS);
    expect(world.news).toEqual(['started', 'unreachable until 680 s', 'recovered']);
    expect(world.job.trouble).toMatchObject({ kind: 'rate_limited' });
  });

  test('for messages only: working checks do not hide it, and the tries grow rarer', () => {
    const world = aWorkingJob();
    sendFails(world, failures.unreachable);
    for (let minutes = 0; minutes < 60; minutes += 1) {
      world.advance(MINUTE_MS);
      if (world.open('send_message').length > 0) world.messageFails(failures.unreachable);
    }
    expect(world.messages.length).toBeLessThan(65);
    expect(world.news.filter((line) => line.startsWith('unreachable'))).toHaveLength(1);
    world.advance(10 * MINUTE_MS);
    world.accepted();
    expect(world.news.at(-1)).toBe('recovered');
  });
});

describe('a rate limit', () => {
  test('of the checks is obeyed, and for the card alone: no person waits', () => {
    const world = aWorkingJob();
    world.answer = limitedChecks;
    world.advance(5 * SECOND_MS);
    expect(world.seconds(world.tasks.get('check_job'))).toBe(35);
    expect(world.news).toEqual(['started']);
    world.advance(HOUR_MS);
    world.answer = anAgentJob();
    world.advance(10 * MINUTE_MS);
    expect(world.news).toEqual(['started']);
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

  test('of the messages is announced if a reply has to wait for longer than ten minutes, known or not', () => {
    const wait = (retryAfterMs: number | null) =>
      aFailure({ reason: 'rate_limited', status: 429, retryAfterMs });
    const known = aWorkingJob();
    sendFails(known, wait(10 * MINUTE_MS - 4 * SECOND_MS));
    expect(known.news).toEqual(['started']);
    known.advance(10 * MINUTE_MS);
    known.messageFails(wait(SECOND_MS));
    expect(known.news.slice(1)).toEqual(['rate_limited until 605 s']);

    const unknown = aWorkingJob();
    sendFails(unknown, wait(null));
    for (let minutes = 0; minutes < 10; minutes += 1) {
      expect(unknown.news).toEqual(['started']);
      unknown.advance(MINUTE_MS);
      unknown.messageFails(wait(null));
    }
    unknown.advance(MINUTE_MS);
    unknown.messageFails(wait(null));
    expect(unknown.news.slice(1)).toEqual([expect.stringMatching(/^rate_limited/)]);
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
      expect(world.events.filter(({ type }) => type === 'check_failed').length).toBeLessThan(70);
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
  test('is announced at once, and once when it is mended; the replies are kept', () => {
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

  test('for messages only is announced once, however many checks work in between', () => {
    const world = aWorkingJob();
    sendFails(world, failures.unauthorized);
    for (let minutes = 0; minutes < 30; minutes += 1) {
      world.advance(MINUTE_MS);
      if (world.open('send_message').length > 0) world.messageFails(failures.unauthorized);
    }
    expect(world.news.slice(1)).toEqual(['needs_admin until 9 s']);
  });

  test('by turns with other failures is announced once', () => {
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

  test('after an announced outage takes its place', () => {
    const world = aWorkingJob();
    world.check(failures.unreachable);
    world.nowMs += 10 * MINUTE_MS;
    world.check(failures.unreachable);
    world.check(failures.unauthorized);
    world.check(anAgentJob());
    expect(world.news.slice(1)).toEqual(['unreachable until 610 s', 'needs_admin until 605 s', 'recovered']);
  });
});

import { describe, expect, test } from 'vitest';
import type { AgentFailure } from '../../../src/jobs/agent-job.ts';
import { aFailure, failures, HOUR_MS, MINUTE_MS, SECOND_MS } from '../support/builders.ts';
import { aJobBeingCreated, aWorkingJob } from '../support/stages.ts';
import {
  accepts,
  checked,
  fails,
  goesOut,
  happens,
  heard,
  laterBy,
  live,
  passes,
  removes,
  type Step,
  says,
  shows,
} from '../support/story.ts';
import type { World } from '../support/world.ts';

const limited = (retryAfterMs: number | null) =>
  aFailure({ reason: 'rate_limited', status: 429, retryAfterMs });
const limitedChecks = limited(30 * SECOND_MS);

const sendFails = (failure: AgentFailure = failures.unreachable): Step => {
  return (world) => void live(world, says('one'), goesOut, fails(failure));
};

/** Time passes in steps, and each message that is under way fails. */
const failsFor = (ms: number, failure: AgentFailure, stepMs: number): Step => {
  return (world) => {
    for (let passedMs = 0; passedMs < ms; passedMs += stepMs) {
      world.advance(stepMs);
      if (world.open('send_message').length > 0) world.messageFails(failure);
    }
  };
};

const failedChecks = ({ events }: World) => events.filter(({ type }) => type === 'check_failed').length;

describe('an API that cannot be reached', () => {
  test('is announced after ten minutes, once, and once more when it is back', () => {
    const world = aWorkingJob();
    expect(heard(world, shows(failures.unreachable, 10 * MINUTE_MS))).toEqual([]);
    expect(world.job.trouble).toMatchObject({ kind: 'unreachable', isAnnounced: false });
    expect(heard(world, passes(MINUTE_MS))).toEqual(['unreachable until 680 s']);
    expect(heard(world, passes(HOUR_MS), shows({}, 10 * MINUTE_MS))).toEqual(['recovered']);
    expect(world.job.trouble).toBeNull();
  });

  test('is announced when a person has waited for two minutes for a reply to go out', () => {
    const world = live(aWorkingJob(), shows(failures.unreachable, 5 * MINUTE_MS), says('one'));
    const failsAllTheWhile = (seconds: number) =>
      failsFor(seconds * SECOND_MS, failures.unreachable, SECOND_MS);
    expect(heard(world, failsAllTheWhile(119))).toEqual([]);
    expect(heard(world, failsAllTheWhile(61))).toEqual([expect.stringMatching(/^unreachable/)]);
    expect(heard(world, failsAllTheWhile(600))).toEqual([]);
  });

  test('is announced at once where the API itself asks to be left alone for ten minutes', () => {
    const busy = (retryAfterMs: number) =>
      checked(aFailure({ reason: 'server_error', status: 503, retryAfterMs }));
    const world = aWorkingJob();
    expect(heard(world, busy(10 * MINUTE_MS - 1))).toEqual([]);
    expect(heard(world, busy(10 * MINUTE_MS))).toEqual(['unreachable until 600 s']);
  });

  test('is said to be back when what waited went out, not when it can only be read again', () => {
    const world = live(aWorkingJob(), sendFails(), laterBy(10 * MINUTE_MS));
    expect(heard(world, checked(failures.unreachable))).toEqual(['unreachable until 614 s']);
    expect(heard(world, checked({}))).toEqual([]);
    expect(heard(world, passes(MINUTE_MS), accepts)).toEqual(['recovered']);
  });

  test('is said to be back, too, when the reply that waited was deleted', () => {
    const world = live(aWorkingJob(), sendFails(), laterBy(2 * MINUTE_MS));
    world.sendDue();
    expect(heard(world, fails(failures.unreachable))).toEqual(['unreachable until 134 s']);
    expect(heard(world, removes(1), checked({}))).toEqual(['recovered']);
  });

  test('does not begin anew when our own budget runs out meanwhile', () => {
    const steps = [shows(failures.unreachable, 9 * MINUTE_MS), sendFails(failures.overBudget)];
    expect(heard(aWorkingJob(), ...steps, passes(2 * MINUTE_MS))).toEqual(['unreachable until 680 s']);
  });

  test('is forgotten when the request went out after all, whatever became of it: another start begins anew', () => {
    const world = live(aJobBeingCreated(), fails(failures.unreachable), fails(failures.timeout));
    expect(world.job.trouble).toBeNull();
    const startsAnew = happens(({ buttonCallId: callId }) => ({ type: 'start_again_pressed', callId }));
    live(world, laterBy(HOUR_MS), startsAnew, fails(failures.unreachable));
    expect(world.news.filter((line) => line.includes('unreachable'))).toEqual([]);
  });

  test('is asked less and less often, at least once a minute', () => {
    const checks = failedChecks(live(aWorkingJob(), shows(failures.unreachable, HOUR_MS)));
    expect(checks).toBeGreaterThanOrEqual(60);
    expect(checks).toBeLessThan(70);
  });

  test('is back when it limits the rate', () => {
    const world = aWorkingJob();
    const told = heard(world, shows(failures.unreachable, 11 * MINUTE_MS), shows(limitedChecks, MINUTE_MS));
    expect(told).toEqual(['unreachable until 680 s', 'recovered']);
    expect(world.job.trouble).toMatchObject({ kind: 'rate_limited' });
  });

  test('for messages only: working checks do not hide it, and the tries grow rarer', () => {
    const world = live(aWorkingJob(), sendFails(), failsFor(HOUR_MS, failures.unreachable, MINUTE_MS));
    expect(world.messages.length).toBeLessThan(65);
    expect(world.news.filter((line) => line.startsWith('unreachable'))).toHaveLength(1);
    expect(heard(world, passes(10 * MINUTE_MS), accepts)).toEqual(['recovered']);
  });
});

describe('a rate limit', () => {
  test('of the checks is obeyed, and for the card alone: no person waits', () => {
    const world = live(aWorkingJob(), shows(limitedChecks));
    expect(world.seconds(world.tasks.get('check_job'))).toBe(35);
    live(world, passes(HOUR_MS), shows({}, 10 * MINUTE_MS));
    expect(world.news).toEqual(['started']);
    expect(world.job.trouble).toBeNull();
  });

  test('of the messages outlasts checks that work, and checks that are limited for a moment', () => {
    const world = live(aWorkingJob(), sendFails(failures.rateLimited), passes(MINUTE_MS));
    expect(world.job.trouble).toMatchObject({ kind: 'rate_limited', source: 'send' });
    live(world, checked(limitedChecks), passes(2 * MINUTE_MS));
    expect(world.job.trouble).toMatchObject({ kind: 'rate_limited', source: 'send' });
    live(world, passes(10 * MINUTE_MS), fails(failures.rateLimited));
    expect(world.news.filter((line) => line.startsWith('rate_limited'))).toHaveLength(1);
    live(world, passes(10 * MINUTE_MS), accepts);
    expect(world.job.trouble).toBeNull();
  });

  test('of the checks is not over because a message got through', () => {
    const world = live(aWorkingJob(), says('one'), goesOut, checked(limitedChecks), accepts);
    expect(world.job.trouble).toMatchObject({ kind: 'rate_limited', source: 'check' });
  });

  test('of the messages is announced if a reply has to wait for longer than ten minutes, known or not', () => {
    const known = aWorkingJob();
    expect(heard(known, sendFails(limited(10 * MINUTE_MS - 4 * SECOND_MS)))).toEqual([]);
    const told = heard(known, passes(10 * MINUTE_MS), fails(limited(SECOND_MS)));
    expect(told).toEqual(['rate_limited until 605 s']);

    const unknown = live(aWorkingJob(), sendFails(limited(null)));
    const failsEachMinute = (minutes: number) => failsFor(minutes * MINUTE_MS, limited(null), MINUTE_MS);
    expect(heard(unknown, failsEachMinute(9))).toEqual([]);
    expect(heard(unknown, failsEachMinute(2))).toEqual([expect.stringMatching(/^rate_limited/)]);
  });

  test.each([null, 0])('without a time, or with a time of zero, makes the tries grow rarer (%s)', (ms) => {
    expect(failedChecks(live(aWorkingJob(), shows(limited(ms), HOUR_MS)))).toBeLessThan(70);
  });

  test('that no reply waits for any more is over with the next check', () => {
    const world = live(aWorkingJob(), sendFails(failures.rateLimited), passes(10 * MINUTE_MS));
    live(world, fails(failures.timeout), passes(2 * MINUTE_MS));
    expect(world.job.trouble).toBeNull();
  });
});

describe('a key that is refused', () => {
  test('is announced at once, and once when it is mended; the replies are kept', () => {
    const world = aWorkingJob();
    expect(heard(world, sendFails(failures.unauthorized))).toEqual(['needs_admin until 9 s']);
    expect(world.states).toEqual(['waiting']);
    const again = [passes(10 * SECOND_MS), fails(failures.unauthorized), passes(20 * SECOND_MS), accepts];
    expect(heard(world, ...again)).toEqual(['recovered']);
    expect(world.states).toEqual(['sent']);
  });

  test('for messages only is announced once, however many checks work in between', () => {
    const steps = [sendFails(failures.unauthorized), failsFor(HOUR_MS / 2, failures.unauthorized, MINUTE_MS)];
    expect(heard(aWorkingJob(), ...steps)).toEqual(['needs_admin until 9 s']);
  });

  test('by turns with other failures is announced once', () => {
    const { unauthorized, unreachable } = failures;
    const checks = [unauthorized, unreachable, limitedChecks, unauthorized].map(checked);
    const world = aWorkingJob();
    expect(heard(world, ...checks)).toEqual(['needs_admin until 5 s']);
    expect(heard(world, checked({}))).toEqual(['recovered']);
  });

  test('after an announced outage takes its place', () => {
    const { unauthorized, unreachable } = failures;
    const world = live(aWorkingJob(), checked(unreachable), laterBy(10 * MINUTE_MS));
    const told = heard(world, checked(unreachable), checked(unauthorized), checked({}));
    expect(told).toEqual(['unreachable until 610 s', 'needs_admin until 605 s', 'recovered']);
  });
});

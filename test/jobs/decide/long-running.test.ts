import { describe, expect, test } from 'vitest';
import { isUnwatched } from '../../../src/jobs/job.ts';
import { failures, HOUR_MS, MINUTE_MS } from '../support/builders.ts';
import { aWorkingJob } from '../support/stages.ts';
import { checked, follows, happens, live, passes, type Step, shows } from '../support/story.ts';
import type { World } from '../support/world.ts';

const asked = (world: World) => world.told.filter(({ kind }) => kind === 'long_running').length;
const keep = happens({ type: 'keep_watching_pressed', question: 1 });
const stop = happens({ type: 'stop_watching_pressed', question: 1 });
const resume = happens({ type: 'resume_watching_pressed', question: 1 });

/** A job that the agent has been at for so long that the thread was asked. */
function aLongRunningJob(...steps: readonly Step[]): World {
  const world = live(aWorkingJob(), passes(6 * HOUR_MS + MINUTE_MS));
  expect(asked(world)).toBe(1);
  return live(world, ...steps);
}

function expectNoChange(world: World, ...steps: readonly Step[]): void {
  const before = world.job;
  expect(live(world, ...steps).job).toEqual(before);
}

describe('a turn that lasts long (W4)', () => {
  test('makes the thread be asked once; the watch goes on meanwhile', () => {
    const world = live(aWorkingJob(), passes(6 * HOUR_MS - MINUTE_MS));
    expect(asked(world)).toBe(0);
    expect(asked(live(world, passes(20 * HOUR_MS)))).toBe(1);
    expect(world.news.at(-1)).toBe('long running for 6 h');
    live(world, shows({ status: 'completed' }, MINUTE_MS));
    expect(world.job.stage.kind).toBe('ended');
  });

  test('is asked about again as much later after *Keep watching*, which works once', () => {
    const world = aLongRunningJob(keep);
    expect(world.apply({ type: 'keep_watching_pressed', question: 1 }).tasks).toEqual([]);
    expect(asked(live(world, passes(6 * HOUR_MS - MINUTE_MS)))).toBe(1);
    expect(asked(live(world, passes(2 * MINUTE_MS)))).toBe(2);
    expectNoChange(world, keep);
  });

  test('is not read any more after *Stop watching*, and the answer of a read that was under way does not count', () => {
    const world = aLongRunningJob(stop);
    expect(isUnwatched(world.job)).toBe(true);
    expectNoChange(world, checked({ status: 'completed' }), checked(failures.unreachable));
    expect(world.tasks.has('check_job')).toBe(false);
    expectNoChange(world, stop, keep);
  });

  test('can be stopped after *Keep watching*, too', () => {
    expect(isUnwatched(aLongRunningJob(keep, stop).job)).toBe(true);
  });

  test('is watched again after *Resume watching*, which works once, and is asked about again', () => {
    const world = aLongRunningJob(stop, passes(30 * 24 * HOUR_MS), resume);
    expectNoChange(world, resume, stop);
    expect(asked(live(world, passes(6 * HOUR_MS + MINUTE_MS)))).toBe(2);
    live(world, shows({ status: 'completed' }, 2 * MINUTE_MS));
    expect(world.job.stage.kind).toBe('ended');
  });

  test('is watched again by a follow-up', () => {
    const world = aLongRunningJob(stop, follows());
    expect(isUnwatched(world.job)).toBe(false);
    expect(world.tasks.has('check_job')).toBe(true);
    expectNoChange(world, stop);
  });

  test('that is over leaves nothing to answer', () => {
    expectNoChange(aLongRunningJob(checked({ status: 'completed' })), keep, stop, resume);
  });

  test('and cannot be read any more: stopping forgets that, too', () => {
    const world = aLongRunningJob(shows(failures.unreachable, HOUR_MS));
    expect(world.job.trouble).not.toBeNull();
    expect(live(world, stop).job.trouble).toBeNull();
  });
});

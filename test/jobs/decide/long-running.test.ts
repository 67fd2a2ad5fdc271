import { describe, expect, test } from 'vitest';
import { isUnwatched } from '../../../src/jobs/job.ts';
import { anAgentJob, failures, HOUR_MS, MINUTE_MS, SECOND_MS } from '../support/builders.ts';
import { aWorkingJob } from '../support/stages.ts';
import type { World } from '../support/world.ts';

const asked = (world: World) => world.told.filter(({ kind }) => kind === 'long_running').length;
const keep = (world: World, question = 1) => world.apply({ type: 'keep_watching_pressed', question });
const stop = (world: World, question = 1) => world.apply({ type: 'stop_watching_pressed', question });
const resume = (world: World, question = 1) => world.apply({ type: 'resume_watching_pressed', question });

/** A job that the agent has been at for so long that the thread was asked. */
function aLongRunningJob(): World {
  const world = aWorkingJob();
  world.advance(6 * HOUR_MS + MINUTE_MS);
  expect(asked(world)).toBe(1);
  return world;
}

describe('a turn that lasts long (W4)', () => {
  test('makes the thread be asked once; the watch goes on meanwhile', () => {
    const world = aWorkingJob();
    world.advance(6 * HOUR_MS - MINUTE_MS);
    expect(asked(world)).toBe(0);
    world.advance(20 * HOUR_MS);
    expect(asked(world)).toBe(1);
    expect(world.news.at(-1)).toBe('long running for 6 h');
    world.answer = anAgentJob({ status: 'completed' });
    world.advance(MINUTE_MS);
    expect(world.job.stage.kind).toBe('ended');
  });

  test('is asked about again as much later after *Keep watching*, which works once', () => {
    const world = aLongRunningJob();
    keep(world);
    expect(keep(world).tasks).toEqual([]);
    world.advance(6 * HOUR_MS - MINUTE_MS);
    expect(asked(world)).toBe(1);
    world.advance(2 * MINUTE_MS);
    expect(asked(world)).toBe(2);
    const before = world.job;
    keep(world, 1);
    expect(world.job).toEqual(before);
  });

  test('is not read any more after *Stop watching*, and the answer of a read that was under way does not count', () => {
    const world = aLongRunningJob();
    stop(world);
    expect(isUnwatched(world.job)).toBe(true);
    const before = world.job;
    world.check(anAgentJob({ status: 'completed' }));
    world.check(failures.unreachable);
    expect(world.job).toEqual(before);
    expect(world.tasks.has('check_job')).toBe(false);
    stop(world);
    keep(world);
    expect(world.job).toEqual(before);
  });

  test('can be stopped after *Keep watching*, too', () => {
    const world = aLongRunningJob();
    keep(world);
    stop(world);
    expect(isUnwatched(world.job)).toBe(true);
  });

  test('is watched again after *Resume watching*, which works once, and is asked about again', () => {
    const world = aLongRunningJob();
    stop(world);
    world.advance(30 * 24 * HOUR_MS);
    resume(world);
    const before = world.job;
    resume(world);
    stop(world);
    expect(world.job).toEqual(before);
    world.advance(6 * HOUR_MS + MINUTE_MS);
    expect(asked(world)).toBe(2);
    world.answer = anAgentJob({ status: 'completed' });
    world.advance(2 * MINUTE_MS);
    expect(world.job.stage.kind).toBe('ended');
  });

  test('is watched again by a follow-up', () => {
    const world = aLongRunningJob();
    stop(world);
    world.reply('Mention the retries');
    world.advance(4 * SECOND_MS);
    world.accepted();
    expect(isUnwatched(world.job)).toBe(false);
    expect(world.tasks.has('check_job')).toBe(true);
    const before = world.job;
    stop(world);
    expect(world.job).toEqual(before);
  });

  test('that is over leaves nothing to answer', () => {
    const world = aLongRunningJob();
    world.check(anAgentJob({ status: 'completed' }));
    const before = world.job;
    keep(world);
    stop(world);
    resume(world);
    expect(world.job).toEqual(before);
  });

  test('and cannot be read any more: stopping forgets that, too', () => {
    const world = aLongRunningJob();
    world.answer = failures.unreachable;
    world.advance(HOUR_MS);
    expect(world.job.trouble).not.toBeNull();
    stop(world);
    expect(world.job.trouble).toBeNull();
  });
});

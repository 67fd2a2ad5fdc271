import { describe, expect, test } from 'vitest';
import { paceOf } from '../../../src/jobs/pace.ts';
import { anAgentJob, failures, HOUR_MS, MINUTE_MS, policy, request, SECOND_MS } from '../support/builders.ts';
import { anEndedJob, aWorkingJob, followUp } from '../support/stages.ts';
import { World } from '../support/world.ts';

const completed = anAgentJob({ status: 'completed', prLink: 'https://example.com/pull/1' });

describe('how long a turn took is noted', () => {
  test('once, when it is seen to be over: until half-way between the last two looks', () => {
    const world = aWorkingJob();
    world.advance(12 * SECOND_MS);
    expect(world.turnLengthsMs).toEqual([]);
    world.answer = completed;
    world.advance(HOUR_MS);
    expect(world.turnLengthsMs).toEqual([12.5 * SECOND_MS]);
  });

  test('also if the first look sees the end', () => {
    expect(anEndedJob().turnLengthsMs).toEqual([2.5 * SECOND_MS]);
  });

  test('for each turn of a job', () => {
    const world = anEndedJob();
    followUp(world);
    world.answer = anAgentJob();
    world.advance(MINUTE_MS);
    expect(world.turnLengthsMs).toHaveLength(1);
    world.answer = completed;
    world.advance(HOUR_MS);
    expect(world.turnLengthsMs).toHaveLength(2);
    expect(world.turnLengthsMs[1]).toBeGreaterThan(55 * SECOND_MS);
    expect(world.turnLengthsMs[1]).toBeLessThan(75 * SECOND_MS);
  });

  test.each(['failed', 'archived'])('whatever the end is: %s', (status) => {
    expect(anEndedJob({ status }).turnLengthsMs).toHaveLength(1);
  });
});

describe('how long a turn took is not noted', () => {
  test('if nobody saw a follow-up taken up: the end may be that of the turn before', () => {
    const world = anEndedJob();
    followUp(world);
    world.advance(HOUR_MS);
    expect(world.job.stage.kind).toBe('ended');
    expect(world.turnLengthsMs).toHaveLength(1);
  });

  test('if it went on after it had seemed to be over: nobody knows since when', () => {
    const world = anEndedJob();
    world.answer = anAgentJob();
    world.advance(10 * MINUTE_MS);
    expect(world.job.stage.kind).toBe('working');
    world.answer = completed;
    world.advance(HOUR_MS);
    expect(world.job.stage.kind).toBe('ended');
    expect(world.turnLengthsMs).toHaveLength(1);
  });

  test('if the job was started elsewhere: nobody knows when', () => {
    const world = new World({}, { ...request, attachedTo: 'agent-1' });
    world.cardPosted();
    world.advance(MINUTE_MS);
    world.answer = completed;
    world.advance(HOUR_MS);
    expect(world.job.stage.kind).toBe('ended');
    expect(world.turnLengthsMs).toEqual([]);
  });

  test('if the API could not be asked for long: it may have ended at any time', () => {
    const world = aWorkingJob();
    world.answer = failures.unreachable;
    world.advance(10 * MINUTE_MS);
    world.answer = completed;
    world.advance(HOUR_MS);
    expect(world.job.stage.kind).toBe('ended');
    expect(world.turnLengthsMs).toEqual([]);
  });

  test('if the job vanished', () => {
    const world = aWorkingJob();
    world.answer = failures.notFound;
    world.advance(HOUR_MS);
    expect(world.turnLengthsMs).toEqual([]);
  });
});

describe('where the turns of a project use to end after ten minutes', () => {
  const lengths = Array.from({ length: 50 }, (_, index) => (9 + index / 25) * MINUTE_MS);
  const pace = paceOf(lengths, policy);
  const paces = new Map(pace === null ? [] : [[request.projectId, pace]]);

  function checksWithin(world: World, ms: number): number {
    const before = world.events.length;
    world.advance(ms);
    return world.events.length - before;
  }

  test('a job is looked at seldom before, and closely then', () => {
    const world = new World();
    world.paces = paces;
    world.cardPosted();
    world.created();
    expect(checksWithin(world, 5 * MINUTE_MS)).toBeLessThanOrEqual(8);
    world.advance(4 * MINUTE_MS);
    expect(checksWithin(world, MINUTE_MS)).toBeGreaterThanOrEqual(10);
  });

  test('a follow-up is looked for soon until it is seen to be taken up, and seldom then', () => {
    const world = anEndedJob();
    world.paces = paces;
    world.advance(5 * MINUTE_MS);
    followUp(world);
    expect(checksWithin(world, 20 * SECOND_MS)).toBe(4);
    world.answer = anAgentJob();
    world.advance(10 * SECOND_MS);
    expect(checksWithin(world, 3 * MINUTE_MS)).toBe(3);
  });

  test('a job of another project, and one that was started elsewhere, are looked at as if nothing was known', () => {
    const checksOf = (world: World) => {
      world.paces = paces;
      world.cardPosted();
      if (world.job.attachedTo === null) world.created();
      return checksWithin(world, 4 * MINUTE_MS);
    };
    const unknown = checksOf(new World({}, { ...request, projectId: 'other' }));
    expect(unknown).toBeGreaterThan(15);
    expect(checksOf(new World({}, { ...request, attachedTo: 'agent-1' }))).toBeGreaterThanOrEqual(unknown);
  });
});

import { describe, expect, test } from 'vitest';
import { isUnattended } from '../../../src/jobs/job.ts';
import { failures, request } from '../support/builders.ts';
import { checked, fails, live } from '../support/story.ts';
import { World } from '../support/world.ts';

describe('a job that nobody asked for, since its recipe started by itself', () => {
  function beingCreated(): World {
    const world = new World({}, { ...request, requesterId: null, recipe: 'weekly-review' });
    world.cardPosted();
    return world;
  }

  test('is a person’s start once somebody starts it again, or with another request', () => {
    const failed = beingCreated();
    failed.created();
    live(failed, checked({ status: 'failed' }));
    const unclear = live(beingCreated(), fails(failures.timeout));
    const rejected = live(beingCreated(), fails(failures.rejected));
    const worlds = [failed, unclear, rejected];
    expect(worlds.map(({ job }) => isUnattended(job))).toEqual([true, true, true]);

    const { creates } = failed.job;
    failed.apply({ type: 'start_again_pressed', creates });
    unclear.apply({ type: 'start_again_pressed', callId: unclear.buttonCallId });
    rejected.apply({ type: 'request_edited', creates, prompt: 'Shorter', userId: 'U1' });
    expect(worlds.map((world) => world.open('create_job').length)).toEqual([1, 1, 1]);
    expect(worlds.map(({ job }) => isUnattended(job))).toEqual([false, false, false]);
  });
});

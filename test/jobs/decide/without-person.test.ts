import { describe, expect, test } from 'vitest';
import { isUnattended } from '../../../src/jobs/job.ts';
import { failures, request } from '../support/builders.ts';
import { checked, fails, happens, live } from '../support/story.ts';
import { World } from '../support/world.ts';

describe('a job that nobody asked for, since its recipe started by itself', () => {
  const unattended = () => new World({}, { ...request, requesterId: null, recipe: 'weekly-review' });

  function beingCreated(): World {
    const world = unattended();
    world.cardPosted();
    return world;
  }

  test('goes the way of all others', () => {
    const world = beingCreated();
    expect(world.transcript).toEqual(['0 s card', '0 s create: Document the rate limits']);
    expect(world.job).toMatchObject({ requesterId: null, recipe: 'weekly-review' });
  });

  test('tells nobody privately that Slack refused its card, or holds it up', () => {
    const reason = 'not_in_channel';
    const refused = live(unattended(), happens({ type: 'card_refused', reason }));
    const delayed = live(unattended(), happens({ type: 'card_delayed', reason }));
    for (const { transcript } of [refused, delayed]) expect(transcript).toEqual(['0 s card']);
    expect(refused.job.stage.kind).toBe('card_failed');
  });

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

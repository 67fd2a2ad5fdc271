import { describe, expect, test } from 'vitest';
import { isUnattended } from '../../../src/jobs/job.ts';
import { anAgentJob, failures, request } from '../support/builders.ts';
import { World } from '../support/world.ts';

describe('a job that nobody asked for, since its recipe started by itself', () => {
  const unattended = { ...request, requesterId: null, recipe: 'weekly-review' };

  test('goes the way of all others', () => {
    const world = new World({}, unattended);
    world.cardPosted();
    expect(world.transcript).toEqual(['0 s card', '0 s create: Document the rate limits']);
    expect(world.job).toMatchObject({ requesterId: null, recipe: 'weekly-review' });
  });

  test('tells nobody privately that Slack refused its card, or holds it up', () => {
    const refused = new World({}, unattended);
    refused.apply({ type: 'card_refused', reason: 'not_in_channel' });
    expect(refused.transcript).toEqual(['0 s card']);
    expect(refused.job.stage.kind).toBe('card_failed');
    const delayed = new World({}, unattended);
    delayed.apply({ type: 'card_delayed', reason: 'not_in_channel' });
    expect(delayed.transcript).toEqual(['0 s card']);
  });

  test('is a person’s start once somebody starts it again, or with another request', () => {
    const failed = new World({}, unattended);
    failed.cardPosted();
    failed.created();
    failed.check(anAgentJob({ status: 'failed' }));
    const unclear = new World({}, unattended);
    unclear.cardPosted();
    unclear.createFails(failures.timeout);
    const rejected = new World({}, unattended);
    rejected.cardPosted();
    rejected.createFails(failures.rejected);
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

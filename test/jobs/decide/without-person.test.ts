import { describe, expect, test } from 'vitest';
import { request } from '../support/builders.ts';
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
});

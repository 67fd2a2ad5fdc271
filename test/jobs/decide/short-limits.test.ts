import { describe, expect, test } from 'vitest';
import { aFailure, SECOND_MS } from '../support/builders.ts';
import { aWorkingJob } from '../support/stages.ts';

const limited = (retryAfterMs: number) => aFailure({ reason: 'rate_limited', status: 429, retryAfterMs });

describe('a wait for the rate limit', () => {
  test('of about a second changes no card, unless it goes on', () => {
    const world = aWorkingJob();
    const cardDueS = () => world.seconds(world.tasks.get('refresh_card'));
    world.tasks.delete('refresh_card');
    world.answer = limited(SECOND_MS);
    world.check();
    const inFiveS = world.seconds(world.nowMs + 5 * SECOND_MS);
    expect(world.job.trouble).toMatchObject({ kind: 'rate_limited' });
    expect(cardDueS()).toBe(inFiveS);
    world.advance(SECOND_MS);
    world.check();
    expect(cardDueS()).toBe(inFiveS);
  });

  test('of more than a few seconds is on the card at once', () => {
    const world = aWorkingJob();
    world.tasks.delete('refresh_card');
    world.answer = limited(30 * SECOND_MS);
    world.check();
    expect(world.seconds(world.tasks.get('refresh_card'))).toBe(world.seconds(world.nowMs));
  });
});

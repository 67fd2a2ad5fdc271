import { describe, expect, test } from 'vitest';
import { fc } from '../support/properties.ts';
import { act } from './support/actions.ts';
import { anyLife, anyPolicy } from './support/any-life.ts';
import { endsToldTwice, needlessMentions, repliesToldTwice, wrongReceipts } from './support/judge-posts.ts';
import { World } from './support/world.ts';

const RUNS = 500;

/** Holds what people read against what happened, after each action (`always`) or once for each life. */
function inAnyLife(complaintsOf: (world: World) => string[], { always = false } = {}): void {
  fc.assert(
    fc.property(anyPolicy, anyLife, (policy, life) => {
      const world = new World(policy);
      for (const action of life) {
        act(world, action);
        if (always) expect(complaintsOf(world)).toEqual([]);
      }
      expect(complaintsOf(world)).toEqual([]);
    }),
    { numRuns: RUNS },
  );
}

describe('whatever people, Slack, the agent and the clock do', () => {
  test('no thread gets more than one message for one end of a turn (W3)', () => {
    inAnyLife(endsToldTwice);
  });

  test('no reply is told to be included twice (W3)', () => {
    inAnyLife(repliesToldTwice);
  });

  test('nobody is mentioned who neither asked, nor replied in this turn, nor must act', () => {
    inAnyLife(needlessMentions);
  });

  test('every reply shows what became of it at any time (F1, F4)', () => {
    inAnyLife(wrongReceipts, { always: true });
  });
});

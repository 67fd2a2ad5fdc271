import { describe, expect, test } from 'vitest';
import { type Action, act } from '../jobs/support/actions.ts';
import { anyLife, anyPolicy } from '../jobs/support/any-life.ts';
import { theGoodEnd } from '../jobs/support/good-end.ts';
import { World } from '../jobs/support/world.ts';
import { fc } from '../support/properties.ts';
import { doubled, sendableMarks, takingsOf } from './core/fates.ts';

const RUNS = Number(process.env.MODEL_RUNS ?? 200);

/** Lives through it and its good end, in which people press every button that they were ever shown. */
function inTheEnd(promise: (world: World) => void): void {
  fc.assert(
    fc.property(anyPolicy, anyLife, (policy, life) => {
      const world = new World(policy);
      live(world, life);
      for (let round = 0; round < 3; round += 1) {
        live(world, theGoodEnd);
        pressAll(world);
      }
      live(world, theGoodEnd);
      promise(world);
    }),
    { numRuns: RUNS },
  );
}

function live(world: World, actions: readonly Action[]): void {
  for (const action of actions) act(world, action);
}

function pressAll(world: World): void {
  for (const news of world.told) {
    if (news.kind === 'failed' || news.kind === 'vanished' || news.kind === 'create_rejected') {
      world.apply({ type: 'start_again_pressed', creates: world.job.creates });
    } else if (news.kind === 'create_unknown') {
      world.apply({ type: 'start_again_pressed', callId: news.callId });
    } else if ('callId' in news) {
      world.apply({ type: 'resend_pressed', callId: news.callId });
    }
  }
}

describe('what the API took of a job, after any life with a good end', () => {
  test('the prompt, unless there is no card', () => {
    inTheEnd((world) => {
      const creates = world.taken.filter(({ kind }) => kind === 'create_job');
      // The agent has it by another way, as a person says.
      if (world.events.some(({ type }) => type === 'agent_job_named')) return;
      if (world.job.stage.kind === 'card_failed') expect(creates).toEqual([]);
      else expect(creates.at(-1)).toMatchObject({ isAnswered: true });
    });
  });

  test('every reply, and the last time with an answer', () => {
    inTheEnd((world) => {
      const isLost = (mark: string) => takingsOf(world, mark).at(-1)?.isAnswered !== true;
      expect(sendableMarks(world).filter(isLost)).toEqual([]);
    });
  });

  test('nothing twice, unless a person asked for it after an unclear answer', () => {
    inTheEnd((world) => {
      expect(doubled(world)).toEqual([]);
    });
  });
});

describe('what the thread says of the API, after any life with a good end', () => {
  test('an outage is announced once while it lasts, and then that it is over, unless what it held up is gone', () => {
    inTheEnd(({ told, followUps, events }) => {
      const news = told.flatMap((one) =>
        one.kind === 'recovered'
          ? ['over']
          : one.kind === 'trouble' && one.trouble !== 'rate_limited'
            ? [one.trouble]
            : [],
      );
      // What held up only deleted replies is forgotten without a word.
      if ([...followUps.values()].some(({ state }) => state === 'withdrawn')) return;
      // Likewise what held up the checks that somebody stopped.
      if (events.some(({ type }) => type === 'stop_watching_pressed')) return;
      expect(news.filter((one, index) => one === news[index - 1])).toEqual([]);
      expect([undefined, 'over']).toContain(news.at(-1));
    });
  });
});

import { describe, expect, test } from 'vitest';
import { CORRECTION, failures, HOUR_MS, SECOND_MS } from '../support/builders.ts';
import { aWorkingJob } from '../support/stages.ts';
import {
  accepts,
  edits,
  fails,
  goesOut,
  happens,
  live,
  passes,
  removes,
  says,
  tsOf,
} from '../support/story.ts';
import type { World } from '../support/world.ts';

/** A job with a reply that the API accepted. */
const aSentReply = () => live(aWorkingJob(), says('Use teh CLI'), goesOut, accepts);
const press = (world: World) => world.apply({ type: 'correction_pressed', messageTs: tsOf(1) });
const sendsNow = (message: number) => happens({ type: 'send_now_pressed', message });

describe('editing a reply that was sent (F3)', () => {
  test('offers its author the correction, and sends it once, however often it is pressed', () => {
    const world = live(aSentReply(), edits(1, 'Use the CLI'), passes(10 * SECOND_MS));
    expect([world.ephemerals, world.messages]).toEqual([['U2: edited_after_sending'], ['Use teh CLI']]);
    press(world);
    expect(press(world).calls).toEqual([]);
    live(world, goesOut, press, accepts);
    expect(press(world).followUps).toEqual([]);
    live(world, passes(10 * SECOND_MS));
    expect(world.messages).toEqual(['Use teh CLI', `${CORRECTION}Use the CLI`]);
    expect([world.states, world.job.turn]).toEqual([['sent'], 3]);
  });

  test('several times makes one offer, which sends the newest text, once', () => {
    const first = edits(1, 'Use the CLI', { editedTs: '9.1' });
    const world = live(aSentReply(), first, edits(1, 'Use the API', { editedTs: '9.2' }), first);
    live(world, press, press, goesOut);
    expect(world.ephemerals).toHaveLength(1);
    expect(world.messages.slice(1)).toEqual([`${CORRECTION}Use the API`]);
  });

  test('again after a correction offers the next one', () => {
    const world = live(aSentReply(), edits(1, 'Use the CLI'), press, goesOut, accepts);
    expect(live(world, edits(1, 'Use the API'), press, goesOut).messages.at(-1)).toBe(
      `${CORRECTION}Use the API`,
    );
  });

  test.each([
    ['the same words', ' Use teh CLI '],
    ['nothing', ' \u200b'],
    ['an aside', 'aside: use teh CLI'],
  ])('to %s offers nothing', (_what, text) => {
    const world = live(aSentReply(), edits(1, text));
    expect([world.ephemerals, press(world).calls]).toEqual([[], []]);
  });

  test('while it is on its way offers the correction when the API has it', () => {
    const world = live(aWorkingJob(), says('Use teh CLI'), goesOut, edits(1, 'Use the CLI'));
    expect(world.ephemerals).toEqual([]);
    expect(live(world, accepts).ephemerals).toEqual(['U2: edited_after_sending']);
  });

  test('and deleting it then takes the offer back', () => {
    const world = live(aSentReply(), edits(1, 'Use the CLI'), removes(1));
    expect([press(world).calls, world.states]).toEqual([[], ['sent']]);
  });

  test('to more than the API takes says so when the correction is pressed', () => {
    const { news } = live(aSentReply(), edits(1, 'x'.repeat(19_999)), press);
    expect(news.at(-1)).toContain('1 rejected: It has 20,033 characters');
  });
});

describe('Send now (F3)', () => {
  test('sends the replies that wait at once, in one message, and works once', () => {
    const world = live(aWorkingJob({ followUpWindowMs: 600_000 }), says('one'), says('two'), sendsNow(1));
    const again = () => world.apply({ type: 'send_now_pressed', message: 1 }).tasks;
    expect(again()).toEqual([]);
    // A reply that arrives before the worker starts is sent along.
    live(world, says('three'), passes(0), accepts, says('four'));
    expect(world.messages).toEqual(['one\n\ntwo\n\nthree']);
    expect(again()).toEqual([]);
    expect(live(world, passes(60 * SECOND_MS)).messages).toHaveLength(1);
  });

  test('tries once what the API holds back: it may have named a wrong time', () => {
    const limited = fails({ ...failures.rateLimited, retryAfterMs: HOUR_MS });
    const world = live(aWorkingJob(), says('one'), goesOut, limited, sendsNow(2), passes(0));
    expect(world.messages).toHaveLength(2);
    expect(live(world, limited, sendsNow(2), passes(60 * SECOND_MS)).messages).toHaveLength(2);
  });

  test('does not overrule the hourly budget, and does nothing with nothing to send', () => {
    const limited = fails({ ...failures.overBudget, retryAfterMs: HOUR_MS });
    const world = live(aWorkingJob(), says('one'), goesOut, limited, sendsNow(2), passes(60 * SECOND_MS));
    expect(world.messages).toHaveLength(1);
    expect(live(world, passes(HOUR_MS)).messages).toHaveLength(2);
    expect(aWorkingJob().apply({ type: 'send_now_pressed', message: 1 }).tasks).toEqual([]);
  });
});

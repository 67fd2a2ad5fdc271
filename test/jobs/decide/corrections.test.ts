import { describe, expect, test } from 'vitest';
import { aReply, failures, HOUR_MS, SECOND_MS } from '../support/builders.ts';
import { aWorkingJob } from '../support/stages.ts';
import type { World } from '../support/world.ts';

function edit(world: World, messageTs: string, text: string, editedTs = '9.000001'): void {
  world.apply({ type: 'reply_edited', reply: aReply({ messageTs, text, editedTs }) });
}

/** A job with a reply that the API accepted. */
function aSentReply(text = 'Use teh CLI'): { world: World; messageTs: string } {
  const world = aWorkingJob();
  const messageTs = world.reply(text);
  world.advance(4 * SECOND_MS);
  world.accepted();
  return { world, messageTs };
}

function press(world: World, messageTs: string) {
  return world.apply({ type: 'correction_pressed', messageTs });
}

describe('editing a reply that was sent (F3)', () => {
  test('offers its author the correction, and sends it once, however often it is pressed', () => {
    const { world, messageTs } = aSentReply();
    edit(world, messageTs, 'Use the CLI');
    expect(world.ephemerals).toEqual(['U2: edited_after_sending']);
    world.advance(10 * SECOND_MS);
    expect(world.messages).toEqual(['Use teh CLI']);

    press(world, messageTs);
    expect(press(world, messageTs).calls).toEqual([]);
    world.advance(4 * SECOND_MS);
    press(world, messageTs);
    world.accepted();
    expect(press(world, messageTs).followUps).toEqual([]);
    world.advance(10 * SECOND_MS);
    expect(world.messages).toEqual(['Use teh CLI', 'Correction of an earlier message: Use the CLI']);
    expect(world.states).toEqual(['sent']);
    expect(world.job).toMatchObject({ turn: 3 });
  });

  test('several times makes one offer, which sends the newest text, once', () => {
    const { world, messageTs } = aSentReply();
    edit(world, messageTs, 'Use the CLI', '9.000001');
    edit(world, messageTs, 'Use the API', '9.000002');
    edit(world, messageTs, 'Use the CLI', '9.000001');
    expect(world.ephemerals).toHaveLength(1);
    press(world, messageTs);
    press(world, messageTs);
    world.advance(4 * SECOND_MS);
    expect(world.messages.slice(1)).toEqual(['Correction of an earlier message: Use the API']);
  });

  test('again after a correction offers the next one', () => {
    const { world, messageTs } = aSentReply();
    edit(world, messageTs, 'Use the CLI');
    press(world, messageTs);
    world.advance(4 * SECOND_MS);
    world.accepted();
    edit(world, messageTs, 'Use the API', '9.000002');
    press(world, messageTs);
    world.advance(4 * SECOND_MS);
    expect(world.messages.at(-1)).toBe('Correction of an earlier message: Use the API');
  });

  test.each([
    ['the same words', ' Use teh CLI '],
    ['nothing', ' \u200b'],
    ['an aside', 'aside: use teh CLI'],
  ])('to %s offers nothing', (_what, text) => {
    const { world, messageTs } = aSentReply();
    edit(world, messageTs, text);
    expect(world.ephemerals).toEqual([]);
    expect(press(world, messageTs).calls).toEqual([]);
  });

  test('while it is on its way offers the correction when the API has it', () => {
    const world = aWorkingJob();
    const messageTs = world.reply('Use teh CLI');
    world.advance(4 * SECOND_MS);
    edit(world, messageTs, 'Use the CLI');
    expect(world.ephemerals).toEqual([]);
    world.accepted();
    expect(world.ephemerals).toEqual(['U2: edited_after_sending']);
  });

  test('and deleting it then takes the offer back', () => {
    const { world, messageTs } = aSentReply();
    edit(world, messageTs, 'Use the CLI');
    world.apply({ type: 'reply_deleted', messageTs });
    expect(press(world, messageTs).calls).toEqual([]);
    expect(world.states).toEqual(['sent']);
  });

  test('to more than the API takes says so when the correction is pressed', () => {
    const { world, messageTs } = aSentReply();
    edit(world, messageTs, 'x'.repeat(19_999));
    press(world, messageTs);
    expect(world.news.at(-1)).toContain('1 rejected: It has 20,033 characters');
  });
});

describe('Send now (F3)', () => {
  test('sends the replies that wait at once, in one message, and works once', () => {
    const world = aWorkingJob({ followUpWindowMs: 600_000 });
    world.reply('one');
    world.reply('two');
    const pressed = { type: 'send_now_pressed', message: 1 } as const;
    world.apply(pressed);
    expect(world.apply(pressed).tasks).toEqual([]);
    // A reply that arrives before the worker starts is sent along.
    world.reply('three');
    world.advance(0);
    expect(world.messages).toEqual(['one\n\ntwo\n\nthree']);
    world.accepted();

    world.reply('four');
    expect(world.apply(pressed).tasks).toEqual([]);
    world.advance(60 * SECOND_MS);
    expect(world.messages).toHaveLength(1);
  });

  test('tries once what the API holds back: it may have named a wrong time', () => {
    const world = aWorkingJob();
    world.reply('one');
    world.advance(4 * SECOND_MS);
    world.messageFails({ ...failures.rateLimited, retryAfterMs: HOUR_MS });
    world.apply({ type: 'send_now_pressed', message: 2 });
    world.advance(0);
    expect(world.messages).toHaveLength(2);
    world.messageFails({ ...failures.rateLimited, retryAfterMs: HOUR_MS });
    world.apply({ type: 'send_now_pressed', message: 2 });
    world.advance(60 * SECOND_MS);
    expect(world.messages).toHaveLength(2);
  });

  test('does not overrule the hourly budget', () => {
    const world = aWorkingJob();
    world.reply('one');
    world.advance(4 * SECOND_MS);
    world.messageFails({ ...failures.overBudget, retryAfterMs: HOUR_MS });
    world.apply({ type: 'send_now_pressed', message: 2 });
    world.advance(60 * SECOND_MS);
    expect(world.messages).toHaveLength(1);
    world.advance(HOUR_MS);
    expect(world.messages).toHaveLength(2);
  });

  test('with nothing to send does nothing', () => {
    const { tasks } = aWorkingJob().apply({ type: 'send_now_pressed', message: 1 });
    expect(tasks).toEqual([]);
  });
});

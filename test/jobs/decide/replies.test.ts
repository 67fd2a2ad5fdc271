import { describe, expect, test } from 'vitest';
import { aReply, failures, HOUR_MS, SECOND_MS } from '../support/builders.ts';
import { aWorkingJob } from '../support/stages.ts';
import type { World } from '../support/world.ts';

/** A job whose API is away, so that replies wait for an hour. */
function aJobHeldUp(): World {
  const world = aWorkingJob();
  world.reply('first');
  world.advance(4 * SECOND_MS);
  world.messageFails({ ...failures.rateLimited, retryAfterMs: HOUR_MS });
  return world;
}

function edit(world: World, messageTs: string, text: string, editedTs = '9.000001'): void {
  world.apply({ type: 'reply_edited', reply: aReply({ messageTs, text, editedTs }) });
}

describe('editing a reply that waits (F3)', () => {
  test('changes what goes out, in its place in the order', () => {
    const world = aJobHeldUp();
    const messageTs = world.reply('secnd');
    world.reply('third');
    edit(world, messageTs, 'second');
    world.advance(HOUR_MS);
    expect(world.messages.at(-1)).toBe('first\n\nsecond\n\nthird');
  });

  test('counts in the order of the edits, however they arrive', () => {
    const world = aJobHeldUp();
    const messageTs = world.reply('draft');
    edit(world, messageTs, 'the last word', '9.000002');
    edit(world, messageTs, 'an earlier word', '9.000001');
    edit(world, messageTs, 'the last word, again', '9.000002');
    world.advance(HOUR_MS);
    expect(world.messages.at(-1)).toBe('first\n\nthe last word');
  });

  test('to nothing, or beyond the limit, is refused with the reason; mended, it goes out after Send again', () => {
    const world = aJobHeldUp();
    const messageTs = world.reply('second');
    edit(world, messageTs, 'x'.repeat(20_001));
    expect(world.states).toEqual(['waiting', 'not_sent']);
    expect(world.news.at(-1)).toContain('20,001 characters');
    const callId = world.buttonCallId;
    edit(world, messageTs, 'shorter', '9.000002');
    expect(world.states).toEqual(['waiting', 'not_sent']);
    world.apply({ type: 'resend_pressed', callId });
    world.advance(HOUR_MS);
    expect(world.messages.at(-1)).toBe('first\n\nshorter');
  });

  test('while it is on its way changes nothing that was sent, but what goes out if it has to go again', () => {
    const world = aWorkingJob();
    const messageTs = world.reply('old words');
    world.advance(4 * SECOND_MS);
    edit(world, messageTs, 'new words');
    expect(world.messages).toEqual(['old words']);
    world.messageFails(failures.rateLimited);
    world.advance(HOUR_MS);
    expect(world.messages).toEqual(['old words', 'new words']);
  });

  test('of a message that is no follow-up does nothing', () => {
    const world = aJobHeldUp();
    const before = world.job;
    edit(world, '7.000000', 'who?');
    expect(world.job).toEqual(before);
  });
});

describe('deleting a reply (F3)', () => {
  test('that waits withdraws it', () => {
    const world = aJobHeldUp();
    const messageTs = world.reply('never mind the table');
    world.apply({ type: 'reply_deleted', messageTs });
    world.apply({ type: 'reply_deleted', messageTs });
    expect(world.states).toEqual(['waiting', 'withdrawn']);
    world.advance(HOUR_MS);
    expect(world.messages.at(-1)).toBe('first');
  });

  test('that waits alone leaves nothing to send', () => {
    const world = aWorkingJob();
    const messageTs = world.reply('never mind the table');
    world.apply({ type: 'reply_deleted', messageTs });
    world.advance(10 * SECOND_MS);
    expect(world.messages).toEqual([]);
  });

  test('that waits alone for the API leaves no trouble behind', () => {
    const world = aWorkingJob();
    const messageTs = world.reply('never mind the table');
    world.advance(4 * SECOND_MS);
    world.messageFails({ ...failures.rateLimited, retryAfterMs: HOUR_MS });
    expect(world.job.trouble).not.toBeNull();
    world.apply({ type: 'reply_deleted', messageTs });
    expect(world.job.trouble).toBeNull();
  });

  test('that was not sent takes it out of Send again', () => {
    const world = aWorkingJob();
    const messageTs = world.reply('x'.repeat(20_001));
    world.apply({ type: 'reply_deleted', messageTs });
    world.apply({ type: 'resend_pressed', callId: world.buttonCallId });
    expect(world.states).toEqual(['withdrawn']);
    expect(world.told.filter(({ kind }) => kind === 'message_rejected')).toHaveLength(1);
  });

  test('that is on its way comes too late', () => {
    const world = aWorkingJob();
    const messageTs = world.reply('sent');
    world.advance(4 * SECOND_MS);
    world.apply({ type: 'reply_deleted', messageTs });
    world.accepted();
    expect(world.states).toEqual(['sent']);
  });
});

test('replies that wait are counted, not those that were refused: a refusal blocks nobody', () => {
  const world = aWorkingJob();
  for (let count = 0; count < 250; count += 1) world.reply('x'.repeat(20_001));
  world.reply('short');
  world.advance(4 * SECOND_MS);
  expect(world.messages).toEqual(['short']);
});

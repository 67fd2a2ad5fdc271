import { describe, expect, test } from 'vitest';
import { failures, MINUTE_MS, SECOND_MS } from '../support/builders.ts';
import { anEndedJob, aVanishedJob, aWorkingJob } from '../support/stages.ts';

describe('a message that the API refuses', () => {
  test('is announced with its reason, and Send again sends it once more', () => {
    const world = aWorkingJob();
    world.reply('one');
    world.advance(4 * SECOND_MS);
    world.messageFails(failures.rejected);
    expect(world.states).toEqual(['not_sent']);
    expect(world.news.at(-1)).toBe('1 rejected: prompt is too vague');

    const callId = world.buttonCallId;
    world.apply({ type: 'resend_pressed', callId });
    world.apply({ type: 'resend_pressed', callId });
    world.advance(4 * SECOND_MS);
    world.apply({ type: 'resend_pressed', callId });
    expect(world.messages).toEqual(['one', 'one']);
    world.accepted();
    world.apply({ type: 'resend_pressed', callId });
    world.advance(MINUTE_MS);
    expect(world.messages).toHaveLength(2);
    expect(world.states).toEqual(['sent']);
  });

  test('does not hold up the replies after it', () => {
    const world = aWorkingJob();
    world.reply('one');
    world.advance(4 * SECOND_MS);
    world.reply('two');
    world.messageFails(failures.rejected);
    world.advance(4 * SECOND_MS);
    expect(world.messages).toEqual(['one', 'two']);
  });

  test('because it does not know the job offers Start again: the new job gets the prompt, and then the replies (F6)', () => {
    const world = aVanishedJob();
    world.reply('one');
    world.advance(4 * SECOND_MS);
    world.messageFails(failures.notFound);
    expect(world.told.at(-1)).toMatchObject({ kind: 'message_rejected', action: 'start_again' });
    const press = { type: 'start_again_pressed', creates: 1, callId: world.buttonCallId } as const;
    world.apply(press);
    expect(world.apply(press).calls).toEqual([]);
    expect(world.states).toEqual(['waiting']);
    world.created({ id: 'agent-2' });
    world.advance(4 * SECOND_MS);
    expect(world.open('send_message')[0]?.request).toMatchObject({ agentJobId: 'agent-2', prompt: 'one' });
    expect(world.apply(press).calls).toEqual([]);
  });

  test('because it does not know the job, and again: the second *Start again* gives its replies to the new job, too', () => {
    const world = aVanishedJob();
    const offers = ['one', 'two'].map((text) => {
      world.reply(text);
      world.advance(4 * SECOND_MS);
      world.messageFails(failures.notFound);
      return { type: 'start_again_pressed', creates: 1, callId: world.buttonCallId } as const;
    });
    for (const press of offers) world.apply(press);
    world.created({ id: 'agent-2' });
    world.advance(4 * SECOND_MS);
    expect(world.messages.at(-1)).toBe('one\n\ntwo');
    expect(world.job.creates).toBe(2);
  });

  test('after a rate limit, the rate limit is over', () => {
    const world = aWorkingJob();
    world.reply('one');
    world.advance(4 * SECOND_MS);
    world.messageFails(failures.rateLimited);
    world.advance(10 * MINUTE_MS);
    world.messageFails(failures.rejected);
    expect(world.job.trouble).toBeNull();
  });

  test.each([
    ['nothing to read', '\u200b', 'It has no text.'],
    ['too much to read', 'x'.repeat(20_001), 'It has 20,001 characters; the limit is 20,000.'],
  ])('%s is not even tried, nor when Send again is pressed', (_name, text, reason) => {
    const world = aWorkingJob();
    world.reply(text);
    world.apply({ type: 'resend_pressed', callId: world.buttonCallId });
    world.advance(MINUTE_MS);
    expect(world.messages).toEqual([]);
    expect(world.states).toEqual(['not_sent']);
    expect(world.news.slice(1)).toEqual([`1 rejected: ${reason}`, `1 rejected: ${reason}`]);
  });
});

describe('a message that may have arrived', () => {
  test('is not repeated by itself, and Send again sends it once more', () => {
    const world = aWorkingJob();
    world.reply('one');
    world.reply('two');
    world.advance(4 * SECOND_MS);
    world.messageFails(failures.timeout);
    world.advance(MINUTE_MS);
    expect(world.messages).toHaveLength(1);
    expect(world.states).toEqual(['unknown', 'unknown']);
    expect(world.news.at(-1)).toBe('2 unknown');

    const callId = world.buttonCallId;
    world.apply({ type: 'resend_pressed', callId });
    world.apply({ type: 'resend_pressed', callId });
    world.advance(0);
    world.accepted();
    world.advance(MINUTE_MS);
    expect(world.messages).toEqual(['one\n\ntwo', 'one\n\ntwo']);
  });

  test('counts as sent if the answer comes late after all', () => {
    const world = aWorkingJob();
    world.reply('one');
    world.advance(4 * SECOND_MS);
    world.messageFails(failures.timeout);
    const callId = world.buttonCallId;
    world.apply({ type: 'message_accepted', callId, agentJobId: 'agent-1', agentJob: null });
    expect(world.apply({ type: 'resend_pressed', callId }).followUps).toEqual([]);
    expect(world.states).toEqual(['sent']);
  });
});

describe('a reply to a job that is over', () => {
  test.each(['failed', 'archived'])('is tried once when it is %s', (status) => {
    const world = anEndedJob({ status });
    world.reply('One more thing');
    world.advance(4 * SECOND_MS);
    world.messageFails(failures.notFound);
    world.advance(MINUTE_MS);
    expect(world.messages).toEqual(['One more thing']);
    expect(world.news.at(-1)).toBe('1 rejected: not found');
  });
});

test('a button for a message that is under way changes nothing', () => {
  const world = aWorkingJob();
  world.reply('one');
  world.advance(4 * SECOND_MS);
  const callId = world.open('send_message')[0]?.id ?? '';
  expect(world.apply({ type: 'resend_pressed', callId }).followUps).toEqual([]);
  expect(world.states).toEqual(['sending']);
});

test('buttons and outcomes of calls that this job never made change nothing', () => {
  const world = aWorkingJob();
  const { job } = world;
  world.apply({ type: 'resend_pressed', callId: 'unheard-of' });
  world.apply({ type: 'start_again_pressed', callId: 'unheard-of' });
  world.apply({ type: 'message_failed', callId: 'unheard-of', failure: failures.timeout });
  world.apply({ type: 'message_accepted', callId: 'unheard-of', agentJobId: 'agent-1', agentJob: null });
  expect(world.job).toEqual(job);
});

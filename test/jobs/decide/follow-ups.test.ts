import { describe, expect, test } from 'vitest';
import { anAgentJob, aReply, failures, MINUTE_MS, SECOND_MS } from '../support/builders.ts';
import { aJobBeingCreated, aWorkingJob } from '../support/stages.ts';

describe('replies before there is an agent job', () => {
  test('wait, and go out in order once there is one', () => {
    const world = aJobBeingCreated();
    world.reply('one');
    world.advance(10 * SECOND_MS);
    world.reply('two');
    world.advance(10 * SECOND_MS);
    expect(world.states).toEqual(['waiting', 'waiting']);
    world.created();
    world.advance(0);
    expect(world.messages).toEqual(['one\n\ntwo']);
  });

  test('wait while nobody knows whether the job started', () => {
    const world = aJobBeingCreated();
    world.createFails(failures.timeout);
    world.reply('one');
    world.advance(MINUTE_MS);
    expect(world.states).toEqual(['waiting']);
    world.apply({ type: 'start_again_pressed', callId: world.buttonCallId });
    world.created();
    world.advance(0);
    expect(world.messages).toEqual(['one']);
  });

  test('go out after *Edit and start*, which is what their refusal offers, when the prompt was refused', () => {
    const world = aJobBeingCreated();
    world.reply('early');
    world.createFails(failures.rejected);
    world.reply('late');
    const offered = world.told.filter(({ kind }) => kind === 'message_rejected');
    expect(offered).toMatchObject([{ action: 'edit_and_start' }, { action: 'edit_and_start' }]);
    const { creates } = world.job;
    world.apply({ type: 'request_edited', creates, prompt: 'Explain the install page', userId: 'U2' });
    world.created();
    world.advance(4 * SECOND_MS);
    expect(world.messages).toEqual(['early\n\nlate']);
    expect(world.job.offers?.map(({ outcome }) => outcome?.answer)).toEqual(['edited', 'edited', 'edited']);
  });

  test('that may have arrived at an earlier job are not sent along by *Edit and start*', () => {
    const world = aWorkingJob();
    world.reply('may have arrived');
    world.advance(4 * SECOND_MS);
    world.messageFails(failures.timeout);
    world.check(anAgentJob({ status: 'failed' }));
    world.apply({ type: 'start_again_pressed', creates: world.job.creates });
    world.createFails(failures.rejected);
    const { creates } = world.job;
    world.apply({ type: 'request_edited', creates, prompt: 'Explain the install page', userId: 'U2' });
    world.created({ id: 'agent-2' });
    world.advance(4 * SECOND_MS);
    expect(world.messages).toEqual(['may have arrived']);
    expect(world.states).toEqual(['unknown']);
  });

  test('are refused with a reason when the prompt was refused, early and late ones, and go out after Start again', () => {
    const world = aJobBeingCreated();
    world.reply('early');
    world.createFails(failures.rejected);
    const earlyCallId = world.buttonCallId;
    world.reply('late');
    expect(world.states).toEqual(['not_sent', 'not_sent']);
    expect(world.news.at(-1)).toBe('1 rejected: There is no job yet: the request was not accepted.');

    const lateCallId = world.buttonCallId;
    world.apply({ type: 'resend_pressed', callId: lateCallId });
    expect(world.states).toEqual(['not_sent', 'not_sent']);
    expect(world.news.filter((line) => line.startsWith('1 rejected'))).toHaveLength(3);

    world.apply({ type: 'start_again_pressed', creates: world.job.creates });
    world.apply({ type: 'resend_pressed', callId: lateCallId });
    world.apply({ type: 'resend_pressed', callId: earlyCallId });
    world.created();
    world.advance(4 * SECOND_MS);
    expect(world.messages).toEqual(['early\n\nlate']);
  });
});

describe('old replies that were found late', () => {
  test('are announced, and go out before the newer ones', () => {
    const world = aWorkingJob();
    world.apply({ type: 'old_replies_found', count: 1 });
    world.reply('newer');
    world.apply({
      type: 'reply_received',
      reply: aReply({ messageTs: '1.500000', text: 'older' }),
    });
    world.advance(4 * SECOND_MS);
    expect(world.news.at(-1)).toBe('1 old replies found');
    expect(world.messages).toEqual(['older\n\nnewer']);
  });
});

describe('replies in a burst', () => {
  test('go out as one message, a window after the last', () => {
    const world = aWorkingJob();
    world.reply('one');
    world.advance(3 * SECOND_MS);
    world.reply('two');
    world.advance(3 * SECOND_MS);
    expect(world.messages).toEqual([]);
    world.advance(SECOND_MS);
    expect(world.messages).toEqual(['one\n\ntwo']);
    expect(world.states).toEqual(['sending', 'sending']);
  });

  test('go out one by one without a window', () => {
    const world = aWorkingJob({ followUpWindowMs: 0 });
    world.reply('one');
    world.advance(0);
    world.accepted();
    world.reply('two');
    world.advance(0);
    expect(world.messages).toEqual(['one', 'two']);
  });

  test('are cut into messages that the API takes', () => {
    const world = aWorkingJob({ promptMaxLength: 12 });
    world.reply('aaaaa');
    world.reply('bbbbb');
    world.reply('ccccc');
    world.advance(4 * SECOND_MS);
    world.accepted();
    world.advance(0);
    expect(world.messages).toEqual(['aaaaa\n\nbbbbb', 'ccccc']);
  });
});

describe('one message at a time', () => {
  test('replies during a call wait for its outcome', () => {
    const world = aWorkingJob();
    world.reply('one');
    world.advance(4 * SECOND_MS);
    world.reply('two');
    world.advance(MINUTE_MS);
    world.sendDue();
    expect(world.messages).toEqual(['one']);
    world.accepted();
    world.advance(0);
    expect(world.messages).toEqual(['one', 'two']);
    expect(world.states).toEqual(['sent', 'sending']);
  });

  test('an acceptance that is reported twice starts one turn', () => {
    const world = aWorkingJob();
    world.reply('one');
    world.advance(4 * SECOND_MS);
    const callId = world.open('send_message')[0]?.id ?? '';
    world.accepted();
    const { job } = world;
    world.apply({ type: 'message_accepted', callId, agentJobId: 'agent-1', agentJob: null });
    world.apply({ type: 'message_failed', callId, failure: failures.rejected });
    expect(world.job).toEqual(job);
    expect(world.job).toMatchObject({ turn: 2 });
    expect(world.states).toEqual(['sent']);
  });

  test('a reply that is delivered twice is one reply', () => {
    const world = aWorkingJob();
    const messageTs = world.reply('x'.repeat(20_001));
    const again = aReply({ messageTs, text: 'x'.repeat(20_001) });
    expect(world.apply({ type: 'reply_received', reply: again }).calls).toEqual([]);
    expect(world.states).toEqual(['not_sent']);
  });

  test('a send that falls due with nothing to send does nothing', () => {
    const { calls, tasks } = aWorkingJob().sendDue();
    expect([...calls, ...tasks]).toEqual([]);
  });
});

describe('while the API holds messages back', () => {
  test('replies wait until the time it asked for, and the card knows it', () => {
    const world = aWorkingJob();
    world.reply('one');
    world.advance(4 * SECOND_MS);
    world.messageFails(failures.rateLimited);
    expect(world.states).toEqual(['waiting']);
    expect(world.seconds(world.job.sendNotBeforeMs)).toBe(604);
    expect(world.news).toEqual(['started']);

    world.advance(5 * MINUTE_MS);
    world.reply('two');
    world.sendDue();
    world.advance(4 * MINUTE_MS);
    expect(world.messages).toEqual(['one']);
    world.advance(MINUTE_MS);
    expect(world.messages).toEqual(['one', 'one\n\ntwo']);
    expect(world.job.sendNotBeforeMs).toBeNull();
  });

  test('a failure that is reported twice counts once', () => {
    const world = aWorkingJob();
    world.reply('one');
    world.advance(4 * SECOND_MS);
    const callId = world.open('send_message')[0]?.id ?? '';
    world.messageFails(failures.rateLimited);
    const { job } = world;
    world.apply({ type: 'message_failed', callId, failure: failures.rateLimited });
    expect(world.job).toEqual(job);
  });

  test('no more than 200 replies pile up; the next is refused with the reason', () => {
    const world = aJobBeingCreated();
    for (let count = 0; count < 201; count += 1) world.reply(`reply ${count}`);
    expect(world.states.filter((state) => state === 'waiting')).toHaveLength(200);
    expect(world.news).toEqual(['1 rejected: 200 replies are waiting already.']);
  });
});

test('replies that are looked at before their window is over wait for its end (F3)', () => {
  const world = aWorkingJob();
  world.reply('one');
  world.advance(3 * SECOND_MS);
  world.reply('two');
  world.advance(2 * SECOND_MS);
  world.sendDue();
  world.reply('three');
  world.advance(4 * SECOND_MS);
  expect(world.messages).toEqual(['one\n\ntwo\n\nthree']);
});

import { describe, expect, test } from 'vitest';
import { slackTime } from '../../../src/jobs/follow-ups/follow-up.ts';
import { aReply, HOUR_MS, request } from '../support/builders.ts';
import { World } from '../support/world.ts';

describe('a request', () => {
  test('becomes a card before anything else happens', () => {
    const world = new World();
    expect(world.transcript).toEqual(['0 s card']);
    const { thread: _thread, ...facts } = request;
    expect(world.job).toMatchObject({ ...facts, stage: { kind: 'opening' }, turn: 1, threadTs: null });
  });

  test('is given to the agent once the card has made a thread', () => {
    const world = new World();
    world.cardPosted();
    expect(world.transcript).toEqual(['0 s card', '0 s create: Document the rate limits']);
    expect(world.job).toMatchObject({ threadTs: '1.000000', stage: { kind: 'creating' } });
  });

  test('is given to the agent once, however often the card is reported', () => {
    const world = new World();
    world.cardPosted();
    const again = world.apply({ type: 'card_posted', ts: '9.000000' });
    expect(again.calls).toEqual([]);
    expect(world.job.threadTs).toBe('1.000000');
    expect(world.open('create_job')).toHaveLength(1);
  });
});

describe('a request in a thread of other people', () => {
  const thread = { threadTs: '5.000000', lastTs: '7.000000' };

  test('has its thread from the start, whatever the timestamp of its card', () => {
    const world = new World({}, { ...request, thread });
    expect(world.job).toMatchObject({ threadTs: '5.000000', cardTs: null });
    world.apply({ type: 'card_posted', ts: '9.000000' });
    expect(world.job).toMatchObject({ threadTs: '5.000000', cardTs: '9.000000' });
  });

  test('takes no message for a follow-up that was there before it', () => {
    const world = new World({}, { ...request, thread });
    for (const messageTs of ['6.000000', '7.000000', '7.000001']) {
      world.apply({ type: 'reply_received', reply: aReply({ messageTs }) });
    }
    expect([...world.followUps.values()].map(({ messageTs }) => messageTs)).toEqual(['7.000001']);
  });
});

describe('a card that Slack refuses', () => {
  test('leaves the thread to others until *Try again*, and what was said meanwhile to people', () => {
    const thread = { threadTs: '5.000000', lastTs: '7.000000' };
    const world = new World({}, { ...request, thread });
    world.apply({ type: 'card_refused', reason: 'restricted_action' });
    expect(world.job.threadTs).toBeNull();
    world.advance(HOUR_MS);
    world.apply({ type: 'try_again_pressed', cards: 1, responseUrl: null });
    expect(world.job).toMatchObject({ threadTs: '5.000000', repliesAfterTs: slackTime(world.nowMs) });
  });

  test('is reported to the requester, and no job starts', () => {
    const world = new World();
    world.apply({ type: 'card_refused', reason: 'not_in_channel' });
    expect(world.transcript).toEqual(['0 s card', '0 s requester: not_in_channel']);
    expect(world.job.stage).toEqual({ kind: 'card_failed', reason: 'not_in_channel', thread: null });
  });

  test('is announced once', () => {
    const world = new World();
    world.apply({ type: 'card_refused', reason: 'not_in_channel' });
    const again = world.apply({ type: 'card_refused', reason: 'not_in_channel' });
    const late = world.apply({ type: 'card_posted', ts: '9.000000' });
    expect([...again.calls, ...late.calls]).toEqual([]);
  });

  test('means nothing once the card is there', () => {
    const world = new World();
    world.cardPosted();
    expect(world.apply({ type: 'card_refused', reason: 'timeout' }).calls).toEqual([]);
    expect(world.job.stage.kind).toBe('creating');
  });
});

describe('*Try again* after a refused card (S4)', () => {
  function refused(): World {
    const world = new World({}, { ...request, responseUrl: 'https://old.example' });
    world.cardRefused();
    return world;
  }

  test('posts the card and starts the job, with the prompt that was kept, also after weeks', () => {
    const world = refused();
    world.advance(30 * 24 * HOUR_MS);
    world.apply({ type: 'try_again_pressed', cards: 1, responseUrl: 'https://new.example' });
    expect(world.job).toMatchObject({ stage: { kind: 'opening' }, responseUrl: 'https://new.example' });
    world.cardPosted();
    expect(world.open('create_job')[0]?.request.prompt).toBe(request.prompt);
  });

  test('hears what is written after the press by Slack’s clock, which may be behind ours', () => {
    const world = new World({}, { ...request, thread: { threadTs: '1.000000', lastTs: '1.000000' } });
    world.cardRefused();
    world.advance(HOUR_MS);
    world.apply({ type: 'try_again_pressed', cards: 1, responseUrl: null, pressedTs: '1700.000000' });
    expect(world.job.repliesAfterTs).toBe('1700.000000');
  });

  test('works once for each refusal', () => {
    const world = refused();
    const press = (cards: number) => world.apply({ type: 'try_again_pressed', cards, responseUrl: null });
    press(1);
    expect(press(1).calls).toEqual([]);
    world.cardRefused();
    expect(press(1).calls).toEqual([]);
    press(2);
    expect(world.open('post_card')).toHaveLength(1);
    expect(world.transcript.filter((line) => line.includes('requester'))).toHaveLength(2);
    expect(world.repeatedKeys).toEqual([]);
  });

  test('sends on, in their order, the replies that were written before the card was refused', () => {
    const world = new World({}, { ...request, thread: { threadTs: '1.000000', lastTs: '1.000000' } });
    world.reply('First');
    world.reply('Second');
    world.cardRefused();
    expect(world.states).toEqual(['not_sent', 'not_sent']);
    world.apply({ type: 'try_again_pressed', cards: 1, responseUrl: null });
    expect(world.states).toEqual(['waiting', 'waiting']);
    world.cardRefused();
    expect(world.states).toEqual(['not_sent', 'not_sent']);
    world.apply({ type: 'try_again_pressed', cards: 2, responseUrl: null });
    world.cardPosted();
    world.created();
    world.advance(HOUR_MS);
    expect(world.messages).toEqual(['First\n\nSecond']);
  });

  test('refuses a reply that was edited meanwhile into one that is too long', () => {
    const world = new World({}, { ...request, thread: { threadTs: '1.000000', lastTs: '1.000000' } });
    const messageTs = world.reply('First');
    world.cardRefused();
    const text = 'x'.repeat(20_001);
    world.apply({ type: 'reply_edited', reply: aReply({ messageTs, text, editedTs: '9.000000' }) });
    world.apply({ type: 'try_again_pressed', cards: 1, responseUrl: null });
    expect(world.states).toEqual(['not_sent']);
    expect(world.transcript.at(-1)).toContain('20,001 characters');
  });
});

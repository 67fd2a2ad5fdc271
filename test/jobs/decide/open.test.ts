import { describe, expect, test } from 'vitest';
import { slackTime } from '../../../src/jobs/follow-ups/follow-up.ts';
import { aReply, HOUR_MS, request } from '../support/builders.ts';
import { edits, happens, live, passes, type Step, says } from '../support/story.ts';
import { World } from '../support/world.ts';

const posted = (ts: string) => happens({ type: 'card_posted', ts });
const refusal = happens({ type: 'card_refused', reason: 'not_in_channel' });
const refused: Step = (world) => world.cardRefused();
const tryAgain = (cards: number, facts: { responseUrl?: string; pressedTs?: string } = {}) =>
  happens({ type: 'try_again_pressed', cards, responseUrl: null, ...facts });
const thread = { threadTs: '5.000000', lastTs: '7.000000' };
const inThread = (of = thread) => new World({}, { ...request, thread: of });
const own = { threadTs: '1.000000', lastTs: '1.000000' };

describe('a request', () => {
  test('becomes a card, and is given to the agent once that has made a thread, however often it is reported', () => {
    const world = new World();
    expect(world.transcript).toEqual(['0 s card']);
    const { thread: _thread, ...facts } = request;
    expect(world.job).toMatchObject({ ...facts, stage: { kind: 'opening' }, turn: 1, threadTs: null });
    live(world, (w) => w.cardPosted(), posted('9.000000'), refusal);
    expect(world.transcript).toEqual(['0 s card', '0 s create: Document the rate limits']);
    expect(world.job).toMatchObject({ threadTs: '1.000000', stage: { kind: 'creating' } });
  });

  test('in a thread of other people has it from the start, whatever the timestamp of its card', () => {
    const world = inThread();
    expect(world.job).toMatchObject({ threadTs: '5.000000', cardTs: null });
    expect(live(world, posted('9.000000')).job).toMatchObject({ threadTs: '5.000000', cardTs: '9.000000' });
  });

  test('in a thread of other people takes no message for a follow-up that was there before it', () => {
    const replies = ['6.000000', '7.000000', '7.000001'].map((messageTs) =>
      happens({ type: 'reply_received', reply: aReply({ messageTs }) }),
    );
    const { followUps } = live(inThread(), ...replies);
    expect([...followUps.values()].map(({ messageTs }) => messageTs)).toEqual(['7.000001']);
  });
});

test('a card that Slack refuses is reported to the requester once, and no job starts', () => {
  const world = live(new World(), refusal, refusal, posted('9.000000'));
  expect(world.transcript).toEqual(['0 s card', '0 s requester: not_in_channel']);
  expect(world.job.stage).toEqual({ kind: 'card_failed', reason: 'not_in_channel', thread: null });
});

describe('*Try again* after a refused card (S4)', () => {
  test('posts the card and starts the job, with the prompt that was kept, also after weeks', () => {
    const world = new World({}, { ...request, responseUrl: 'https://old.example' });
    live(world, refused, passes(30 * 24 * HOUR_MS), tryAgain(1, { responseUrl: 'https://new.example' }));
    expect(world.job).toMatchObject({ stage: { kind: 'opening' }, responseUrl: 'https://new.example' });
    live(world, (w) => w.cardPosted());
    expect(world.open('create_job')[0]?.request.prompt).toBe(request.prompt);
  });

  test('leaves the thread to others until then, and what was said meanwhile to people, by Slack’s clock if it is known', () => {
    const world = live(inThread(), refused);
    expect(world.job.threadTs).toBeNull();
    live(world, passes(HOUR_MS), tryAgain(1));
    expect(world.job).toMatchObject({ threadTs: '5.000000', repliesAfterTs: slackTime(world.nowMs) });
    const { job } = live(inThread(own), refused, passes(HOUR_MS), tryAgain(1, { pressedTs: '1700.000000' }));
    expect(job.repliesAfterTs).toBe('1700.000000');
  });

  test('works once for each refusal', () => {
    const world = live(new World(), refused, tryAgain(1), tryAgain(1), refused, tryAgain(1));
    expect(world.open('post_card')).toEqual([]);
    expect(live(world, tryAgain(2)).open('post_card')).toHaveLength(1);
    expect(world.transcript.filter((line) => line.includes('requester'))).toHaveLength(2);
    expect(world.repeatedKeys).toEqual([]);
  });

  test('sends on, in their order, the replies that were written before the card was refused', () => {
    const world = live(inThread(own), says('First'), says('Second'), refused);
    expect(world.states).toEqual(['not_sent', 'not_sent']);
    expect(live(world, tryAgain(1)).states).toEqual(['waiting', 'waiting']);
    expect(live(world, refused).states).toEqual(['not_sent', 'not_sent']);
    live(
      world,
      tryAgain(2),
      (w) => w.cardPosted(),
      (w) => w.created(),
      passes(HOUR_MS),
    );
    expect(world.messages).toEqual(['First\n\nSecond']);
  });

  test('refuses a reply that was edited meanwhile into one that is too long', () => {
    const world = live(inThread(own), says('First'), refused, edits(1, 'x'.repeat(20_001)), tryAgain(1));
    expect(world.states).toEqual(['not_sent']);
    expect(world.transcript.at(-1)).toContain('20,001 characters');
  });
});

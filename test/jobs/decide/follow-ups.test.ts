import { describe, expect, test } from 'vitest';
import { nextBatch } from '../../../src/jobs/follow-ups/follow-up.ts';
import { fc } from '../../support/properties.ts';
import { aFollowUp, failures, HOUR_MS, MINUTE_MS, SECOND_MS } from '../support/builders.ts';
import { aJobBeingCreated, anEndedJob, aVanishedJob, aWorkingJob } from '../support/stages.ts';
import {
  accepts,
  checked,
  fails,
  goesOut,
  happens,
  live,
  passes,
  resends,
  says,
  startsAgain,
} from '../support/story.ts';
import type { World } from '../support/world.ts';

const created = (world: World) => world.created({ id: `agent-${world.job.creates}` });
const sendsDue = (world: World) => world.sendDue();
const editsAndStarts = happens(({ job: { creates } }) => ({
  ...{ type: 'request_edited', creates, prompt: 'Explain the install page', userId: 'U2' },
}));
const tooLong = 'x'.repeat(20_001);

describe('replies before there is an agent job', () => {
  test('wait while nobody knows whether the job started', () => {
    const world = live(aJobBeingCreated(), fails(failures.timeout), says('one'), passes(MINUTE_MS));
    expect(world.states).toEqual(['waiting']);
    const press = happens(({ buttonCallId }) => ({ type: 'start_again_pressed', callId: buttonCallId }));
    expect(live(world, press, created, passes(0)).messages).toEqual(['one']);
  });

  test('go out after *Edit and start*, which is what their refusal offers, when the prompt was refused', () => {
    const world = live(aJobBeingCreated(), says('early'), fails(failures.rejected), says('late'));
    const offered = world.told.filter(({ kind }) => kind === 'message_rejected');
    expect(offered).toMatchObject([{ action: 'edit_and_start' }, { action: 'edit_and_start' }]);
    expect(live(world, editsAndStarts, created, goesOut).messages).toEqual(['early\n\nlate']);
    expect(world.job.offers?.map(({ outcome }) => outcome?.answer)).toEqual(['edited', 'edited', 'edited']);
  });

  test('that may have arrived at an earlier job are not sent along by *Edit and start*', () => {
    const world = live(aWorkingJob(), says('may have arrived'), goesOut, fails(failures.timeout));
    live(
      world,
      checked({ status: 'failed' }),
      startsAgain,
      fails(failures.rejected),
      editsAndStarts,
      created,
    );
    expect(live(world, goesOut).messages).toEqual(['may have arrived']);
    expect(world.states).toEqual(['unknown']);
  });

  test('are refused with a reason when the prompt was refused, early and late ones, and go out after Start again', () => {
    const world = live(aJobBeingCreated(), says('early'), fails(failures.rejected));
    const early = happens({ type: 'resend_pressed', callId: world.buttonCallId });
    live(world, says('late'));
    const late = happens({ type: 'resend_pressed', callId: world.buttonCallId });
    expect(world.states).toEqual(['not_sent', 'not_sent']);
    expect(world.news.at(-1)).toBe('1 rejected: There is no job yet: the request was not accepted.');
    expect(live(world, late).states).toEqual(['not_sent', 'not_sent']);
    expect(world.news.filter((line) => line.startsWith('1 rejected'))).toHaveLength(3);
    expect(live(world, startsAgain, late, early, created, goesOut).messages).toEqual(['early\n\nlate']);
  });
});

describe('replies in a burst (F3)', () => {
  const second = passes(SECOND_MS);

  test('go out as one message, a window after the last, also if somebody looks before', () => {
    const world = live(aWorkingJob(), says('one'), second, second, says('two'), second, second, sendsDue);
    live(world, says('three'), second, second, second);
    expect(world.messages).toEqual([]);
    expect(live(world, second).messages).toEqual(['one\n\ntwo\n\nthree']);
    expect(world.states).toEqual(['sending', 'sending', 'sending']);
  });

  test('go out at the latest ten windows after the first, while somebody keeps writing', () => {
    const writing = Array.from({ length: 13 }, () => [says('more'), second, second, second]).flat();
    expect(live(aWorkingJob(), ...writing).messages).toEqual([]);
    expect(live(aWorkingJob(), ...writing, says('more'), second).messages).toHaveLength(1);
  });

  test('go out one by one without a window', () => {
    const world = aWorkingJob({ followUpWindowMs: 0 });
    live(world, says('one'), passes(0), accepts, says('two'), passes(0));
    expect(world.messages).toEqual(['one', 'two']);
  });

  test('are cut into messages that the API takes, to the last character, and none goes before an earlier one', () => {
    const world = live(
      aWorkingJob({ promptMaxLength: 12 }),
      ...['aaaaa', 'bbbbb', 'cccccccccccc', 'd'].map((t) => says(t)),
    );
    live(world, goesOut, accepts, passes(0), accepts, passes(0));
    expect(world.messages).toEqual(['aaaaa\n\nbbbbb', 'cccccccccccc', 'd']);
  });

  test('go out once and in order, message by message, the first one even if it is too long by itself', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1 })), fc.nat(50), (texts, maxLength) => {
        const waiting = texts.map((text, index) => aFollowUp({ id: `${index}`, text }));
        const sent: string[] = [];
        while (sent.length < waiting.length) {
          const { followUps, prompt } = nextBatch(waiting.slice(sent.length), maxLength);
          const [first, ...more] = followUps;
          expect(first?.id).toBe(`${sent.length}`);
          if (more.length > 0) expect(prompt.length).toBeLessThanOrEqual(maxLength);
          sent.push(...followUps.map(({ id }) => id));
        }
        expect(sent).toEqual(waiting.map(({ id }) => id));
      }),
    );
  });
});

describe('one message at a time', () => {
  test('replies during a call wait for its outcome', () => {
    const world = live(aWorkingJob(), says('one'), goesOut, says('two'), passes(MINUTE_MS), sendsDue);
    expect(world.messages).toEqual(['one']);
    expect(live(world, accepts, passes(0)).messages).toEqual(['one', 'two']);
    expect(world.states).toEqual(['sent', 'sending']);
  });

  test('an outcome that is reported twice counts once', () => {
    for (const [first, turn] of [
      [accepts, 2],
      [fails(failures.rateLimited), 1],
    ] as const) {
      const world = live(aWorkingJob(), says('one'), goesOut);
      const callId = world.open('send_message')[0]?.id ?? '';
      const { job } = live(world, first);
      if (turn === 2)
        live(world, happens({ type: 'message_accepted', callId, agentJobId: 'agent-1', agentJob: null }));
      live(world, happens({ type: 'message_failed', callId, failure: failures.rateLimited }));
      expect([world.job, job.turn]).toEqual([job, turn]);
    }
  });
});

describe('while the API holds messages back', () => {
  test('no more than 200 replies pile up; the next is refused with the reason', () => {
    const world = live(aJobBeingCreated(), ...Array.from({ length: 201 }, (_, n) => says(`reply ${n}`)));
    expect(world.states.filter((state) => state === 'waiting')).toHaveLength(200);
    expect(world.news).toEqual(['1 rejected: 200 replies are waiting already.']);
  });
});

describe('a message that the API refuses', () => {
  test('because it does not know the job offers Start again: the new job gets the prompt, and then the replies (F6)', () => {
    const world = live(aVanishedJob(), says('one'), goesOut, fails(failures.notFound));
    expect(world.told.at(-1)).toMatchObject({ kind: 'message_rejected', action: 'start_again' });
    const press = { type: 'start_again_pressed', creates: 1, callId: world.buttonCallId } as const;
    world.apply(press);
    expect([world.apply(press).calls, world.states]).toEqual([[], ['waiting']]);
    live(world, created, goesOut);
    expect(world.open('send_message')[0]?.request).toMatchObject({ agentJobId: 'agent-2', prompt: 'one' });
    expect(world.apply(press).calls).toEqual([]);
  });

  test('because it does not know the job, and again: the second *Start again* gives its replies to the new job, too', () => {
    const world = aVanishedJob();
    const offers = ['one', 'two'].map((text) => {
      live(world, says(text), goesOut, fails(failures.notFound));
      return happens({ type: 'start_again_pressed', creates: 1, callId: world.buttonCallId });
    });
    expect(live(world, ...offers, created, goesOut).messages.at(-1)).toBe('one\n\ntwo');
    expect(world.job.creates).toBe(2);
  });

  test('after a rate limit, the rate limit is over', () => {
    const limited = [says('one'), goesOut, fails(failures.rateLimited), passes(10 * MINUTE_MS)];
    expect(live(aWorkingJob(), ...limited, fails(failures.rejected)).job.trouble).toBeNull();
  });

  test.each([
    ['nothing to read', '\u200b', 'It has no text.'],
    ['too much to read', tooLong, 'It has 20,001 characters; the limit is 20,000.'],
  ])('%s is not even tried, nor when Send again is pressed', (_name, text, reason) => {
    const world = live(aWorkingJob(), says(text), resends, passes(MINUTE_MS));
    expect([world.messages, world.states]).toEqual([[], ['not_sent']]);
    expect(world.news.slice(1)).toEqual([`1 rejected: ${reason}`, `1 rejected: ${reason}`]);
  });

  test.each(['failed', 'archived'])('is tried once when the job is %s', (status) => {
    const world = live(
      anEndedJob({ status }),
      says('One more'),
      goesOut,
      fails(failures.notFound),
      passes(MINUTE_MS),
    );
    expect([world.messages, world.news.at(-1)]).toEqual([['One more'], '1 rejected: not found']);
  });
});

describe('a message that may have arrived', () => {
  const unclear = () => live(aWorkingJob(), says('one'), says('two'), goesOut, fails(failures.timeout));

  test('counts as sent if the answer comes late after all', () => {
    const world = unclear();
    const callId = world.buttonCallId;
    world.apply({ type: 'message_accepted', callId, agentJobId: 'agent-1', agentJob: null });
    expect(world.apply({ type: 'resend_pressed', callId }).followUps).toEqual([]);
    expect(world.states).toEqual(['sent', 'sent']);
  });
});

test('buttons and outcomes of calls that are under way, or that this job never made, change nothing', () => {
  const world = live(aWorkingJob(), says('one'), goesOut);
  const callId = world.open('send_message')[0]?.id ?? '';
  expect(world.apply({ type: 'resend_pressed', callId }).followUps).toEqual([]);
  const { job } = world;
  const agentJobId = 'agent-1';
  world.apply({ type: 'resend_pressed', callId: 'unheard-of' });
  world.apply({ type: 'start_again_pressed', callId: 'unheard-of' });
  world.apply({ type: 'message_failed', callId: 'unheard-of', failure: failures.timeout });
  world.apply({ type: 'message_accepted', callId: 'unheard-of', agentJobId, agentJob: null });
  expect([world.job, world.states]).toEqual([job, ['sending']]);
});

const sendsNow = (message: number) => happens({ type: 'send_now_pressed', message });

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

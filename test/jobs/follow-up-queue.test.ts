import { expect, test } from 'vitest';
import { queueOf } from '../../src/jobs/follow-ups/follow-up.ts';
import { failures, HOUR_MS, SECOND_MS } from './support/builders.ts';
import { aJobBeingCreated, aWorkingJob } from './support/stages.ts';
import type { World } from './support/world.ts';

function queue(world: World) {
  const followUps = [...world.followUps.values()].filter(({ state }) => state !== 'sent');
  const { untilMs, undecided, ...rest } = queueOf({ job: world.job, followUps }, world.policy, world.nowMs);
  expect(undecided).toBeNull();
  return { ...rest, until: world.seconds(untilMs) };
}

test('nobody waits', () => {
  expect(queue(aWorkingJob())).toEqual({ waiting: 0, until: null, sendNow: null });
});

test('replies wait for the end of their window, and can be hastened while there is time (F2, F3)', () => {
  const world = aWorkingJob();
  world.reply('one');
  world.advance(SECOND_MS);
  world.reply('two');
  expect(queue(world)).toEqual({ waiting: 2, until: 5, sendNow: 1 });
  world.advance(3 * SECOND_MS);
  expect(queue(world)).toEqual({ waiting: 2, until: 5, sendNow: null });
});

test('replies that are being sent, and those behind them, cannot be hastened', () => {
  const world = aWorkingJob();
  world.reply('one');
  world.advance(4 * SECOND_MS);
  expect(queue(world)).toEqual({ waiting: 1, until: null, sendNow: null });
  world.reply('two');
  expect(queue(world)).toEqual({ waiting: 2, until: null, sendNow: null });
});

test('replies that the API holds up wait until the time that it named (F2)', () => {
  const world = aWorkingJob();
  world.reply('one');
  world.advance(4 * SECOND_MS);
  world.messageFails({ ...failures.rateLimited, retryAfterMs: HOUR_MS });
  // The time may be wrong: somebody may want to know.
  expect(queue(world)).toEqual({ waiting: 1, until: 3604, sendNow: 2 });
  world.apply({ type: 'send_now_pressed', message: 2 });
  expect(queue(world)).toEqual({ waiting: 1, until: null, sendNow: null });
});

test('replies that our own budget holds up are not offered to go at once (F2)', () => {
  const world = aWorkingJob();
  world.reply('one');
  world.advance(4 * SECOND_MS);
  world.messageFails({ ...failures.overBudget, retryAfterMs: HOUR_MS });
  expect(queue(world)).toEqual({ waiting: 1, until: 3604, sendNow: null });
});

test('a start that the API holds up can be tried at once, and one that our own budget holds up cannot', () => {
  const world = aJobBeingCreated();
  expect(queue(world)).toEqual({ waiting: 0, until: null, sendNow: null });
  world.createFails({ ...failures.rateLimited, retryAfterMs: HOUR_MS });
  expect(queue(world)).toEqual({ waiting: 0, until: null, sendNow: 1 });
  world.apply({ type: 'send_now_pressed', message: 1 });
  expect(queue(world)).toEqual({ waiting: 0, until: null, sendNow: null });
  world.createFails({ ...failures.overBudget, retryAfterMs: HOUR_MS });
  expect(queue(world)).toEqual({ waiting: 0, until: null, sendNow: null });
});

test('replies before there is a job wait for it, nobody knows until when', () => {
  const world = aJobBeingCreated();
  world.reply('one');
  expect(queue(world)).toEqual({ waiting: 1, until: null, sendNow: null });
});

test('replies that were hastened are not offered it again', () => {
  const world = aWorkingJob();
  world.reply('one');
  world.apply({ type: 'send_now_pressed', message: 1 });
  expect(queue(world)).toEqual({ waiting: 1, until: null, sendNow: null });
});

test('replies that a person has to decide about are counted, and the oldest is named', () => {
  const world = aWorkingJob({ promptMaxLength: 5 });
  world.reply('too long');
  world.reply('far too long');
  const followUps = [...world.followUps.values()];
  const { undecided } = queueOf({ job: world.job, followUps }, world.policy, world.nowMs);
  expect(undecided).toEqual({ count: 2, callId: followUps[0]?.id });
});

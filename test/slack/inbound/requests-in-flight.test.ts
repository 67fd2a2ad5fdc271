import type { App, Receiver, ReceiverEvent } from '@slack/bolt';
import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../../src/runtime/clock.ts';
import { acknowledgeAfterCommit } from '../../../src/slack/inbound/connection/requests.ts';
import { waitFor } from '../../support/wait-for.ts';

/** Requests that are not answered yet. */
async function withRequests(count = 1) {
  const given = Promise.withResolvers<App>();
  const receiver: Receiver = { init: given.resolve, start: async () => {}, stop: async () => {} };
  const nothing = () => {};
  const committing = acknowledgeAfterCommit(receiver, {
    log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
    clock: systemClock,
    answersAfterStop: true,
    nextWithinMs: 50,
    onRedelivery: nothing,
    onHeldBack: async () => {},
    onRefused: async () => {},
  });
  const answers: (() => void)[] = [];
  const processEvent = async ({ ack }: ReceiverEvent) => {
    await new Promise<void>((resolve) => answers.push(resolve));
    await ack();
  };
  committing.init({ processEvent } as App);
  const app = await given.promise;
  expect(committing.requestsInFlight()).toBe(0);
  const body = { command: '/docs-agent', user_id: 'U1', channel_id: 'C1' };
  const requests = Array.from({ length: count }, () => app.processEvent({ body, ack: async () => {} }));
  expect(committing.requestsInFlight()).toBe(count);
  /** Answers the one that came first. */
  const answerNext = async () => {
    answers.shift()?.();
    await requests.shift();
  };
  return { committing, answerNext };
}

const isOver = [(count: number) => count === 0, { what: 'the moment to pass' }] as const;

test('a request is in flight until a moment after its answer, as the next one may follow', async () => {
  const { committing, answerNext } = await withRequests();
  await answerNext();
  expect(committing.requestsInFlight()).toBe(1);
  await waitFor(committing.requestsInFlight, ...isOver);
});

test('nothing gives way for long to a request that waits for somebody else', async () => {
  const { committing, answerNext } = await withRequests();
  await waitFor(committing.requestsInFlight, ...isOver);
  await answerNext();
});

test('a burst that a slow disk answers little by little is given way to until its end', async () => {
  let nowMs = 0;
  const now = vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  onTestFinished(() => now.mockRestore());
  const { committing, answerNext } = await withRequests(64);
  for (let left = 63; left > 0; left -= 1) {
    nowMs += 20;
    await answerNext();
    expect(committing.requestsInFlight()).toBe(left);
  }
  nowMs += 100;
  expect(committing.requestsInFlight()).toBe(0);
  await answerNext();
});

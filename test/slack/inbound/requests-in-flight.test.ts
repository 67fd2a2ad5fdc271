import type { App, Receiver, ReceiverEvent } from '@slack/bolt';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/engine/runtime/clock.ts';
import { acknowledgeAfterCommit } from '../../../src/slack/inbound/connection/acknowledge-after-commit.ts';
import { waitFor } from '../../support/wait-for.ts';

/** A request that is not answered yet. */
async function withRequest() {
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
  const answer = Promise.withResolvers<void>();
  const listener = { processEvent: ({ ack }: ReceiverEvent) => answer.promise.then(() => ack()) };
  committing.init(listener as App);
  const app = await given.promise;
  expect(committing.requestsInFlight()).toBe(0);
  const body = { command: '/docs-agent', user_id: 'U1', channel_id: 'C1' };
  const request = app.processEvent({ body, ack: async () => {} });
  expect(committing.requestsInFlight()).toBe(1);
  return { committing, request, answer };
}

const isOver = [(count: number) => count === 0, { what: 'the moment to pass' }] as const;

test('a request is in flight until a moment after its answer, as the next one may follow', async () => {
  const { committing, request, answer } = await withRequest();
  answer.resolve();
  await request;
  expect(committing.requestsInFlight()).toBe(1);
  await waitFor(committing.requestsInFlight, ...isOver);
});

test('nothing gives way for long to a request that waits for somebody else', async () => {
  const { committing, request, answer } = await withRequest();
  await waitFor(committing.requestsInFlight, ...isOver);
  answer.resolve();
  await request;
});

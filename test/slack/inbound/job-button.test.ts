import type { ReceiverEvent } from '@slack/bolt';
import { expect, test } from 'vitest';
import { createLogger } from '../../../src/app/operations/logger.ts';
import { applyEvent } from '../../../src/engine/apply-event.ts';
import { openJob } from '../../../src/jobs/decide/open.ts';
import type { JobEvent } from '../../../src/jobs/event.ts';
import { loggedRequest } from '../../../src/slack/inbound/connection/requests.ts';
import { answerJobButton } from '../../../src/slack/inbound/job-button.ts';
import { pressOf } from '../../../src/slack/inbound/listener.ts';
import { jobButtons } from '../../../src/slack/views/buttons.ts';
import type { Store } from '../../../src/store/store.ts';
import { contextAt } from '../../engine/support/context.ts';
import { onSqlite } from '../../engine/support/test-store.ts';
import { anAgentJob, aReply, request } from '../../jobs/support/builders.ts';
import { createTestClock } from '../../support/test-clock.ts';

const clock = createTestClock(Date.now());
const newContext = () => contextAt(clock.now());

/** As a database that undoes a transaction for the sake of another, which has changed something meanwhile. */
function undoneOnce(store: Store, meanwhile: () => Promise<unknown>): Store {
  const transaction: Store['transaction'] = async (work) => {
    const undone = store.transaction(async (tx) => {
      await work(tx);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    await meanwhile();
    return store.transaction(work);
  };
  return { ...store, transaction };
}

/** A press of *Send now*, whose transaction is undone once. Returns the private answers, and the logged outcome. */
async function press(store: Store, jobId: string, meanwhile: () => Promise<unknown>) {
  const answers: unknown[] = [];
  const lines: string[] = [];
  const log = createLogger({ level: 'debug', destination: { write: (line) => void lines.push(line) } });
  const deps = { store: undoneOnce(store, meanwhile), clock, log, newContext, teamId: request.teamId };
  const value = JSON.stringify({ jobId, message: 1 });
  const body = {
    type: 'block_actions',
    user: { id: 'U1' },
    channel: { id: request.channelId },
    trigger_id: 'press 1',
    response_url: 'https://slack.example/answer',
  };
  const args = {
    action: { value, action_ts: '1.0' },
    body,
    respond: async (answer: unknown) => void answers.push(answer),
  };
  const listener = (ofBolt: object) => {
    const ready = deps as unknown as Parameters<typeof answerJobButton>[0];
    return answerJobButton(
      ready,
      pressOf(ready, ofBolt as Parameters<typeof pressOf>[1]),
      jobButtons.sendNow,
    );
  };
  const event = { body, ack: async () => {} } as unknown as ReceiverEvent;
  await loggedRequest(event, { log, clock, onRefused: async () => {} }, async ({ ack }) => {
    await listener({ ...args, ack });
  });
  const logged = lines.map((line) => JSON.parse(line)).find(({ event: name }) => name === 'inbound_request');
  return { answers, outcome: logged?.outcome };
}

async function aWorkingJob(store: Store) {
  const { job, ...rest } = openJob(request, newContext());
  const apply = (event: JobEvent) => store.transaction((tx) => applyEvent(tx, job.id, event, newContext()));
  await store.transaction((tx) => tx.write({ job, ...rest }, clock.now()));
  await apply({ type: 'card_posted', ts: '1.000000' });
  const create = (await store.transaction((tx) => tx.calls.next(`agent:${job.id}`)))?.call;
  await apply({ type: 'job_created', callId: create?.id ?? 'none', agentJob: anAgentJob() });
  return { jobId: job.id, apply };
}

test('a press whose transaction runs a second time, and has an effect then, is not answered "Too late"', async () => {
  const { store } = await onSqlite();
  const { jobId, apply } = await aWorkingJob(store);
  const reply = aReply({ messageTs: '2.000000' });
  const { answers, outcome } = await press(store, jobId, () => apply({ type: 'reply_received', reply }));
  expect(answers).toEqual([]);
  expect(outcome).toBe('accepted');
});

test('a press that another replica has stored meanwhile gets no answer, and is logged as delivered again', async () => {
  const { store } = await onSqlite();
  const { jobId } = await aWorkingJob(store);
  const { answers, outcome } = await press(store, jobId, () =>
    store.transaction((tx) => tx.inboundRequests.remember([`press:${request.teamId}:press 1`], clock.now())),
  );
  expect(answers).toEqual([]);
  expect(outcome).toBe('duplicate');
});

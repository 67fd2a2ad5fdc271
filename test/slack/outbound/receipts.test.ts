import { expect, test } from 'vitest';
import { applyEvent } from '../../../src/engine/apply-event.ts';
import { openJob } from '../../../src/jobs/decide/open.ts';
import type { SlackTools } from '../../../src/slack/outbound/refresh.ts';
import { refreshReceipts } from '../../../src/slack/outbound/render.ts';
import type { Workspace } from '../../../src/slack/workspace/workspace.ts';
import type { Store, Transaction } from '../../../src/store/store.ts';
import { claimDue } from '../../contract/store/samples.ts';
import { contextAt, silentLog } from '../../engine/support/context.ts';
import { onSqlite } from '../../engine/support/test-store.ts';
import { aReply, request } from '../../jobs/support/builders.ts';
import { createTestClock } from '../../support/test-clock.ts';

/** The store, which tells whose receipt is written. */
function telling(store: Store, written: string[]): Store {
  return new Proxy(store, {
    get: (target, property) =>
      property !== 'transaction'
        ? Reflect.get(target, property)
        : <T>(work: (tx: Transaction) => Promise<T>) =>
            target.transaction((tx) => {
              const write = tx.followUps.receiptShown.bind(tx.followUps);
              tx.followUps.receiptShown = (id, receipt) => {
                written.push(id);
                return write(id, receipt);
              };
              return work(tx);
            }),
  });
}

test('receipts are written in the order of their replies, as those who change the replies do, whichever Slack takes first', async () => {
  const { store } = await onSqlite();
  const clock = createTestClock(Date.UTC(2026, 0, 1));
  const newContext = () => contextAt(clock.now());
  const opening = openJob(request, newContext());
  const jobId = opening.job.id;
  const replies = ['1700000001.000100', '1700000002.000100', '1700000003.000100'];
  const [claimed] = await store.transaction(async (tx) => {
    await tx.write(opening, clock.now());
    await applyEvent(tx, jobId, { type: 'card_posted', ts: '1700000000.000100' }, newContext());
    for (const messageTs of replies)
      await applyEvent(tx, jobId, { type: 'reply_received', reply: aReply({ messageTs }) }, newContext());
    return claimDue(tx, ['refresh_receipts'], clock.now() + 60_000, { limit: 1 });
  });
  if (claimed === undefined) throw new Error('no receipts are due');
  const inOrder = await store.transaction((tx) => tx.followUps.withStaleReceipts(jobId));
  expect(inOrder.map(({ messageTs }) => messageTs)).toEqual(replies);

  const answers = new Map<string, () => void>();
  const addReaction = (_channel: string, ts: string) => new Promise<void>((taken) => answers.set(ts, taken));
  const workspace = { poster: { addReaction } } as unknown as Workspace;
  const written: string[] = [];
  const tools = {
    store: telling(store, written),
    clock,
    log: silentLog,
    workspaces: { of: async () => workspace },
    newContext,
  } as unknown as SlackTools;
  const refreshed = refreshReceipts(tools, claimed);
  await expect.poll(() => answers.size).toBe(replies.length);
  for (const ts of replies.toReversed()) {
    answers.get(ts)?.();
    await Promise.resolve();
  }
  await refreshed;
  expect(written).toEqual(inOrder.map(({ followUpId }) => followUpId));
  expect(await store.transaction((tx) => tx.followUps.withStaleReceipts(jobId))).toEqual([]);
});

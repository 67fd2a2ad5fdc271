import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { CallState } from '../../../src/jobs/call.ts';
import { postBatches } from '../../../src/slack/outbound/posts/post-batches.ts';
import { dropped, type PostTools } from '../../../src/slack/outbound/posts/settle-post.ts';
import type { ClaimedTask, Store, Transaction } from '../../../src/store/store.ts';
import { aCall, aDecision, aJob, NOW_MS } from '../../contract/store/samples.ts';
import { policy } from '../../jobs/support/builders.ts';
import { createTestClock } from '../../support/test-clock.ts';
import type { TestStore } from './test-store.ts';

const LEASE_MS = 1_000;
const rulesOf = () => ({ projects: [], channels: new Map(), noticeChannels: [] });

export interface PostLanes extends TestStore {
  /** Wants a post in the thread of the job with this number. */
  want(callId: string, number: number): Promise<void>;
  /** The same, in this transaction. */
  wantIn(tx: Transaction, callId: string, number: number): Promise<void>;
  /** Takes what is due, by the numbers of the jobs. */
  claim(): Promise<ReadonlyMap<number, ClaimedTask>>;
  /** The lease of the task runs out, and no other. */
  runOut(task: ClaimedTask | undefined): Promise<void>;
  /** Another takes over the task whose lease has run out. */
  takeOver(tx: Transaction): Promise<void>;
  next(task: ClaimedTask | undefined): Promise<string | null>;
  start(task: ClaimedTask | undefined, callId: string): Promise<number>;
  /** Writes an outcome. Returns the id of the next call in the lane, if any. */
  end(task: ClaimedTask | undefined, callId: string): Promise<string | null>;
  stateOf(callId: string): Promise<CallState | undefined>;
  /** The transactions of the loop fail from now on, until `mend` is called; counts them. */
  breakStore(error: Error): { readonly attempts: number; mend(): void };
}

function wantIn(tx: Transaction, callId: string, number: number): Promise<void> {
  const job = aJob({ id: `job-${number}`, threadTs: `${number}.000100` });
  const call = aCall(callId, { lane: { to: 'slack', name: `thread:${job.id}` } });
  return tx.write(aDecision({ job, calls: [call] }), NOW_MS);
}

/** Jobs with a thread each, and the posts in them; the work's part in them, without Slack. */
export function postLanes({ store, sql, another }: TestStore): PostLanes {
  const clock = createTestClock(NOW_MS);
  let fault: { readonly error: Error; attempts: number; mend(): void } | null = null;
  const transaction = <T>(work: (tx: Transaction) => Promise<T>) => {
    if (fault === null) return store.transaction(work);
    fault.attempts += 1;
    return Promise.reject(fault.error);
  };
  const shared = {
    store: { transaction } as unknown as Store,
    clock,
    newContext: () => ({
      nowMs: clock.now(),
      jitter: 0.5,
      newId: randomUUID,
      policy,
      paces: new Map(),
      rulesOf,
    }),
  };
  const tools = { ...shared, posts: postBatches(shared) } as unknown as PostTools;
  const callOf = async (id: string) => {
    const call = await store.transaction((tx) => tx.calls.get(id));
    if (call === null) throw new Error(`There is no call ${id}`);
    return call;
  };
  const given = (task: ClaimedTask | undefined) => {
    if (task === undefined) throw new Error('the task is not due');
    return task;
  };
  const inHand = new Set<ClaimedTask>();
  const claimIn = (tx: Transaction) => {
    const nowMs = clock.now();
    return tx.tasks.claim({
      kinds: ['post_to_slack'],
      nowMs,
      leaseNowMs: nowMs,
      leaseUntilMs: nowMs + LEASE_MS,
      inHand: [],
      limit: 100,
    });
  };
  return {
    store,
    sql,
    another,
    want: (id, number) => store.transaction((tx) => wantIn(tx, id, number)),
    wantIn,
    claim: async () => {
      const tasks = await store.transaction(claimIn);
      for (const task of tasks) inHand.add(task);
      return new Map(tasks.map((task) => [Number(task.subject.split('-')[1]), task]));
    },
    runOut: async (task) => {
      await clock.advance(LEASE_MS);
      const others = [...inHand].filter((one) => one !== task).map(({ lease }) => lease);
      await store.transaction((tx) => tx.tasks.renew(others, clock.now() + LEASE_MS));
    },
    takeOver: async (tx) => {
      expect(await claimIn(tx)).toHaveLength(1);
    },
    next: async (task) => (await tools.posts.next(given(task)))?.call.id ?? null,
    start: (task, callId) => tools.posts.start({ task: given(task), callId }),
    end: async (task, callId) =>
      (await dropped(tools, given(task), await callOf(callId), 'gone'))?.call.id ?? null,
    stateOf: async (id) => (await callOf(id)).state,
    breakStore: (error) => {
      const mend = () => {
        fault = null;
      };
      fault = { error, attempts: 0, mend };
      return fault;
    },
  };
}

import { expect, test } from 'vitest';
import type { EngineTools } from '../../src/engine/apply-event.ts';
import { type Effect, runLane } from '../../src/engine/run-lane.ts';
import type { CallOutcome } from '../../src/jobs/call.ts';
import { openJob } from '../../src/jobs/decide/open.ts';
import { StoreError } from '../../src/store/engines/database.ts';
import { LeaseLostError, type Transaction } from '../../src/store/store.ts';
import { claimDue } from '../contract/store/samples.ts';
import { request } from '../jobs/support/builders.ts';
import { createTestClock } from '../support/test-clock.ts';
import { contextAt, silentLog } from './support/context.ts';
import { onSqlite } from './support/test-store.ts';

const DONE: CallOutcome = { state: 'done', detail: null };
const LANE = { to: 'slack', name: 'toy' } as const;

type Toy = Effect<string, CallOutcome>;

/** An effect that knows neither Slack nor the agent. It notes what it is asked to do. */
function toy(noted: string[], changes: Partial<Toy> = {}): Toy {
  return {
    prepare: async ({ call }) => call.id,
    admit: async () => null,
    perform: async (_started, prepared) => {
      noted.push(`performed ${prepared}`);
      return DONE;
    },
    classify: (_started, error) => ({ state: 'failed', detail: String(error) }),
    recover: async ({ call }) => {
      noted.push(`recovered ${call.id}`);
      return { state: 'unknown', detail: 'interrupted' };
    },
    applicableResult: (outcome, { state }) => (state === 'pending' || state === 'started' ? outcome : null),
    record: async (tx, { call }, outcome, { nowMs }) => {
      await tx.calls.recordOutcome(call.id, outcome, nowMs);
      noted.push(`settled ${call.id} ${outcome.state}`);
      return null;
    },
    ...changes,
  };
}

/** A lane with these calls. */
async function laneOf(...callIds: readonly string[]) {
  const { store } = await onSqlite();
  const clock = createTestClock(Date.UTC(2026, 0, 1));
  const newContext = () => contextAt(clock.now());
  const stopping = new AbortController();
  const { job } = openJob(request, newContext());
  const noted: string[] = [];
  const want = async (tx: Transaction, id: string) => {
    const call = { id, naturalKey: id, lane: LANE, request: { kind: 'post_card' } } as const;
    await tx.calls.add(call, job, clock.now());
    const task = { kind: 'post_to_slack', subject: LANE.name, runAtMs: clock.now() } as const;
    await tx.tasks.schedule({ ...task, ifScheduled: 'keep' });
  };
  await store.transaction(async (tx) => {
    await tx.jobs.put(job);
    for (const id of callIds) await want(tx, id);
  });
  const claim = async () =>
    (await store.transaction((tx) => claimDue(tx, ['post_to_slack'], clock.now())))[0] ?? null;
  /** What is due of the lane is done, if anything is. */
  const run = async (changes: Partial<Toy> = {}) => {
    const tools: EngineTools = {
      ...{ store: store.inBackground(), clock, log: silentLog },
      ...{ stopping: stopping.signal, newContext },
    };
    const task = await claim();
    if (task !== null) await runLane(tools, toy(noted, changes), task);
  };
  const stateOf = async (id: string) => (await store.transaction((tx) => tx.calls.get(id)))?.state;
  return { store, clock, stopping, noted, want, claim, run, stateOf };
}

test('a call is prepared once, however often a conflict of the database repeats the transaction', async () => {
  const { store, run } = await laneOf('first');
  let prepared = 0;
  const prepare: Toy['prepare'] = async () => {
    prepared += 1;
    if (prepared > 3) throw new Error('prepared again and again');
    await store.transaction((tx) => tx.calls.get('first'));
    return 'first';
  };
  const admit = async () => {
    throw new StoreError('in conflict', '40001');
  };
  await expect(run({ prepare, admit })).rejects.toThrow('in conflict');
  expect(prepared).toBe(1);
});

test('a call that is no longer wanted once it is prepared is not made', async () => {
  const { store, clock, run, noted } = await laneOf('first', 'second');
  const prepare: Toy['prepare'] = async ({ call: { id } }) => {
    const withdrawn: CallOutcome = { state: 'not_made', detail: 'withdrawn' };
    if (id === 'first') await store.transaction((tx) => tx.calls.recordOutcome(id, withdrawn, clock.now()));
    return id;
  };
  await run({ prepare });
  expect(noted).toEqual(['performed second', 'settled second done']);
});

test('a call that is wanted while the last one of its lane is made is made in its turn', async () => {
  const { store, run, noted, claim, want } = await laneOf('first');
  const perform: Toy['perform'] = async ({ call: { id } }) => {
    noted.push(`performed ${id}`);
    if (id === 'first') await store.transaction((tx) => want(tx, 'later'));
    return DONE;
  };
  for (const _time of ['first', 'later']) await run({ perform });
  expect(noted).toEqual(['performed first', 'settled first done', 'performed later', 'settled later done']);
  expect(await claim()).toBeNull();
});

test('what has not begun when the program stops is left for the next process at once', async () => {
  const { stopping, run, noted, claim, stateOf } = await laneOf('first');
  const prepare: Toy['prepare'] = async ({ call }) => {
    stopping.abort();
    return call.id;
  };
  await run({ prepare });
  expect(noted).toEqual([]);
  expect(await stateOf('first')).toBe('pending');
  expect(await claim()).not.toBeNull();
});

test('a stop does not wait for what the next call of a lane needs', async () => {
  const { stopping, run, claim, stateOf } = await laneOf('first', 'second');
  const prepared: string[] = [];
  const prepare: Toy['prepare'] = async ({ call }) => {
    prepared.push(call.id);
    return call.id;
  };
  const perform: Toy['perform'] = async () => {
    stopping.abort();
    return DONE;
  };
  await run({ prepare, perform });
  expect(prepared).toEqual(['first']);
  expect([await stateOf('first'), await stateOf('second')]).toEqual(['done', 'pending']);
  expect(await claim()).not.toBeNull();
});

test('an error that the effect does not know ends the lane, and the call counts as started', async () => {
  const { run, stateOf } = await laneOf('first');
  const perform = () => Promise.reject(new Error('a fault of ours'));
  const classify: Toy['classify'] = (_started, error) => {
    throw error;
  };
  await expect(run({ perform, classify })).rejects.toThrow('a fault of ours');
  expect(await stateOf('first')).toBe('started');
});

test('a lane that another process took over while its call was prepared is left to that one', async () => {
  const { clock, run, noted, claim, stateOf } = await laneOf('first');
  const prepare: Toy['prepare'] = async ({ call }) => {
    await clock.advance(1_000);
    expect(await claim()).not.toBeNull();
    return call.id;
  };
  await expect(run({ prepare })).rejects.toThrow(LeaseLostError);
  expect(noted).toEqual([]);
  expect(await stateOf('first')).toBe('pending');
});

test.each([
  ['is recorded', false, 'done'],
  ['is none to a later attempt', true, 'started'],
])(
  'the answer to a call whose lane another process took over meanwhile %s',
  async (_what, isAgain, state) => {
    const { store, clock, run, claim, stateOf } = await laneOf('first');
    const perform: Toy['perform'] = async () => {
      await clock.advance(1_000);
      expect(await claim()).not.toBeNull();
      if (!isAgain) return DONE;
      await store.transaction(async (tx) => {
        await tx.calls.recordOutcome('first', { state: 'retry', detail: null }, clock.now());
        await tx.calls.start('first', clock.now());
      });
      return DONE;
    };
    await expect(run({ perform })).rejects.toThrow(LeaseLostError);
    expect(await stateOf('first')).toBe(state);
  },
);

test('an answer is kept for a minute while another session has locked its job', async () => {
  const { clock, run, stateOf } = await laneOf('first');
  const LOCKED = '55P03';
  const freeAtMs = clock.now() + 60_000;
  const record: Toy['record'] = async (tx, { call }, outcome, { nowMs }) => {
    if (nowMs < freeAtMs) throw new StoreError('another session has locked the job', LOCKED);
    await tx.calls.recordOutcome(call.id, outcome, nowMs);
    return null;
  };
  let isOver = false;
  const running = run({ record }).finally(() => {
    isOver = true;
  });
  while (!isOver) await clock.advance(1_000);
  await running;
  expect(await stateOf('first')).toBe('done');
});

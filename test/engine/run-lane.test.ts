import { expect, test } from 'vitest';
import type { EngineTools } from '../../src/engine/apply-event.ts';
import { type Effect, runLane } from '../../src/engine/run-lane.ts';
import type { CallOutcome } from '../../src/jobs/call.ts';
import { openJob } from '../../src/jobs/decide/open.ts';
import { StoreError } from '../../src/store/engines/database.ts';
import { type ClaimedTask, LeaseLostError, type Store, type Transaction } from '../../src/store/store.ts';
import { claimDue } from '../contract/store/samples.ts';
import { request } from '../jobs/support/builders.ts';
import { createTestClock } from '../support/test-clock.ts';
import { contextAt, silentLog } from './support/context.ts';
import { onSqlite } from './support/test-store.ts';

const DONE: CallOutcome = { state: 'done', detail: null };
const LANE = { to: 'slack', name: 'toy' } as const;

/** An effect that knows neither Slack nor the agent. It notes what it is asked to do. */
function toy(
  noted: string[],
  changes: Partial<Effect<string, CallOutcome>> = {},
): Effect<string, CallOutcome> {
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

async function laneOf(callIds: readonly string[]) {
  const { store } = await onSqlite();
  const clock = createTestClock(Date.UTC(2026, 0, 1));
  const newContext = () => contextAt(clock.now());
  const stopping = new AbortController();
  const { job } = openJob(request, newContext());
  const want = (tx: Transaction, id: string) =>
    tx.calls.add({ id, naturalKey: id, lane: LANE, request: { kind: 'post_card' } }, job, clock.now());
  const schedule = (tx: Transaction) =>
    tx.tasks.schedule({
      kind: 'post_to_slack',
      subject: LANE.name,
      runAtMs: clock.now(),
      ifScheduled: 'keep',
    });
  await store.transaction(async (tx) => {
    await tx.jobs.put(job);
    for (const id of callIds) await want(tx, id);
    await schedule(tx);
  });
  const claim = async () =>
    (await store.transaction((tx) => claimDue(tx, ['post_to_slack'], clock.now())))[0] ?? null;
  const claimed = async (): Promise<ClaimedTask> => {
    const task = await claim();
    if (task === null) throw new Error('the lane is not due');
    return task;
  };
  const tools: EngineTools = { store, clock, log: silentLog, stopping: stopping.signal, newContext };
  const stateOf = async (id: string) => (await store.transaction((tx) => tx.calls.get(id)))?.state;
  return { tools, clock, stopping, want, schedule, claim, claimed, stateOf };
}

test('the calls of a lane are made one after the other, and then the lane has no task', async () => {
  const { tools, claimed, claim } = await laneOf(['first', 'second']);
  const noted: string[] = [];
  await runLane(tools, toy(noted), await claimed());
  expect(noted).toEqual(['performed first', 'settled first done', 'performed second', 'settled second done']);
  expect(await claim()).toBeNull();
});

test('a call is prepared once, however often a conflict of the database repeats the transaction', async () => {
  const { tools, claimed } = await laneOf(['first']);
  let prepared = 0;
  const prepare: Effect<string, CallOutcome>['prepare'] = async () => {
    prepared += 1;
    if (prepared > 3) throw new Error('prepared again and again');
    await tools.store.transaction((tx) => tx.calls.get('first'));
    return 'first';
  };
  const admit = async () => {
    throw new StoreError('in conflict', '40001');
  };
  await expect(runLane(tools, toy([], { prepare, admit }), await claimed())).rejects.toThrow('in conflict');
  expect(prepared).toBe(1);
});

test('a call that is no longer wanted once it is prepared is not made', async () => {
  const { tools, claimed } = await laneOf(['first', 'second']);
  const noted: string[] = [];
  const prepare: Effect<string, CallOutcome>['prepare'] = async ({ call: { id } }) => {
    if (id === 'first') {
      const withdrawn: CallOutcome = { state: 'not_made', detail: 'withdrawn' };
      await tools.store.transaction((tx) => tx.calls.recordOutcome(id, withdrawn, tools.clock.now()));
    }
    return id;
  };
  await runLane(tools, toy(noted, { prepare }), await claimed());
  expect(noted).toEqual(['performed second', 'settled second done']);
});

test('a call that was found started is not made again, and the next one is', async () => {
  const { tools, claimed } = await laneOf(['first', 'second']);
  await tools.store.transaction((tx) => tx.calls.start('first', tools.clock.now()));
  const noted: string[] = [];
  await runLane(tools, toy(noted), await claimed());
  expect(noted).toEqual([
    'recovered first',
    'settled first unknown',
    'performed second',
    'settled second done',
  ]);
});

test('a call that is not admitted is settled without being made', async () => {
  const { tools, claimed, stateOf } = await laneOf(['first']);
  const noted: string[] = [];
  await runLane(
    tools,
    toy(noted, { admit: async () => ({ state: 'not_made', detail: 'no room' }) }),
    await claimed(),
  );
  expect(noted).toEqual(['settled first not_made']);
  expect(await stateOf('first')).toBe('failed');
});

test('a call that is wanted while the last one of its lane is made is made in its turn', async () => {
  const { tools, claimed, claim, want, schedule } = await laneOf(['first']);
  const noted: string[] = [];
  const perform: Effect<string, CallOutcome>['perform'] = async ({ call: { id } }) => {
    noted.push(`performed ${id}`);
    if (id === 'first') {
      await tools.store.transaction(async (tx) => {
        await want(tx, 'later');
        await schedule(tx);
      });
    }
    return DONE;
  };
  await runLane(tools, toy(noted, { perform }), await claimed());
  const again = await claim();
  if (again !== null) await runLane(tools, toy(noted, { perform }), again);
  expect(noted).toEqual(['performed first', 'settled first done', 'performed later', 'settled later done']);
  expect(await claim()).toBeNull();
});

test('a lane that has to wait keeps its task for that time, and its other calls wait, too', async () => {
  const { tools, clock, claim, claimed, stateOf } = await laneOf(['first', 'second']);
  const wait = { retryAtMs: clock.now() + 5_000 };
  await runLane(tools, toy([], { record: async () => wait }), await claimed());
  expect(await stateOf('second')).toBe('pending');
  await clock.advance(4_999);
  expect(await claim()).toBeNull();
  await clock.advance(1);
  expect(await claim()).not.toBeNull();
});

test('what has not begun when the program stops is left for the next process at once', async () => {
  const { tools, stopping, claim, claimed, stateOf } = await laneOf(['first']);
  const noted: string[] = [];
  const prepare: Effect<string, CallOutcome>['prepare'] = async ({ call }) => {
    stopping.abort();
    return call.id;
  };
  await runLane(tools, toy(noted, { prepare }), await claimed());
  expect(noted).toEqual([]);
  expect(await stateOf('first')).toBe('pending');
  expect(await claim()).not.toBeNull();
});

test('a stop does not wait for what the next call of a lane needs', async () => {
  const { tools, stopping, claim, claimed, stateOf } = await laneOf(['first', 'second']);
  const prepared: string[] = [];
  const prepare: Effect<string, CallOutcome>['prepare'] = async ({ call }) => {
    prepared.push(call.id);
    return call.id;
  };
  const perform: Effect<string, CallOutcome>['perform'] = async () => {
    stopping.abort();
    return DONE;
  };
  await runLane(tools, toy([], { prepare, perform }), await claimed());
  expect(prepared).toEqual(['first']);
  expect(await stateOf('first')).toBe('done');
  expect(await stateOf('second')).toBe('pending');
  expect(await claim()).not.toBeNull();
});

/** A store whose transaction number `broken` fails before it begins, counted from one. */
function failingAt(store: Store, broken: number): Store {
  let count = 0;
  return new Proxy(store, {
    get: (target, property) => {
      if (property !== 'transaction') return Reflect.get(target, property);
      return <T>(write: (tx: Transaction) => Promise<T>) => {
        count += 1;
        if (count === broken) throw new StoreError('the database is away');
        return target.transaction(write);
      };
    },
  });
}

test('while the start of a call cannot be stored, the call is not made', async () => {
  const { tools, claimed, stateOf } = await laneOf(['first']);
  const noted: string[] = [];
  const store = failingAt(tools.store, 1);
  await expect(runLane({ ...tools, store }, toy(noted), await claimed())).rejects.toThrow(StoreError);
  expect(noted).toEqual([]);
  expect(await stateOf('first')).toBe('pending');
});

test('an answer that cannot be stored at first is stored a moment later', async () => {
  const { tools, clock, claimed, stateOf } = await laneOf(['first']);
  const noted: string[] = [];
  const store = failingAt(tools.store, 2);
  const running = runLane({ ...tools, store }, toy(noted), await claimed());
  await clock.advance(1_000);
  await running;
  expect(noted).toEqual(['performed first', 'settled first done']);
  expect(await stateOf('first')).toBe('done');
});

test('an error that the effect does not know ends the lane, and the call counts as started', async () => {
  const { tools, claimed, stateOf } = await laneOf(['first']);
  const noted: string[] = [];
  const effect = toy(noted, {
    perform: () => Promise.reject(new Error('a fault of ours')),
    classify: (_started, error) => {
      throw error;
    },
  });
  await expect(runLane(tools, effect, await claimed())).rejects.toThrow('a fault of ours');
  expect(await stateOf('first')).toBe('started');
});

test('a lane that another process took over while its call was prepared is left to that one', async () => {
  const { tools, clock, claim, claimed, stateOf } = await laneOf(['first']);
  const noted: string[] = [];
  const prepare: Effect<string, CallOutcome>['prepare'] = async ({ call }) => {
    await clock.advance(1_000);
    expect(await claim()).not.toBeNull();
    return call.id;
  };
  await expect(runLane(tools, toy(noted, { prepare }), await claimed())).rejects.toThrow(LeaseLostError);
  expect(noted).toEqual([]);
  expect(await stateOf('first')).toBe('pending');
});

import { describe, expect, test } from 'vitest';
import type { TaskKind } from '../../../src/jobs/task-kinds.ts';
import { type Lease, LeaseLostError, type Transaction } from '../../../src/store/store.ts';
import { fc } from '../../support/properties.ts';
import { type OpenStore, useStore } from './opened.ts';

const KINDS = ['check_job', 'refresh_card'] as const satisfies readonly TaskKind[];
const FAR_FUTURE_MS = 1_000_000;

interface ModelTask {
  readonly kind: TaskKind;
  readonly runAtMs: number;
  readonly lease: { readonly token: string; readonly untilMs: number } | null;
  readonly attempts: number;
  readonly revision: number;
}

interface Model {
  nowMs: number;
  readonly tasks: Map<string, ModelTask>;
  /** All that were ever handed out. */
  readonly leases: Lease[];
}

type Step =
  | {
      readonly verb: 'schedule';
      readonly kind: TaskKind;
      readonly subject: string;
      readonly delayMs: number;
      readonly ifScheduled: 'keep' | 'replace';
    }
  | {
      readonly verb: 'claim';
      readonly kinds: readonly TaskKind[];
      readonly limit: number;
      readonly leaseMs: number;
    }
  | { readonly verb: 'renew'; readonly lease: number; readonly delayMs: number }
  | LeaseStep
  | { readonly verb: 'wait'; readonly delayMs: number };

interface LeaseStep {
  readonly verb: 'fence' | 'complete' | 'retryAt' | 'delayUntil';
  readonly lease: number;
  /** Only `retryAt` and `delayUntil` use it. */
  readonly delayMs: number;
}

const delayMs = fc.integer({ min: -3, max: 12 });
const lease = fc.nat({ max: 20 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    verb: fc.constant('schedule' as const),
    kind: fc.constantFrom(...KINDS),
    subject: fc.constantFrom('a', 'b', 'c'),
    delayMs,
    ifScheduled: fc.constantFrom('keep' as const, 'replace' as const),
  }),
  fc.record({
    verb: fc.constant('claim' as const),
    kinds: fc.subarray([...KINDS]),
    limit: fc.nat({ max: 3 }),
    leaseMs: fc.integer({ min: 1, max: 10 }),
  }),
  fc.record({ verb: fc.constant('renew' as const), lease, delayMs }),
  fc.record({
    verb: fc.constantFrom('fence' as const, 'complete' as const, 'retryAt' as const, 'delayUntil' as const),
    lease,
    delayMs,
  }),
  fc.record({ verb: fc.constant('wait' as const), delayMs: fc.integer({ min: 1, max: 8 }) }),
);

/** Does the step in the transaction and in the model, and compares what both answer. */
async function perform(step: Step, tx: Transaction, model: Model): Promise<void> {
  switch (step.verb) {
    case 'wait':
      model.nowMs += step.delayMs;
      return;
    case 'schedule': {
      const { kind, subject, ifScheduled } = step;
      const runAtMs = model.nowMs + step.delayMs;
      await tx.tasks.schedule({ kind, subject, runAtMs, ifScheduled });
      const old = model.tasks.get(`${kind}:${subject}`);
      const added: ModelTask = { kind, runAtMs, lease: null, attempts: 0, revision: 1 };
      const kept = old && { ...old, revision: old.revision + 1 };
      const changed = kept && (ifScheduled === 'keep' ? kept : { ...kept, runAtMs });
      model.tasks.set(`${kind}:${subject}`, changed ?? added);
      return;
    }
    case 'claim':
      return claim(step, tx, model);
    case 'renew': {
      const lease = model.leases[step.lease];
      if (lease === undefined) return;
      const untilMs = model.nowMs + step.delayMs;
      await tx.tasks.renew([lease], untilMs);
      const task = heldTask(model, lease);
      if (task) model.tasks.set(lease.id, { ...task, lease: { token: lease.token, untilMs } });
      return;
    }
    case 'fence':
    case 'complete':
    case 'retryAt':
    case 'delayUntil':
      return withLease(step, tx, model);
  }
}

async function claim(step: Extract<Step, { verb: 'claim' }>, tx: Transaction, model: Model): Promise<void> {
  const { kinds, limit } = step;
  const { nowMs } = model;
  const leaseUntilMs = nowMs + step.leaseMs;
  const dueTimes = [...model.tasks.values()]
    .filter((task) => kinds.includes(task.kind) && claimableAtMs(task) <= nowMs)
    .map((task) => task.runAtMs)
    .sort((a, b) => a - b);
  const claimed = await tx.tasks.claim({
    kinds,
    nowMs,
    leaseNowMs: nowMs,
    leaseUntilMs,
    inFlight: [],
    limit,
  });
  const claimedTimes: number[] = [];
  for (const { kind, subject, attempts, lease } of claimed) {
    const task = model.tasks.get(lease.id);
    expect(task).toMatchObject({ kind, attempts, revision: lease.revision });
    if (task === undefined) continue;
    expect(lease.id).toBe(`${kind}:${subject}`);
    expect(claimableAtMs(task)).toBeLessThanOrEqual(nowMs);
    claimedTimes.push(task.runAtMs);
    model.tasks.set(lease.id, { ...task, lease: { token: lease.token, untilMs: leaseUntilMs } });
    model.leases.push(lease);
  }
  expect(claimedTimes).toEqual(dueTimes.slice(0, limit));
}

async function withLease(step: LeaseStep, tx: Transaction, model: Model): Promise<void> {
  const lease = model.leases[step.lease];
  if (lease === undefined) return;
  const task = heldTask(model, lease);
  const runAtMs = model.nowMs + step.delayMs;
  const answer = tx.tasks[step.verb](lease, runAtMs);
  if (task === undefined) return expect(answer).rejects.toThrow(LeaseLostError);
  await answer;
  if (step.verb === 'retryAt' || step.verb === 'delayUntil') {
    const attempts = step.verb === 'retryAt' ? task.attempts + 1 : task.attempts;
    model.tasks.set(lease.id, { ...task, runAtMs, lease: null, attempts });
  } else if (step.verb === 'complete' && task.revision === lease.revision) {
    model.tasks.delete(lease.id);
  } else if (step.verb === 'complete') {
    model.tasks.set(lease.id, { ...task, lease: null, attempts: 0 });
  }
}

function heldTask(model: Model, lease: Lease): ModelTask | undefined {
  const task = model.tasks.get(lease.id);
  return task?.lease?.token === lease.token ? task : undefined;
}

function claimableAtMs(task: ModelTask): number {
  return Math.max(task.runAtMs, task.lease?.untilMs ?? task.runAtMs);
}

async function empty(tx: Transaction): Promise<void> {
  const lease = { leaseNowMs: FAR_FUTURE_MS, leaseUntilMs: FAR_FUTURE_MS + 1, inFlight: [] };
  const all = { kinds: KINDS, nowMs: FAR_FUTURE_MS, ...lease, limit: 100 };
  for (const task of await tx.tasks.claim(all)) await tx.tasks.complete(task.lease);
}

export function taskModelContract(open: OpenStore): void {
  describe('the due queue against a simple model', () => {
    const opened = useStore(open);

    test('whatever happens in whatever order, it behaves like the model', { timeout: 60_000 }, async () => {
      const transactions = fc.array(
        fc.record({ steps: fc.array(step, { minLength: 1, maxLength: 3 }), undone: fc.boolean() }),
        { maxLength: 40 },
      );
      await fc.assert(
        fc
          .asyncProperty(transactions, async (list) => {
            let model: Model = { nowMs: 100, tasks: new Map(), leases: [] };
            for (const { steps, undone } of list) {
              const draft: Model = { ...model, tasks: new Map(model.tasks), leases: [...model.leases] };
              const failure = new Error('undone');
              const run = opened.run(async (tx) => {
                for (const step of steps) await perform(step, tx, draft);
                if (undone) throw failure;
              });
              if (undone) await expect(run).rejects.toBe(failure);
              else {
                await run;
                model = draft;
              }
              const free = [...model.tasks.values()].filter(({ lease }) => lease === null);
              const dueTimes = free.map(({ runAtMs }) => runAtMs);
              expect(await opened.run((tx) => tx.tasks.nextDueAtMs(KINDS))).toBe(Math.min(...dueTimes));
            }
          })
          .afterEach(() => opened.run(empty)),
        { numRuns: 60 },
      );
    });
  });
}

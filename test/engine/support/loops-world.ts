import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { AgentClient } from '../../../src/agent/client.ts';
import { createLoops, type Tools } from '../../../src/app/service/loops.ts';
import { applyEvent } from '../../../src/engine/apply-event.ts';
import { type JobRequest, openJob } from '../../../src/jobs/decide/open.ts';
import type { JobEvent } from '../../../src/jobs/event.ts';
import type { Workspace } from '../../../src/slack/workspace/workspace.ts';
import { openStore } from '../../../src/store/open.ts';
import type { Store } from '../../../src/store/store.ts';
import { request } from '../../jobs/support/builders.ts';
import type { EmptyPlace } from '../../support/databases.ts';
import { createTestClock, type TestClock } from '../../support/test-clock.ts';
import { watchedJob } from '../../support/watched-jobs.ts';
import { contextAt, toolsWith } from './context.ts';

const projects = ['handbook', 'docs', 'slow'].map((id) => ({ id, name: id, noticeChannels: [] }));
const START_MS = Date.UTC(2026, 0, 1);
/** In so many looks in a row nothing is under way. */
const QUIET_LOOKS = 8;
const PATIENCE_MS = 30_000;
const STOPS_WITHIN_MS = 40_000;

export interface Outside {
  /** What the agent API answers, and how Slack takes a post; a promise that never settles is one that hangs. */
  readonly agent: Partial<AgentClient>;
  readonly post?: (post: { readonly channelId: string }) => Promise<string>;
}

export interface LoopsOptions {
  readonly place: EmptyPlace;
  readonly replicas: number;
  readonly outside: (world: Pick<LoopsWorld, 'hang' | 'clock'>) => Outside;
}

export interface LoopsWorld {
  readonly clock: TestClock;
  readonly store: Store;
  /** Of each replica. */
  readonly tools: readonly Tools[];
  /** Opens a job, and lets these events happen to it. */
  open(request: Partial<JobRequest>, events?: readonly JobEvent[]): Promise<string>;
  /** Never answers. */
  hang(): Promise<never>;
  /** Has a job at which the agent works, and whose check is due. */
  watch(projectId: string, number: number): Promise<void>;
  /** What happens to a job. */
  happen(jobId: string, event: JobEvent): Promise<void>;
  start(): void;
}

/** The loops of replicas that share one database, with a stand-in for all that is outside, in a time that the test moves. */
export async function createLoopsWorld(options: LoopsOptions): Promise<LoopsWorld> {
  const { place, replicas, outside } = options;
  onTestFinished(place.remove);
  const loops: ReturnType<typeof createLoops>[] = [];
  let inFlight = 0;
  let begun = 0;
  let cards = 0;
  const counted = async <T>(work: () => Promise<T>): Promise<T> => {
    inFlight += 1;
    begun += 1;
    return work().finally(() => {
      inFlight -= 1;
    });
  };
  const settled = async () => {
    const untilMs = Date.now() + PATIENCE_MS;
    for (let quiet = 0, seen = begun; quiet < QUIET_LOOKS; ) {
      if (Date.now() > untilMs) throw new Error('the work does not come to an end');
      // Started loops gather unchanged checks for five milliseconds.
      await (loops.length > 0 ? pause(1) : nextTurn());
      quiet = inFlight === 0 && seen === begun ? quiet + 1 : 0;
      seen = begun;
    }
  };
  const clock = createTestClock(START_MS, settled);
  const openCounted = async (): Promise<Store> => {
    const store = await openStore(place.location);
    onTestFinished(() => store.close());
    const countedStore: Store = {
      transaction: (work) => counted(() => store.transaction(work)),
      inBackground: () => countedStore,
      onScheduled: (listener) => store.onScheduled(listener),
      check: () => store.check(),
      heldLocks: () => store.heldLocks(),
      close: () => store.close(),
    };
    return countedStore;
  };
  const hang = () => ended.promise;
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => {});
  const {
    agent,
    post = async () => {
      cards += 1;
      return `${cards}.000000`;
    },
  } = outside({ hang, clock });
  const workspace = {
    projects: [],
    poster: { post, update: async () => {} },
    names: { of: async () => new Map(), named: async () => new Map() },
  } as unknown as Workspace;
  const newContext = () => contextAt(clock.now(), projects);
  const stopping = new AbortController();
  const stores: Store[] = [];
  for (let replica = 0; replica < replicas; replica += 1) stores.push(await openCounted());
  const toolsOfAll = stores.map(
    (store): Tools =>
      toolsWith({
        ...{ store, clock, newContext },
        agent: { askCapabilities: async () => null, ...agent } as AgentClient,
        workspaces: { of: async () => workspace, ofRequest: async () => workspace },
        stopping: stopping.signal,
      }),
  );
  const [store] = stores;
  if (store === undefined) throw new Error('There is at least one replica');
  onTestFinished(async () => {
    stopping.abort();
    ended.reject(new Error('the test is over'));
    await Promise.all(loops.map((made) => made.stop()));
  });
  return {
    clock,
    store,
    hang,
    tools: toolsOfAll,
    happen: async (jobId, event) => {
      await store.transaction((tx) => applyEvent(tx, jobId, event, newContext()));
    },
    start: () => {
      for (const tools of toolsOfAll) {
        const made = createLoops(tools, STOPS_WITHIN_MS, []);
        tools.store.onScheduled((scheduled) => made.notify(scheduled));
        made.start();
        loops.push(made);
      }
    },
    watch: async (projectId, number) => {
      const job = watchedJob(number, projectId, clock.now());
      const check = { kind: 'check_job', runAtMs: clock.now(), ifScheduled: 'replace' } as const;
      await store.transaction((tx) =>
        tx.write({ job, followUps: [], calls: [], tasks: [check] }, clock.now()),
      );
    },
    open: async (given, events = []) => {
      const opening = openJob({ ...request, ...given }, newContext());
      await store.transaction(async (tx) => {
        await tx.write(opening, clock.now());
        for (const event of events) await applyEvent(tx, opening.job.id, event, newContext());
      });
      return opening.job.id;
    },
  };
}

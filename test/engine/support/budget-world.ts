import { setTimeout as pause } from 'node:timers/promises';
import { callAgent, sendFollowUps } from '../../../src/agent/call-agent.ts';
import { notSentError, refusedError } from '../../../src/agent/client.ts';
import { createLoop } from '../../../src/engine/loop.ts';
import type { JobRequest } from '../../../src/jobs/decide/open.ts';
import { anAgentJob, aReply } from '../../jobs/support/builders.ts';
import { createLoopsWorld, type LoopsOptions } from './loops-world.ts';

const STORE_PAUSE_MS = 20;

interface Sent {
  readonly prompt: string;
  readonly atMs: number;
  /** When the agent takes the next one. */
  readonly freeAtMs: number;
}

/** A rate limit of the agent's own: one call in so much time. */
interface Limit {
  readonly spacingMs: number;
  /** What a refusal asks for, in milliseconds; null: nothing. */
  readonly retryAfterMs?: (leftMs: number) => number | null;
}

/** Two replicas that send, in a time that leaps from one due task to the next. */
export async function createBudgetWorld(place: LoopsOptions['place']) {
  const sent: Sent[] = [];
  /** All calls, also those that failed. */
  const tries: Sent[] = [];
  let isAway = false;
  let limit: Limit | null = null;
  let freeAtMs = 0;
  let held: { readonly isCalled: () => void; readonly answered: Promise<void> } | null = null;
  const take = async (prompt: string, nowMs: number) => {
    const call = { prompt, atMs: nowMs, freeAtMs };
    tries.push(call);
    if (isAway) throw notSentError(new Error('the agent is away'));
    if (held !== null) {
      const { isCalled, answered } = held;
      held = null;
      isCalled();
      await answered;
    } else if (limit !== null && nowMs < freeAtMs) {
      const { retryAfterMs = (leftMs: number) => leftMs } = limit;
      throw refusedError(429, 'slow down', retryAfterMs(freeAtMs - nowMs));
    } else {
      freeAtMs = nowMs + (limit?.spacingMs ?? 0);
    }
    sent.push(call);
  };
  const world = await createLoopsWorld({
    place,
    replicas: 'databaseUrl' in place.location ? 2 : 1,
    outside: ({ clock }) => ({
      agent: {
        createJob: async (_, prompt) => {
          await take(prompt, clock.now());
          return anAgentJob({ id: `agent-${sent.length}` });
        },
        sendMessage: async (_, id, prompt) => {
          await take(prompt, clock.now());
          return anAgentJob({ id });
        },
      },
    }),
  });
  const loops = world.tools.map((given) => {
    const tools = {
      ...given,
      // A lane sleeps only until the store is less busy, for which no time of the test passes.
      clock: { ...given.clock, sleep: () => pause(STORE_PAUSE_MS) },
    };
    return createLoop({
      ...tools,
      name: 'send',
      concurrency: 32,
      stopWithinMs: 10_000,
      handlers: {
        call_agent: (task) => callAgent(tools, task),
        send_follow_ups: (task) => sendFollowUps(tools, task),
        refresh_card: ({ lease }) => tools.store.transaction((tx) => tx.tasks.complete(lease)),
      },
    });
  });
  const work = async () => {
    for (let done = 1; done > 0; ) {
      const counts = await Promise.all(loops.map((loop) => loop.tick()));
      done = counts.reduce((sum, count) => sum + count, 0);
    }
  };
  const workUntil = async (untilMs: number) => {
    await work();
    for (;;) {
      const dueAtMs = await world.store.transaction((tx) =>
        tx.tasks.nextDueAtMs(['call_agent', 'send_follow_ups', 'refresh_card']),
      );
      if (dueAtMs === null || dueAtMs > untilMs) break;
      await world.clock.advanceTo(dueAtMs);
      await work();
    }
    if (untilMs > world.clock.now()) await world.clock.advanceTo(untilMs);
  };
  let asked = 0;
  const ask = (prompt: string, fields: Partial<JobRequest> = {}) => {
    asked += 1;
    return world.open({ prompt, channelId: `C${asked}`, ...fields }, [
      { type: 'card_posted', ts: `${asked}.000000` },
    ]);
  };
  const reply = (jobId: string, text: string) =>
    world.happen(jobId, { type: 'reply_received', reply: aReply({ text, messageTs: `${asked}.${text}` }) });
  const setAway = (away: boolean) => {
    isAway = away;
  };
  const setLimit = (to: Limit | null) => {
    limit = to;
  };
  /** The agent takes nothing before the limit's time is over. */
  const limitNow = () => {
    freeAtMs = world.clock.now() + (limit?.spacingMs ?? 0);
  };
  /** The next call is taken when the test says so. */
  const holdNext = () => {
    const called = Promise.withResolvers<void>();
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    held = { isCalled: called.resolve, answered };
    return { isCalled: called.promise, answer };
  };
  return {
    ...world,
    setAway,
    setLimit,
    limitNow,
    holdNext,
    sent,
    tries,
    ask,
    reply,
    workUntil,
  };
}

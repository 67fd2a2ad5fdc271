import { Client } from 'pg';
import { callAgent, sendFollowUps } from '../../../src/agent/call-agent.ts';
import { createLogger } from '../../../src/app/operations/logger.ts';
import type { Tools } from '../../../src/app/service/loops.ts';
import { expireDraft } from '../../../src/engine/apply-event.ts';
import { createLoop, type TaskHandlers } from '../../../src/engine/loop.ts';
import { openJob } from '../../../src/jobs/decide/open.ts';
import type { TaskKind } from '../../../src/jobs/task-kinds.ts';
import { clockFrom } from '../../../src/runtime/clock.ts';
import type { ListenerDeps } from '../../../src/slack/inbound/listener.ts';
import { catchUps } from '../../../src/slack/outbound/catch-up.ts';
import { postToSlack } from '../../../src/slack/outbound/post-to-slack.ts';
import { openStore } from '../../../src/store/open.ts';
import type { Queries } from '../../../src/store/schema/tables.ts';
import type { ClaimedTask, Store, Transaction } from '../../../src/store/store.ts';
import { contextAt, toolsWith } from '../../engine/support/context.ts';
import { anAgentJob, request } from '../../jobs/support/builders.ts';
import type { EmptyPlace } from '../../support/databases.ts';
import { Watch } from '../../support/invariants/watch.ts';
import { machineTimeMs, type OutwardCall } from '../../support/invariants/world.ts';
import { controlStatements, createInterleaving, turn } from './interleaving.ts';

const START_MS = Date.UTC(2026, 0, 1);
/** So often each replica looks for work before both pause. */
const LOOKS = 3;
/** A worker fails, or meets what another has taken. */
const TROUBLE = /task_failed|task_lease_lost|task_not_retried|not_processed|outcome_not_stored/;

export type TwoReplicas = Awaited<ReturnType<typeof openReplicas>>;
export type Replica = Tools & ListenerDeps;
export type Play = ReturnType<typeof createPlay>;

/** On Postgres each has a store of its own; on SQLite both use one, whose transactions are not divided. */
export async function openReplicas({ location, remove }: EmptyPlace) {
  const resources = new AsyncDisposableStack();
  resources.defer(remove);
  resources.use(controlStatements());
  const lease = { nowMs: 0 };
  const open = async () =>
    resources.adopt(await openStore(location, () => lease.nowMs), (one) => one.close());
  const left = await open();
  const right = 'databaseUrl' in location ? await open() : left;
  const session = new Client('databaseUrl' in location ? location.databaseUrl : '');
  if (left !== right) await session.connect();
  resources.defer(() => session.end());
  const WAITING = 'select from unnest($1::int[]) as pid where cardinality(pg_blocking_pids(pid)) > 0';
  const waiting = async (pids: readonly number[]) => (await session.query(WAITING, [pids])).rowCount ?? 0;
  return {
    location,
    stores: { left, right },
    lease,
    waiting,
    plays: 0,
    close: () => resources.disposeAsync(),
  };
}

/** A workspace with two replicas, in an order that a seed decides. */
export function createPlay(replicas: TwoReplicas, seed: number, { hourlyBudget = 100, losesLeases = false }) {
  const { location, stores, lease } = replicas;
  replicas.plays += 1;
  const teamId = `T${replicas.plays}`;
  const projects = [{ id: teamId, name: 'docs', noticeChannels: [] }];
  const order = createInterleaving(seed, replicas.waiting);
  const taken: OutwardCall[] = [];
  const watch = new Watch(location, { hourlyBudget, outside: () => [taken] });
  const log: string[] = [];
  /** What the agent was given. */
  const prompts: string[] = [];
  /** Times of posts, by their calls. */
  const posts = new Map<string, string>();
  /** The thread as Slack has it. */
  const thread: object[] = [];
  /** Of each request and reply. */
  const words: string[] = [];
  let passedMs = START_MS;
  let ids = 0;
  const now = () => passedMs + order.steps();
  const pass = (ms: number) => {
    passedMs += ms;
  };
  const newId = () => {
    ids += 1;
    return `${teamId}-${String(ids).padStart(4, '0')}`;
  };
  const newTs = () => (now() / 1000).toFixed(3) + newId().slice(-3);
  const context = () => ({ ...contextAt(now(), projects), newId });

  const take = async (operation: 'create' | 'message', projectId: string, id: string, prompt: string) => {
    await turn('asks the agent');
    taken.push({ to: 'agent', operation, projectId, agentJobId: id, prompt, atMs: machineTimeMs() });
    prompts.push(prompt);
    return anAgentJob({ id });
  };
  const agent = {
    askCapabilities: async () => null,
    createJob: (projectId: string, prompt: string) => take('create', projectId, newId(), prompt),
    sendMessage: (projectId: string, id: string, prompt: string) => take('message', projectId, id, prompt),
  };
  const note = (method: string, channel: string, callId: string | null) =>
    taken.push({ to: 'slack', method, teamId, channel, callId, atMs: machineTimeMs() });
  type Post = Readonly<{ channelId: string; callId: string }>;
  const poster = {
    post: async ({ channelId, callId }: Post) => {
      await turn('posts');
      note('chat.postMessage', channelId, callId);
      posts.set(callId, newTs());
      return posts.get(callId);
    },
    postEphemeral: () => turn('posts'),
    find: async ({ channelId, callId }: Post) => {
      note('conversations.history', channelId, null);
      return posts.get(callId) ?? null;
    },
    threadPage: async () => {
      await turn('reads the thread');
      return { messages: [...thread], cursor: null };
    },
  };
  const yes = async () => true;
  const shared = { isClosed: async () => false };
  const access = { refusal: async () => null, isPerson: yes, surelyAdmits: yes, shared };
  const names = { of: async () => new Map(), named: async () => new Map() };
  const workspace = { teamId, projects, poster, access, names, botId: 'B1', botUserId: 'U0BOT' };

  function replicaWith(store: Store): Replica {
    const transaction = async (work: (tx: Transaction) => Promise<unknown>) => {
      await turn('begin');
      return store.transaction(work);
    };
    const clock = clockFrom({ now, at: () => () => {}, awakeSinceMs: () => 0 });
    const tools = {
      ...{ agent, hourlyBudget, newContext: context },
      store: Object.assign(Object.create(store), { transaction }),
      clock: { ...clock, sleep: () => turn('sleeps') },
      log: createLogger({ level: 'warn', destination: { write: (line) => void log.push(line) } }),
      workspaces: { of: async () => workspace },
    };
    return { ...workspace, ...toolsWith(tools as never) } as unknown as Replica;
  }
  const left = replicaWith(stores.left);
  const right = replicaWith(stores.right);

  const handlersOf = (tools: Replica): TaskHandlers => ({
    call_agent: (task) => callAgent(tools, task),
    send_follow_ups: (task) => sendFollowUps(tools, task),
    post_to_slack: postToSlack(tools),
    catch_up: catchUps(tools),
    expire_draft: (task) => expireDraft(tools, task),
  });
  const kinds = Object.keys(handlersOf(left)) as TaskKind[];

  function loopOf(name: string, tools: Replica, act: typeof order.act, only = kinds) {
    const all = handlersOf(tools);
    const handle = (kind: TaskKind) => async (task: ClaimedTask) =>
      act(`${name} ${kind}`, async () => all[kind]?.(task));
    const handlers = Object.fromEntries(only.map((kind) => [kind, handle(kind)]));
    return createLoop({ ...tools, name, handlers, concurrency: 8, stopWithinMs: 10_000 });
  }

  /** Does what is due of these kinds, without interleaving. */
  async function settle(only = kinds): Promise<void> {
    const { tick } = loopOf('left', left, (_name, work) => work(), only);
    for (let done = 1; done > 0; ) done = await tick();
  }

  /** Both replicas work beside those who act, until nothing is due for so long. */
  async function interleave(forMs: number): Promise<void> {
    const untilMs = now() + forMs;
    const loops = [left, right].map((tools, at) => loopOf(at === 0 ? 'left' : 'right', tools, order.act));
    for (let isOver = false; !isOver; ) {
      let done = 0;
      for (const { state, tick } of loops) {
        void order.act(state().name, async () => {
          for (let looks = 0; looks < LOOKS; looks += 1) {
            const count = await tick();
            done += count;
          }
        });
      }
      await order.run(() => watch.verify());
      const dueAtMs = await stores.left.transaction((tx) => tx.tasks.nextDueAtMs(kinds));
      isOver = done === 0 && dueAtMs > untilMs;
      if (done === 0 && !isOver) pass(Math.max(0, dueAtMs - now()));
    }
  }

  async function job(jobId: string) {
    const found = await stores.left.transaction((tx) => tx.jobs.get(jobId));
    if (found === null) throw new Error(`there is no job ${jobId}`);
    return found;
  }

  return {
    ...{ order, left, right, teamId, prompts, posts, thread, words, now, pass, settle, interleave, job },
    endLeases: (): void => {
      lease.nowMs += 60_000;
    },
    /** Stores a request, and returns its job's id. */
    ask: async (prompt: string, decide = openJob): Promise<string> => {
      words.push(prompt);
      const decision = decide({ ...request, teamId, projectId: teamId, prompt }, context());
      await stores.left.transaction((tx) => tx.write(decision, now()));
      return decision.job.id;
    },
    /** Somebody writes in the thread of the job. */
    reply: async (jobId: string, text: string) => {
      words.push(text);
      const { threadTs } = await job(jobId);
      return { channel: request.channelId, ts: newTs(), thread_ts: threadTs ?? '', user: 'U2', text };
    },
    /** What is wrong at the end. */
    faults: (): string[] => [
      ...log.filter((line) => TROUBLE.test(line) && !losesLeases),
      ...watch.rest({ messages: [], accepted: words }),
    ],
    end: async (): Promise<void> => {
      await order.free();
      // What is still planned is no fault, and nothing for the next play.
      await stores.left.transaction((tx) => tx.queries(LeftOver).drop());
      watch[Symbol.dispose]();
    },
  };
}

/** The next play finds nothing that is due. */
class LeftOver {
  readonly drop: () => Promise<unknown>;

  constructor(db: Queries) {
    this.drop = () => db.deleteFrom('task').execute();
  }
}

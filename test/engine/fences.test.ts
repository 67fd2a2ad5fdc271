import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { answeredJobs } from '../../src/agent/agent-tools.ts';
import { callAgent } from '../../src/agent/call-agent.ts';
import { checkBatches, checkJob } from '../../src/agent/check-job.ts';
import type { AgentClient } from '../../src/agent/client.ts';
import { eventFeatures } from '../../src/app/features.ts';
import { createLogger } from '../../src/app/operations/logger.ts';
import type { Tools } from '../../src/app/service/loops.ts';
import { applyEvent } from '../../src/engine/apply-event.ts';
import { fairLimit } from '../../src/engine/claim-fairly.ts';
import type { AgentJob } from '../../src/jobs/agent-job.ts';
import { openJob } from '../../src/jobs/decide/open.ts';
import type { JobEvent } from '../../src/jobs/event.ts';
import type { TaskKind } from '../../src/jobs/task-kinds.ts';
import { postToSlack } from '../../src/slack/outbound/post-to-slack.ts';
import type { Workspace } from '../../src/slack/workspace/workspace.ts';
import { openStore } from '../../src/store/open.ts';
import { type ClaimedTask, LeaseLostError } from '../../src/store/store.ts';
import { anAgentJob, policy, request } from '../jobs/support/builders.ts';
import { createTempDir } from '../support/temp-dir.ts';
import { createTestClock } from '../support/test-clock.ts';

const LEASE_MS = 1_000;
const running = anAgentJob();
const completed = anAgentJob({ status: 'completed' });
const projects = [{ id: 'handbook', name: 'handbook', noticeChannels: [] }] as const;
const rulesOf = () => ({ projects, channels: new Map(), noticeChannels: [] });

/** An event, or the one that answers the job's create call. */
type Happening = JobEvent | ((createCallId: string) => JobEvent);

/** A job in a real store, and tools whose outward calls take so long that another process takes the task over. */
async function overtaken(events: readonly Happening[], kind: TaskKind, agentJob: AgentJob) {
  const folder = await createTempDir();
  onTestFinished(folder.remove);
  const store = await openStore({ dataDir: folder.path });
  onTestFinished(() => store.close());
  const clock = createTestClock(Date.UTC(2026, 0, 1));
  const newContext = () => ({
    nowMs: clock.now(),
    jitter: 0.5,
    newId: randomUUID,
    policy,
    features: eventFeatures,
    rulesOf,
  });
  const opening = openJob(request, newContext());
  const jobId = opening.job.id;
  await store.transaction(async (tx) => {
    await tx.write(opening, clock.now());
    for (const event of events) {
      const create = (await tx.calls.next(`agent:${jobId}`))?.call;
      const happened = typeof event === 'function' ? event(create?.id ?? 'none') : event;
      await applyEvent(tx, jobId, happened, newContext());
    }
  });
  const claim = () =>
    store.transaction((tx) =>
      tx.tasks.claim({
        kinds: [kind],
        nowMs: clock.now(),
        leaseNowMs: clock.now(),
        leaseUntilMs: clock.now() + LEASE_MS,
        inFlight: [],
        limit: 1,
      }),
    );
  const calledWhileOvertaken = async <T>(answer: T): Promise<T> => {
    await clock.advance(LEASE_MS);
    expect(await claim()).toHaveLength(1);
    return answer;
  };
  const workspace = {
    poster: { post: () => calledWhileOvertaken('1700000000.000100') },
    names: { of: async () => new Map(), named: async () => new Map() },
    projects: null,
  } as unknown as Workspace;
  const tools: Tools = {
    store,
    clock,
    log: createLogger({ level: 'error', destination: { write: () => {} } }),
    agent: {
      askCapabilities: async () => null,
      createJob: () => calledWhileOvertaken(agentJob),
      getJob: () => calledWhileOvertaken(agentJob),
    } as unknown as AgentClient,
    workspaces: { of: async () => workspace, ofRequest: async () => workspace },
    promptMaxLength: 20_000,
    readsPerMinute: 600,
    answered: answeredJobs(),
    hourlyBudget: 100,
    featureViews: {},
    codeHosts: [],
    known: {
      agent: () => ({ answeredAtMs: null, trouble: null }),
      slackProblem: () => null,
      services: () => [],
      workProblems: () => [],
    },
    requestsInFlight: () => 0,
    readablePrompt: async (_teamId, prompt) => prompt,
    readPictures: async () => [],
    show: () => {},
    teamIds: [],
    secretsOf: () => [],
    retentionMs: 86_400_000,
    featureSettingsOf: () => ({}),
    stopping: new AbortController().signal,
    newContext,
  };
  await clock.advance(60_000);
  const read = () => store.transaction((tx) => tx.jobs.get(jobId));
  const before = await read();
  return { tools, clock, claim, before, read };
}

const posted: JobEvent = { type: 'card_posted', ts: '1700000000.000100' };
const created = (callId: string): JobEvent => ({ type: 'job_created', callId, agentJob: anAgentJob() });

const check = (tools: Tools, task: ClaimedTask) => {
  const batches = checkBatches(tools.store, tools.clock);
  const checks = { batches, inTurn: fairLimit(1) };
  return checkJob(tools, checks, 'check_job', task);
};

const post = (tools: Tools, task: ClaimedTask) => postToSlack(tools)(task);

type Work = (tools: Tools, task: ClaimedTask) => Promise<void>;

test.each<[string, TaskKind, Happening[], AgentJob, Work]>([
  ['reads a status', 'check_job', [posted, created], completed, check],
  [
    'reads a status that is not new',
    'check_job',
    [posted, created, { type: 'job_checked', agentJob: running }],
    running,
    check,
  ],
])(
  'a process that was frozen while it %s writes nothing when it wakes up',
  async (_what, kind, events, agentJob, work) => {
    const { tools, claim, before, read } = await overtaken(events, kind, agentJob);
    const [task] = await claim();
    if (task === undefined) throw new Error(`no ${kind} is due`);
    await expect(work(tools, task)).rejects.toThrow(LeaseLostError);
    expect(await read()).toEqual(before);
  },
);

test.each<[string, TaskKind, Happening[], string, Work]>([
  ['creates a job', 'call_agent', [posted], 'working', callAgent],
  ['posts a card', 'post_to_slack', [], 'creating', post],
])(
  'a process that was frozen while it %s writes the answer, which cannot be had again, and leaves the rest',
  async (_what, kind, events, stage, work) => {
    const { tools, clock, claim, read } = await overtaken(events, kind, running);
    const [task] = await claim();
    if (task === undefined) throw new Error(`no ${kind} is due`);
    await expect(work(tools, task)).rejects.toThrow(LeaseLostError);
    expect((await read())?.stage.kind).toBe(stage);
    await clock.advance(LEASE_MS);
    const [other] = await claim();
    if (other === undefined) throw new Error('the task is left to others');
    await work(tools, other);
    expect((await read())?.stage.kind).toBe(stage);
  },
);

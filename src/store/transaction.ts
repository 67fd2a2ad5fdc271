import type { Decision } from '../jobs/decision.ts';
import { laneTaskKind } from '../jobs/task-kinds.ts';
import type { LeaseClock, TakeAdvisoryLock } from './engines/connection-turns.ts';
import { BudgetQueue } from './queries/calls/budget-queue.ts';
import { Calls } from './queries/calls/calls.ts';
import { ReadBudget } from './queries/calls/read-budget.ts';
import { CatchUps } from './queries/catch-ups.ts';
import { FollowUps } from './queries/follow-ups.ts';
import { EarlyReplies } from './queries/inbound/early-replies.ts';
import { HookAnswers, InboundRequests, StepTokens } from './queries/inbound/inbound-requests.ts';
import { JobLists } from './queries/job-lists.ts';
import { Jobs } from './queries/jobs.ts';
import { Places } from './queries/places.ts';
import { PullRequests } from './queries/pull-requests.ts';
import { Replicas } from './queries/replicas.ts';
import { Audit } from './queries/reports/audit.ts';
import { Reports, Stats } from './queries/reports/reports.ts';
import { Recipes, Schedules } from './queries/schedules.ts';
import { Checks } from './queries/tasks/checks.ts';
import { FarTasks } from './queries/tasks/far-tasks.ts';
import { Tasks } from './queries/tasks/tasks.ts';
import { ChannelSettingsTable, Homes } from './queries/workspaces/channel-settings.ts';
import { Installations } from './queries/workspaces/installations.ts';
import { Retention } from './retention.ts';
import type { Queries } from './schema/tables.ts';

/** The tables of one transaction. */
function tablesIn(db: Queries, takeAdvisoryLock: TakeAdvisoryLock, leaseClock: LeaseClock) {
  const tasks = new Tasks(db, leaseClock);
  const shared = { tasks, takeAdvisoryLock };
  return {
    tasks,
    inboundRequests: new InboundRequests(db),
    jobs: new Jobs(db, shared),
    lists: new JobLists(db),
    earlyReplies: new EarlyReplies(db),
    followUps: new FollowUps(db),
    stepTokens: new StepTokens(db),
    calls: new Calls(db, shared),
    catchUps: new CatchUps(db, shared),
    checks: new Checks(db, shared),
    farTasks: new FarTasks(db, shared),
    places: new Places(db, shared),
    pullRequests: new PullRequests(db, shared),
    readBudget: new ReadBudget(db, shared),
    budgetQueue: new BudgetQueue(db),
    installations: new Installations(db),
    channelSettings: new ChannelSettingsTable(db),
    recipes: new Recipes(db, shared),
    replicas: new Replicas(db),
    schedules: new Schedules(db),
    hookAnswers: new HookAnswers(db),
    stats: new Stats(db),
    reports: new Reports(db),
    audit: new Audit(db),
    retention: new Retention(db),
    homes: new Homes(db, shared),
  };
}

type TablesOfTransaction = ReturnType<typeof tablesIn>;

export interface Transaction extends TablesOfTransaction {
  /** Writes a decision: the job (inserted if new), its follow-ups, calls (new and settled), and tasks. */
  write(decision: Decision, nowMs: number): Promise<void>;
}

export function createTransaction(...parts: Parameters<typeof tablesIn>): Transaction {
  const tables = tablesIn(...parts);
  return { ...tables, write: (decision, nowMs) => write(tables, decision, nowMs) };
}

async function write(tx: TablesOfTransaction, decision: Decision, nowMs: number): Promise<void> {
  const { job, followUps, settled, calls, tasks, notices, watches = [], rewrittenCreate } = decision;
  await tx.jobs.put(job);
  if (settled !== undefined) {
    await tx.calls.settle(settled.callId, settled, nowMs);
    // What was not made keeps its place.
    await (settled.state === 'retry' || settled.state === 'not_made'
      ? tx.budgetQueue.join(settled.callId)
      : tx.budgetQueue.leave(settled.callId));
  }
  for (const followUp of followUps) await tx.followUps.put(followUp);
  for (const call of calls) {
    await tx.calls.add(call, job, nowMs);
    if (call.lane.to === 'agent') await tx.budgetQueue.join(call.id);
    const { lane } = call;
    const kind = laneTaskKind(lane);
    await tx.tasks.schedule({ kind, subject: lane.name, runAtMs: nowMs, ifScheduled: 'keep' });
  }
  if (rewrittenCreate !== undefined) {
    const { callId, prompt } = rewrittenCreate;
    await tx.calls.rewrite(callId, { kind: 'create_job', prompt });
  }
  for (const task of tasks) await tx.tasks.schedule({ ...task, subject: job.id });
  if (notices !== undefined) await refreshNotices(tx, job.id, notices);
  for (const link of watches) await tx.pullRequests.watch(job, link, nowMs);
  if (decision.mayHaveReplies) await tx.catchUps.request(job, nowMs);
  if (decision.callsAgentNow) await tx.tasks.runNowUnlessLocked('call_agent', `agent:${job.id}`, nowMs);
  await tx.homes.follow(decision, nowMs);
}

async function refreshNotices(
  tx: TablesOfTransaction,
  jobId: string,
  when: NonNullable<Decision['notices']>,
): Promise<void> {
  const notices = await tx.calls.posted(jobId, 'notify_channel');
  for (const lane of new Set(notices.map((notice) => notice.lane))) {
    await tx.tasks.schedule({ kind: 'refresh_notice', subject: lane, ...when });
  }
}

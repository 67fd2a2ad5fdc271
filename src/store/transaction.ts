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

export class Transaction {
  readonly inboundRequests: InboundRequests;
  readonly jobs: Jobs;
  readonly lists: JobLists;
  readonly earlyReplies: EarlyReplies;
  readonly followUps: FollowUps;
  readonly stepTokens: StepTokens;
  readonly calls: Calls;
  readonly tasks: Tasks;
  readonly catchUps: CatchUps;
  readonly checks: Checks;
  readonly farTasks: FarTasks;
  readonly places: Places;
  readonly readBudget: ReadBudget;
  readonly pullRequests: PullRequests;
  readonly budgetQueue: BudgetQueue;
  readonly recipes: Recipes;
  readonly replicas: Replicas;
  readonly schedules: Schedules;
  readonly hookAnswers: HookAnswers;
  readonly homes: Homes;
  readonly channelSettings: ChannelSettingsTable;
  readonly installations: Installations;
  readonly stats: Stats;
  readonly reports: Reports;
  readonly audit: Audit;
  readonly retention: Retention;

  constructor(db: Queries, takeAdvisoryLock: TakeAdvisoryLock, leaseClock: LeaseClock) {
    this.inboundRequests = new InboundRequests(db);
    this.jobs = new Jobs(db, takeAdvisoryLock);
    this.lists = new JobLists(db);
    this.earlyReplies = new EarlyReplies(db);
    this.followUps = new FollowUps(db);
    this.stepTokens = new StepTokens(db);
    this.calls = new Calls(db, takeAdvisoryLock);
    this.tasks = new Tasks(db, leaseClock);
    this.catchUps = new CatchUps(db, this.tasks);
    this.checks = new Checks(db, this.tasks);
    this.farTasks = new FarTasks(db, this.tasks);
    this.places = new Places(db, this.tasks);
    this.pullRequests = new PullRequests(db, this.tasks);
    this.readBudget = new ReadBudget(db, takeAdvisoryLock);
    this.budgetQueue = new BudgetQueue(db);
    this.installations = new Installations(db);
    this.channelSettings = new ChannelSettingsTable(db);
    this.recipes = new Recipes(db, takeAdvisoryLock);
    this.replicas = new Replicas(db);
    this.schedules = new Schedules(db);
    this.hookAnswers = new HookAnswers(db);
    this.stats = new Stats(db);
    this.reports = new Reports(db);
    this.audit = new Audit(db);
    this.retention = new Retention(db);
    this.homes = new Homes(db, this.tasks);
  }

  /** Writes a decision: the job (inserted if new), its follow-ups, calls (new and settled), and tasks. */
  async write(decision: Decision, nowMs: number): Promise<void> {
    const { job, followUps, settled, calls, tasks, notices, watches = [], rewrittenCreate } = decision;
    await this.jobs.put(job);
    if (settled !== undefined) {
      await this.calls.settle(settled.callId, settled, nowMs);
      // What was not made keeps its place.
      await (settled.state === 'retry' || settled.state === 'not_made'
        ? this.budgetQueue.join(settled.callId)
        : this.budgetQueue.leave(settled.callId));
    }
    for (const followUp of followUps) await this.followUps.put(followUp);
    for (const call of calls) {
      await this.calls.add(call, job, nowMs);
      if (call.lane.to === 'agent') await this.budgetQueue.join(call.id);
      const { lane } = call;
      const kind = laneTaskKind(lane);
      await this.tasks.schedule({ kind, subject: lane.name, runAtMs: nowMs, ifScheduled: 'keep' });
    }
    if (rewrittenCreate !== undefined) {
      const { callId, prompt } = rewrittenCreate;
      await this.calls.rewrite(callId, { kind: 'create_job', prompt });
    }
    for (const task of tasks) await this.tasks.schedule({ ...task, subject: job.id });
    if (notices !== undefined) await this.refreshNotices(job.id, notices);
    for (const link of watches) await this.pullRequests.watch(job, link, nowMs);
    if (decision.mayHaveReplies) await this.catchUps.request(job, nowMs);
    if (decision.callsAgentNow) await this.tasks.runNowUnlessLocked('call_agent', `agent:${job.id}`, nowMs);
    await this.homes.follow(decision, nowMs);
  }

  private async refreshNotices(jobId: string, when: NonNullable<Decision['notices']>): Promise<void> {
    const notices = await this.calls.posted(jobId, 'notify_channel');
    for (const lane of new Set(notices.map((notice) => notice.lane))) {
      await this.tasks.schedule({ kind: 'refresh_notice', subject: lane, ...when });
    }
  }
}

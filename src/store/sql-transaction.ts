import type { Decision } from '../jobs/decision.ts';
import type { LeaseClock, PassAlone } from './engines/database.ts';
import { SqlBudgetQueue } from './queries/budget-queue.ts';
import { SqlCalls } from './queries/calls.ts';
import { SqlCatchUps } from './queries/catch-ups.ts';
import { SqlCensus } from './queries/census.ts';
import { SqlSettingsOfChannels } from './queries/channel-settings.ts';
import { SqlChecks } from './queries/checks.ts';
import { SqlEarlyReplies } from './queries/early-replies.ts';
import { SqlFollowUps } from './queries/follow-ups.ts';
import { SqlGestures } from './queries/gestures.ts';
import { SqlHomes } from './queries/homes.ts';
import { SqlInstallations } from './queries/installations.ts';
import { SqlJobLists } from './queries/job-lists.ts';
import { SqlJobs } from './queries/jobs.ts';
import { SqlPosts } from './queries/posts.ts';
import { SqlReadBudget } from './queries/read-budget.ts';
import { SqlTasks } from './queries/tasks.ts';
import { SqlTurnLengths } from './queries/turn-lengths.ts';
import { SqlRetention } from './retention.ts';
import type { Queries } from './schema/tables.ts';
import { laneTaskKind, type Transaction } from './store.ts';

export class SqlTransaction implements Transaction {
  readonly gestures: SqlGestures;
  readonly jobs: SqlJobs;
  readonly lists: SqlJobLists;
  readonly earlyReplies: SqlEarlyReplies;
  readonly followUps: SqlFollowUps;
  readonly calls: SqlCalls;
  readonly tasks: SqlTasks;
  readonly catchUps: SqlCatchUps;
  readonly checks: SqlChecks;
  readonly readBudget: SqlReadBudget;
  readonly budgetQueue: SqlBudgetQueue;
  readonly posts: SqlPosts;
  readonly homes: SqlHomes;
  readonly channelSettings: SqlSettingsOfChannels;
  readonly installations: SqlInstallations;
  readonly turnLengths: SqlTurnLengths;
  readonly census: SqlCensus;
  readonly retention: SqlRetention;

  constructor(db: Queries, passAlone: PassAlone, leaseClock: LeaseClock) {
    this.gestures = new SqlGestures(db);
    this.jobs = new SqlJobs(db, passAlone);
    this.lists = new SqlJobLists(db);
    this.earlyReplies = new SqlEarlyReplies(db);
    this.followUps = new SqlFollowUps(db);
    this.calls = new SqlCalls(db, passAlone);
    this.tasks = new SqlTasks(db, leaseClock);
    this.catchUps = new SqlCatchUps(db, this.tasks);
    this.checks = new SqlChecks(db, this.tasks);
    this.readBudget = new SqlReadBudget(db, passAlone);
    this.budgetQueue = new SqlBudgetQueue(db);
    this.posts = new SqlPosts(db);
    this.installations = new SqlInstallations(db);
    this.channelSettings = new SqlSettingsOfChannels(db);
    this.turnLengths = new SqlTurnLengths(db);
    this.census = new SqlCensus(db);
    this.retention = new SqlRetention(db);
    this.homes = new SqlHomes(db, this.tasks);
  }

  async write(decision: Decision, nowMs: number): Promise<void> {
    const { job, followUps, calls, tasks, mayHaveReplies, turnLengthMs } = decision;
    await this.jobs.put(job);
    for (const followUp of followUps) await this.followUps.put(followUp);
    for (const call of calls) {
      await this.calls.want(call, job, nowMs);
      if (call.lane.to === 'agent') await this.budgetQueue.join(call.id);
      const { lane } = call;
      const kind = laneTaskKind(lane);
      await this.tasks.schedule({ kind, subject: lane.name, runAtMs: nowMs, ifScheduled: 'keep' });
    }
    for (const task of tasks) await this.tasks.schedule({ ...task, subject: job.id });
    if (mayHaveReplies) await this.catchUps.want(job, nowMs);
    await this.homes.follow(decision, nowMs);
    if (turnLengthMs !== undefined) await this.turnLengths.add(job.projectId, turnLengthMs);
  }
}

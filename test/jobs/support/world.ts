import { eventFeatures } from '../../../src/app/features.ts';
import type { AgentFailure, AgentJob } from '../../../src/jobs/agent-job.ts';
import type { Announcement } from '../../../src/jobs/announcement.ts';
import type { CallOutcome, CallRequest, NewCall } from '../../../src/jobs/call.ts';
import { decide } from '../../../src/jobs/decide/decide.ts';
import type { Decision, DecisionContext } from '../../../src/jobs/decide/decision-builder.ts';
import { type JobRequest, openJob } from '../../../src/jobs/decide/open.ts';
import type { JobEvent, Reply } from '../../../src/jobs/event.ts';
import type { FollowUp, FollowUpState } from '../../../src/jobs/follow-ups/follow-up.ts';
import type { Job } from '../../../src/jobs/job.ts';
import type { Policy } from '../../../src/jobs/policy.ts';
import type { JobTaskKind } from '../../../src/jobs/task-kinds.ts';
import { anAgentJob, aReply, request as aRequest, policy as defaultPolicy } from './builders.ts';
import { newsOf } from './transcript.ts';

export const START_MS = Date.UTC(2026, 10, 20, 14);

interface WorldCall extends NewCall {
  readonly createdAtMs: number;
  /** As it was then. */
  readonly job: Job;
  state: 'open' | 'done' | 'failed' | 'unknown';
}

/**
 * One job in a world that does what the store and the workers do: it keeps the job, its replies, the ledger of
 * calls and the due tasks, and applies events to them. Slack takes every post at once.
 */
export class World {
  nowMs = START_MS;
  job: Job;
  readonly policy: Policy;
  readonly followUps = new Map<string, FollowUp>();
  readonly calls: WorldCall[] = [];
  /** Keys that were wanted a second time, which the ledger ignores. */
  readonly repeatedKeys: string[] = [];
  readonly tasks = new Map<JobTaskKind, number>();
  readonly events: JobEvent[] = [];
  /** What the API's get answers: a job, or a failure. */
  answer: AgentJob | AgentFailure = anAgentJob();
  private replies = 0;
  private ids = 0;

  /** @param open what becomes of the request */
  constructor(
    policy: Partial<Policy> = {},
    request: JobRequest = aRequest,
    open: (request: JobRequest, context: DecisionContext) => Decision = openJob,
  ) {
    this.policy = deepFreeze({ ...defaultPolicy, ...policy });
    const opened = open(deepFreeze(request), this.context());
    this.job = opened.job;
    this.keep(opened);
  }

  apply(event: JobEvent): Decision {
    const messageTs = 'reply' in event ? event.reply.messageTs : 'messageTs' in event && event.messageTs;
    const open = [...this.followUps.values()].filter(
      (followUp) =>
        !['sent', 'withdrawn', 'aside', 'muted', 'excluded'].includes(followUp.state) ||
        followUp.messageTs === messageTs,
    );
    const state = deepFreeze({ job: this.job, followUps: open.sort(byTime) });
    const decision = decide(state, deepFreeze(event), this.context(), eventFeatures.decisions);
    this.keep(decision);
    this.events.push(event);
    return decision;
  }

  cardPosted(): void {
    this.settle(this.openCall('post_card'), 'done');
    this.apply({ type: 'card_posted', ts: '1.000000' });
  }

  cardRefused(): void {
    this.settle(this.openCall('post_card'), 'failed');
    this.apply({ type: 'card_refused', reason: 'not_in_channel' });
  }

  created(facts: Partial<AgentJob> = {}): void {
    const call = this.openCall('create_job');
    const agentJob = anAgentJob(facts);
    this.answer = agentJob;
    this.apply({ type: 'job_created', callId: call.id, agentJob });
  }

  createFails(failure: AgentFailure): void {
    this.apply({ type: 'create_failed', callId: this.openCall('create_job').id, failure });
  }

  /** A person writes in the thread. */
  reply(text: string, facts: Partial<Reply> = {}): void {
    this.replies += 1;
    const messageTs = `2.${String(this.replies).padStart(6, '0')}`;
    this.apply({ type: 'reply_received', reply: aReply({ messageTs, text, ...facts }) });
  }

  accepted(agentJob: AgentJob | null = null): void {
    const { id: callId, request } = this.openCall('send_message');
    this.apply({ type: 'message_accepted', callId, agentJobId: request.agentJobId, agentJob });
  }

  messageFails(failure: AgentFailure): void {
    this.apply({ type: 'message_failed', callId: this.openCall('send_message').id, failure });
  }

  /** The poller reads the job now. */
  check(answer: AgentJob | AgentFailure = this.answer): Decision {
    this.tasks.delete('check_job');
    this.tasks.delete('check_ended_job');
    const agentJobId = this.job.agentJob?.id ?? 'none';
    return this.apply(
      'outcome' in answer
        ? { type: 'check_failed', agentJobId, failure: answer }
        : { type: 'job_checked', agentJob: { ...answer, id: agentJobId } },
    );
  }

  /** Lets time pass, with the checks and sends that fall due. */
  advance(ms: number): void {
    const untilMs = this.nowMs + ms;
    for (let due = this.nextTask(untilMs); due !== null; due = this.nextTask(untilMs)) {
      this.nowMs = Math.max(this.nowMs, due.runAtMs);
      if (due.kind === 'send_follow_ups') this.sendDue();
      else if (due.kind === 'check_ended_job' && this.job.stage.kind !== 'ended') this.tasks.delete(due.kind);
      else this.check();
    }
    this.nowMs = untilMs;
  }

  sendDue(): Decision {
    this.tasks.delete('send_follow_ups');
    return this.apply({ type: 'send_due' });
  }

  /** The calls that have no outcome yet. */
  open<Kind extends CallRequest['kind']>(kind: Kind) {
    type Request = Extract<CallRequest, { kind: Kind }>;
    const isOpen = (call: WorldCall): call is WorldCall & { readonly request: Request } =>
      call.state === 'open' && call.request.kind === kind;
    return this.calls.filter(isOpen);
  }

  /** All that was posted in the thread, oldest first. */
  get told(): Announcement[] {
    return this.calls.flatMap(({ request: r }) => (r.kind === 'announce' ? [r.announcement] : []));
  }

  /** All that was said to one person, oldest first. */
  get ephemerals(): string[] {
    return this.calls.flatMap(({ request: r }) =>
      r.kind === 'ephemeral' ? [`${r.userId}: ${r.notice.kind}`] : [],
    );
  }

  /** All that was posted in the thread, in words. */
  get news(): string[] {
    return this.told.map((announcement) => newsOf(announcement, START_MS));
  }

  /** The prompts of all message calls, oldest first. */
  get messages(): string[] {
    return this.calls.flatMap(({ request: r }) => (r.kind === 'send_message' ? [r.prompt] : []));
  }

  get states(): FollowUpState[] {
    return [...this.followUps.values()].sort(byTime).map(({ state }) => state);
  }

  /** The call that the last button in the thread is about. */
  get buttonCallId(): string {
    const withButton = this.told.findLast((announcement) => 'callId' in announcement);
    return withButton !== undefined && 'callId' in withButton ? withButton.callId : 'none';
  }

  seconds(atMs: number | null | undefined): number | null {
    return typeof atMs === 'number' ? (atMs - START_MS) / 1000 : null;
  }

  private openCall<Kind extends CallRequest['kind']>(kind: Kind) {
    const call = this.open(kind)[0];
    if (call === undefined) throw new Error(`no ${kind} is under way`);
    return call;
  }

  private settle(call: WorldCall, state: CallOutcome['state']): void {
    call.state = state === 'retry' ? 'open' : state === 'not_made' ? 'failed' : state;
  }

  private context(): DecisionContext {
    const newId = () => {
      this.ids += 1;
      return `id-${this.ids}`;
    };
    return Object.freeze({ nowMs: this.nowMs, jitter: 0.5, newId, policy: this.policy });
  }

  private keep({ job, followUps, endedCall: settled, calls, tasks }: Decision): void {
    this.job = job;
    const answered = this.calls.find(({ id }) => id === settled?.callId);
    if (answered !== undefined && settled !== undefined) this.settle(answered, settled.state);
    for (const followUp of followUps) this.keepFollowUp(followUp);
    for (const call of calls) this.keepCall(call);
    for (const { kind, runAtMs, ifScheduled } of tasks)
      if (ifScheduled === 'replace' || !this.tasks.has(kind)) this.tasks.set(kind, runAtMs);
  }

  /** A reply that is stored under another id stays as it is. */
  private keepFollowUp(followUp: FollowUp): void {
    const isStored = [...this.followUps.values()].some(
      ({ id, messageTs }) => messageTs === followUp.messageTs && id !== followUp.id,
    );
    if (!isStored) this.followUps.set(followUp.id, followUp);
  }

  private keepCall(call: NewCall): void {
    if (this.calls.some(({ naturalKey }) => naturalKey === call.naturalKey)) {
      this.repeatedKeys.push(call.naturalKey);
      return;
    }
    const isPost = call.lane.to === 'slack' && call.request.kind !== 'post_card';
    this.calls.push({ ...call, job: this.job, createdAtMs: this.nowMs, state: isPost ? 'done' : 'open' });
  }

  private nextTask(byMs: number): { kind: JobTaskKind; runAtMs: number } | null {
    const due = (['check_job', 'check_ended_job', 'send_follow_ups'] as const)
      .map((kind) => ({ kind, runAtMs: this.tasks.get(kind) ?? Number.POSITIVE_INFINITY }))
      .filter(({ runAtMs }) => runAtMs <= byMs)
      .sort((a, b) => a.runAtMs - b.runAtMs);
    return due[0] ?? null;
  }
}

function byTime(a: FollowUp, b: FollowUp): number {
  return a.messageTs < b.messageTs ? -1 : 1;
}

/** Makes every later change to the value, or to anything in it, throw. */
function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) deepFreeze(part);
  }
  return value;
}

import type { AgentFailure, AgentJob } from '../../../src/jobs/agent-job.ts';
import type { Announcement } from '../../../src/jobs/announcement.ts';
import type { CallOutcome, CallRequest, NewCall } from '../../../src/jobs/call.ts';
import type { Decision, DecisionContext } from '../../../src/jobs/decide/decision-builder.ts';
import { type JobRequest, openJob } from '../../../src/jobs/decide/open.ts';
import type { JobEvent } from '../../../src/jobs/event.ts';
import {
  type FollowUp,
  type FollowUpState,
  type Receipt,
  receiptOf,
} from '../../../src/jobs/follow-ups/follow-up.ts';
import type { Job } from '../../../src/jobs/job.ts';
import type { Policy } from '../../../src/jobs/policy.ts';
import type { JobTaskKind } from '../../../src/jobs/task-kinds.ts';
import { anAgentJob, request as aRequest, policy as defaultPolicy } from './builders.ts';
import { decide } from './decide.ts';
import { deepFreeze } from './deep-freeze.ts';
import { type Said, Thread } from './thread.ts';
import { lineOf, newsOf } from './transcript.ts';
import type { Moment, Taken, WorldCall } from './world-facts.ts';

export const START_MS = Date.UTC(2026, 10, 20, 14);

/**
 * One job in a world that does what the store and the workers do: it keeps the job, its replies, the ledger of
 * calls and the due tasks, and applies events to them. Slack takes every post and every receipt at once.
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
  readonly transcript: string[] = [];
  readonly events: JobEvent[] = [];
  readonly moments: Moment[] = [];
  /** The receipts that Slack shows, by the reply's timestamp. */
  readonly receipts = new Map<string, Receipt | null>();
  lastEventAtMs = 0;
  /** What the API's get answers: a job, or a failure. */
  answer: AgentJob | AgentFailure = anAgentJob();
  /** What people wrote. */
  readonly thread = new Thread();
  /** What the API took, in its order, whether it could say so or not. */
  readonly taken: Taken[] = [];
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
    const decision = decide(state, deepFreeze(event), this.context());
    const before = { job: this.job, followUps: [...this.followUps.values()] };
    this.keep(decision);
    this.events.push(event);
    this.moments.push({ event, before, after: [...this.followUps.values()] });
    this.lastEventAtMs = this.nowMs;
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
    this.take(call, true);
    this.apply({ type: 'job_created', callId: call.id, agentJob });
  }

  /** `isTaken`: the API took it all the same, if that is what the failure leaves open. */
  createFails(failure: AgentFailure, isTaken = false): void {
    const call = this.openCall('create_job');
    if (isTaken && failure.outcome === 'unknown') this.take(call, false);
    this.apply({ type: 'create_failed', callId: call.id, failure });
  }

  /** A person writes in the thread, and Slack delivers it. Returns the reply's timestamp. */
  reply(text: string, said: Partial<Said> = {}): string {
    const messageTs = this.thread.write(text, said);
    this.tell(this.thread.untold.length - 1);
    return messageTs;
  }

  /** A person writes in the form, and the thread shows it. */
  fillIn(text: string, userId: string): void {
    this.apply({ type: 'follow_up_written', userId, text });
    const messageTs = this.thread.show(text, userId);
    this.apply({ type: 'follow_up_shown', messageTs, userId, text });
  }

  /** Slack delivers one of the events that it has not delivered yet, if there is one at this place. */
  tell(index: number): void {
    const event = this.thread.tell(index);
    if (event !== null) this.apply(event);
  }

  accepted(agentJob: AgentJob | null = null): void {
    const call = this.openCall('send_message');
    this.take(call, true);
    const { agentJobId } = call.request;
    this.apply({ type: 'message_accepted', callId: call.id, agentJobId, agentJob });
  }

  /** `isTaken`: as for `createFails`. */
  messageFails(failure: AgentFailure, isTaken = false): void {
    const call = this.openCall('send_message');
    if (isTaken && failure.outcome === 'unknown') this.take(call, false);
    this.apply({ type: 'message_failed', callId: call.id, failure });
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

  private take({ id, request }: WorldCall, isAnswered: boolean): void {
    if (request.kind !== 'create_job' && request.kind !== 'send_message') return;
    this.taken.push({ callId: id, kind: request.kind, prompt: request.prompt, isAnswered });
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
    for (const call of calls) this.keepCall(call, followUps);
    for (const { kind, runAtMs, ifScheduled } of tasks) {
      if (kind === 'refresh_receipts') this.showReceipts();
      if (ifScheduled === 'replace' || !this.tasks.has(kind)) this.tasks.set(kind, runAtMs);
    }
  }

  private showReceipts(): void {
    for (const { messageTs, state } of this.followUps.values())
      this.receipts.set(messageTs, receiptOf[state]);
  }

  /** A reply that is stored under another id stays as it is. */
  private keepFollowUp(followUp: FollowUp): void {
    const isStored = [...this.followUps.values()].some(
      ({ id, messageTs }) => messageTs === followUp.messageTs && id !== followUp.id,
    );
    if (!isStored) this.followUps.set(followUp.id, followUp);
  }

  private keepCall(call: NewCall, followUps: readonly FollowUp[]): void {
    if (this.calls.some(({ naturalKey }) => naturalKey === call.naturalKey)) {
      this.repeatedKeys.push(call.naturalKey);
      return;
    }
    const carried = followUps.filter(({ callId }) => callId === call.id);
    const followUpIds = carried.map(({ id }) => id);
    const texts = carried.map(({ messageTs }) => this.thread.told(messageTs));
    const isPost = call.lane.to === 'slack' && call.request.kind !== 'post_card';
    this.calls.push({
      ...call,
      followUpIds,
      texts,
      job: this.job,
      wantedAfter: this.events.length,
      createdAtMs: this.nowMs,
      state: isPost ? 'done' : 'open',
    });
    this.transcript.push(`${Math.round((this.nowMs - START_MS) / 1000)} s ${lineOf(call.request, START_MS)}`);
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

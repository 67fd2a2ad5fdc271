import type { AgentJob } from '../../../src/jobs/agent-job.ts';
import type { Announcement } from '../../../src/jobs/announcement.ts';
import type { CallRequest, WantedCall } from '../../../src/jobs/call.ts';
import { decide } from '../../../src/jobs/decide/decide.ts';
import { type JobRequest, openJob } from '../../../src/jobs/decide/open.ts';
import { verdictOn } from '../../../src/jobs/decide/verdict.ts';
import type { Decision, DecisionContext, JobTaskKind } from '../../../src/jobs/decision.ts';
import type { JobEvent } from '../../../src/jobs/event.ts';
import type { AgentFailure } from '../../../src/jobs/failure.ts';
import type { FollowUp, FollowUpState } from '../../../src/jobs/follow-up.ts';
import type { Job } from '../../../src/jobs/job.ts';
import type { Policy } from '../../../src/jobs/policy.ts';
import { anAgentJob, request as aRequest, policy as defaultPolicy } from './builders.ts';
import { deepFreeze } from './deep-freeze.ts';
import { Thread } from './thread.ts';
import { lineOf, newsOf } from './transcript.ts';

export const START_MS = Date.UTC(2026, 10, 20, 14);

export interface WorldCall extends WantedCall {
  readonly followUpIds: readonly string[];
  /** How many events there had been when it was wanted. */
  readonly wantedAfter: number;
  /** Of its follow-ups, as far as Slack had told of them then; null for one that was deleted. */
  readonly texts: readonly (string | null)[];
  state: 'open' | 'done' | 'failed' | 'unknown';
}

/** A prompt or message that the API took. */
export interface Taken {
  readonly callId: string;
  readonly kind: 'create_job' | 'send_message';
  readonly prompt: string;
  /** The program got the answer. */
  readonly isAnswered: boolean;
}

/**
 * One job in a world that does what the store and the workers do: it keeps the job, its replies, the ledger of
 * calls and the due tasks, and applies events to them. Slack takes every post at once.
 */
export class World {
  nowMs = START_MS;
  job: Job;
  readonly policy: Policy;
  /** What is known of how long turns take; at first nothing. */
  paces: DecisionContext['paces'] = new Map();
  /** How long turns took, as far as that was noted. */
  readonly turnLengthsMs: number[] = [];
  readonly followUps = new Map<string, FollowUp>();
  readonly calls: WorldCall[] = [];
  /** Keys that were wanted a second time, which the ledger ignores. */
  readonly repeatedKeys: string[] = [];
  readonly tasks = new Map<JobTaskKind, number>();
  readonly transcript: string[] = [];
  readonly events: JobEvent[] = [];
  lastEventAtMs = 0;
  /** What the API's get answers: a job, or a failure. */
  answer: AgentJob | AgentFailure = anAgentJob();
  /** What people wrote. */
  readonly thread = new Thread();
  /** What the API took, in its order, whether it could say so or not. */
  readonly taken: Taken[] = [];
  private ids = 0;

  constructor(policy: Partial<Policy> = {}, request: JobRequest = aRequest) {
    this.policy = deepFreeze({ ...defaultPolicy, ...policy });
    const opened = openJob(deepFreeze(request), this.context());
    this.job = opened.job;
    this.keep(opened);
  }

  apply(event: JobEvent): Decision {
    const messageTs = 'reply' in event ? event.reply.messageTs : 'messageTs' in event && event.messageTs;
    const open = [...this.followUps.values()].filter(
      (followUp) =>
        !['sent', 'withdrawn', 'aside', 'muted', 'kept_out'].includes(followUp.state) ||
        followUp.messageTs === messageTs,
    );
    const state = deepFreeze({ job: this.job, followUps: open.sort(byTime) });
    const decision = decide(state, deepFreeze(event), this.context());
    this.keep(decision);
    this.events.push(event);
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
    this.settle(call, 'done');
    this.apply({ type: 'job_created', agentJob });
  }

  /** `isTaken`: the API took it all the same, if that is what the failure leaves open. */
  createFails(failure: AgentFailure, isTaken = false): void {
    const call = this.openCall('create_job');
    if (isTaken && failure.outcome === 'unknown') this.take(call, false);
    const verdict = verdictOn('create_job', failure, this.policy.retryUnknown);
    // A create call that surely was not made goes again itself.
    const isSame = verdict === 'retry' && failure.outcome === 'definite';
    if (!isSame) this.settle(call, verdict === 'unknown' ? 'unknown' : 'failed');
    this.apply({ type: 'create_failed', callId: call.id, failure });
  }

  /** A person writes in the thread, and Slack tells of it. Returns the reply's timestamp. */
  reply(text: string, mentionsBot = false): string {
    const messageTs = this.thread.write(text, mentionsBot);
    this.tell(this.thread.untold.length - 1);
    return messageTs;
  }

  /** Slack tells of something in the thread that it has not told of yet, if there is something at this place. */
  tell(index: number): void {
    const event = this.thread.tell(index);
    if (event !== null) this.apply(event);
  }

  accepted(agentJob: AgentJob | null = null): void {
    const call = this.openCall('send_message');
    this.take(call, true);
    this.settle(call, 'done');
    const { agentJobId } = call.request;
    this.apply({ type: 'message_accepted', callId: call.id, agentJobId, agentJob });
  }

  /** `isTaken`: as for `createFails`. */
  messageFails(failure: AgentFailure, isTaken = false): void {
    const call = this.openCall('send_message');
    if (isTaken && failure.outcome === 'unknown') this.take(call, false);
    const verdict = verdictOn('send_message', failure, this.policy.retryUnknown);
    // Replies that may go again go in a new call.
    this.settle(call, verdict === 'unknown' ? 'unknown' : 'failed');
    this.apply({ type: 'message_failed', callId: call.id, failure });
  }

  /** The poller reads the job now. */
  check(answer: AgentJob | AgentFailure = this.answer): Decision {
    this.tasks.delete('check_job');
    this.tasks.delete('check_ended_job');
    const agentJobId = this.job.agentJob?.id ?? 'none';
    return this.apply(
      'reason' in answer
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

  /** All that was told in the thread, oldest first. */
  get told(): Announcement[] {
    return this.calls.flatMap(({ request: r }) => (r.kind === 'announce' ? [r.announcement] : []));
  }

  /** All that was told to one person, oldest first. */
  get whispers(): string[] {
    return this.calls.flatMap(({ request: r }) =>
      r.kind === 'whisper' ? [`${r.userId}: ${r.whisper.kind}`] : [],
    );
  }

  /** All that was told in the thread, in words. */
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

  private settle(call: WorldCall, state: WorldCall['state']): void {
    call.state = state;
  }

  private context(): DecisionContext {
    const newId = () => {
      this.ids += 1;
      return `id-${this.ids}`;
    };
    return Object.freeze({ nowMs: this.nowMs, jitter: 0.5, newId, policy: this.policy, paces: this.paces });
  }

  private keep({ job, followUps, calls, tasks, turnLengthMs }: Decision): void {
    this.job = job;
    if (turnLengthMs !== undefined) this.turnLengthsMs.push(turnLengthMs);
    for (const followUp of followUps) this.keepFollowUp(followUp);
    for (const call of calls) this.keepCall(call, followUps);
    for (const { kind, runAtMs, ifScheduled } of tasks) {
      if (ifScheduled === 'replace' || !this.tasks.has(kind)) this.tasks.set(kind, runAtMs);
    }
  }

  /** A reply that is stored under another id stays as it is. */
  private keepFollowUp(followUp: FollowUp): void {
    const isStored = [...this.followUps.values()].some(
      ({ id, messageTs }) => messageTs === followUp.messageTs && id !== followUp.id,
    );
    if (!isStored) this.followUps.set(followUp.id, followUp);
  }

  private keepCall(call: WantedCall, followUps: readonly FollowUp[]): void {
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
      wantedAfter: this.events.length,
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

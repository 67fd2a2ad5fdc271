import type { Announcement } from '../announcement.ts';
import type { CallRequest, Lane, WantedCall, Whisper } from '../call.ts';
import type { Decision, DecisionContext, JobState, JobTaskKind, WantedTask } from '../decision.ts';
import { type FollowUp, type FollowUpState, keptOut } from '../follow-up.ts';
import type { Job } from '../job.ts';

/** A decision in the making. It never leaves `decide`, which returns what it adds up to. */
export class Draft {
  job: Job;
  readonly context: DecisionContext;
  private readonly followUps: Map<string, FollowUp>;
  private readonly changedFollowUps = new Set<string>();
  private readonly calls: WantedCall[] = [];
  private readonly tasks: WantedTask[] = [];
  private earlierReplies: Pick<Decision, 'mayHaveReplies'> = {};
  private turnLength: Pick<Decision, 'turnLengthMs'> = {};

  constructor(state: JobState, context: DecisionContext) {
    this.job = state.job;
    this.context = context;
    this.followUps = new Map(state.followUps.map((followUp) => [followUp.id, followUp]));
  }

  change(fields: Partial<Job>): void {
    this.job = { ...this.job, ...fields };
  }

  allFollowUps(): FollowUp[] {
    return [...this.followUps.values()];
  }

  followUpsIn(state: FollowUpState): FollowUp[] {
    return this.allFollowUps().filter((followUp) => followUp.state === state);
  }

  followUpsOfCall(callId: string): FollowUp[] {
    return this.allFollowUps().filter((followUp) => followUp.callId === callId);
  }

  followUpAt(messageTs: string): FollowUp | null {
    return this.allFollowUps().find((followUp) => followUp.messageTs === messageTs) ?? null;
  }

  /** Adds or replaces a follow-up of which nothing is shown. */
  note(followUp: FollowUp): void {
    this.followUps.set(followUp.id, followUp);
    this.changedFollowUps.add(followUp.id);
  }

  /** Adds or replaces follow-ups, and brings their receipts in Slack and the card up to date. */
  put(followUps: readonly FollowUp[]): void {
    for (const followUp of followUps) this.note(followUp);
    this.schedule('refresh_receipts', this.context.nowMs);
    this.refreshCard();
  }

  /** The reply stays between people, and its receipt says so. */
  keepOut(followUp: FollowUp, state: Parameters<typeof keptOut>[1]): void {
    this.note(keptOut(followUp, state));
    this.schedule('refresh_receipts', this.context.nowMs);
  }

  announce(announcement: Announcement): void {
    this.change({ posts: this.job.posts + 1 });
    this.want(`post:${this.job.id}:${this.job.posts}`, this.threadLane, { kind: 'announce', announcement });
  }

  /** Tells one person something in the thread, privately. */
  whisper(userId: string, whisper: Whisper): void {
    this.change({ posts: this.job.posts + 1 });
    const lane = { to: 'slack', name: `whisper:${this.job.id}` } as const;
    this.want(`whisper:${this.job.id}:${this.job.posts}`, lane, { kind: 'whisper', userId, whisper });
  }

  /** Wants a call, and returns its id. */
  want(naturalKey: string, lane: Lane, request: CallRequest): string {
    const id = this.context.newId();
    this.calls.push({ id, naturalKey, lane, request });
    return id;
  }

  schedule(kind: JobTaskKind, runAtMs: number, ifScheduled: WantedTask['ifScheduled'] = 'replace'): void {
    this.tasks.push({ kind, runAtMs, ifScheduled });
  }

  /** The turn is over, and took so long. */
  noteTurnLength(turnLengthMs: number): void {
    this.turnLength = { turnLengthMs };
  }

  /** Its thread may have replies that nobody took for follow-ups, as the job was not known yet. */
  noteEarlierReplies(): void {
    this.earlierReplies = { mayHaveReplies: true };
  }

  refreshCard(): void {
    this.schedule('refresh_card', this.context.nowMs);
  }

  get threadLane(): Lane {
    return { to: 'slack', name: `thread:${this.job.id}` };
  }

  get agentLane(): Lane {
    return { to: 'agent', name: `agent:${this.job.id}` };
  }

  decision(): Decision {
    return {
      job: this.job,
      followUps: this.allFollowUps().filter((followUp) => this.changedFollowUps.has(followUp.id)),
      calls: this.calls,
      tasks: this.tasks,
      ...this.earlierReplies,
      ...this.turnLength,
    };
  }
}

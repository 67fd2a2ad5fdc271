import { type Announcement, offerOf } from '../announcement.ts';
import type { CallOutcome, CallRequest, EphemeralNotice, Lane, NewCall } from '../call.ts';
import type { Decision, DecisionContext, JobState, JobTask, WatchedLink } from '../decision.ts';
import type { EventOf, JobEvent } from '../event.ts';
import {
  excludedFollowUp,
  type FollowUp,
  type FollowUpState,
  isUndelivered,
  type Undelivered,
} from '../follow-ups/follow-up.ts';
import { createPromptOf } from '../follow-ups/follow-up-queue.ts';
import type { Job } from '../job.ts';
import { parsePullRequestLink } from '../pull-requests/link.ts';
import type { JobTaskKind } from '../task-kinds.ts';

/** A draft shows a burst of replies with one edit. */
const DRAFT_SPACING_MS = 1_000;

/** A press on an older button shows the state, but not who decided. */
const MAX_OFFERS = 20;

/** What follows from each event. */
export type Deciders = {
  readonly [T in JobEvent['type']]: (builder: DecisionBuilder, event: EventOf<T>) => void;
};

/** A decision in the making. It never leaves `decide`, which returns its result. */
export class DecisionBuilder {
  job: Job;
  readonly context: DecisionContext;
  readonly pendingCreateId: string | null;
  private readonly pendingPromptBefore: string | null;
  private readonly followUps: Map<string, FollowUp>;
  private readonly changedFollowUps = new Set<string>();
  private readonly calls: NewCall[] = [];
  private readonly tasks = new Map<JobTaskKind, JobTask>();
  private readonly watches: WatchedLink[] = [];
  private more: Partial<Decision> = {};

  constructor(state: JobState, context: DecisionContext) {
    this.job = state.job;
    this.context = context;
    this.followUps = new Map(state.followUps.map((followUp) => [followUp.id, followUp]));
    this.pendingCreateId = state.pendingCreateId ?? null;
    this.pendingPromptBefore = this.pendingPrompt();
  }

  change(fields: Partial<Job>): void {
    this.job = { ...this.job, ...fields };
  }

  allFollowUps(): FollowUp[] {
    return [...this.followUps.values()];
  }

  followUpsIn(...states: readonly FollowUpState[]): FollowUp[] {
    return this.allFollowUps().filter(({ state }) => states.includes(state));
  }

  undelivered(): Undelivered[] {
    return this.allFollowUps().filter(isUndelivered);
  }

  followUpsOfCall(callId: string): FollowUp[] {
    return this.allFollowUps().filter((followUp) => followUp.callId === callId);
  }

  followUpAt(messageTs: string): FollowUp | null {
    return this.allFollowUps().find((followUp) => followUp.messageTs === messageTs) ?? null;
  }

  /** Adds or replaces a follow-up, and refreshes nothing. */
  saveFollowUp(followUp: FollowUp): void {
    this.followUps.set(followUp.id, followUp);
    this.changedFollowUps.add(followUp.id);
  }

  /** Adds or replaces follow-ups with these changes, and updates their receipts and the card. */
  updateFollowUps(followUps: readonly FollowUp[], changes: Partial<FollowUp> = {}): void {
    for (const followUp of followUps) this.saveFollowUp({ ...followUp, ...changes });
    this.schedule('refresh_receipts');
    this.refreshCard();
  }

  /** The reply stays between people, and its receipt says so. */
  excludeFollowUp(followUp: FollowUp, state: Parameters<typeof excludedFollowUp>[1]): void {
    this.saveFollowUp(excludedFollowUp(followUp, state));
    this.schedule('refresh_receipts');
  }

  announce(announcement: Announcement): void {
    this.change({ posts: this.job.posts + 1 });
    this.announceOnce(`post:${this.job.id}:${this.job.posts}`, announcement);
  }

  /** Announces it unless that was done before under this key. */
  announceOnce(naturalKey: string, announcement: Announcement): void {
    const postId = this.addCall(naturalKey, this.lane('slack', 'thread'), { kind: 'announce', announcement });
    const about = offerOf(announcement, this.job);
    if (about === null) return;
    const offer = { postId, about, outcome: null, isShown: false };
    this.change({ offers: [...(this.job.offers ?? []), offer].slice(-MAX_OFFERS) });
  }

  postEphemeral(userId: string, notice: EphemeralNotice): void {
    this.change({ posts: this.job.posts + 1 });
    const lane = this.lane('slack', 'ephemeral');
    this.addCall(`${lane.name}:${this.job.posts}`, lane, { kind: 'ephemeral', userId, notice });
  }

  addCall(naturalKey: string, lane: Lane, request: CallRequest): string {
    const id = this.context.newId();
    this.calls.push({ id, naturalKey, lane, request });
    return id;
  }

  settle(callId: string, state: CallOutcome['state'], detail: string | null = null): void {
    this.note({ settled: { callId, state, detail } });
  }

  schedule(
    kind: JobTaskKind,
    runAtMs = this.context.nowMs,
    ifScheduled: JobTask['ifScheduled'] = 'replace',
  ): void {
    if (ifScheduled === 'keep' && this.tasks.has(kind)) return;
    this.tasks.set(kind, { kind, runAtMs, ifScheduled });
  }

  /** Checks the pull request from now on, if a configured code host knows the link. */
  watchPullRequest(url: string): void {
    const link = parsePullRequestLink(url, this.context.policy.pullRequests.watchedSites);
    if (link !== null) this.watches.push({ key: link.key, url });
  }

  note(more: Partial<Decision>): void {
    this.more = { ...this.more, ...more };
  }

  refreshCard(): void {
    this.schedule('refresh_card');
  }

  lane(to: Lane['to'], name: string): Lane {
    return { to, name: `${name}:${this.job.id}` };
  }

  private pendingPrompt(): string | null {
    if (this.pendingCreateId === null || this.job.stage.kind !== 'creating') return null;
    const along = this.followUpsOfCall(this.pendingCreateId).filter(({ state }) => state === 'sending');
    return createPromptOf(this.job, along);
  }

  private rewrittenCreate(): Pick<Decision, 'rewrittenCreate'> {
    const { pendingCreateId: callId } = this;
    const prompt = this.pendingPrompt();
    if (callId === null || prompt === null || prompt === this.pendingPromptBefore) return {};
    return { rewrittenCreate: { callId, prompt } };
  }

  /** A draft's message says how many replies go along. */
  private countReplies(): void {
    const { stage } = this.job;
    if (stage.kind !== 'draft') return;
    const replies = this.followUpsIn('waiting').length;
    if (replies === (stage.replies ?? 0)) return;
    this.change({ stage: { ...stage, replies } });
    this.schedule('refresh_posts', this.context.nowMs + DRAFT_SPACING_MS, 'keep');
  }

  decision(): Decision {
    if (this.changedFollowUps.size > 0) this.countReplies();
    return {
      job: this.job,
      followUps: this.allFollowUps().filter((followUp) => this.changedFollowUps.has(followUp.id)),
      calls: this.calls,
      tasks: [...this.tasks.values()],
      ...(this.watches.length > 0 && { watches: this.watches }),
      ...this.more,
      ...this.rewrittenCreate(),
    };
  }
}

import type { AgentFailure, Capability } from '../agent-job.ts';
import { type Announcement, offerOf } from '../announcement.ts';
import type { CallOutcome, CallRequest, EphemeralNotice, Instruction, Lane, NewCall } from '../call.ts';
import type { EventOf, JobEvent } from '../event.ts';
import {
  excludedFollowUp,
  type FollowUp,
  type FollowUpState,
  firstInstruction,
  isUndelivered,
  type Undelivered,
} from '../follow-ups/follow-up.ts';
import type { Job, Offer } from '../job.ts';
import type { Policy } from '../policy.ts';
import type { Snippet, UnsentFile } from '../requests/attachments.ts';
import type { JobTaskKind } from '../task-kinds.ts';

export type JobState = Readonly<{
  job: Job;
  /** Unsent ones and the event's, oldest first. */
  followUps: readonly FollowUp[];
  pendingCreateId?: string;
}>;

/** Written in one transaction. */
export type Decision = Readonly<{
  job: Job;
  followUps: readonly FollowUp[];
  endedCall?: CallOutcome & { readonly callId: string };
  calls: readonly NewCall[];
  rewrittenCreate?: Instruction & { readonly callId: string };
  tasks: readonly JobTask[];
  notices?: Omit<JobTask, 'kind'>;
  /** New or perhaps changed. */
  links?: readonly string[];
  mayHaveReplies?: boolean;
  callsAgentNow?: boolean;
}>;

type JobTask = Readonly<{
  kind: JobTaskKind;
  runAtMs: number;
  ifScheduled: 'keep' | 'replace';
}>;

export type DecisionContext = Readonly<{
  nowMs: number;
  jitter: number;
  /** Increasing: keeps rows in order. */
  newId: () => string;
  policy: Policy;
  /** Undefined: the service has not answered yet. */
  announcedBy?: (projectId: string) => readonly Capability[] | undefined;
  lateMs?: number;
}>;

/** One edit shows a burst of replies. */
const DRAFT_SPACING_MS = 1_000;

const MAX_OFFERS = 20;

/** The oldest one that is shown as settled goes first, then one that is settled. */
function withinMax(offers: readonly Offer[]): readonly Offer[] {
  if (offers.length <= MAX_OFFERS) return offers;
  const going =
    offers.find(({ isShown }) => isShown) ?? offers.find(({ outcome }) => outcome !== null) ?? offers[0];
  return offers.filter((one) => one !== going);
}

const LANES: Readonly<Record<CallRequest['kind'], readonly [Lane['to'], name: string]>> = {
  create_job: ['agent', 'agent'],
  send_message: ['agent', 'agent'],
  cancel_job: ['agent', 'agent'],
  post_card: ['slack', 'thread'],
  announce: ['slack', 'thread'],
  notify_channel: ['slack', 'notice'],
  tell_paused: ['slack', 'recipe'],
  notify_requester: ['slack', 'requester'],
  ephemeral: ['slack', 'ephemeral'],
  complete_step: ['workflow', 'step'],
};

export type Deciders = {
  readonly [T in JobEvent['type']]: (builder: DecisionBuilder, event: EventOf<T>) => void;
};

export class DecisionBuilder {
  job: Job;
  readonly context: DecisionContext;
  readonly pendingCreateId: string | null;
  private readonly pendingPromptBefore: string | undefined;
  private readonly followUps: Map<string, FollowUp>;
  private readonly changedFollowUps = new Set<string>();
  private readonly calls: NewCall[] = [];
  private readonly tasks = new Map<JobTaskKind, JobTask>();
  private more: Partial<Decision> = {};

  constructor(state: JobState, context: DecisionContext) {
    this.job = state.job;
    this.context = context;
    this.followUps = new Map(state.followUps.map((followUp) => [followUp.id, followUp]));
    this.pendingCreateId = state.pendingCreateId ?? null;
    this.pendingPromptBefore = this.pendingCreate()?.prompt;
  }

  get nowMs(): number {
    return this.context.nowMs;
  }

  get policy(): Policy {
    return this.context.policy;
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

  /** `callId` null: of all calls. */
  undelivered(callId: string | null = null): Undelivered[] {
    const undelivered = this.allFollowUps().filter(isUndelivered);
    return undelivered.filter((one) => callId === null || one.callId === callId);
  }

  followUpsOfCall(callId: string): FollowUp[] {
    return this.allFollowUps().filter((followUp) => followUp.callId === callId);
  }

  followUpAt(messageTs: string): FollowUp | null {
    return this.allFollowUps().find((followUp) => followUp.messageTs === messageTs) ?? null;
  }

  saveFollowUp(followUp: FollowUp): void {
    this.followUps.set(followUp.id, followUp);
    this.changedFollowUps.add(followUp.id);
  }

  updateFollowUps(followUps: readonly FollowUp[], changes: Partial<FollowUp> = {}): void {
    for (const followUp of followUps) this.saveFollowUp({ ...followUp, ...changes });
    this.schedule('refresh_receipts');
    this.refreshCard();
  }

  excludeFollowUp(followUp: FollowUp, state: Parameters<typeof excludedFollowUp>[1]): void {
    this.saveFollowUp(excludedFollowUp(followUp, state));
    this.schedule('refresh_receipts');
  }

  announce(announcement: Announcement): void {
    this.change({ posts: this.job.posts + 1 });
    this.announceOnce(`post:${this.job.id}:${this.job.posts}`, announcement);
  }

  /** Undefined: the service has not said yet. */
  private takesPictures() {
    const { projectId, agentJob } = this.job;
    const can = this.context.announcedBy?.(projectId) ?? (agentJob && (agentJob.can ?? []));
    return can?.includes('images');
  }

  /** Those that go along: all, until the service has said that it takes none. */
  picturesIn(others: readonly UnsentFile[]): readonly Snippet[] | undefined {
    const pictures = others.flatMap(({ picture = [] }) => picture);
    return pictures.length > 0 && this.takesPictures() !== false ? pictures : undefined;
  }

  /** Null: all go along. */
  filesNotSent(others: readonly UnsentFile[]): Announcement | null {
    const unsent = others.filter((one) => this.picturesIn([one]) === undefined);
    if (unsent.length === 0) return null;
    const files = unsent.map(({ kind, name }) => ({ kind, name }));
    return { kind: 'files_not_sent', files, ...(this.takesPictures() && { takesPictures: true }) };
  }

  announceOnce(naturalKey: string, announcement: Announcement): void {
    const postId = this.addCall(naturalKey, { kind: 'announce', announcement });
    const about = offerOf(announcement, this.job);
    if (about === null) return;
    const offer = { postId, about, outcome: null, isShown: false };
    this.change({ offers: withinMax([...(this.job.offers ?? []), offer]) });
  }

  postEphemeral(userId: string, notice: EphemeralNotice): void {
    const posts = this.job.posts + 1;
    this.change({ posts });
    this.addCall(`ephemeral:${this.job.id}:${posts}`, { kind: 'ephemeral', userId, notice });
  }

  addCall(naturalKey: string, request: CallRequest): string {
    const id = this.context.newId();
    const [to, name] = LANES[request.kind];
    const channel = request.kind === 'notify_channel' ? `:${request.channelId}` : '';
    const lane = { to, name: `${name}:${this.job.id}${channel}` };
    this.calls.push({ id, naturalKey, lane, request });
    return id;
  }

  endCall(callId: string, state: CallOutcome['state'], failure?: AgentFailure): void {
    const detail = failure === undefined ? null : `${failure.reason}: ${failure.message}`;
    this.note({ endedCall: { callId, state, detail } });
  }

  schedule(kind: JobTaskKind, runAtMs = this.nowMs, ifScheduled: JobTask['ifScheduled'] = 'replace'): void {
    if (ifScheduled === 'keep' && this.tasks.has(kind)) return;
    this.tasks.set(kind, { kind, runAtMs, ifScheduled });
  }

  watchLink(url: string): void {
    this.note({ links: [...(this.more.links ?? []), url] });
  }

  note(more: Partial<Decision>): void {
    this.more = { ...this.more, ...more };
  }

  refreshCard(): void {
    this.schedule('refresh_card');
  }

  private pendingCreate() {
    if (this.pendingCreateId === null || this.job.stage.kind !== 'creating') return null;
    const along = this.followUpsOfCall(this.pendingCreateId).filter(({ state }) => state === 'sending');
    return firstInstruction(this.job, along);
  }

  private countReplies() {
    const { stage } = this.job;
    if (stage.kind !== 'draft') return;
    const replies = this.followUpsIn('waiting').length;
    if (replies === (stage.replies ?? 0)) return;
    this.change({ stage: { ...stage, replies } });
    this.schedule('refresh_posts', this.nowMs + DRAFT_SPACING_MS, 'keep');
  }

  decision(): Decision {
    if (this.changedFollowUps.size > 0) this.countReplies();
    const { pendingCreateId: callId } = this;
    const create = this.pendingCreate();
    const isRewritten = callId !== null && create !== null && create.prompt !== this.pendingPromptBefore;
    return {
      job: this.job,
      followUps: this.allFollowUps().filter((followUp) => this.changedFollowUps.has(followUp.id)),
      calls: this.calls,
      tasks: [...this.tasks.values()],
      ...this.more,
      ...(isRewritten && { rewrittenCreate: { callId, ...create } }),
    };
  }
}

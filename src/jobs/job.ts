import type { AgentJob, Capability, EndedStatus, TroubleKind } from './agent-job.ts';
import type { SeenPullRequest } from './pull-requests/pull-request.ts';
import type { Snippet, UnsentFile } from './requests/attachments.ts';
import type { UnknownProject } from './requests/command.ts';

export type Job = Readonly<{
  id: string;
  /** Assigned by the store; 0 until then. */
  number: number;
  teamId: string;
  channelId: string;
  /** Null: no person asked. */
  requesterId: string | null;
  /** A person started the draft, or restarted the job. */
  isStartedByPerson?: true;
  recipe?: string;
  owners?: readonly string[];
  projectId: string;
  projectName: string;
  /** Escaped. A description if the job only watches. */
  prompt: string;
  /** Escaped. */
  context: string;
  /** Set if the job only watches. */
  watchedAgentJobId: string | null;
  snippets: readonly Snippet[];
  /** Escaped. */
  inlined: string;
  others: readonly UnsentFile[];
  pictures?: readonly Snippet[] | undefined;
  requestedAtMs: number;
  origin: Origin;
  isStepCompleted?: true;
  /** Slack accepts it for 30 minutes. */
  responseUrl: string | null;
  /** The thread's root: the card or another message. */
  threadTs: string | null;
  cardTs: string | null;
  /** Only later messages are follow-ups. */
  repliesAfterTs: string | null;
  requestTs?: string;
  requestEditedTs?: string;
  /** After a late edit; empty: no change worth sending. */
  correction?: string | undefined;
  stage: Stage;
  creates: number;
  messages: number;
  turn: number;
  agentJob: AgentJob | null;
  checkedAtMs: number | null;
  lastAnnounced: { readonly status: string; readonly turn: number } | null;
  turnNews?: TurnNews;
  failures?: number;
  /** News since a person's last action. Limits an agent that keeps changing its answer. */
  recentNews?: Readonly<{ atMs: readonly number[]; pauses: number; pausedUntilMs: number | null }> | null;
  posts: number;
  announcedPrLink: string | null;
  prLinkTurn?: number;
  pullRequests?: readonly SeenPullRequest[];
  trouble: Trouble | null;
  /** Every answer in this span was a 404. */
  missing?: { readonly sinceMs: number; readonly untilMs: number } | null;
  sendNotBeforeMs: number | null;
  /** `areTold`: a message has counted them. */
  turnReplies?: (TurnReplies & { readonly areTold?: true }) | null;
  watchQuestions: number;
  cards: number;
  /** *Send now* hurries this message call; without an agent job, the create call. */
  hurriedMessage: number | null;
  thankedBy?: readonly string[];
  muted: boolean;
  /** The create call includes the waiting replies of a former draft. */
  takesRepliesAlong?: true | undefined;
  /** See `needOf`. */
  dismissedNeed?: string;
  offers?: readonly Offer[];
}>;

export type Stage = Readonly<
  /** Repeats a job, names an unknown project, or is doubtful. */
  | {
      kind: 'awaiting_confirmation';
      sameAsJobId: string | null;
      thread: StartThread | null;
      unknownProject?: UnknownProject;
    }
  | Draft
  | Dropped
  | { kind: 'opening'; waitsFor?: CardWait }
  | { kind: 'card_failed'; reason: string; thread: StartThread | null }
  | { kind: 'creating' }
  /** A person decides: the call may have created a job. */
  | { kind: 'create_unknown'; callId: string; sinceMs: number }
  | { kind: 'rejected'; message: string }
  | {
      kind: 'working';
      turnStartedAtMs: number;
      workingSinceMs?: number;
      settle: Settle | null;
      /** The turn began before `turnStartedAtMs`. */
      isOlder?: true;
      /** The previous end, until a message says that the agent works again. */
      endBefore?: EndBefore | undefined;
      askFromMs?: number;
      question?: { readonly number: number; readonly answer: 'keep' | 'stop' | null } | undefined;
      stopBy?: string | undefined;
      activity?: { readonly words: string; readonly sinceMs: number };
    }
  /** Still checked, ever less often. */
  | {
      kind: 'ended';
      status: EndedStatus | 'vanished';
      sinceMs: number;
      turnsToCome?: number;
      /** The first turn counts from the request. */
      tookMs?: number | undefined;
      /** Null: unknown. Absent: not stopped. */
      stoppedBy?: string | null | undefined;
    }
>;

export type StartThread = Readonly<{ threadTs: string; lastTs: string }>;

export type Draft = Readonly<{
  kind: 'draft';
  number: number;
  /** Null: the channel's top level. */
  thread: StartThread | null;
  messages: readonly string[];
  postTs: string | null;
  /** Reactions at the last read; absent: they do not count. */
  markedBy?: readonly string[] | undefined;
  replies?: number;
  /** Unknown whether Slack posted its message. */
  isUnseen?: true;
}>;

export type Dropped = Readonly<{
  kind: 'dropped';
  /** The draft's; 0: a request. */
  number: number;
  /** Free for other jobs. */
  formerThreadTs: string | null;
  markedBy?: Draft['markedBy'];
  why: 'dismissed' | 'withdrawn' | 'expired' | 'not_posted';
  byUserId: string | null;
}>;

export function threadOrFormerOf({ threadTs, stage }: Job): string | null {
  return stage.kind === 'dropped' ? stage.formerThreadTs : threadTs;
}

export type CardWait = 'invitation' | 'administrator';

export interface EndBefore extends Pick<Ended, 'sinceMs' | 'tookMs' | 'stoppedBy'> {
  readonly turnReplies: Job['turnReplies'];
}

export type Working = Extract<Stage, { kind: 'working' }>;

export type Ended = Extract<Stage, { kind: 'ended' }>;

export function isUnwatched({ stage }: Job): boolean {
  return stage.kind === 'working' && stage.question?.answer === 'stop';
}

export function isStopping({ stage }: Job): boolean {
  return stage.kind === 'working' && stage.stopBy !== undefined;
}

export function canStop(job: Job): boolean {
  return job.stage.kind === 'working' && !isStopping(job) && agentCan(job, 'cancel');
}

export function endedByOf({ stage }: Job): string | null {
  if (stage.kind === 'dropped') return stage.byUserId;
  return stage.kind === 'ended' ? (stage.stoppedBy ?? null) : null;
}

export function agentCan({ agentJob }: Job, capability: Capability): boolean {
  return agentJob?.can?.includes(capability) === true;
}

/** The API hides the link during a turn, and after a turn without changes. */
export function shownLinkOf({ agentJob, stage, announcedPrLink }: Job): string | null {
  const isHidden = stage.kind === 'working' || agentJob?.can !== undefined;
  return agentJob?.prLink ?? (isHidden ? announcedPrLink : null);
}

export function watchQuestionOf({ stage, watchQuestions }: Job): number {
  return (stage.kind === 'working' ? stage.question?.number : undefined) ?? watchQuestions + 1;
}

export function mayStartAgain({ stage, watchedAgentJobId }: Job): boolean {
  if (watchedAgentJobId !== null) return false;
  if (stage.kind === 'rejected') return true;
  return stage.kind === 'ended' && (stage.status === 'failed' || stage.status === 'vanished');
}

/** The API may still report the previous turn's state. */
export type Settle = Readonly<{
  untilMs: number;
  /** Null: the job seemed active. */
  previousStatus: string | null;
  previousPrLink: string | null;
  previousStatuses?: readonly string[];
  seenActive: boolean;
  /** Messages that may still become turns. */
  turnsToCome?: number;
}>;

export type Trouble = Readonly<{
  kind: TroubleKind;
  /** Delays reads, or prompts and follow-ups. */
  source: 'check' | 'send';
  sinceMs: number;
  misses: number;
  sendMisses?: number;
  retryAtMs: number;
  isByAgent?: true;
  isAnnounced: boolean;
}>;

export function requestersOf({ requesterId }: Job): readonly string[] {
  return requesterId === null ? [] : [requesterId];
}

export function responsibleFor({ requesterId, owners = [] }: Job): readonly string[] {
  return requesterId === null ? owners : [requesterId];
}

/** The requester, or who started the draft. */
export function initiatorOf({ requesterId, offers = [] }: Job): string | null {
  const start = offers.find(({ about, outcome }) => about.kind === 'draft' && outcome?.answer === 'started');
  return requesterId ?? start?.outcome?.by ?? null;
}

export function isBeforeJob({ repliesAfterTs }: Job, messageTs: string): boolean {
  return repliesAfterTs !== null && messageTs <= repliesAfterTs;
}

export function isUnattended({ requesterId, isStartedByPerson }: Job): boolean {
  return requesterId === null && isStartedByPerson !== true;
}

export function startPromptOf(job: Pick<Job, 'prompt' | 'context' | 'inlined'>): string {
  return paragraphs(job.prompt, job.context, job.inlined);
}

export function paragraphs(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}

/** The API has not yet described the watched job. */
export function isUnseen({ watchedAgentJobId, checkedAtMs }: Job): boolean {
  return watchedAgentJobId !== null && checkedAtMs === null;
}

export function workingSince({ workingSinceMs, turnStartedAtMs }: Working): number {
  return workingSinceMs ?? turnStartedAtMs;
}

type Stages = readonly Stage['kind'][];

/** The agent has the job, or may have it. */
export const startedStages = ['creating', 'create_unknown', 'working'] as const satisfies Stages;

export const openStages = ['opening', ...startedStages] as const satisfies Stages;

export const overStages = [
  'awaiting_confirmation',
  'dropped',
  'card_failed',
  'rejected',
  'ended',
] as const satisfies Stages;

export const activeStages: ReadonlySet<Stage['kind']> = new Set(['opening', 'creating', 'working']);

export type TurnNews = Readonly<{
  turn: number;
  /** Since the turn began or resumed. */
  statuses: readonly string[];
  links: readonly string[];
  returns: number;
  returnedAtMs: number;
}>;

export type TurnReplies = Readonly<{ count: number; authors: readonly string[] }>;

export type Origin = Readonly<
  | { kind: 'command' | 'form' | 'direct_message' | 'shortcut' | 'home' | 'schedule' | 'webhook' }
  /** `app`: its mention of the bot made a draft. */
  | { kind: 'mention'; app?: Readonly<{ id: string; name: string; messageTs: string; permalink: string }> }
  /** `authorId` absent: unknown. */
  | { kind: 'reaction'; messageTs: string; emoji: string; authorId?: string }
  | { kind: 'workflow'; executionId: string; waits: boolean }
>;

export function draftedMessageTs(origin: Origin): string | null {
  if (origin.kind === 'reaction') return origin.messageTs;
  return origin.kind === 'mention' ? (origin.app?.messageTs ?? null) : null;
}

export type Offer = Readonly<{
  postId: string;
  about: OfferSubject;
  outcome: OfferOutcome | null;
  isShown: boolean;
}>;

export type OfferSubject = Readonly<
  /** `callId`: a create call of unknown outcome, or a message call whose replies the new job gets. */
  | { kind: 'start'; creates: number; callId?: string }
  | { kind: 'send'; callId: string | null; count?: number }
  | { kind: 'watch'; question: number }
  | { kind: 'draft'; number: number }
  | { kind: 'reminder'; reminderId: string; url: string }
  | { kind: 'review_news'; keys: readonly string[] }
>;

export type OfferOutcome = Readonly<{
  answer: OfferAnswer;
  by: string | null;
  other?: WatchedElsewhere;
  count?: number;
}>;

export type WatchedElsewhere = Readonly<{ number: number; threadUrl: string | null }>;

export type OfferAnswer =
  | 'started_again'
  | 'sent_again'
  | 'edited'
  | 'found'
  | 'watched_elsewhere'
  | 'kept_watching'
  | 'stopped_watching'
  | 'wants_reminder'
  | 'wants_no_reminder'
  | 'answered'
  | 'started'
  | 'dismissed'
  | 'withdrawn'
  | 'expired'
  /** The agent's answer came late. */
  | 'confirmed'
  /** A reply reopened the job. */
  | 'continued'
  | 'moot';

export type Viewer = Readonly<{ teamId: string; userId: string; channelId: string }>;

/** Stable when jobs come and go. */
export type JobCursor = Readonly<{ requestedAtMs: number; id: string }>;

export type JobPage = Readonly<{ jobs: readonly Job[]; hasOlder: boolean }>;

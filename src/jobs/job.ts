import type { AgentJob, Capability, EndedStatus } from './agent-job.ts';
import type { SeenPullRequest } from './pull-requests/pull-request.ts';
import type { Snippet, Unsent } from './requests/attachments.ts';
import type { UnknownProject } from './requests/project.ts';

/** One request made in Slack, its thread, and the agent job that works on it. */
export type Job = Readonly<{
  id: string;
  /** Shown as `#142`. Assigned by the store; 0 before that. */
  number: number;
  teamId: string;
  channelId: string;
  /** Null: its recipe started by itself. */
  requesterId: string | null;
  /** A person started its draft, or started it again. */
  isStartedByPerson?: true;
  /** By name; it may have been removed since. */
  recipe?: string;
  owners?: readonly string[];
  projectId: string;
  projectName: string;
  /** Escaped. A description if the job only watches. */
  prompt: string;
  /** Earlier messages of the thread, sent after the prompt; escaped. */
  context: string;
  /** Set: the job only watches this agent job. */
  watchedAgentJobId: string | null;
  snippets: readonly Snippet[];
  /** The texts of snippets, sent with the prompt; escaped. */
  inlined: string;
  others: readonly Unsent[];
  requestedAtMs: number;
  origin: Origin;
  isStepCompleted?: true;
  /** For private answers to the requester, valid for 30 minutes. */
  responseUrl: string | null;
  /** The root of the thread: the card, or another message. */
  threadTs: string | null;
  cardTs: string | null;
  /** Up to this message, nothing is a follow-up. */
  repliesAfterTs: string | null;
  requestTs?: string;
  requestEditedTs?: string;
  /** The request after an edit that was too late; empty: as it was sent. */
  correction?: string;
  stage: Stage;
  creates: number;
  messages: number;
  turn: number;
  agentJob: AgentJob | null;
  checkedAtMs: number | null;
  /** Null: the agent job has shown no status yet. */
  lastAnnounced: { readonly status: string; readonly turn: number } | null;
  turnNews?: TurnNews;
  failures?: number;
  /** What the thread was told since a person's last action: an agent that keeps changing its answer is limited. */
  recentNews?: Readonly<{ atMs: readonly number[]; pauses: number; pausedUntilMs: number | null }> | null;
  posts: number;
  announcedPrLink: string | null;
  prLinkTurn?: number;
  pullRequests?: readonly SeenPullRequest[];
  trouble: Trouble | null;
  /** How long every answer has been a 404. */
  missing?: { readonly sinceMs: number; readonly untilMs: number } | null;
  /** Sends pause until then, after a rate limit or an outage. */
  sendNotBeforeMs: number | null;
  sentFollowUps: number;
  /** Those that the agent took during the last turn. `areTold`: the thread counts them as included. */
  turnReplies?: (TurnReplies & { readonly areTold?: true }) | null;
  watchQuestions: number;
  cards: number;
  /** The message call to hurry (*Send now*); without an agent job, the create call. */
  hurriedMessage: number | null;
  thankedBy?: readonly string[];
  muted: boolean;
  /** A former draft: the waiting replies go along with the request. */
  takesRepliesAlong?: true;
  /** Dismissed on the Home tab: see `needOf`. */
  dismissedNeed?: string;
  offers?: readonly Offer[];
}>;

export type Stage = Readonly<
  /**
   * The requester is asked first: the request repeats another job's, names an unknown project or is doubtful.
   */
  | {
      kind: 'awaiting_confirmation';
      sameAsJobId: string | null;
      thread: StartThread | null;
      unknownProject?: UnknownProject;
    }
  | Draft
  | Dropped
  | { kind: 'opening'; waitsFor?: CardWait }
  /** The job will not start, and its thread is free for another. */
  | { kind: 'card_failed'; reason: string; thread: StartThread | null }
  | { kind: 'creating' }
  /** The create call may have made a job: a person decides. */
  | { kind: 'create_unknown'; callId: string; sinceMs: number }
  | { kind: 'rejected'; message: string }
  | {
      kind: 'working';
      turnStartedAtMs: number;
      workingSinceMs?: number;
      settle: Settle | null;
      /** The turn began before the first check. */
      isOlder?: true;
      /** The end may only have flickered: no message says that the agent works again. */
      endBefore?: EndBefore;
      askFromMs?: number;
      question?: { readonly number: number; readonly answer: 'keep' | 'stop' | null };
      /** Who asked to stop the agent, which still works. */
      stopBy?: string;
      activity?: { readonly words: string; readonly sinceMs: number };
    }
  /** The job is still checked, at growing intervals. */
  | {
      kind: 'ended';
      status: EndedStatus | 'vanished';
      sinceMs: number;
      turnsToCome?: number;
      /** The first turn counts from the request. */
      tookMs?: number;
      /** Null: unknown. Absent: it ended by itself. */
      stoppedBy?: string | null;
    }
>;

export type StartThread = Readonly<{ threadTs: string; lastTs: string }>;

type Draftable = Readonly<{
  /** Counts from 1: a button of an earlier draft does nothing. */
  number: number;
  /** Null: at the top level of the channel, with the job below it. */
  thread: StartThread | null;
  messages: readonly string[];
  postTs: string | null;
  /** Who reacted to its message at the last read; absent: reactions do not count. */
  markedBy?: readonly string[];
}>;

export type Draft = Draftable &
  Readonly<{
    kind: 'draft';
    draftedAtMs: number;
    replies?: number;
    /** Slack never said whether its message was posted. */
    isUnseen?: true;
  }>;

export type Dropped = Draftable &
  Readonly<{
    kind: 'dropped';
    why: 'dismissed' | 'withdrawn' | 'expired' | 'not_posted';
    byUserId: string | null;
  }>;

export type CardWait = 'invitation' | 'administrator';

export interface EndBefore extends Pick<Ended, 'sinceMs' | 'tookMs' | 'stoppedBy'> {
  readonly turnReplies: Job['turnReplies'];
}

export type Working = Extract<Stage, { kind: 'working' }>;

export type Ended = Extract<Stage, { kind: 'ended' }>;

/** Until people resume the watch or write a follow-up. */
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

/** A running turn hides it in the API, and so does one that changed nothing. */
export function shownLinkOf({ agentJob, stage, announcedPrLink }: Job): string | null {
  const isHidden = stage.kind === 'working' || agentJob?.can !== undefined;
  return agentJob?.prLink ?? (isHidden ? announcedPrLink : null);
}

/** The current question whether to keep watching, else the next. */
export function watchQuestionOf({ stage, watchQuestions }: Job): number {
  return (stage.kind === 'working' ? stage.question?.number : undefined) ?? watchQuestions + 1;
}

export function mayStartAgain({ stage, watchedAgentJobId }: Job): boolean {
  if (watchedAgentJobId !== null) return false;
  if (stage.kind === 'rejected') return true;
  return stage.kind === 'ended' && (stage.status === 'failed' || stage.status === 'vanished');
}

/** After a follow-up, the API may still answer the previous turn's state, which is not believed. */
export type Settle = Readonly<{
  untilMs: number;
  /** Null: the job seemed active. */
  previousStatus: string | null;
  previousPrLink: string | null;
  /** A flapping answer may show any of them again. */
  previousStatuses?: readonly string[];
  seenActive: boolean;
  /** Messages that may still become turns. */
  turnsToCome?: number;
}>;

/** Delays the job, and ends by itself or by an administrator. */
export type Trouble = Readonly<{
  kind: TroubleKind;
  /** What it delays: status reads, or prompts and follow-ups. */
  source: 'check' | 'send';
  sinceMs: number;
  misses: number;
  sendMisses?: number;
  retryAtMs: number;
  /** Not by our own hourly budget. */
  isByAgent?: true;
  isAnnounced: boolean;
}>;

/** `needs_admin`: the key is refused, or the project is unknown. */
export type TroubleKind = 'rate_limited' | 'unreachable' | 'needs_admin';

export function requestersOf({ requesterId }: Job): readonly string[] {
  return requesterId === null ? [] : [requesterId];
}

export function responsibleFor({ requesterId, owners = [] }: Job): readonly string[] {
  return requesterId === null ? owners : [requesterId];
}

/** Who learns privately what the thread cannot say: the requester, or the person who started its draft. */
export function initiatorOf({ requesterId, offers = [] }: Job): string | null {
  const start = offers.find(({ about, outcome }) => about.kind === 'draft' && outcome?.deed === 'started');
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

/** It watches an agent job that the API has not described yet. */
export function isUnseen({ watchedAgentJobId, checkedAtMs }: Job): boolean {
  return watchedAgentJobId !== null && checkedAtMs === null;
}

export function workingSince({ workingSinceMs, turnStartedAtMs }: Working): number {
  return workingSinceMs ?? turnStartedAtMs;
}

type Stages = readonly Stage['kind'][];

/** The agent has such a job, or may have it. */
export const startedStages = ['creating', 'create_unknown', 'working'] as const satisfies Stages;

export const openStages = ['opening', ...startedStages] as const satisfies Stages;

export const overStages = [
  'awaiting_confirmation',
  'dropped',
  'card_failed',
  'rejected',
  'ended',
] as const satisfies Stages;

/** The program works on the job without waiting for a person. */
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
  /** `app`: an app mentioned the bot, which makes a draft. */
  | { kind: 'mention'; app?: Readonly<{ id: string; name: string; messageTs: string; permalink: string }> }
  /** `authorId`: the message's author; absent: unknown. */
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
  /** `callId`: the create call of unknown outcome, or the message call whose replies go to the new job. */
  | { kind: 'start'; creates: number; callId?: string }
  | { kind: 'send'; callId: string | null; count?: number }
  | { kind: 'watch'; question: number }
  | { kind: 'draft'; number: number }
  | { kind: 'reminder'; reminderId: string; url: string }
>;

export type OfferOutcome = Readonly<{
  deed: OfferDeed;
  by: string | null;
  other?: WatchedElsewhere;
  count?: number;
}>;

export type WatchedElsewhere = Readonly<{ number: number; threadUrl: string | null }>;

export type OfferDeed =
  | 'started_again'
  | 'sent_again'
  | 'edited'
  | 'found'
  | 'watched_elsewhere'
  | 'kept_watching'
  | 'stopped_watching'
  | 'wants_reminder'
  | 'wants_no_reminder'
  | 'started'
  | 'dismissed'
  | 'withdrawn'
  | 'expired'
  /** The agent's answer came late. */
  | 'confirmed'
  /** A reply reopened the job. */
  | 'continued'
  /** No answer is needed any longer. */
  | 'moot';

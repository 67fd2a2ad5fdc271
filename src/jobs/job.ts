import type { AgentJob, EndedStatus } from './agent-job.ts';
import type { Draft, Dropped, StartThread } from './draft.ts';
import type { Offer } from './offer.ts';
import type { SeenPullRequest } from './pull-requests/pull-request.ts';
import type { Snippet, Unsent } from './requests/attachments.ts';
import type { UnknownProject } from './requests/project.ts';

/** One request made in Slack, its thread, and the agent job that works on it. */
export type Job = Readonly<{
  id: string;
  /** Its number among the workspace's jobs, shown as `#142`. Assigned by the store; 0 before that. */
  number: number;
  teamId: string;
  channelId: string;
  /** Null: its recipe started by itself. */
  requesterId: string | null;
  /** A person started its draft, or started it again. */
  isStartedByPerson?: true;
  /** By name; it may have been removed since. */
  recipe?: string;
  /** Who learns of its problems: the recipe's owners at the start. */
  owners?: readonly string[];
  projectId: string;
  projectName: string;
  /** As Slack delivered it: escaped, see `readableText`. Of a job that only watches: a description. */
  prompt: string;
  /** Messages of the thread that it was asked for in, which follow the prompt; escaped like it. */
  context: string;
  /** The agent job of somebody else that this job only watches, or null. */
  watchedAgentJobId: string | null;
  snippets: readonly Snippet[];
  /** The texts of snippets, sent with the prompt; escaped like it. */
  inlined: string;
  /** Attachments that the agent does not get, as the thread says. */
  others: readonly Unsent[];
  requestedAtMs: number;
  origin: Origin;
  /** The requesting workflow's step has its result, or is about to. */
  isStepCompleted?: true;
  /** Slack's URL for private answers to the requester, valid for 30 minutes. */
  responseUrl: string | null;
  /** The root of the thread: the card, or somebody else's message. Null until there is one. */
  threadTs: string | null;
  cardTs: string | null;
  /** Messages of the thread up to this one are no follow-ups. */
  repliesAfterTs: string | null;
  /** The mention or direct message that asked for it. */
  requestTs?: string;
  requestEditedTs?: string;
  /** That message after an edit that was too late, as its author knows; empty: as it was sent. */
  correction?: string;
  stage: Stage;
  /** Calls are counted, so that none can be requested twice. */
  creates: number;
  messages: number;
  /** Which prompt or follow-up is being worked on: 1 for the prompt. */
  turn: number;
  /** As the API last said; null while there is none. */
  agentJob: AgentJob | null;
  checkedAtMs: number | null;
  /** The status that the thread last knew, and its turn; null: the agent job has shown none yet. */
  lastAnnounced: { readonly status: string; readonly turn: number } | null;
  turnNews?: TurnNews;
  /** How many turns failed in a row. */
  failures?: number;
  /** What the thread was told lately, without a person's action between. */
  recentNews?: RecentNews | null;
  posts: number;
  announcedPrLink: string | null;
  /** The turn in which that link was new; absent: the first, or unknown. */
  prLinkTurn?: number;
  /** Those that a code host has described, the oldest first. */
  pullRequests?: readonly SeenPullRequest[];
  trouble: Trouble | null;
  /** How long every answer has been a 404. */
  missing?: { readonly sinceMs: number; readonly untilMs: number } | null;
  /** Replies are held back until then, after a rate limit or an outage. */
  sendNotBeforeMs: number | null;
  sentFollowUps: number;
  /** Those that the agent took during the current or last turn. `areTold`: the thread counts them as included. */
  turnReplies?: (TurnReplies & { readonly areTold?: true }) | null;
  watchQuestions: number;
  cards: number;
  /** The message call that goes out at once (*Send now*); before there is an agent job, the create call. */
  hurriedMessage: number | null;
  /** Who was told that thanks after an end stay between people. */
  thankedBy?: readonly string[];
  /** Only replies that mention the bot are follow-ups. */
  muted: boolean;
  /** It was a draft: the waiting replies go along with the request, instead of following it. */
  takesRepliesAlong?: true;
  /** Dismissed on the home tab (`needOf`). */
  dismissedNeed?: string;
  /** Recent decisions asked for in the thread, the oldest first. */
  offers?: readonly Offer[];
}>;

export type Stage = Readonly<
  /** The requester is asked first: the request repeats another, or (null) is hardly one. */
  | {
      kind: 'awaiting_confirmation';
      sameAsJobId: string | null;
      thread: StartThread | null;
      /** Asks for the project, since the named one does not exist. Absent: it is known. */
      unknownProject?: UnknownProject;
    }
  | Draft
  | Dropped
  /** The card is not posted yet. `waitsFor`: what people must do first, as far as known. */
  | { kind: 'opening'; waitsFor?: CardWait }
  /** The card could not be posted: the job will not start, and its thread is free for another. */
  | { kind: 'card_failed'; reason: string; thread: StartThread | null }
  | { kind: 'creating' }
  /** The create call may or may not have made a job: a person decides. */
  | {
      kind: 'create_unknown';
      callId: string;
      sinceMs: number;
    }
  | { kind: 'rejected'; message: string }
  | {
      kind: 'working';
      turnStartedAtMs: number;
      /** When the agent began, if replies have begun other turns since; absent: when this turn began. */
      workingSinceMs?: number;
      settle: Settle | null;
      /** The turn began at an unknown time, before the first check. */
      isOlder?: true;
      /** The end before it, if no message says that the agent works again: it may only have flickered. */
      endBefore?: EndBefore;
      /** When the thread is asked whether to keep watching; absent: after a long turn. */
      askFromMs?: number;
      question?: WatchQuestion;
    }
  /** The turn is over, as far as anybody can tell: the job is still checked, at growing intervals. */
  | {
      kind: 'ended';
      status: EndedStatus | 'vanished';
      /** Since when the API has said the same. */
      sinceMs: number;
      /** See `Settle`. */
      turnsToCome?: number;
      /** How long the turn took, the first one from the request on; absent: unknown. */
      tookMs?: number;
    }
>;

export type CardWait = 'invitation' | 'administrator';

export interface EndBefore extends Pick<Ended, 'sinceMs' | 'tookMs'> {
  readonly turnReplies: Job['turnReplies'];
}

export type Working = Extract<Stage, { kind: 'working' }>;

export type Ended = Extract<Stage, { kind: 'ended' }>;

type WatchQuestion = Readonly<{
  number: number;
  answer: 'keep' | 'stop' | null;
  /** Since when it is unanswered and nothing has changed; absent: it is answered. */
  openSinceMs?: number;
}>;

/** People stopped the watch, until they resume it or write a follow-up. */
export function isUnwatched({ stage }: Job): boolean {
  return stage.kind === 'working' && stage.question?.answer === 'stop';
}

/** The number of the current question whether to keep watching, else of the next. */
export function watchQuestionOf({ stage, watchQuestions }: Job): number {
  return (stage.kind === 'working' ? stage.question?.number : undefined) ?? watchQuestions + 1;
}

export function mayStartAgain({ stage, watchedAgentJobId }: Job): boolean {
  // It only watches, so its prompt is unknown.
  if (watchedAgentJobId !== null) return false;
  if (stage.kind === 'rejected') return true;
  return stage.kind === 'ended' && (stage.status === 'failed' || stage.status === 'vanished');
}

/** After a follow-up, the API may still answer the previous turn's state; it is not believed until then. */
export type Settle = Readonly<{
  untilMs: number;
  /** The ended status before the follow-up, or null if the job seemed active. */
  previousStatus: string | null;
  previousPrLink: string | null;
  /** All that the previous turn has shown: a flapping answer may show any of it again. */
  previousStatuses?: readonly string[];
  seenActive: boolean;
  /** How many messages that the API took, or may have taken, may still become a turn. */
  turnsToCome?: number;
}>;

/** Something that holds the job up, and heals by itself or by an administrator. */
export type Trouble = Readonly<{
  kind: TroubleKind;
  /** What it holds up: reading the status, or sending prompts and follow-ups. */
  source: 'check' | 'send';
  sinceMs: number;
  /** How often in a row. */
  misses: number;
  /** The sends among them. */
  sendMisses?: number;
  retryAtMs: number;
  /** The agent API limits the project's calls, rather than our own budget. */
  isByAgent?: true;
  isAnnounced: boolean;
}>;

/** `needs_admin`: the key is refused, or the API does not know the project. */
export type TroubleKind = 'rate_limited' | 'unreachable' | 'needs_admin';

/** Whom its news concern: nobody, if nobody asked for it. */
export function requestersOf({ requesterId }: Pick<Job, 'requesterId'>): readonly string[] {
  return requesterId === null ? [] : [requesterId];
}

/** Who must act on a problem: the requester, or the owners of the recipe that started by itself. */
export function responsibleFor(job: Pick<Job, 'requesterId' | 'owners'>): readonly string[] {
  return job.requesterId === null ? (job.owners ?? []) : [job.requesterId];
}

/** Who is told privately what its thread cannot say: the requester, or who started its draft; else null. */
export function initiatorOf({
  requesterId,
  offers = [],
}: Pick<Job, 'requesterId' | 'offers'>): string | null {
  const start = offers.find(({ about, outcome }) => about.kind === 'draft' && outcome?.deed === 'started');
  return requesterId ?? start?.outcome?.by ?? null;
}

/** The message is older than the job: it is no follow-up. */
export function isBeforeJob({ repliesAfterTs }: Job, messageTs: string): boolean {
  return repliesAfterTs !== null && messageTs <= repliesAfterTs;
}

/** Whether it started by itself, so that no person waits for it. */
export function isUnattended({ requesterId, isStartedByPerson }: Job): boolean {
  return requesterId === null && isStartedByPerson !== true;
}

export function startPromptOf(job: Pick<Job, 'prompt' | 'context' | 'inlined'>): string {
  const { prompt, context, inlined } = job;
  return [prompt, context, inlined].filter((part) => part !== '').join('\n\n');
}

/** Whether it watches an agent job that the API has not described yet. */
export function isUnseen({ watchedAgentJobId, checkedAtMs }: Job): boolean {
  return watchedAgentJobId !== null && checkedAtMs === null;
}

/** People wait from here on, whatever replies come in between. */
export function workingSince({ workingSinceMs, turnStartedAtMs }: Working): number {
  return workingSinceMs ?? turnStartedAtMs;
}

type Stages = readonly Stage['kind'][];

/** The agent has such a job, or may have it. */
export const startedStages = ['creating', 'create_unknown', 'working'] as const satisfies Stages;

/** More is to happen in these stages. */
export const openStages = ['opening', ...startedStages] as const satisfies Stages;

/** Nothing more happens unless a person continues the job. */
export const overStages = [
  'awaiting_confirmation',
  'dropped',
  'card_failed',
  'rejected',
  'ended',
] as const satisfies Stages;

/** The program works on the job by itself, without waiting for a person. */
export const activeStages: ReadonlySet<Stage['kind']> = new Set(['opening', 'creating', 'working']);

export type TurnNews = Readonly<{
  turn: number;
  /** Those shown since the turn began, or since the thread was told that the agent works again. */
  statuses: readonly string[];
  /** The pull requests that were its news, in their first spelling. */
  links: readonly string[];
  /** How often, and when last, it was told that the agent works again, without an explaining reply. */
  returns: number;
  returnedAtMs: number;
}>;

/** How much an agent that keeps changing its answer has made the program say. */
type RecentNews = Readonly<{
  atMs: readonly number[];
  pauses: number;
  /** Null: they do not pause. */
  pausedUntilMs: number | null;
}>;

/** The number of replies, and their authors, each once. */
export type TurnReplies = Readonly<{
  count: number;
  authors: readonly string[];
}>;

export type Origin = Readonly<
  | {
      kind: 'command' | 'form' | 'direct_message' | 'shortcut' | 'home' | 'schedule' | 'webhook';
    }
  /** `app`: an app, instead of a person, mentioned the bot, which makes a draft. */
  | { kind: 'mention'; app?: MentioningApp }
  /** People reacted to a message with this emoji. `authorId`: its author; absent: Slack did not say. */
  | {
      kind: 'reaction';
      messageTs: string;
      emoji: string;
      authorId?: string;
    }
  /** `waits`: the workflow continues only when the turn has ended. */
  | { kind: 'workflow'; executionId: string; waits: boolean }
>;

type MentioningApp = Readonly<{
  id: string;
  name: string;
  messageTs: string;
  permalink: string;
}>;

/** The message that a draft is about; null: none. */
export function draftedMessageTs(origin: Origin): string | null {
  if (origin.kind === 'reaction') return origin.messageTs;
  return origin.kind === 'mention' ? (origin.app?.messageTs ?? null) : null;
}

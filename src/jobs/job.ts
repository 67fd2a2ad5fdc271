import type { AgentJob, EndedStatus } from './agent-job.ts';
import type { Draft, Dropped, StartThread } from './draft.ts';
import type { Offer } from './offer.ts';
import type { SeenPullRequest } from './pull-requests/pull-request.ts';
import type { Snippet, Unsent } from './requests/attachments.ts';
import type { UnknownProject } from './requests/project.ts';

/** One request made in Slack, its thread, and the agent job that works on it. */
export interface Job {
  readonly id: string;
  /** What people call it, `#142`: it counts the jobs of the workspace. The store gives it; 0 before that. */
  readonly number: number;
  readonly teamId: string;
  readonly channelId: string;
  /** Null: nobody asked for it, its recipe started by itself. */
  readonly requesterId: string | null;
  /** A person has started it all the same: its draft, or once more. */
  readonly isStartedByPerson?: true;
  /** The name of the recipe that it was made of; it may have been removed since. Absent: of none. */
  readonly recipe?: string;
  /** Who is told of what goes wrong with it: the recipe's, as they were at the start. Absent: of no recipe. */
  readonly owners?: readonly string[];
  readonly projectId: string;
  readonly projectName: string;
  /** As Slack delivered it: escaped, see `readableText`. Of a job that watches another's, a description of that. */
  readonly prompt: string;
  /** Messages of the thread that it was asked for in, which go to the agent after the prompt; escaped like it. */
  readonly context: string;
  /** The agent job that somebody else started and this job only watches (`watch`), or null. */
  readonly watchedAgentJobId: string | null;
  /** Attached texts that are still to be read. */
  readonly snippets: readonly Snippet[];
  /** Those that were read, to go to the agent with the prompt; escaped like it. */
  readonly inlined: string;
  /** Other attachments: the thread says that the agent does not get them. */
  readonly others: readonly Unsent[];
  readonly requestedAtMs: number;
  readonly origin: Origin;
  /** The step of the workflow that asked for it has its result, or is about to have it. Absent: not yet. */
  readonly isStepCompleted?: true;
  /** Slack's address for private answers to the requester, good for 30 minutes. */
  readonly responseUrl: string | null;
  /** The root of the thread: the card, or a message that somebody else wrote. Null until there is one. */
  readonly threadTs: string | null;
  /** Null until the card is posted. */
  readonly cardTs: string | null;
  /** Messages of the thread up to this one were there before the job, and are no follow-ups. */
  readonly repliesAfterTs: string | null;
  /** The mention or direct message that asked for it; absent: no message did. */
  readonly requestTs?: string;
  /** Slack's time of the last edit of that message; absent: none. */
  readonly requestEditedTs?: string;
  /** How that message reads since an edit that was too late, of which its author was told; empty: as it was sent. */
  readonly correction?: string;
  readonly stage: Stage;
  /** Create calls so far; numbers them, so that none can be requested twice. */
  readonly creates: number;
  /** Message calls so far; numbers them likewise. */
  readonly messages: number;
  /** Which prompt or follow-up is being worked on: 1 for the prompt. */
  readonly turn: number;
  /** What the API last said, or null while there is no agent job. */
  readonly agentJob: AgentJob | null;
  readonly checkedAtMs: number | null;
  /** The status that the thread last knew, and its turn; null: the agent job has shown none yet. */
  readonly lastAnnounced: LastAnnounced | null;
  /** What the thread was told of a turn; absent: nothing. */
  readonly turnNews?: TurnNews;
  /** How many turns have failed without another end between them; absent: none. */
  readonly failures?: number;
  /** How much it was told lately, without a person's act between; null or absent: nothing. */
  readonly recentNews?: RecentNews | null;
  /** Posts so far; numbers them, so that none can be requested twice. */
  readonly posts: number;
  /** The pull request that the thread was told last. */
  readonly announcedPrLink: string | null;
  /** The turn in which that link was new; absent: the first, or unknown. */
  readonly prLinkTurn?: number;
  /** Those whose code host was asked, the oldest first; absent: none. */
  readonly pullRequests?: readonly SeenPullRequest[];
  readonly trouble: Trouble | null;
  /** The time during which every answer was a 404; null or absent: the last answer was another. */
  readonly missing?: { readonly sinceMs: number; readonly untilMs: number } | null;
  /** Replies are held back until then, after a rate limit or an outage. */
  readonly sendNotBeforeMs: number | null;
  readonly sentFollowUps: number;
  /** What the agent took of people during this turn, or the last one if none goes on; null or absent: nothing. `areTold`: the thread knows that they are included. */
  readonly turnReplies?: (TurnReplies & { readonly areTold?: true }) | null;
  /** How often the thread was asked whether to keep watching; numbers the questions. */
  readonly watchQuestions: number;
  /** Card calls so far; numbers them. */
  readonly cards: number;
  /** The message call that goes out without a wait (*Send now*), or null. The create call, before there is an agent job. */
  readonly hurriedMessage: number | null;
  /** Whose thanks after an end were kept back, and who know it. */
  readonly thankedBy?: readonly string[];
  /** Only replies that mention the bot are follow-ups. */
  readonly muted: boolean;
  /** It was a draft: the replies that wait go along with the request. Absent: they follow it. */
  readonly takesRepliesAlong?: true;
  /** What the requester does not want to be shown at home any more (`needOf`); absent: nothing. */
  readonly dismissedNeed?: string;
  /** What the thread was lately asked to decide, the oldest first; absent: nothing. */
  readonly offers?: readonly Offer[];
}

export type Stage =
  /** The requester is asked first: the same was asked a moment ago, or (null) it is hardly a request. */
  | {
      readonly kind: 'awaiting_confirmation';
      readonly sameAsJobId: string | null;
      readonly thread: StartThread | null;
      /** It names a project that there is not: which one is meant? Absent: that is known. */
      readonly unknownProject?: UnknownProject;
    }
  | Draft
  | Dropped
  /** The card is not posted yet. `waitsFor`: what people have to do first; absent: nothing, as far as is known. */
  | { readonly kind: 'opening'; readonly waitsFor?: CardWait }
  /** The card could not be posted: the job will not start, and its thread is free for another. */
  | { readonly kind: 'card_failed'; readonly reason: string; readonly thread: StartThread | null }
  /** The create call is pending, waits for its retry, or is in flight. */
  | { readonly kind: 'creating' }
  /** The create call may or may not have made a job: a person decides. */
  | {
      readonly kind: 'create_unknown';
      readonly callId: string;
      readonly sinceMs: number;
    }
  /** The API refused the prompt. */
  | { readonly kind: 'rejected'; readonly message: string }
  /** The agent works; the poller watches. */
  | {
      readonly kind: 'working';
      readonly turnStartedAtMs: number;
      /** When the agent took up its work, if replies have begun other turns since; absent: when this turn began. */
      readonly workingSinceMs?: number;
      readonly settle: Settle | null;
      /** The turn began before the first check, at an unknown time. */
      readonly isOlder?: true;
      /** The end before it, if no message says that the agent works again: it may only have flickered. */
      readonly endBefore?: EndBefore;
      /** From when on the thread is asked whether to keep watching; absent: when the turn has lasted long. */
      readonly askFromMs?: number;
      /** What the thread was asked last in this turn. */
      readonly question?: WatchQuestion;
    }
  /** The turn is over, as far as anybody can tell: the job is still checked, at growing intervals. */
  | {
      readonly kind: 'ended';
      readonly status: EndedStatus | 'vanished';
      /** Since when the API has said the same. */
      readonly sinceMs: number;
      /** See `Settle`. */
      readonly turnsToCome?: number;
      /** How long the turn took, the first one from the request on; absent: unknown. */
      readonly tookMs?: number;
    };

/** What the post of a card waits for. */
export type CardWait = 'invitation' | 'administrator';

export interface EndBefore extends Pick<Ended, 'sinceMs' | 'tookMs'> {
  readonly turnReplies: Job['turnReplies'];
}

/** The stage of a job at which the agent works. */
export type Working = Extract<Stage, { kind: 'working' }>;

/** The stage of a job whose turn is over. */
export type Ended = Extract<Stage, { kind: 'ended' }>;

/** Whether to keep watching a turn that lasts long. */
export interface WatchQuestion {
  readonly number: number;
  readonly answer: 'keep' | 'stop' | null;
  /** Since when it is unanswered and nothing has changed; absent: it is answered. */
  readonly openSinceMs?: number;
}

/** People stopped the watch: the agent's work is not checked until they resume it or write a follow-up. */
export function isUnwatched({ stage }: Job): boolean {
  return stage.kind === 'working' && stage.question?.answer === 'stop';
}

/** The number of the question whether to keep watching: of the one that was asked, else of the next. */
export function watchQuestionOf({ stage, watchQuestions }: Job): number {
  return (stage.kind === 'working' ? stage.question?.number : undefined) ?? watchQuestions + 1;
}

/** Its prompt can be given to the agent again. Of a job that only watches, the prompt is not known. */
export function mayStartAgain({ stage, watchedAgentJobId }: Job): boolean {
  if (watchedAgentJobId !== null) return false;
  if (stage.kind === 'rejected') return true;
  return stage.kind === 'ended' && (stage.status === 'failed' || stage.status === 'vanished');
}

/** After a follow-up the API may still answer the state of the turn before; it is not believed until then. */
export interface Settle {
  readonly untilMs: number;
  /** The ended status before the follow-up, or null if the job was thought to be active. */
  readonly previousStatus: string | null;
  readonly previousPrLink: string | null;
  /** What the turn before has shown, the status above included: an answer that flaps may show any of it once more. */
  readonly previousStatuses?: readonly string[];
  readonly seenActive: boolean;
  /** Of the messages that the API took, or may have taken, how many it has not been seen to take up: each may become a turn yet. */
  readonly turnsToCome?: number;
}

/** Something that keeps the job from going on, and heals by itself or by an administrator. */
export interface Trouble {
  readonly kind: TroubleKind;
  /** What it holds up: reading the status, or sending prompts and follow-ups. */
  readonly source: 'check' | 'send';
  readonly sinceMs: number;
  /** How often in a row. */
  readonly misses: number;
  /** Those of them that were sends. */
  readonly sendMisses?: number;
  readonly retryAtMs: number;
  /** The agent API limits the rate of the project's calls: it is not our own budget that is used up. */
  readonly isByAgent?: true;
  /** Whether it was announced in the thread. */
  readonly isAnnounced: boolean;
}

/** `needs_admin`: the key is refused, or the project is unknown to the API. */
export type TroubleKind = 'rate_limited' | 'unreachable' | 'needs_admin';

/** Whom its news are for: nobody, if nobody asked for it. */
export function requestersOf({ requesterId }: Pick<Job, 'requesterId'>): readonly string[] {
  return requesterId === null ? [] : [requesterId];
}

/** Who must act if something goes wrong: whoever asked for it, or the owners of the recipe that started by itself. */
export function responsibleFor(job: Pick<Job, 'requesterId' | 'owners'>): readonly string[] {
  return job.requesterId === null ? (job.owners ?? []) : [job.requesterId];
}

/**
 * Who is told privately what its thread cannot say: whoever asked for it, or has started the draft that nobody asked for.
 * Null: nobody.
 */
export function initiatorOf({
  requesterId,
  offers = [],
}: Pick<Job, 'requesterId' | 'offers'>): string | null {
  if (requesterId !== null) return requesterId;
  return (
    offers.find(({ about, outcome }) => about.kind === 'draft' && outcome?.deed === 'started')?.outcome?.by ??
    null
  );
}

/** The message stood in the thread before the job did: it is no follow-up. */
export function isBeforeJob({ repliesAfterTs }: Job, messageTs: string): boolean {
  return repliesAfterTs !== null && messageTs <= repliesAfterTs;
}

/** Whether it has started by itself, so that no person waits for it. */
export function isUnattended({ requesterId, isStartedByPerson }: Job): boolean {
  return requesterId === null && isStartedByPerson !== true;
}

/** What the agent is asked first. */
export function startPromptOf({
  prompt,
  context,
  inlined,
}: Pick<Job, 'prompt' | 'context' | 'inlined'>): string {
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

/** A job in one of these stages is open: more is to happen. */
export const openStages = ['opening', ...startedStages] as const satisfies Stages;

/** Nothing more happens to such a job unless a person continues it. */
export const overStages = [
  'awaiting_confirmation',
  'dropped',
  'card_failed',
  'rejected',
  'ended',
] as const satisfies Stages;

/** The program works on such a job by itself: it waits for no person. */
export const activeStages: ReadonlySet<Stage['kind']> = new Set(['opening', 'creating', 'working']);

/** The status that the thread knew last. */
export interface LastAnnounced {
  readonly status: string;
  readonly turn: number;
}

/** What the thread was told of a turn. */
export interface TurnNews {
  readonly turn: number;
  /** Those that the job has shown since the turn began, or since the thread was told that the agent works again. */
  readonly statuses: readonly string[];
  /** The pull requests that were its news, as they were spelled first. */
  readonly links: readonly string[];
  /** How often it was told that the agent works again, without a reply that explains it. */
  readonly returns: number;
  /** When it was told so last. */
  readonly returnedAtMs: number;
}

/** How much an agent that keeps changing its answer has made the program say. */
export interface RecentNews {
  /** The times of the last messages. */
  readonly atMs: readonly number[];
  /** How often the looks have paused. */
  readonly pauses: number;
  /** Null: they do not pause. */
  readonly pausedUntilMs: number | null;
}

/** Replies, by their number and their authors, each named once. */
export interface TurnReplies {
  readonly count: number;
  readonly authors: readonly string[];
}

/** How a job came to be. */
export type Origin =
  | {
      readonly kind: 'command' | 'form' | 'direct_message' | 'shortcut' | 'home' | 'schedule' | 'webhook';
    }
  /** `app`: an app mentioned the bot, of which there is a draft; absent: a person did. */
  | { readonly kind: 'mention'; readonly app?: MentioningApp }
  /** People marked a message with this emoji, by its name. `authorId`: who wrote it; absent: Slack did not say. */
  | {
      readonly kind: 'reaction';
      readonly messageTs: string;
      readonly emoji: string;
      readonly authorId?: string;
    }
  /** `waits`: the workflow goes on only when the turn has ended. */
  | { readonly kind: 'workflow'; readonly executionId: string; readonly waits: boolean };

export interface MentioningApp {
  readonly id: string;
  /** As it calls itself. */
  readonly name: string;
  readonly messageTs: string;
  readonly permalink: string;
}

/** The message that a draft is about; null: it is about none, or the job is no draft's. */
export function draftedMessageTs(origin: Origin): string | null {
  if (origin.kind === 'reaction') return origin.messageTs;
  return origin.kind === 'mention' ? (origin.app?.messageTs ?? null) : null;
}

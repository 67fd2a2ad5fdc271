import type { AgentJob, EndedStatus } from './agent-job.ts';
import type { FileKind, Snippet } from './attached.ts';

/** One request made in Slack, its thread, and the agent job that works on it. */
export interface Job {
  readonly id: string;
  readonly teamId: string;
  readonly channelId: string;
  readonly requesterId: string;
  readonly projectId: string;
  readonly projectName: string;
  /**
   * The prompt as Slack delivered it (escaped, with `<@U…>` tokens); see `slack/text/readable-text.ts`. Of a job that
   * was attached, what stands in its place.
   */
  readonly prompt: string;
  /** Messages of the thread that it was asked for in, which go to the agent after the prompt; escaped like it. */
  readonly context: string;
  /** The agent job that somebody else started, and this job was attached to (`watch`), or null. */
  readonly attachedTo: string | null;
  /** Texts that came along with it, and are still to be read. */
  readonly snippets: readonly Snippet[];
  /** Those that were read, to go to the agent with the prompt; escaped like it. */
  readonly inlined: string;
  /** What else came along: the thread is told that the agent does not get it. */
  readonly others: readonly FileKind[];
  readonly requestedAtMs: number;
  /** Slack's address for private answers to the requester, good for 30 minutes. */
  readonly responseUrl: string | null;
  /** The root of the thread: the card, or a message that somebody else wrote. Null until there is one. */
  readonly threadTs: string | null;
  /** Null until the card is posted. */
  readonly cardTs: string | null;
  /** Messages of the thread up to this one were there before the job, and are no follow-ups. */
  readonly repliesAfterTs: string | null;
  readonly stage: Stage;
  /** Create calls wanted so far; numbers them, so that none can be wanted twice. */
  readonly creates: number;
  /** Message calls wanted so far; numbers them likewise. */
  readonly messages: number;
  /** Which prompt or follow-up is being worked on: 1 for the prompt. */
  readonly turn: number;
  /** What the API last said, or null while there is no agent job. */
  readonly agentJob: AgentJob | null;
  readonly checkedAtMs: number | null;
  /** The status last told in the thread, and the turn it was told for. */
  readonly told: { readonly status: string; readonly turn: number } | null;
  /** Posts wanted so far; numbers them, so that none can be wanted twice. */
  readonly posts: number;
  readonly announcedPrLink: string | null;
  readonly trouble: Trouble | null;
  /** All that was asked of the agent job met a 404, from then to then; null or absent: the last answer was another. */
  readonly missing?: { readonly sinceMs: number; readonly untilMs: number } | null;
  /** Replies are held back until then, after a rate limit or an outage. */
  readonly sendNotBeforeMs: number | null;
  readonly sentFollowUps: number;
  /** How often the thread was asked whether to keep watching; numbers the questions. */
  readonly watchQuestions: number;
  /** Card calls wanted so far; numbers them. */
  readonly cards: number;
  /** The message call that goes out without a window (*Send now*), or null. */
  readonly hurriedMessage: number | null;
  /** Only replies that mention the bot are follow-ups. */
  readonly muted: boolean;
}

export type Stage =
  /** The same was asked a moment ago: the requester is asked first whether this is meant to be another job. */
  | {
      readonly kind: 'asking';
      readonly sameAsJobId: string;
      readonly thread: StartThread | null;
    }
  /** The card is not posted yet. */
  | { readonly kind: 'opening' }
  /** The card could not be posted: the job will not start, and its thread is free for another. */
  | { readonly kind: 'unopened'; readonly reason: string; readonly thread: StartThread | null }
  /** The create call is wanted, waits for its retry, or is under way. */
  | { readonly kind: 'creating' }
  /** The create call may or may not have made a job: a person decides. */
  | { readonly kind: 'create_unknown'; readonly callId: string }
  /** The API refused the prompt. */
  | { readonly kind: 'rejected'; readonly message: string }
  /** The agent works; the poller watches. */
  | {
      readonly kind: 'working';
      readonly turnStartedAtMs: number;
      readonly settle: Settle | null;
      /** The turn began before it was looked at: nobody knows when. */
      readonly isOlder?: true;
      /** From when on the thread is asked whether to keep watching; absent: when the turn has lasted long. */
      readonly askFromMs?: number;
      /** What the thread was asked last in this turn. */
      readonly question?: WatchQuestion;
    }
  /** The turn is over, as far as anybody can tell: the job is still looked at, at growing distances. */
  | {
      readonly kind: 'ended';
      readonly status: EndedStatus | 'vanished';
      /** Since when the API has said the same; absent: nobody knows, and it was long ago. */
      readonly sinceMs?: number;
      /** See `Settle`. */
      readonly turnsToCome?: number;
    };

/** A thread of other people that a job starts in: its root, and its last message by then. */
export interface StartThread {
  readonly threadTs: string;
  readonly lastTs: string;
}

/** Whether to keep watching a turn that lasts long. */
export interface WatchQuestion {
  readonly number: number;
  readonly answer: 'keep' | 'stop' | null;
  /** Since when nobody has answered and nothing has changed; absent: nobody knows, and it was long ago. */
  readonly openSinceMs?: number;
}

/** People stopped the watch: the agent's work is not looked at, until they resume it or write a follow-up. */
export function isUnwatched({ stage }: Job): boolean {
  return stage.kind === 'working' && stage.question?.answer === 'stop';
}

/** After a follow-up the API may still answer the state of the turn before; it is not believed until then. */
export interface Settle {
  readonly untilMs: number;
  /** The ended status before the follow-up, or null if the job was thought to be active. */
  readonly previousStatus: string | null;
  readonly previousPrLink: string | null;
  readonly seenActive: boolean;
  /** Of the follow-ups that the API accepted, how many it has not been seen to take up: each may become a turn yet. */
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
  readonly retryAtMs: number;
  /** Whether the thread was told. */
  readonly told: boolean;
}

/** `needs_admin`: the key is refused, or the project is unknown to the API. */
export type TroubleKind = 'rate_limited' | 'unreachable' | 'needs_admin';

/** The message stood in the thread before the job did: it is no follow-up. */
export function isBeforeJob({ repliesAfterTs }: Job, messageTs: string): boolean {
  return repliesAfterTs !== null && messageTs <= repliesAfterTs;
}

/** As Slack writes times; of fixed width, so their text order is their time order. */
export function slackTime(atMs: number): string {
  return (atMs / 1000).toFixed(6);
}

/** What the agent is asked first. */
export function startPromptOf({
  prompt,
  context,
  inlined,
}: Pick<Job, 'prompt' | 'context' | 'inlined'>): string {
  return [prompt, context, inlined].filter((part) => part !== '').join('\n\n');
}

/** Whether it watches an agent job that the API has not told of yet. */
export function isUnseen({ attachedTo, checkedAtMs }: Job): boolean {
  return attachedTo !== null && checkedAtMs === null;
}

/** How the agent API has lately answered for a project, as far as this process knows. */
export interface AgentFacts {
  /** When it last did what was asked; null: not since the start. */
  readonly answeredAtMs: number | null;
  /** What has been wrong since then, or null. */
  readonly trouble: { readonly kind: TroubleKind; readonly sinceMs: number } | null;
}

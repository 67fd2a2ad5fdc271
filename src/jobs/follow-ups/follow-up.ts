import type { Instruction } from '../call.ts';
import { type Job, paragraphs, startPromptOf } from '../job.ts';
import type { Policy } from '../policy.ts';
import { areTooMany, type Snippet, seeFiles } from '../requests/attachments.ts';
import { isBlank, judgePrompt, unescaped } from '../requests/command.ts';
import { isLimitedByAgent } from '../schedule/hourly-budget.ts';

export type FollowUp = Readonly<{
  id: string;
  jobId: string;
  messageTs: string;
  userId: string;
  /** Escaped, with `<@U…>` tokens. */
  text: string;
  editedTs: string | null;
  receivedAtMs: number;
  state: FollowUpState;
  callId: string | null;
  /** From an edit too late for the call. */
  corrected: string | null;
  isDeleted: boolean;
  isCorrectionOffered?: true | undefined;
  isCorrection: boolean;
  snippets: readonly Snippet[];
  /** Sent after `text`; escaped. */
  inlined: string;
  pictures?: readonly Snippet[] | undefined;
}>;

/**
 * `not_sent`: a person may retry; no `callId`: the job has no card. `unknown`: a person decides. `withdrawn`:
 * deleted in time. `aside`: kept between people, because its author said so (without text) or because it reads
 * like that. `excluded`: not for the agent for another reason; its text is erased.
 */
export type FollowUpState = 'waiting' | 'sending' | 'sent' | 'not_sent' | 'unknown' | 'withdrawn' | Excluded;

type Excluded = 'aside' | 'muted' | 'excluded';

export function excludedFollowUp(followUp: FollowUp, state: Excluded): FollowUp {
  const nothing = { text: '', corrected: null, snippets: [], inlined: '', pictures: undefined, callId: null };
  return { ...followUp, ...nothing, state };
}

export type Undelivered = FollowUp & { readonly callId: string };

export function isUndelivered(followUp: FollowUp): followUp is Undelivered {
  return (followUp.state === 'unknown' || followUp.state === 'not_sent') && followUp.callId !== null;
}

export function authorsOf(followUps: readonly FollowUp[]): string[] {
  return [...new Set(followUps.map(({ userId }) => userId))];
}

export type Receipt = 'eyes' | 'done' | 'warning' | 'muted' | 'aside';

export const receiptOf: Readonly<Record<FollowUpState, Receipt | null>> = {
  waiting: 'eyes',
  sending: 'eyes',
  sent: 'done',
  not_sent: 'warning',
  unknown: 'warning',
  withdrawn: null,
  aside: 'aside',
  muted: 'muted',
  excluded: null,
};

export const dueStates = ['waiting', 'sending'] as const satisfies readonly FollowUpState[];

export const unsentStates = [...dueStates, 'not_sent', 'unknown'] as const satisfies readonly FollowUpState[];

/** Fixed width, as in Slack, sorts as text. */
export function slackTime(atMs: number): string {
  return (atMs / 1000).toFixed(6);
}

const WORTH_A_BUTTON_MS = 2_000;

export type Queue = Readonly<{
  /** Including those being sent. */
  waiting: number;
  untilMs: number | null;
  sendNow: number | null;
  undecided: Undecided | null;
}>;

type Undecided = Readonly<{
  count: number;
  callId: string;
  mayBeThere?: true;
}>;

export const emptyQueue: Queue = { waiting: 0, untilMs: null, sendNow: null, undecided: null };

type QueueState = Readonly<{ job: Job; followUps: readonly FollowUp[] }>;

export function queueOf(state: QueueState, policy: Policy, nowMs: number): Queue {
  const undecided = undecidedOf(state.followUps.filter(isUndelivered));
  // Without one, the create call includes them.
  const isSending = (one: FollowUp) => one.state === 'sending' && state.job.agentJob !== null;
  const waiting = state.followUps.filter((one) => one.state === 'waiting' || isSending(one)).length;
  return { ...emptyQueue, ...waitOf(state, policy, nowMs), waiting, undecided };
}

function waitOf({ job, followUps }: QueueState, policy: Policy, nowMs: number): Partial<Queue> {
  const message = job.messages + 1;
  // *Send now* must not override our own budget.
  const sendNow = isLimitedByAgent(job) && job.hurriedMessage !== message ? message : null;
  if (job.stage.kind === 'creating') return { sendNow };
  const waiting = readyOf(followUps.filter(({ state }) => state === 'waiting'));
  if (waiting.length === 0) return {};
  if (job.sendNotBeforeMs !== null && job.sendNotBeforeMs > nowMs)
    return { untilMs: job.sendNotBeforeMs, sendNow };
  const isSending = followUps.some(({ state }) => state === 'sending');
  if (job.agentJob === null || isSending || job.hurriedMessage === message) return {};
  const untilMs = sendAtMs(waiting, policy.followUpWindowMs);
  if (untilMs <= nowMs) return {};
  return { untilMs, sendNow: untilMs - nowMs >= WORTH_A_BUTTON_MS ? message : null };
}

export function undecidedOf(
  calls: readonly { readonly callId: string; readonly state: FollowUp['state'] }[],
): Undecided | null {
  const [oldest] = calls;
  if (oldest === undefined) return null;
  const { callId, state } = oldest;
  return { count: calls.length, callId, ...(state === 'unknown' && { mayBeThere: true }) };
}

/** The most for a person who keeps writing. */
const LONGEST_WAIT_IN_WINDOWS = 10;
const SEPARATOR = '\n\n';
const CORRECTION = 'Correction of an earlier message: ';

/** One batching window after the last reply. */
export function sendAtMs(waiting: readonly FollowUp[], windowMs: number): number {
  const times = waiting.map((followUp) => followUp.receivedAtMs);
  return Math.min(Math.max(...times) + windowMs, Math.min(...times) + LONGEST_WAIT_IN_WINDOWS * windowMs);
}

/** As many as fit, at least one. */
export function nextBatch(waiting: readonly FollowUp[], maxLength: number) {
  const followUps: FollowUp[] = [];
  let length = 0;
  for (const followUp of waiting) {
    length += promptOf(followUp).length + (followUps.length > 0 ? SEPARATOR.length : 0);
    const isFull = length > maxLength || areTooMany(picturesOf([...followUps, followUp]));
    if (followUps.length > 0 && isFull) break;
    followUps.push(followUp);
  }
  return { followUps, ...instructionOf(followUps.map(promptOf).join(SEPARATOR), followUps) };
}

function picturesOf(from: readonly Pick<FollowUp, 'pictures'>[]) {
  return from.flatMap(({ pictures = [] }) => pictures);
}

function instructionOf(prompt: string, from: readonly Pick<FollowUp, 'pictures'>[]): Instruction {
  const pictures = picturesOf(from);
  return { prompt, ...(pictures.length > 0 && { pictures }) };
}

/** Those before the first with unread snippets. */
export function readyOf(waiting: readonly FollowUp[]): readonly FollowUp[] {
  const end = waiting.findIndex(({ snippets }) => snippets.length > 0);
  return end < 0 ? waiting : waiting.slice(0, end);
}

export function promptOf({ text, inlined, isCorrection, pictures = [] }: FollowUp): string {
  const own = isCorrection ? CORRECTION + text : text;
  const words = [own, inlined].filter((part) => !isBlank(part)).join(SEPARATOR);
  return words === '' && pictures.length > 0 ? seeFiles(pictures) : words;
}

const ALONG = 'Replies in the Slack thread:';

export function firstInstruction(job: Job, along: readonly FollowUp[]): Instruction {
  const lines = along.map((followUp) => `\n<@${followUp.userId}>: ${promptOf(followUp)}`);
  const prompt = paragraphs(startPromptOf(job), lines.length > 0 ? ALONG + lines.join('') : '');
  return instructionOf(prompt, [job, ...along]);
}

export function fittingAlong(job: Job, waiting: readonly FollowUp[], maxLength: number): FollowUp[] {
  const along: FollowUp[] = [];
  for (const followUp of readyOf(waiting)) {
    const whole = unescaped(firstInstruction(job, [...along, followUp]).prompt);
    const isFull = followUp.pictures !== undefined && areTooMany(picturesOf([job, ...along, followUp]));
    if (isFull || judgePrompt(whole, maxLength).kind !== 'ok') break;
    along.push(followUp);
  }
  return along;
}

export type NeedingJob = Readonly<{ job: Job; undecided: Queue['undecided'] }>;

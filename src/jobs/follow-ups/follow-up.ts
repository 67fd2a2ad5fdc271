import type { Snippet } from '../requests/attachments.ts';

/** A reply in a job's thread that is to be sent to the agent. */
export type FollowUp = Readonly<{
  id: string;
  jobId: string;
  /** The reply's Slack timestamp; replies are ordered by it. */
  messageTs: string;
  userId: string;
  /** The reply as Slack delivered it (escaped, with `<@U…>` tokens). */
  text: string;
  /** Slack's timestamp of the last edit included in `text`, or null. */
  editedTs: string | null;
  receivedAtMs: number;
  state: FollowUpState;
  /** The message call that carries it, or carried it last. */
  callId: string | null;
  /** The wording after an edit that was too late for the message call, or null. */
  corrected: string | null;
  /** Deleted too late for the message call. */
  isDeleted: boolean;
  /** Its author knows that the correction can be sent. */
  isCorrectionOffered?: true;
  /** `text` corrects what was sent before. */
  isCorrection: boolean;
  /** Attached texts to read before it can go out. */
  snippets: readonly Snippet[];
  /** The texts that were read, sent with `text`; escaped like it. */
  inlined: string;
}>;

/**
 * - `waiting`: stored, goes out with the next message call
 * - `sending`: in a message call that is pending or in flight
 * - `sent`: accepted by the API
 * - `not_sent`: refused by the API; a person may retry. Without a `callId`: its job has no card; goes with
 * *Try again*
 * - `unknown`: may have been accepted; a person decides
 * - `withdrawn`: deleted in Slack before it went out
 * - `aside`: not for the agent, by its author's word (`aside …`; its text is not kept) or by how it reads,
 * until they say otherwise
 * - `muted`: written while the thread was muted; its text is not kept
 * - `excluded`: nothing to send, like `mute` or files alone; its text is not kept
 */
export type FollowUpState = 'waiting' | 'sending' | 'sent' | 'not_sent' | 'unknown' | 'withdrawn' | Excluded;

type Excluded = 'aside' | 'muted' | 'excluded';

/** The reply as kept when it stays between people. */
export function excludedFollowUp(followUp: FollowUp, state: Excluded): FollowUp {
  const nothing = { text: '', corrected: null, snippets: [], inlined: '', callId: null };
  return { ...followUp, ...nothing, state };
}

/** A reply that needs a person's decision, and its last call. */
export type Undelivered = FollowUp & { readonly callId: string };

export function isUndelivered(followUp: FollowUp): followUp is Undelivered {
  return (followUp.state === 'unknown' || followUp.state === 'not_sent') && followUp.callId !== null;
}

/** Each once. */
export function authorsOf(followUps: readonly FollowUp[]): string[] {
  return [...new Set(followUps.map(({ userId }) => userId))];
}

/** The reaction on a reply. `eyes`: stored; `done`: accepted by the API; `warning`: not sent, or unknown. */
export type Receipt = 'eyes' | 'done' | 'warning' | 'muted' | 'aside';

/** Null: none. A withdrawn reply no longer exists. */
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

/** Goes out by itself, or is being sent. */
export const dueStates = ['waiting', 'sending'] as const satisfies readonly FollowUpState[];

/** May still be sent, or it is unknown whether it was. */
export const unsentStates = [...dueStates, 'not_sent', 'unknown'] as const satisfies readonly FollowUpState[];

/** In Slack's format, whose fixed width makes times sort as text. */
export function slackTime(atMs: number): string {
  return (atMs / 1000).toFixed(6);
}

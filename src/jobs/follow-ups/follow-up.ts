import type { Snippet } from '../requests/attachments.ts';

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
  isCorrectionOffered?: true;
  isCorrection: boolean;
  snippets: readonly Snippet[];
  /** Sent after `text`; escaped. */
  inlined: string;
}>;

/**
 * `not_sent`: a person may retry; no `callId`: the job has no card. `unknown`: a person decides. `withdrawn`:
 * deleted in time. `aside`: by its author's word (without text) or by how it reads. `excluded`: empty.
 */
export type FollowUpState = 'waiting' | 'sending' | 'sent' | 'not_sent' | 'unknown' | 'withdrawn' | Excluded;

type Excluded = 'aside' | 'muted' | 'excluded';

export function excludedFollowUp(followUp: FollowUp, state: Excluded): FollowUp {
  const nothing = { text: '', corrected: null, snippets: [], inlined: '', callId: null };
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

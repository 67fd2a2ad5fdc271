import { threadWordOf } from '../command.ts';
import type { FollowUp } from '../follow-up.ts';
import { isBlank } from '../prompt.ts';
import type { Draft } from './draft.ts';
import { putOrRefuse, refusalOf } from './line-up.ts';

/** The reply was sent, and reads otherwise since: its author may want the agent to know. */
export function offerCorrection(draft: Draft, followUp: FollowUp): void {
  const { text, corrected, messageTs, userId } = followUp;
  if (corrected === null || !isWorthSending(text, corrected)) {
    draft.note({ ...followUp, corrected: null });
    return;
  }
  draft.note(followUp);
  draft.whisper(userId, { kind: 'edited_after_sending', messageTs });
}

/**
 * *Send the correction*: the reply goes out once more, as it reads now. After several edits each offer does the
 * same, and the first that is pressed settles all.
 */
export function sendCorrection(draft: Draft, messageTs: string): void {
  const followUp = draft.followUpAt(messageTs);
  if (followUp?.state !== 'sent' || followUp.corrected === null) return;
  const again: FollowUp = {
    ...followUp,
    text: followUp.corrected,
    corrected: null,
    isCorrection: true,
    state: 'waiting',
    callId: null,
    receivedAtMs: draft.context.nowMs,
  };
  putOrRefuse(draft, again, refusalOf(draft, again));
}

function isWorthSending(sent: string, now: string): boolean {
  return now.trim() !== sent.trim() && !isBlank(now) && threadWordOf(now) === null;
}

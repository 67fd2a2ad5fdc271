import type { Reply } from '../../event.ts';
import { authorsOf, type FollowUp, promptOf, readyOf, sendAtMs } from '../../follow-ups/follow-up.ts';
import { type Attachments, noAttachments } from '../../requests/attachments.ts';
import { judgePrompt, unescaped } from '../../requests/command.ts';
import type { DecisionBuilder } from '../decision-builder.ts';

export const NO_JOB = 'There is no job yet: the request was not accepted.';

const numbers = new Intl.NumberFormat('en-US');

const MAX_UNSENT_FOLLOW_UPS = 200;

/** The bot's post of a form's text counts as a reply. */
export function followUpShown(
  builder: DecisionBuilder,
  { messageTs, userId, text }: Pick<Reply, 'messageTs' | 'userId' | 'text'>,
): void {
  if (builder.followUpAt(messageTs) === null)
    enqueueNew(builder, newFollowUp(builder, { messageTs, userId, text, editedTs: null }));
}

export function newFollowUp(
  builder: DecisionBuilder,
  { messageTs, userId, text, editedTs }: Pick<Reply, 'messageTs' | 'userId' | 'text' | 'editedTs'>,
  { snippets, others }: Attachments = noAttachments,
): FollowUp {
  const { job, context } = builder;
  return {
    id: context.newId(),
    jobId: job.id,
    messageTs,
    userId,
    text,
    editedTs,
    receivedAtMs: context.nowMs,
    state: 'waiting',
    callId: null,
    corrected: null,
    isDeleted: false,
    isCorrection: false,
    snippets,
    inlined: '',
    pictures: builder.picturesIn(others),
  };
}

export function enqueueNew(builder: DecisionBuilder, followUp: FollowUp): void {
  const unsent = builder.followUpsIn('waiting', 'sending').length;
  const isFull = unsent >= MAX_UNSENT_FOLLOW_UPS;
  const refusal = refusalOf(builder, followUp) ?? (isFull ? `${unsent} replies are waiting already.` : null);
  enqueueOrRefuse(builder, followUp, refusal);
}

export function enqueueOrRefuse(
  builder: DecisionBuilder,
  followUp: FollowUp,
  refusal = refusalOf(builder, followUp),
): void {
  if (refusal === null) {
    builder.updateFollowUps([followUp]);
    scheduleSending(builder);
    return;
  }
  // Not a call's id: it tells *Send again* which reply is meant.
  const callId = followUp.id;
  builder.updateFollowUps([followUp], { state: 'not_sent', callId });
  announceRefusal(builder, callId, [followUp], refusal);
}

export function announceRefusal(
  builder: DecisionBuilder,
  callId: string,
  followUps: readonly FollowUp[],
  message: string,
): void {
  builder.announce({
    kind: 'message_rejected',
    callId,
    count: followUps.length,
    authorIds: authorsOf(followUps),
    message,
    refusedBy: 'program',
    action: message === NO_JOB ? 'edit_and_start' : 'send_again',
  });
}

export function refusalOf({ job, context }: DecisionBuilder, followUp: FollowUp): string | null {
  const verdict = judgePrompt(unescaped(promptOf(followUp)), context.policy.promptMaxLength);
  if (verdict.kind === 'empty') return followUp.snippets.length > 0 ? null : 'It has no text.';
  if (verdict.kind === 'too_long') {
    const { length, maxLength } = verdict;
    return `It has ${numbers.format(length)} characters; the limit is ${numbers.format(maxLength)}.`;
  }
  return job.stage.kind === 'rejected' ? NO_JOB : null;
}

export function scheduleSending(builder: DecisionBuilder): void {
  const { job } = builder;
  const waiting = readyOf(builder.followUpsIn('waiting'));
  if (waiting.length === 0 || job.agentJob === null) return;
  builder.schedule('send_follow_ups', sendingDueMs(builder, waiting));
  // A new turn hides late news of the last.
  if (job.stage.kind === 'ended') builder.schedule('check_ended_job');
}

export function sendingDueMs({ job, context }: DecisionBuilder, waiting: readonly FollowUp[]): number {
  const isHurried = job.hurriedMessage === job.messages + 1;
  const windowEndMs = isHurried ? context.nowMs : sendAtMs(waiting, context.policy.followUpWindowMs);
  return Math.max(windowEndMs, job.sendNotBeforeMs ?? 0);
}

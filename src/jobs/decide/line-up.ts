import { nothingAttached } from '../attached.ts';
import { promptOf, readyOf, sendAtMs } from '../batch.ts';
import type { Reply } from '../event.ts';
import type { FollowUp } from '../follow-up.ts';
import { judgePrompt, unescaped } from '../prompt.ts';
import type { Draft } from './draft.ts';

export const NO_JOB = 'no job runs in this thread; press "Run again" first';

/** Bounds what one thread can pile up while the API is away. */
const MAX_UNSENT_FOLLOW_UPS = 200;

/** What a person wrote in the form stands in the thread, at `messageTs`: it is a follow-up like a reply. */
export function followUpShown(draft: Draft, written: Pick<Reply, 'messageTs' | 'userId' | 'text'>): void {
  if (draft.followUpAt(written.messageTs) !== null) return;
  const reply = { ...written, editedTs: null, mentionsBot: true, attached: nothingAttached };
  const followUp = newFollowUp(draft, reply);
  putOrRefuse(draft, followUp, refusalOf(draft, followUp) ?? pileRefusal(draft));
}

export function newFollowUp({ job, context }: Draft, reply: Reply): FollowUp {
  const { messageTs, userId, text, editedTs, attached } = reply;
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
    snippets: attached.snippets,
    inlined: '',
  };
}

/** `followUp` waits, or has been tried before; a refusal is told, and can be retried. */
export function putOrRefuse(draft: Draft, followUp: FollowUp, refusal: string | null): void {
  if (refusal === null) {
    draft.put([followUp]);
    scheduleSending(draft);
    return;
  }
  // Nothing was called; the id only tells the *Retry* button which reply is meant.
  const callId = followUp.id;
  draft.put([{ ...followUp, state: 'not_sent', callId }]);
  draft.announce({ kind: 'message_rejected', callId, count: 1, message: refusal, offer: 'retry' });
}

/** Why a reply is not even tried, or null. */
export function refusalOf(draft: Draft, followUp: FollowUp): string | null {
  const verdict = judgePrompt(unescaped(promptOf(followUp)), draft.context.policy.promptMaxLength);
  if (verdict.kind === 'empty') return followUp.snippets.length > 0 ? null : 'it has no text';
  if (verdict.kind === 'too_long') {
    return `it has ${verdict.length} characters, and the limit is ${verdict.maxLength}`;
  }
  return draft.job.stage.kind === 'rejected' ? NO_JOB : null;
}

/** Plans when the waiting replies go out, if there is an agent job to send them to. */
export function scheduleSending(draft: Draft): void {
  const waiting = readyOf(draft.followUpsIn('waiting'));
  if (waiting.length === 0 || draft.job.agentJob === null) return;
  const { job, context } = draft;
  const isHurried = job.hurriedMessage === job.messages + 1;
  const windowEndMs = isHurried ? context.nowMs : sendAtMs(waiting, context.policy.followUpWindowMs);
  draft.schedule('send_follow_ups', Math.max(windowEndMs, job.sendNotBeforeMs ?? 0));
  // A new turn hides what came late of the one before.
  if (job.stage.kind === 'ended') draft.schedule('check_ended_job', context.nowMs);
}

/** Why no more replies are taken, or null. */
export function pileRefusal(draft: Draft): string | null {
  const unsent = draft.followUpsIn('waiting').length + draft.followUpsIn('sending').length;
  return unsent < MAX_UNSENT_FOLLOW_UPS ? null : `${unsent} replies were not sent yet`;
}

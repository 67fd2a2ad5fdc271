import type { AgentJob } from '../agent-job.ts';
import { nextBatch, readyOf } from '../batch.ts';
import type { AgentFailure } from '../failure.ts';
import { offerCorrection } from './corrections.ts';
import type { Draft } from './draft.ts';
import { lookFromNow } from './ended.ts';
import { NO_JOB, putOrRefuse, refusalOf, scheduleSending } from './line-up.ts';
import { isGone, isMissing, isWaitedFor, noteMissing, noteNotMissing } from './missing.ts';
import { startTurn } from './observe.ts';
import { asItReads, stillMeant } from './replies.ts';
import { clearTrouble, endTrouble, forgetSendTrouble, noteTrouble } from './trouble.ts';
import { verdictOn } from './verdict.ts';

/** There will be no job for the replies that wait for one. `callId` is the call that was refused. */
export function refuseWaiting(draft: Draft, callId: string): void {
  const waiting = draft.followUpsIn('waiting');
  if (waiting.length === 0) return;
  draft.put(waiting.map((followUp) => ({ ...followUp, state: 'not_sent', callId })));
  draft.announce({
    kind: 'message_rejected',
    callId,
    count: waiting.length,
    message: NO_JOB,
    offer: 'retry',
  });
}

/** *Send now*: the replies that wait for `message` go out without waiting for the end of their window. */
export function sendNow(draft: Draft, message: number): void {
  const { job } = draft;
  const isNext = message === job.messages + 1 && job.hurriedMessage !== message;
  if (!isNext || job.agentJob === null || readyOf(draft.followUpsIn('waiting')).length === 0) return;
  draft.change({ hurriedMessage: message });
  scheduleSending(draft);
}

/** Puts the waiting replies into one message call. One call is under way at a time, which keeps the order. */
export function sendDue(draft: Draft): void {
  const { job, context } = draft;
  const waiting = readyOf(draft.followUpsIn('waiting'));
  if (waiting.length === 0 || job.agentJob === null || draft.followUpsIn('sending').length > 0) return;
  if (job.sendNotBeforeMs !== null && context.nowMs < job.sendNotBeforeMs) {
    draft.schedule('send_follow_ups', job.sendNotBeforeMs);
    return;
  }
  const batch = nextBatch(waiting, context.policy.promptMaxLength);
  const messages = job.messages + 1;
  draft.change({ messages, sendNotBeforeMs: null });
  const callId = draft.want(`message:${job.id}:${messages}`, draft.agentLane, {
    kind: 'send_message',
    agentJobId: job.agentJob.id,
    prompt: batch.prompt,
  });
  draft.put(batch.followUps.map((followUp) => ({ ...followUp, state: 'sending', callId })));
}

export function messageAccepted(
  draft: Draft,
  callId: string,
  agentJobId: string,
  agentJob: AgentJob | null,
): void {
  const sent = draft.followUpsOfCall(callId).filter((followUp) => followUp.state !== 'sent');
  if (sent.length === 0) return;
  draft.change({ sentFollowUps: draft.job.sentFollowUps + sent.length });
  draft.put(sent.map((followUp) => ({ ...followUp, state: 'sent' })));
  for (const followUp of draft.followUpsOfCall(callId)) {
    if (followUp.corrected !== null) offerCorrection(draft, followUp);
  }
  clearTrouble(draft, 'send');
  noteNotMissing(draft);
  // After *Run again* the thread has another agent job, and this message went to the one before.
  if (draft.job.agentJob?.id === agentJobId) startTurn(draft, agentJob);
  scheduleSending(draft);
}

export function messageFailed(
  draft: Draft,
  callId: string,
  failure: AgentFailure,
  othersAnsweredAtMs: number | null,
): void {
  const failed = draft.followUpsOfCall(callId).filter((followUp) => followUp.state === 'sending');
  if (failed.length === 0) return;
  const followUps = stillMeant(draft, failed);
  const count = followUps.length;
  if (isMissing(failure)) noteMissing(draft);
  else noteNotMissing(draft);
  const isJobGone = isGone(draft, failure, othersAnsweredAtMs);
  const verdict = verdictOn('send_message', failure, draft.context.policy.retryUnknown);
  switch (isMissing(failure) && !isWaitedFor(draft, failure, isJobGone) ? 'refused' : verdict) {
    case 'retry':
      if (count + draft.followUpsIn('waiting').length > 0) {
        draft.change({ sendNotBeforeMs: noteTrouble(draft, 'send', failure) });
      }
      for (const followUp of followUps.map(asItReads)) {
        putOrRefuse(draft, { ...followUp, state: 'waiting', callId: null }, refusalOf(draft, followUp));
      }
      forgetSendTrouble(draft);
      break;
    case 'refused':
      if (!isMissing(failure)) clearTrouble(draft, 'send');
      else if (draft.job.trouble?.source === 'send') endTrouble(draft, draft.job.trouble);
      if (count === 0) break;
      draft.put(followUps.map((followUp) => ({ ...asItReads(followUp), state: 'not_sent' })));
      draft.announce({
        kind: 'message_rejected',
        callId,
        count,
        message: failure.message,
        offer: isJobGone && draft.job.attachedTo === null ? 'run_again' : 'retry',
      });
      break;
    case 'unknown':
      if (count > 0) {
        draft.put(followUps.map((followUp) => ({ ...followUp, state: 'unknown' })));
        draft.announce({ kind: 'message_unknown', callId, count });
      }
      // If the agent has them all the same, it works on a turn that nobody watches.
      if (draft.job.stage.kind === 'ended') lookFromNow(draft, draft.job.stage);
      break;
  }
  scheduleSending(draft);
}

/**
 * *Retry* and *Send again*: only replies that still lack an outcome go back in line, so once is enough. A reply
 * that still cannot be sent is refused again.
 */
export function resend(draft: Draft, callId: string): void {
  const again = draft
    .followUpsOfCall(callId)
    .filter((followUp) => followUp.state === 'not_sent' || followUp.state === 'unknown')
    .map(asItReads);
  for (const followUp of again) {
    const refusal = refusalOf(draft, followUp);
    if (refusal === null) draft.put([{ ...followUp, state: 'waiting', callId: null }]);
    else draft.announce({ kind: 'message_rejected', callId, count: 1, message: refusal, offer: 'retry' });
  }
  scheduleSending(draft);
}

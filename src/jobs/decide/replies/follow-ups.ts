import type { EventOf } from '../../event.ts';
import { authorsOf, type FollowUp, type Undelivered } from '../../follow-ups/follow-up.ts';
import { nextBatch, readyOf } from '../../follow-ups/follow-up-queue.ts';
import { isHeldUpByAgent } from '../../schedule/hourly-budget.ts';
import { isWaitOn, LONGEST_PAUSE_MS } from '../../schedule/schedule.ts';
import { asKnown } from '../announce.ts';
import type { Deciders, DecisionBuilder } from '../decision-builder.ts';
import { clearTrouble, endTrouble, forgetSendTrouble, forgetUntoldTrouble, noteTrouble } from '../trouble.ts';
import { expectTurn, lookFromNow, startTurn } from '../watch/observe.ts';
import {
  isGone,
  isMissing,
  isWaitedFor,
  noteMissing,
  noteNotMissing,
  settleFailed,
} from '../watch/verdict.ts';
import {
  announceRefusal,
  followUpShown,
  NO_JOB,
  putOrRefuse,
  refusalOf,
  scheduleSending,
  sendingDueMs,
} from './line-up.ts';
import { asItReads, offerCorrection, sayItWasSent, stillMeant } from './replies.ts';

/** If the agent takes longer, the card says that replies are being sent. */
const ANSWERED_WITHIN_MS = 3_000;

/** The waiting replies will have no job. `callId` is the refused call. */
export function refuseWaiting(builder: DecisionBuilder, callId: string): void {
  const waiting = builder.followUpsIn('waiting');
  if (waiting.length === 0) return;
  builder.updateFollowUps(waiting, { state: 'not_sent', callId });
  announceRefusal(builder, callId, waiting, NO_JOB);
}

export const followUpDeciders = {
  /**
   * *Send now*: the replies that wait for `message` skip the rest of their window; or a call that waits for the
   * rate limit is tried once, since the API may have named a wrong time.
   */
  send_now_pressed(builder, { message }) {
    const { job } = builder;
    if (message !== job.messages + 1 || job.hurriedMessage === message) return;
    const isPaused = isHeldUpByAgent(job);
    if (isPaused && job.stage.kind === 'creating') {
      builder.change({ hurriedMessage: message });
      builder.note({ callsAgentNow: true });
    } else if (job.agentJob !== null && readyOf(builder.followUpsIn('waiting')).length > 0) {
      builder.change({ hurriedMessage: message, ...(isPaused && { sendNotBeforeMs: null }) });
      scheduleSending(builder);
    }
  },

  /** Puts the waiting replies into one message call. One call runs at a time, which keeps the order. */
  send_due(builder, { isCalled = false }) {
    if (isCalled) builder.change({ sendNotBeforeMs: null });
    const { job, context } = builder;
    const waiting = readyOf(builder.followUpsIn('waiting'));
    if (waiting.length === 0 || job.agentJob === null || builder.followUpsIn('sending').length > 0) return;
    const dueMs = sendingDueMs(builder, waiting);
    if (isWaitOn(dueMs, LONGEST_PAUSE_MS, context.nowMs)) {
      builder.schedule('send_follow_ups', dueMs);
      return;
    }
    const batch = nextBatch(waiting, context.policy.promptMaxLength);
    const messages = job.messages + 1;
    builder.change({ messages, sendNotBeforeMs: null });
    const callId = builder.addCall(`message:${job.id}:${messages}`, builder.lane('agent', 'agent'), {
      kind: 'send_message',
      agentJobId: job.agentJob.id,
      prompt: batch.prompt,
    });
    for (const followUp of batch.followUps) builder.saveFollowUp({ ...followUp, state: 'sending', callId });
    // Its receipt stays, and the answer usually arrives before anybody could read that it is being sent.
    builder.schedule('refresh_card', context.nowMs + ANSWERED_WITHIN_MS);
  },

  message_accepted(builder, { callId, agentJobId, agentJob }) {
    const answer = asKnown(builder, agentJob);
    builder.settle(callId, 'done');
    const sent = builder.followUpsOfCall(callId).filter((followUp) => followUp.state !== 'sent');
    if (sent.length === 0) return;
    builder.change({ sentFollowUps: builder.job.sentFollowUps + sent.length });
    builder.updateFollowUps(sent, { state: 'sent' });
    clearTrouble(builder, 'send');
    noteNotMissing(builder);
    // After *Start again* the thread has another agent job, and this message went to the previous one.
    if (builder.job.agentJob?.id === agentJobId) startTurn(builder, answer, sent);
    for (const followUp of builder.followUpsOfCall(callId)) tellIfChanged(builder, followUp);
    scheduleSending(builder);
  },

  message_failed(builder, { callId, failure, othersAnsweredAtMs }) {
    const verdict = settleFailed(builder, 'send_message', callId, failure);
    const failed = builder.followUpsOfCall(callId).filter((followUp) => followUp.state === 'sending');
    if (failed.length === 0) return;
    const followUps = stillMeant(builder, failed);
    const count = followUps.length;
    if (isMissing(failure)) noteMissing(builder);
    else noteNotMissing(builder);
    if (failure.outcome === 'unknown') expectTurn(builder);
    const isJobGone = isGone(builder, failure, othersAnsweredAtMs);
    switch (isMissing(failure) && !isWaitedFor(builder, failure, isJobGone) ? 'refused' : verdict) {
      case 'retry':
        if (count + builder.followUpsIn('waiting').length > 0) {
          builder.change({ sendNotBeforeMs: noteTrouble(builder, 'send', failure) });
        }
        for (const followUp of followUps.map(asItReads)) {
          putOrRefuse(builder, { ...followUp, state: 'waiting', callId: null });
        }
        forgetSendTrouble(builder);
        break;
      case 'refused':
        if (!isMissing(failure)) clearTrouble(builder, 'send');
        else if (builder.job.trouble?.source === 'send') endTrouble(builder, builder.job.trouble);
        if (count === 0) break;
        builder.updateFollowUps(followUps.map(asItReads), { state: 'not_sent' });
        builder.announce({
          kind: 'message_rejected',
          callId,
          count,
          authorIds: authorsOf(followUps),
          message: failure.words ?? '',
          action: isJobGone && builder.job.watchedAgentJobId === null ? 'start_again' : 'send_again',
        });
        break;
      case 'unknown':
        if (count > 0) {
          builder.updateFollowUps(followUps, { state: 'unknown' });
          builder.announce({ kind: 'message_unknown', callId, count, authorIds: authorsOf(followUps) });
        }
        if (builder.followUpsIn('waiting').length === 0) forgetUntoldTrouble(builder);
        // If the agent has them after all, it works on a turn that nothing watches.
        if (builder.job.stage.kind === 'ended') lookFromNow(builder, builder.job.stage);
        break;
    }
    scheduleSending(builder);
  },

  resend_pressed: resend,
  follow_up_shown: followUpShown,
} satisfies Partial<Deciders>;

export function tellIfChanged(builder: DecisionBuilder, followUp: FollowUp): void {
  if (followUp.corrected !== null) offerCorrection(builder, followUp);
  else if (followUp.isDeleted) sayItWasSent(builder, followUp);
}

/** *Send again*: replies without an outcome go back in line; what cannot be sent is refused again. */
export function resend(
  builder: DecisionBuilder,
  { callId }: Pick<EventOf<'resend_pressed'>, 'callId'>,
): void {
  const meant = builder.undelivered().filter((followUp) => callId === null || followUp.callId === callId);
  putBackInLine(builder, meant);
}

/** Replies without an outcome, in their current wording. */
export function putBackInLine(builder: DecisionBuilder, undelivered: readonly Undelivered[]): void {
  for (const followUp of undelivered) {
    const again = asItReads(followUp);
    const refusal = refusalOf(builder, again);
    if (refusal === null) builder.updateFollowUps([again], { state: 'waiting', callId: null });
    else announceRefusal(builder, followUp.callId, [again], refusal);
  }
  scheduleSending(builder);
}

import {
  authorsOf,
  type FollowUp,
  nextBatch,
  readyOf,
  type Undelivered,
} from '../../follow-ups/follow-up.ts';
import { canStop } from '../../job.ts';
import { isLimitedByAgent } from '../../schedule/hourly-budget.ts';
import { isWaitOn, LONGEST_PAUSE_MS } from '../../schedule/schedule.ts';
import { withKnownLink } from '../announce.ts';
import type { Deciders, DecisionBuilder } from '../decision-builder.ts';
import {
  clearTrouble,
  endFailedCall,
  endTrouble,
  forgetSendTrouble,
  forgetUntoldTrouble,
  isGone,
  isMissing,
  mayComeBack,
  noteMissing,
  noteTrouble,
} from '../failures.ts';
import { checkFrom, expectTurn, isEndSeen, observe, startTurn } from '../watch/observe.ts';
import {
  announceRefusal,
  enqueueOrRefuse,
  followUpShown,
  refusalOf,
  scheduleSending,
  sendingDueMs,
} from './enqueue.ts';
import { notifyOfDeletion, offerCorrection, withChanges, withCorrection } from './replies.ts';
import { announceNotSent } from './snippets.ts';

const ANSWERED_WITHIN_MS = 3_000;

export const followUpDeciders = {
  /** Tries once despite a rate limit, whose end may be wrong. */
  send_now_pressed(builder, { message }) {
    const { job } = builder;
    if (message !== job.messages + 1 || job.hurriedMessage === message) return;
    const isLimited = isLimitedByAgent(job);
    if (isLimited && job.stage.kind === 'creating') {
      builder.change({ hurriedMessage: message });
      builder.note({ callsAgentNow: true });
    } else if (job.agentJob !== null && readyOf(builder.followUpsIn('waiting')).length > 0) {
      builder.change({ hurriedMessage: message, ...(isLimited && { sendNotBeforeMs: null }) });
      scheduleSending(builder);
    }
  },

  /** One call at a time keeps the order. */
  send_due(builder, { isCalled = false }) {
    if (isCalled) builder.change({ sendNotBeforeMs: null });
    const { job, nowMs, policy } = builder;
    const waiting = readyOf(builder.followUpsIn('waiting'));
    if (waiting.length === 0 || job.agentJob === null || builder.followUpsIn('sending').length > 0) return;
    const dueMs = sendingDueMs(builder, waiting);
    if (isWaitOn(dueMs, LONGEST_PAUSE_MS, nowMs)) {
      builder.schedule('send_follow_ups', dueMs);
      return;
    }
    const { followUps, ...instruction } = nextBatch(waiting, policy.promptMaxLength);
    const messages = job.messages + 1;
    builder.change({ messages, sendNotBeforeMs: null });
    const request = { kind: 'send_message', agentJobId: job.agentJob.id, ...instruction } as const;
    const callId = builder.addCall(`message:${job.id}:${messages}`, request);
    for (const followUp of followUps) builder.saveFollowUp({ ...followUp, state: 'sending', callId });
    builder.schedule('refresh_card', nowMs + ANSWERED_WITHIN_MS);
  },

  message_accepted(builder, { callId, agentJobId, agentJob, notSent }) {
    const answer = agentJob && withKnownLink(builder, agentJob);
    builder.endCall(callId, 'done');
    const sent = builder.followUpsOfCall(callId).filter((followUp) => followUp.state !== 'sent');
    if (sent.length === 0) return;
    builder.change({ sentFollowUps: builder.job.sentFollowUps + sent.length });
    builder.updateFollowUps(sent, { state: 'sent' });
    announceNotSent(builder, notSent);
    clearTrouble(builder, 'send');
    noteMissing(builder, null);
    // After *Start again*, the message went to the old agent job.
    if (builder.job.agentJob?.id === agentJobId) {
      if (isEndSeen(builder, answer)) expectTurn(builder);
      else startTurn(builder, answer, sent);
    }
    notifyOfChanges(builder, callId);
    scheduleSending(builder);
  },

  message_failed(builder, { callId, failure, othersAnsweredAtMs }) {
    const verdict = endFailedCall(builder, 'send_message', callId, failure);
    const failed = builder.followUpsOfCall(callId).filter((followUp) => followUp.state === 'sending');
    if (failed.length === 0) return;
    const followUps = withChanges(builder, failed);
    const count = followUps.length;
    const authorIds = authorsOf(followUps);
    noteMissing(builder, failure);
    if (failure.outcome === 'unknown') expectTurn(builder);
    const isJobGone = isGone(builder, failure, othersAnsweredAtMs);
    switch (isMissing(failure) && !mayComeBack(builder, failure, isJobGone) ? 'failed' : verdict) {
      case 'retry':
        if (count + builder.followUpsIn('waiting').length > 0) {
          builder.change({ sendNotBeforeMs: noteTrouble(builder, 'send', failure) });
        }
        for (const followUp of followUps.map(withCorrection)) {
          enqueueOrRefuse(builder, { ...followUp, state: 'waiting', callId: null });
        }
        forgetSendTrouble(builder);
        break;
      case 'failed':
        if (!isMissing(failure)) clearTrouble(builder, 'send');
        else if (builder.job.trouble?.source === 'send') endTrouble(builder, builder.job.trouble);
        if (count === 0) break;
        builder.updateFollowUps(followUps.map(withCorrection), { state: 'not_sent' });
        builder.announce({
          kind: 'message_rejected',
          callId,
          count,
          authorIds,
          message: failure.words ?? '',
          action: isJobGone && builder.job.watchedAgentJobId === null ? 'start_again' : 'send_again',
        });
        break;
      case 'unknown':
        if (count > 0) {
          builder.updateFollowUps(followUps, { state: 'unknown' });
          builder.announce({ kind: 'message_unknown', callId, count, authorIds });
        }
        if (builder.followUpsIn('waiting').length === 0) forgetUntoldTrouble(builder);
        // The agent may have them: watch for a turn.
        if (builder.job.stage.kind === 'ended')
          checkFrom(builder, { ...builder.job.stage, sinceMs: builder.nowMs });
        break;
    }
    scheduleSending(builder);
  },

  resend_pressed(builder, { callId }) {
    requeue(builder, builder.undelivered(callId));
  },

  follow_up_shown: followUpShown,

  /** Calls in flight go out first; later replies follow the stop. */
  stop_pressed(builder, { userId: stopBy }) {
    const { job, nowMs, policy } = builder;
    const { stage, agentJob } = job;
    if (stage.kind !== 'working' || agentJob === null || !canStop(job)) return;
    const { question: _, ...watched } = stage;
    builder.change({ stage: { ...watched, stopBy } });
    const request = { kind: 'cancel_job', agentJobId: agentJob.id } as const;
    const callId = builder.addCall(`cancel:${job.id}:${nowMs}`, request);
    builder.updateFollowUps(builder.followUpsIn('waiting'), { state: 'not_sent', callId });
    builder.schedule('check_job', nowMs + policy.pollMinIntervalMs);
  },

  job_stopped(builder, { callId, agentJob: answer }) {
    builder.endCall(callId, 'done');
    clearTrouble(builder, 'send');
    const { stage, agentJob } = builder.job;
    if (stage.kind !== 'working' || agentJob?.id !== answer.id) return;
    const settled = { ...stage, settle: null };
    builder.change({ stage: settled, checkedAtMs: builder.nowMs });
    observe(builder, settled, withKnownLink(builder, answer));
  },

  stop_failed(builder, { callId, failure }) {
    const { reason, message, words } = failure;
    builder.endCall(callId, 'failed', `${reason}: ${message}`);
    clearTrouble(builder, 'send');
    const { stage } = builder.job;
    if (stage.kind !== 'working') return;
    const { stopBy: _, ...working } = stage;
    builder.change({ stage: working });
    builder.announce({ kind: 'not_stopped', ...(words !== undefined && { words }) });
    requeue(builder, builder.undelivered(callId));
    builder.refreshCard();
  },
} satisfies Partial<Deciders>;

export function notifyOfChanges(builder: DecisionBuilder, callId: string): void {
  for (const followUp of builder.followUpsOfCall(callId)) {
    if (followUp.corrected !== null) offerCorrection(builder, followUp);
    else if (followUp.isDeleted) notifyOfDeletion(builder, followUp);
  }
}

export function requeue(builder: DecisionBuilder, undelivered: readonly Undelivered[]): void {
  for (const one of undelivered) {
    const followUp: FollowUp = withCorrection(one);
    const refusal = refusalOf(builder, followUp);
    if (refusal === null) builder.updateFollowUps([followUp], { state: 'waiting', callId: null });
    else announceRefusal(builder, one.callId, [followUp], refusal);
  }
  scheduleSending(builder);
}

import {
  authorsOf,
  type FollowUp,
  nextBatch,
  promptOf,
  readyOf,
  sendAtMs,
  type Undelivered,
} from '../follow-ups/follow-up.ts';
import { canStop } from '../job.ts';
import type { NotSent } from '../requests/attachments.ts';
import { isBlank, judgePrompt, type ThreadWord, threadWordOf, unescaped } from '../requests/command.ts';
import { isLimitedByAgent } from '../schedule/hourly-budget.ts';
import { isWaitOn, LONGEST_PAUSE_MS } from '../schedule/schedule.ts';
import type { Deciders, DecisionBuilder } from './decision-builder.ts';
import {
  clearTrouble,
  endTrouble,
  forgetSendTrouble,
  forgetUntoldTrouble,
  isGone,
  isMissing,
  mayComeBack,
  noteMissing,
  noteTrouble,
  verdictOn,
} from './failures.ts';
import { checkFrom, expectTurn, isEndSeen, observe, startTurn } from './observe.ts';

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

  message_accepted(builder, { callId, agentJobId, agentJob: answer, notSent }) {
    builder.endCall(callId, 'done');
    const sent = builder.followUpsOfCall(callId).filter((followUp) => followUp.state !== 'sent');
    if (sent.length === 0) return;
    builder.updateFollowUps(sent, { state: 'sent' });
    announceNotSent(builder, notSent);
    clearTrouble(builder, 'send');
    noteMissing(builder, null);
    // After *Start again*, the message went to the old agent job.
    if (builder.job.agentJob?.id === agentJobId) {
      if (isEndSeen(builder, answer)) expectTurn(builder);
      else startTurn(builder, answer, sent);
    }
    offerCorrections(builder, callId);
    scheduleSending(builder);
  },

  message_failed(builder, { callId, failure, othersAnsweredAtMs }) {
    const verdict = verdictOn(failure);
    // Its replies join later ones in a new call.
    builder.endCall(callId, verdict === 'retry' ? 'not_made' : verdict, failure);
    const failed = builder.followUpsOfCall(callId).filter((followUp) => followUp.state === 'sending');
    if (failed.length === 0) return;
    const followUps = withChanges(builder, failed);
    const count = followUps.length;
    const authorIds = authorsOf(followUps);
    noteMissing(builder, failure);
    if (failure.outcome === 'unknown') expectTurn(builder);
    const isJobGone = isGone(builder, failure, othersAnsweredAtMs);
    const isLost = isMissing(failure) && !mayComeBack(builder, failure, isJobGone);
    if (verdict === 'unknown' && !isLost) {
      if (count > 0) {
        builder.updateFollowUps(followUps, { state: 'unknown' });
        builder.announce({ kind: 'message_unknown', callId, count, authorIds });
      }
      if (builder.followUpsIn('waiting').length === 0) forgetUntoldTrouble(builder);
      // The agent may have them: watch for a turn.
      const { stage } = builder.job;
      if (stage.kind === 'ended') checkFrom(builder, { ...stage, sinceMs: builder.nowMs });
    } else if (verdict === 'retry' && !isLost) {
      if (count + builder.followUpsIn('waiting').length > 0) {
        builder.change({ sendNotBeforeMs: noteTrouble(builder, 'send', failure) });
      }
      for (const followUp of followUps) enqueueOrRefuse(builder, withCorrection(followUp));
      forgetSendTrouble(builder);
    } else {
      if (!isMissing(failure)) clearTrouble(builder, 'send');
      else if (builder.job.trouble?.source === 'send') endTrouble(builder, builder.job.trouble);
      if (count > 0) {
        builder.updateFollowUps(followUps.map(withCorrection), { state: 'not_sent' });
        builder.announce({
          kind: 'message_rejected',
          callId,
          count,
          authorIds,
          message: failure.words ?? '',
          action: isJobGone && builder.job.watchedAgentJobId === null ? 'start_again' : 'send_again',
        });
      }
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
    builder.change({ stage: { ...stage, question: undefined, stopBy } });
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
    observe(builder, settled, answer);
  },

  stop_failed(builder, { callId, failure }) {
    builder.endCall(callId, 'failed', failure);
    clearTrouble(builder, 'send');
    const { stage } = builder.job;
    if (stage.kind !== 'working') return;
    builder.change({ stage: { ...stage, stopBy: undefined } });
    builder.announce({ kind: 'not_stopped', words: failure.words });
    requeue(builder, builder.undelivered(callId));
    builder.refreshCard();
  },
} satisfies Partial<Deciders>;

export function offerCorrections(builder: DecisionBuilder, callId: string): void {
  for (const followUp of builder.followUpsOfCall(callId)) {
    if (followUp.corrected !== null) offerCorrection(builder, followUp);
  }
}

export function requeue(builder: DecisionBuilder, undelivered: readonly Undelivered[]): void {
  for (const one of undelivered) {
    const followUp = withCorrection(one);
    const refusal = refusalOf(builder, followUp);
    if (refusal === null) enqueueOrRefuse(builder, followUp, null);
    else announceRefusal(builder, one.callId, [followUp], refusal);
  }
  scheduleSending(builder);
}

export const NO_JOB = 'There is no job yet: the request was not accepted.';

const numbers = new Intl.NumberFormat('en-US');

const MAX_UNSENT_FOLLOW_UPS = 200;

/** The bot's post of a form's text counts as a reply. */
export function followUpShown(builder: DecisionBuilder, shown: WrittenReply): void {
  if (builder.followUpAt(shown.messageTs) === null) enqueueNew(builder, newFollowUp(builder, shown));
}

type WrittenReply = Pick<FollowUp, 'messageTs' | 'userId' | 'text'> &
  Partial<Pick<FollowUp, 'editedTs' | 'snippets' | 'pictures' | 'isCorrection'>>;

export function newFollowUp(
  { job, context }: DecisionBuilder,
  { messageTs, userId, text, editedTs = null, snippets = [], pictures, isCorrection = false }: WrittenReply,
): FollowUp {
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
    isCorrection,
    snippets,
    inlined: '',
    pictures,
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
  if (followUp.snippets.length > 0) builder.schedule('read_snippets');
  if (refusal === null) {
    builder.updateFollowUps([followUp], { state: 'waiting', callId: null });
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

function refusalOf({ job, context }: DecisionBuilder, followUp: FollowUp): string | null {
  const verdict = judgePrompt(unescaped(promptOf(followUp)), context.policy.promptMaxLength);
  if (verdict.kind === 'empty') return followUp.snippets.length > 0 ? null : 'It has no text.';
  if (verdict.kind === 'too_long') {
    const { length, maxLength } = verdict;
    return `It has ${numbers.format(length)} characters; the limit is ${numbers.format(maxLength)}.`;
  }
  return job.stage.kind === 'rejected' ? NO_JOB : null;
}

export function announceNotSent(builder: DecisionBuilder, all: readonly NotSent[] = []): void {
  const files = all.filter((one) => 'kind' in one);
  const snippets = all.filter((one) => 'problem' in one);
  if (files.length > 0) builder.announce({ kind: 'files_not_sent', files });
  if (snippets.length > 0) builder.announce({ kind: 'snippets_not_sent', snippets });
}

export function scheduleSending(builder: DecisionBuilder): void {
  const { job } = builder;
  const waiting = readyOf(builder.followUpsIn('waiting'));
  if (waiting.length === 0 || job.agentJob === null) return;
  builder.schedule('send_follow_ups', sendingDueMs(builder, waiting));
  // A new turn hides late news of the last.
  if (job.stage.kind === 'ended') builder.schedule('check_ended_job');
}

function sendingDueMs({ job, context }: DecisionBuilder, waiting: readonly FollowUp[]): number {
  const isHurried = job.hurriedMessage === job.messages + 1;
  const windowEndMs = isHurried ? context.nowMs : sendAtMs(waiting, context.policy.followUpWindowMs);
  return Math.max(windowEndMs, job.sendNotBeforeMs ?? 0);
}

export function applyWord(builder: DecisionBuilder, followUp: FollowUp, word: ThreadWord) {
  builder.excludeFollowUp(followUp, word === 'aside' ? 'aside' : 'excluded');
  builder.refreshCard();
  if (word !== 'aside') mute(builder, word === 'mute', followUp.userId);
}

export function mute(builder: DecisionBuilder, muted: boolean, userId: string) {
  builder.change({ muted });
  builder.announce({ kind: muted ? 'muted' : 'unmuted', userId });
  builder.refreshCard();
}

/** Applies words and deletions received meanwhile. Returns the rest. */
export function withChanges(builder: DecisionBuilder, followUps: readonly FollowUp[]): FollowUp[] {
  return followUps.filter((followUp) => {
    const word = threadWordOf(followUp.corrected ?? '');
    if (followUp.isDeleted) builder.updateFollowUps([followUp], { state: 'withdrawn' });
    else if (word !== null) applyWord(builder, followUp, word);
    else return true;
    return false;
  });
}

export function withCorrection(followUp: FollowUp): FollowUp {
  return { ...followUp, text: followUp.corrected ?? followUp.text, corrected: null };
}

export function offerCorrection(builder: DecisionBuilder, followUp: FollowUp): void {
  const { text, corrected, messageTs, userId, isCorrectionOffered } = followUp;
  if (corrected === null || !isWorthSending(text, corrected)) {
    builder.saveFollowUp({ ...followUp, corrected: null });
    return;
  }
  builder.saveFollowUp({ ...followUp, isCorrectionOffered: true });
  if (!isCorrectionOffered) builder.postEphemeral(userId, { kind: 'edited_after_sending', messageTs });
}

export function isWorthSending(sent: string, now: string) {
  return now.trim() !== sent.trim() && !isBlank(now) && threadWordOf(now) === null;
}

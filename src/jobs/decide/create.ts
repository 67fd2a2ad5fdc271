import type { AgentJob } from '../agent-job.ts';
import type { AgentFailure } from '../failure.ts';
import type { FollowUp } from '../follow-up.ts';
import type { Draft } from './draft.ts';
import { refuseWaiting, resend } from './follow-ups.ts';
import { scheduleSending } from './line-up.ts';
import { observe } from './observe.ts';
import { wantCreate } from './open.ts';
import { clearTrouble, noteTrouble } from './trouble.ts';
import { verdictOn } from './verdict.ts';

export function jobCreated(draft: Draft, agentJob: AgentJob): void {
  if (draft.job.stage.kind !== 'creating') return;
  clearTrouble(draft, 'send');
  const stage = { kind: 'working', turnStartedAtMs: draft.context.nowMs, settle: null } as const;
  draft.change({ stage });
  observe(draft, stage, agentJob);
  scheduleSending(draft);
}

/** Too late once somebody has pressed *Start again*: then the other job counts. */
export function jobFound(draft: Draft, callId: string, agentJob: AgentJob): void {
  const { stage } = draft.job;
  if (stage.kind !== 'create_unknown' || stage.callId !== callId) return;
  draft.change({ stage: { kind: 'creating' } });
  jobCreated(draft, agentJob);
}

export function createFailed(draft: Draft, callId: string, failure: AgentFailure): void {
  if (draft.job.stage.kind !== 'creating') return;
  switch (verdictOn('create_job', failure, draft.context.policy.retryUnknown)) {
    case 'retry':
      noteTrouble(draft, 'send', failure);
      // It may have been made, and counts as that: what goes again is another call.
      if (failure.outcome === 'unknown') wantCreate(draft);
      break;
    case 'refused':
      clearTrouble(draft, 'send');
      draft.change({ stage: { kind: 'rejected', message: failure.message } });
      draft.announce({ kind: 'create_rejected', message: failure.message });
      refuseWaiting(draft, callId);
      draft.refreshCard();
      break;
    case 'unknown':
      draft.change({ stage: { kind: 'create_unknown', callId } });
      draft.announce({ kind: 'create_unknown', callId });
      draft.refreshCard();
      break;
  }
}

/** *Start again*: only for the call whose outcome is unknown, so a second press does nothing. */
export function startAgain(draft: Draft, callId: string): void {
  const { stage } = draft.job;
  if (stage.kind === 'create_unknown' && stage.callId === callId) wantCreate(draft);
}

/**
 * *Run again*: a new agent job in the same thread, with the same prompt. If it was offered because the API did not
 * know the job that a message was for, the new job gets that message's replies, also if it runs already.
 */
export function runAgain(draft: Draft, creates: number, callId?: string): void {
  const { stage } = draft.job;
  const missed = callId === undefined ? [] : draft.followUpsOfCall(callId).filter(isNotSent);
  const isStarting = stage.kind === 'creating' || stage.kind === 'create_unknown';
  if (isStarting || creates !== draft.job.creates) {
    if (callId !== undefined && missed.length > 0) resend(draft, callId);
    return;
  }
  const isOver =
    stage.kind === 'rejected' ||
    (stage.kind === 'ended' && (stage.status === 'failed' || stage.status === 'vanished'));
  if (draft.job.attachedTo !== null || (!isOver && missed.length === 0)) return;
  if (missed.length > 0) {
    draft.put(missed.map((followUp) => ({ ...followUp, state: 'waiting', callId: null })));
  }
  draft.change({
    agentJob: null,
    checkedAtMs: null,
    missing: null,
    told: null,
    turn: draft.job.turn + 1,
  });
  wantCreate(draft);
}

function isNotSent({ state }: FollowUp): boolean {
  return state === 'not_sent';
}

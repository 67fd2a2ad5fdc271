import { type AgentJob, isEnded } from '../agent-job.ts';
import type { AgentFailure } from '../failure.ts';
import { isUnseen, isUnwatched, type Settle, type Stage } from '../job.ts';
import { checkIntervalMs, neglectedIntervalMs } from '../schedule.ts';
import type { Draft } from './draft.ts';
import { endedCheckFailed, endedJobChecked, endTurn } from './ended.ts';
import { askIfLong, isNeglected, noteChange } from './long-running.ts';
import { isGone, isMissing, noteMissing, noteNotMissing } from './missing.ts';
import { noteFacts, tellEnded, tellLink, tellRunning } from './tell.ts';
import { clearTrouble, noteTrouble } from './trouble.ts';
import { noteTurnLength } from './turn-length.ts';

type Working = Extract<Stage, { kind: 'working' }>;

/** How old the "last checked" on a card may get while nothing else changes: edits of cards are limited. */
const CARD_MAX_AGE_MS = 300_000;

export function jobChecked(draft: Draft, agentJob: AgentJob): void {
  const { stage } = draft.job;
  if (draft.job.agentJob?.id !== agentJob.id || isUnwatched(draft.job)) return;
  noteNotMissing(draft);
  if (stage.kind === 'working') {
    clearTrouble(draft, 'check');
    const lastLookAtMs = draft.job.checkedAtMs;
    draft.change({ checkedAtMs: draft.context.nowMs });
    observe(draft, stage, agentJob);
    if (draft.job.stage.kind === 'ended') noteTurnLength(draft, stage, lastLookAtMs);
  } else if (stage.kind === 'ended') {
    endedJobChecked(draft, stage, agentJob);
  }
}

/** Works out from the job as it is now what is new since what was announced: a missed step heals here. */
export function observe(draft: Draft, stage: Working, agentJob: AgentJob): void {
  const { nowMs } = draft.context;
  const hasChanged = noteFacts(draft, agentJob);
  if (!hasChanged) draft.schedule('refresh_card', nowMs + CARD_MAX_AGE_MS, 'keep');
  const { status } = agentJob;
  if (!isEnded(status)) {
    if (stage.settle?.seenActive === false)
      draft.change({ stage: { ...stage, settle: takenUp(stage.settle) } });
    tellRunning(draft, status);
    if (hasChanged) noteChange(draft);
    askIfLong(draft);
    scheduleCheck(draft);
  } else if (isTurnOver(stage.settle, agentJob, nowMs)) {
    endTurn(draft, status, turnsToComeAfter(stage.settle, agentJob));
    tellEnded(draft, agentJob, status, stage.settle?.previousPrLink ?? null);
    tellLink(draft, agentJob);
    draft.refreshCard();
  } else {
    scheduleCheck(draft);
    tellLink(draft, agentJob);
  }
}

export function checkFailed(
  draft: Draft,
  agentJobId: string,
  failure: AgentFailure,
  othersAnsweredAtMs: number | null,
): void {
  const { job } = draft;
  if (job.agentJob?.id !== agentJobId || isUnwatched(job)) return;
  if (!isMissing(failure)) noteNotMissing(draft);
  if (job.stage.kind === 'ended') endedCheckFailed(draft, job.stage, failure);
  if (job.stage.kind !== 'working') return;
  if (isMissing(failure)) noteMissing(draft);
  // What somebody asked to watch may have a typing error.
  const wasNeverThere = isUnseen(job);
  const isSaidToBeWrong = wasNeverThere && failure.reason === 'not_found';
  if (!isSaidToBeWrong && !isGone(draft, failure, othersAnsweredAtMs)) {
    draft.schedule('check_job', noteTrouble(draft, 'check', failure));
    return;
  }
  if (job.trouble?.source === 'check') draft.change({ trouble: null });
  endTurn(draft, 'vanished', job.stage.settle?.turnsToCome ?? 0);
  draft.change({ told: { status: 'vanished', turn: job.turn } });
  draft.announce({ kind: wasNeverThere ? 'no_such_job' : 'vanished' });
  draft.refreshCard();
}

/** A follow-up was accepted: the watch goes on, and the state of the turn before is not believed for a while. */
export function startTurn(draft: Draft, answer: AgentJob | null): void {
  const { context } = draft;
  const isOfJob = answer !== null && answer.id === draft.job.agentJob?.id;
  // It may still describe the turn before: what came of that is told now, as the new turn will hide it.
  if (isOfJob && isEnded(answer.status)) tellLink(draft, answer);
  const { job } = draft;
  const before = isOfJob && isEnded(answer.status) ? answer : job.agentJob;
  const unsettled = unsettledOf(job.stage);
  const previousStatus = job.stage.kind === 'ended' ? job.stage.status : (unsettled?.previousStatus ?? null);
  const settle: Settle = {
    untilMs: context.nowMs + context.policy.settleWindowMs,
    previousStatus,
    previousPrLink: unsettled === null ? (before?.prLink ?? null) : unsettled.previousPrLink,
    seenActive: false,
    turnsToCome: turnsToComeOf(job.stage) + 1,
  };
  draft.change({
    stage: { kind: 'working', turnStartedAtMs: context.nowMs, settle },
    turn: job.turn + 1,
    agentJob: isOfJob ? answer : job.agentJob,
  });
  scheduleCheck(draft);
  draft.refreshCard();
}

/** The state before a follow-up that the API has not shown to have taken up yet. */
function unsettledOf(stage: Stage): Settle | null {
  return stage.kind === 'working' && stage.settle?.seenActive === false ? stage.settle : null;
}

/** The agent is at work. That may still be the turn before, if the job was thought to be active then. */
function takenUp(settle: Settle): Settle {
  const { previousStatus, turnsToCome = 0 } = settle;
  const isNewTurn = previousStatus !== null;
  return { ...settle, seenActive: true, turnsToCome: Math.max(0, isNewTurn ? turnsToCome - 1 : turnsToCome) };
}

/** How many of the follow-ups may still become turns after an end that is believed. */
function turnsToComeAfter(settle: Settle | null, agentJob: AgentJob): number {
  if (settle === null) return 0;
  const isSeenToBeTakenUp = !settle.seenActive && isAnotherEnd(settle, agentJob);
  return (isSeenToBeTakenUp ? takenUp(settle) : settle).turnsToCome ?? 0;
}

function turnsToComeOf(stage: Stage): number {
  if (stage.kind === 'ended') return stage.turnsToCome ?? 0;
  return stage.kind === 'working' ? (stage.settle?.turnsToCome ?? 0) : 0;
}

/**
 * The rule of product.md: a turn that followed a finished one is over when the job was seen active since, when
 * its status or its link is another than before, or when the settle window has passed. If the job was thought
 * to be active when the follow-up went out, an ending may still be the one of the turn before.
 */
function isTurnOver(settle: Settle | null, agentJob: AgentJob, nowMs: number): boolean {
  if (settle === null || settle.seenActive || nowMs >= settle.untilMs) return true;
  if (settle.previousStatus === null) return false;
  return isAnotherEnd(settle, agentJob);
}

function isAnotherEnd({ previousStatus, previousPrLink }: Settle, agentJob: AgentJob): boolean {
  return agentJob.status !== previousStatus || agentJob.prLink !== previousPrLink;
}

/** A turn that began nobody knows when has no age for a pace; one that is not seen to go on is looked for. */
function scheduleCheck(draft: Draft): void {
  const { stage, projectId } = draft.job;
  if (stage.kind !== 'working') return;
  const { nowMs, policy, jitter, paces } = draft.context;
  const isTimed = stage.isOlder !== true && unsettledOf(stage) === null;
  const pace = isTimed ? (paces.get(projectId) ?? null) : null;
  const waitMs = checkIntervalMs(nowMs - stage.turnStartedAtMs, policy, jitter, pace);
  draft.schedule('check_job', nowMs + (isNeglected(draft) ? neglectedIntervalMs(policy) : waitMs));
}

import { type AgentJob, type EndedStatus, isEnded } from '../agent-job.ts';
import type { AgentFailure } from '../failure.ts';
import { isUnseen, isUnwatched, type Settle, type Stage } from '../job.ts';
import { checkIntervalMs, retryDelayMs } from '../schedule.ts';
import type { Draft } from './draft.ts';
import { askIfLong } from './long-running.ts';
import { clearTrouble, noteTrouble } from './trouble.ts';
import { noteTurnLength } from './turn-length.ts';

type Working = Extract<Stage, { kind: 'working' }>;
type Ended = Extract<Stage, { kind: 'ended' }>;

/** After the look of the settle window, three more for a follow-up of unknown fate: with 90 seconds, at 6 minutes, half an hour, two hours. */
const LATE_LOOKS = 3;
const LATE_LOOK_GROWTH = 4;
/** How old the "last checked" on a card may get while nothing else changes: edits of cards are limited. */
const CARD_MAX_AGE_MS = 300_000;

export function jobChecked(draft: Draft, agentJob: AgentJob): void {
  const { stage } = draft.job;
  if (draft.job.agentJob?.id !== agentJob.id || isUnwatched(draft.job)) return;
  if (stage.kind === 'working') {
    clearTrouble(draft, 'check');
    const { missingSinceMs: _found, ...found } = stage;
    const lastLookAtMs = draft.job.checkedAtMs;
    draft.change({ stage: found, checkedAtMs: draft.context.nowMs });
    observe(draft, found, agentJob);
    if (draft.job.stage.kind === 'ended') noteTurnLength(draft, found, lastLookAtMs);
  } else if (stage.kind === 'ended') {
    lookAgain(draft, stage, agentJob);
  }
}

/** Plans a last look at a turn that has ended. */
export function lookLater(draft: Draft): void {
  draft.schedule('check_job', draft.context.nowMs + draft.context.policy.settleWindowMs);
}

/** The last look failed: it may have been the one that sees what nobody else will tell. */
function lookAgainLater(draft: Draft, failure: AgentFailure): void {
  if (failure.reason === 'not_found') return;
  const { nowMs, jitter, policy } = draft.context;
  const waitMs = Math.max(failure.retryAfterMs ?? 0, policy.settleWindowMs, retryDelayMs(1, jitter));
  draft.schedule('check_job', nowMs + waitMs);
}

/** A last look at a turn that had ended: if it ended otherwise after all, or goes on, the watch goes on. */
function lookAgain(draft: Draft, ended: Ended, agentJob: AgentJob): void {
  const isNewLink = agentJob.prLink !== null && agentJob.prLink !== draft.job.announcedPrLink;
  if (agentJob.status === ended.status && !isNewLink) {
    lookForUnknown(draft, ended);
    return;
  }
  const { nowMs } = draft.context;
  const stage = { kind: 'working', turnStartedAtMs: nowMs, settle: null, isOlder: true } as const;
  draft.change({ stage, checkedAtMs: nowMs });
  observe(draft, stage, agentJob);
}

/** What the API has of a follow-up of unknown fate may still lie in some queue: there are a few more looks. */
function lookForUnknown(draft: Draft, ended: Ended): void {
  const looks = (ended.looks ?? 0) + 1;
  if (looks > LATE_LOOKS || draft.followUpsIn('unknown').length === 0) return;
  draft.change({ stage: { ...ended, looks } });
  const { nowMs, policy } = draft.context;
  draft.schedule('check_job', nowMs + policy.settleWindowMs * LATE_LOOK_GROWTH ** looks);
}

/** Works out from the job as it is now what is new since what was announced: a missed step heals here. */
export function observe(draft: Draft, stage: Working, agentJob: AgentJob): void {
  noteFacts(draft, agentJob);
  if (!isEnded(agentJob.status)) {
    if (stage.settle !== null && !stage.settle.seenActive) {
      draft.change({ stage: { ...stage, settle: { ...stage.settle, seenActive: true } } });
    }
    tellRunning(draft, agentJob.status);
    askIfLong(draft);
    scheduleCheck(draft);
    return;
  }
  const isNewLink = agentJob.prLink !== null && agentJob.prLink !== draft.job.announcedPrLink;
  if (isTurnOver(stage.settle, agentJob, draft.context.nowMs)) {
    draft.change({ stage: { kind: 'ended', status: agentJob.status } });
    // It may be the end of the turn before, if that was still going on when the follow-up was sent, or if the
    // job's status changed later while nobody looked; a follow-up of unknown fate may have been taken up; and a
    // link may come a moment after the end.
    const { settle } = stage;
    const isUnseen = settle !== null && !settle.seenActive && draft.context.nowMs < settle.untilMs;
    const mayGoOn = settle !== null && (settle.previousStatus === null || isUnseen);
    const mayHaveMore = draft.followUpsIn('unknown').length > 0;
    if (mayGoOn || mayHaveMore || (agentJob.status === 'completed' && agentJob.prLink === null)) {
      lookLater(draft);
    }
    const isOtherLink = agentJob.prLink !== (stage.settle?.previousPrLink ?? null);
    tellEnded(draft, agentJob, agentJob.status, isNewLink || isOtherLink);
    draft.refreshCard();
  } else {
    scheduleCheck(draft);
  }
  if (isNewLink && agentJob.prLink !== null) announcePullRequest(draft, agentJob.prLink);
}

export function checkFailed(draft: Draft, agentJobId: string, failure: AgentFailure): void {
  const { job, context } = draft;
  if (job.agentJob?.id !== agentJobId || isUnwatched(job)) return;
  if (job.stage.kind === 'ended') lookAgainLater(draft, failure);
  if (job.stage.kind !== 'working') return;
  if (failure.reason !== 'not_found') {
    draft.schedule('check_job', noteTrouble(draft, 'check', failure));
    return;
  }
  // A new job may not be readable everywhere yet, and a gateway may miss one for a moment.
  const missingSinceMs = job.stage.missingSinceMs ?? context.nowMs;
  const wasNeverThere = isUnseen(job);
  if (!wasNeverThere && context.nowMs - missingSinceMs < context.policy.settleWindowMs) {
    draft.change({ stage: { ...job.stage, missingSinceMs } });
    draft.schedule('check_job', context.nowMs + context.policy.pollMinIntervalMs);
    return;
  }
  clearTrouble(draft, 'check');
  draft.change({
    stage: { kind: 'ended', status: 'vanished' },
    told: { status: 'vanished', turn: job.turn },
  });
  draft.announce({ kind: wasNeverThere ? 'no_such_job' : 'vanished' });
  draft.refreshCard();
}

/** A follow-up was accepted: the watch goes on, and the state of the turn before is not believed for a while. */
export function startTurn(draft: Draft, answer: AgentJob | null): void {
  const { job, context } = draft;
  const unsettled = unsettledOf(job.stage);
  const previousStatus = job.stage.kind === 'ended' ? job.stage.status : (unsettled?.previousStatus ?? null);
  const settle: Settle = {
    untilMs: context.nowMs + context.policy.settleWindowMs,
    previousStatus,
    previousPrLink: unsettled === null ? (job.agentJob?.prLink ?? null) : unsettled.previousPrLink,
    seenActive: false,
  };
  draft.change({
    stage: { kind: 'working', turnStartedAtMs: context.nowMs, settle },
    turn: job.turn + 1,
    agentJob: answer?.id === job.agentJob?.id && answer !== null ? answer : job.agentJob,
  });
  scheduleCheck(draft);
  draft.refreshCard();
}

/** The state before a follow-up that the API has not shown to have taken up yet. */
function unsettledOf(stage: Stage): Settle | null {
  return stage.kind === 'working' && stage.settle?.seenActive === false ? stage.settle : null;
}

function noteFacts(draft: Draft, agentJob: AgentJob): void {
  const before = draft.job.agentJob;
  const isSame =
    before !== null &&
    before.status === agentJob.status &&
    before.prLink === agentJob.prLink &&
    before.ref === agentJob.ref &&
    before.model === agentJob.model &&
    before.repository === agentJob.repository;
  draft.change({ agentJob });
  if (isSame) draft.schedule('refresh_card', draft.context.nowMs + CARD_MAX_AGE_MS, 'keep');
  else draft.refreshCard();
}

function tellRunning(draft: Draft, status: string): void {
  const { job } = draft;
  if (job.told?.status === status) return;
  draft.change({ told: { status, turn: job.turn } });
  if (status === 'active') draft.announce({ kind: 'started', turn: job.turn });
  else draft.announce({ kind: 'other_status', status });
}

function tellEnded(draft: Draft, agentJob: AgentJob, status: EndedStatus, isNews: boolean): void {
  draft.change({ told: { status, turn: draft.job.turn } });
  switch (status) {
    case 'completed':
      draft.announce({
        kind: 'finished',
        files: agentJob.prLink === null ? 'none' : isNews ? 'new' : 'same',
      });
      break;
    case 'failed':
      draft.announce({ kind: 'failed' });
      break;
    case 'archived':
      draft.announce({ kind: 'archived' });
      break;
  }
}

/**
 * The rule of product.md: a turn that followed a finished one is over when the job was seen active since, when
 * its status or its link is another than before, or when the settle window has passed. If the job was thought
 * to be active when the follow-up went out, an ending may still be the one of the turn before.
 */
function isTurnOver(settle: Settle | null, agentJob: AgentJob, nowMs: number): boolean {
  if (settle === null || settle.seenActive || nowMs >= settle.untilMs) return true;
  if (settle.previousStatus === null) return false;
  return agentJob.status !== settle.previousStatus || agentJob.prLink !== settle.previousPrLink;
}

function announcePullRequest(draft: Draft, url: string): void {
  const { job, context } = draft;
  draft.change({ announcedPrLink: url });
  draft.announce({ kind: 'pull_request', url, changed: job.announcedPrLink !== null });
  for (const channelId of context.policy.noticeChannels) {
    const lane = { to: 'slack', name: `notice:${job.id}:${channelId}` } as const;
    draft.want(`notice:${job.teamId}:${channelId}:${url}`, lane, { kind: 'notify_channel', channelId, url });
  }
  draft.refreshCard();
}

/** Told once per channel, however many notices it refuses. */
export function noticeRefused(draft: Draft, channelId: string, reason: string): void {
  draft.want(`notice_failed:${draft.job.id}:${channelId}`, draft.threadLane, {
    kind: 'announce',
    announcement: { kind: 'notice_failed', channelId, reason },
  });
}

/** A turn that began nobody knows when has no age for a pace; one that is not seen to go on is looked for. */
function scheduleCheck(draft: Draft): void {
  const { stage, projectId } = draft.job;
  if (stage.kind !== 'working') return;
  const { nowMs, policy, jitter, paces } = draft.context;
  const isTimed = stage.isOlder !== true && unsettledOf(stage) === null;
  const pace = isTimed ? (paces.get(projectId) ?? null) : null;
  const waitMs = checkIntervalMs(nowMs - stage.turnStartedAtMs, policy, jitter, pace);
  draft.schedule('check_job', nowMs + waitMs);
}

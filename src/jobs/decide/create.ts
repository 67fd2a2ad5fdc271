import type { EventOf } from '../event.ts';
import { type Job, mayStartAgain } from '../job.ts';
import type { Deciders, DecisionBuilder } from './decision-builder.ts';
import { clearTrouble, forgetUntoldTrouble, noteTrouble, verdictOn } from './failures.ts';
import {
  announceNotSent,
  announceRefusal,
  NO_JOB,
  offerCorrections,
  requeue,
  scheduleSending,
  withChanges,
  withCorrection,
} from './follow-ups.ts';
import { observe } from './observe.ts';
import { drop, requestCreate, watchAgentJob } from './open.ts';
import { countReplies, replaceAgentJob } from './turn-news.ts';

function jobCreated(builder: DecisionBuilder, created: EventOf<'job_created' | 'job_found'>) {
  const { callId, agentJob, notSent } = created;
  builder.endCall(callId, 'done');
  if (builder.job.stage.kind !== 'creating') return;
  clearTrouble(builder, 'send');
  announceNotSent(builder, notSent);
  // The agent takes none after all.
  if (notSent?.some((one) => 'kind' in one)) builder.change({ pictures: undefined });
  const stage = { kind: 'working', turnStartedAtMs: builder.nowMs, settle: null } as const;
  builder.change({ stage, hurriedMessage: null });
  markAsSent(builder, callId);
  observe(builder, stage, agentJob);
  scheduleSending(builder);
}

export const createDeciders = {
  job_created: jobCreated,

  job_found(builder, created) {
    builder.endCall(created.callId, 'done');
    if (!isToBeFound(builder.job, created.callId)) return;
    builder.change({ stage: { kind: 'creating' } });
    jobCreated(builder, created);
  },

  create_failed(builder, { callId, failure }) {
    const verdict = verdictOn(failure);
    builder.endCall(callId, verdict, failure);
    if (builder.job.stage.kind !== 'creating') return;
    builder.change({ hurriedMessage: null });
    if (verdict === 'retry') {
      noteTrouble(builder, 'send', failure);
      return;
    }
    builder.refreshCard();
    if (verdict === 'unknown') {
      builder.change({ stage: { kind: 'create_unknown', callId, sinceMs: builder.nowMs } });
      forgetUntoldTrouble(builder);
      builder.announce({ kind: 'create_unknown', callId });
      builder.updateFollowUps(repliesAlong(builder, callId), { state: 'unknown' });
      return;
    }
    const { words: message = '' } = failure;
    clearTrouble(builder, 'send');
    builder.change({ stage: { kind: 'rejected', message } });
    builder.announce({ kind: 'create_rejected', message });
    releaseReplies(builder, callId);
    const waiting = builder.followUpsIn('waiting');
    if (waiting.length === 0) return;
    builder.updateFollowUps(waiting, { state: 'not_sent', callId });
    announceRefusal(builder, callId, waiting, NO_JOB);
  },

  start_again_pressed: startAgain,

  request_edited(builder, { creates, prompt }) {
    if (!isToBeEdited(builder.job, creates)) return;
    builder.change({ prompt });
    const unsent = builder.undelivered().filter(({ state }) => state === 'not_sent');
    startAgain(builder, { creates });
    requeue(builder, unsent);
  },

  agent_job_named(builder, { callId, agentJobId }) {
    if (!isToBeFound(builder.job, callId)) return;
    markAsSent(builder, callId);
    watchAgentJob(builder, agentJobId);
    scheduleSending(builder);
  },

  start_dismissed(builder, { callId, userId }) {
    if (!isToBeFound(builder.job, callId)) return;
    const along = repliesAlong(builder, callId);
    drop(builder, 'dismissed', userId ?? null);
    for (const followUp of along) builder.excludeFollowUp(followUp, 'aside');
  },
} satisfies Partial<Deciders>;

/**
 * Once per end of the job, or create call of unknown outcome. The new job gets the replies that missed the
 * old one.
 */
function startAgain(
  builder: DecisionBuilder,
  { creates, callId }: Pick<EventOf<'start_again_pressed'>, 'creates' | 'callId'>,
) {
  const { job } = builder;
  if (job.stage.kind === 'create_unknown' && job.stage.callId === callId) {
    builder.change({ isStartedByPerson: true });
    releaseReplies(builder, callId);
    requestCreate(builder);
    builder.refreshCard();
    return;
  }
  const missed = builder.undelivered().filter((one) => one.callId === callId && one.state === 'not_sent');
  const isStarting = job.stage.kind === 'creating' || job.stage.kind === 'create_unknown';
  if (isStarting || creates !== job.creates) {
    if (missed.length > 0) requeue(builder, missed);
    return;
  }
  if (!mayStartAgain(job) && (missed.length === 0 || job.watchedAgentJobId !== null)) return;
  replaceAgentJob(builder, null);
  builder.change({
    isStartedByPerson: true,
    checkedAtMs: null,
    missing: null,
    lastAnnounced: null,
    turnReplies: null,
    turn: job.turn + 1,
  });
  requestCreate(builder);
  builder.refreshCard();
  requeue(builder, missed);
}

export function isToBeEdited(job: Job, creates: number): boolean {
  return mayStartAgain(job) && creates === job.creates;
}

export function isToBeFound({ stage }: Job, callId: string): boolean {
  return stage.kind === 'create_unknown' && stage.callId === callId;
}

function repliesAlong(builder: DecisionBuilder, callId: string) {
  return builder.followUpsOfCall(callId).filter(({ state }) => state === 'sending' || state === 'unknown');
}

function markAsSent(builder: DecisionBuilder, callId: string) {
  const along = repliesAlong(builder, callId);
  builder.change({ takesRepliesAlong: undefined });
  if (along.length === 0) return;
  countReplies(builder, along);
  builder.updateFollowUps(along, { state: 'sent' });
  offerCorrections(builder, callId);
}

function releaseReplies(builder: DecisionBuilder, callId: string) {
  const along = withChanges(builder, repliesAlong(builder, callId));
  if (along.length > 0)
    builder.updateFollowUps(along.map(withCorrection), { state: 'waiting', callId: null });
}

import type { EventOf } from '../../event.ts';
import type { FollowUp } from '../../follow-ups/follow-up.ts';
import { type Job, mayStartAgain } from '../../job.ts';
import { asKnown, countReplies, replaceAgentJob } from '../announce.ts';
import type { Deciders, DecisionBuilder } from '../decision-builder.ts';
import { putBackInLine, refuseWaiting, resend, tellIfChanged } from '../replies/follow-ups.ts';
import { scheduleSending } from '../replies/line-up.ts';
import { asItReads, stillMeant } from '../replies/replies.ts';
import { clearTrouble, forgetUntoldTrouble, noteTrouble } from '../trouble.ts';
import { observe } from '../watch/observe.ts';
import { settleFailed } from '../watch/verdict.ts';
import { dropJob, requestCreate, watchAgentJob } from './open.ts';

function jobCreated(
  builder: DecisionBuilder,
  { callId, agentJob }: Pick<EventOf<'job_created'>, 'callId' | 'agentJob'>,
): void {
  builder.settle(callId, 'done');
  if (builder.job.stage.kind !== 'creating') return;
  clearTrouble(builder, 'send');
  const stage = { kind: 'working', turnStartedAtMs: builder.context.nowMs, settle: null } as const;
  builder.change({ stage, hurriedMessage: null });
  takenAlong(builder, callId);
  observe(builder, stage, asKnown(builder, agentJob));
  scheduleSending(builder);
}

export const createDeciders = {
  job_created: jobCreated,

  /** Too late after *Start again*: then the other job counts. */
  job_found(builder, created) {
    builder.settle(created.callId, 'done');
    if (!isToBeFound(builder.job, created.callId)) return;
    builder.change({ stage: { kind: 'creating' } });
    jobCreated(builder, created);
  },

  create_failed(builder, { callId, failure }) {
    const verdict = settleFailed(builder, 'create_job', callId, failure);
    if (builder.job.stage.kind !== 'creating') return;
    builder.change({ hurriedMessage: null });
    const { words: message = '' } = failure;
    switch (verdict) {
      case 'retry':
        noteTrouble(builder, 'send', failure);
        break;
      case 'refused':
        clearTrouble(builder, 'send');
        builder.change({ stage: { kind: 'rejected', message } });
        builder.announce({ kind: 'create_rejected', message });
        releaseAlong(builder, callId);
        refuseWaiting(builder, callId);
        builder.refreshCard();
        break;
      case 'unknown':
        builder.change({ stage: { kind: 'create_unknown', callId, sinceMs: builder.context.nowMs } });
        forgetUntoldTrouble(builder);
        builder.announce({ kind: 'create_unknown', callId });
        builder.updateFollowUps(alongOf(builder, callId), { state: 'unknown' });
        builder.refreshCard();
        break;
    }
  },

  start_again_pressed: startAgain,

  /**
   * *Edit and start*: job, card and thread continue with another request, and the replies that found no job.
   */
  request_edited(builder, { creates, prompt }) {
    if (!isToBeEdited(builder.job, creates)) return;
    builder.change({ prompt });
    const unsent = builder.undelivered().filter(({ state }) => state === 'not_sent');
    startAgain(builder, { creates });
    putBackInLine(builder, unsent);
  },

  /** The create call made this job after all: it is watched as if the agent had said so. */
  agent_job_named(builder, { callId, agentJobId }) {
    if (!isToBeFound(builder.job, callId)) return;
    takenAlong(builder, callId);
    watchAgentJob(builder, agentJobId);
    scheduleSending(builder);
  },

  /** *Dismiss*: nobody waits for the agent, whatever it does. The thread is free for another job. */
  start_dismissed(builder, { callId, userId }) {
    if (!isToBeFound(builder.job, callId)) return;
    const along = alongOf(builder, callId);
    dropJob(builder, 'dismissed', userId ?? null);
    for (const followUp of along) builder.excludeFollowUp(followUp, 'aside');
  },
} satisfies Partial<Deciders>;

/**
 * *Start again*: a new agent job in the same thread with the same prompt, once for each end of the job and
 * each create call of unknown fate. If it was offered because the API did not know a message's job, the new
 * job gets that message's replies, even if it already runs.
 */
function startAgain(
  builder: DecisionBuilder,
  { creates, callId }: Pick<EventOf<'start_again_pressed'>, 'creates' | 'callId'>,
): void {
  const { job } = builder;
  if (job.stage.kind === 'create_unknown' && job.stage.callId === callId) {
    builder.change({ isStartedByPerson: true });
    releaseAlong(builder, callId);
    requestCreate(builder);
    builder.refreshCard();
    return;
  }
  const missed = builder.undelivered().filter((one) => one.callId === callId && one.state === 'not_sent');
  const isStarting = job.stage.kind === 'creating' || job.stage.kind === 'create_unknown';
  if (isStarting || creates !== job.creates) {
    if (callId !== undefined && missed.length > 0) resend(builder, { callId });
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
  putBackInLine(builder, missed);
}

/** Whether *Edit and start*, offered when the job had been created that often, still counts. */
export function isToBeEdited(job: Job, creates: number): boolean {
  return mayStartAgain(job) && creates === job.creates;
}

export function isToBeFound({ stage }: Job, callId: string): boolean {
  return stage.kind === 'create_unknown' && stage.callId === callId;
}

/** The replies that the create call carries, whatever its outcome. */
function alongOf(builder: DecisionBuilder, callId: string): FollowUp[] {
  return builder.followUpsOfCall(callId).filter(({ state }) => state === 'sending' || state === 'unknown');
}

/** The agent has them, as part of the request. */
function takenAlong(builder: DecisionBuilder, callId: string): void {
  const along = alongOf(builder, callId);
  const { takesRepliesAlong: _, ...job } = builder.job;
  builder.job = job;
  if (along.length === 0) return;
  builder.change({ sentFollowUps: job.sentFollowUps + along.length });
  countReplies(builder, along);
  builder.updateFollowUps(along, { state: 'sent' });
  for (const followUp of builder.followUpsOfCall(callId)) tellIfChanged(builder, followUp);
}

/** The call is over: the replies wait for the next one in their current wording. */
function releaseAlong(builder: DecisionBuilder, callId: string): void {
  const along = stillMeant(builder, alongOf(builder, callId));
  if (along.length > 0) builder.updateFollowUps(along.map(asItReads), { state: 'waiting', callId: null });
}

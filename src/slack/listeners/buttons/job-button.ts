import type { AllMiddlewareArgs, BlockButtonAction, SlackActionMiddlewareArgs } from '@slack/bolt';
import type { Job } from '../../../jobs/job.ts';
import { applied } from '../../../store/apply-event.ts';
import { noteGesture } from '../../connection/noted-gesture.ts';
import { decodeButton } from '../../ids.ts';
import type { JobAction } from '../../job-actions.ts';
import { refusalView } from '../../views/refusals.ts';
import { jobForgottenView, tooLateView } from '../../views/thread/too-late.ts';
import { jobAdmissionProblem } from '../admission.ts';
import type { ListenerDeps } from '../deps.ts';
import { storeGesture } from '../store-gesture.ts';
import { isThreadTaken } from '../thread-taken.ts';
import { pressedTs } from './pressed-ts.ts';
import { type Answer, tellPresser } from './tell-presser.ts';

type Args = SlackActionMiddlewareArgs<BlockButtonAction> & AllMiddlewareArgs;

/** A button of a job. Who presses it a second time, or too late, is told what is the case. */
export function jobButton(deps: ListenerDeps, jobAction: JobAction) {
  return async ({ action, body, ack, respond }: Args): Promise<void> => {
    const target = decodeButton(action.value ?? '');
    const press = {
      userId: body.user.id,
      responseUrl: body.response_url || null,
      pressedTs: pressedTs(action),
    };
    const event = target && jobAction.eventOf(target, press);
    const { label, afterwards } = jobAction;
    let answer: Answer | null = null;
    const write = async () => {
      // Of the others, the middleware has checked the channel.
      const denial =
        target && jobAction.isRequesters ? await jobAdmissionProblem(deps, press.userId, target.jobId) : null;
      if (denial !== null) {
        answer = { message: denial, inPlace: false };
        return;
      }
      await deps.store.transaction(async (tx) => {
        const job = target && (await tx.jobs.get(target.jobId));
        if (target && job === null) {
          answer = { message: jobForgottenView(), inPlace: false };
          return;
        }
        if (!job || !event || job.teamId !== deps.teamId || !isAtHome(job, jobAction, body)) return;
        if (await isThreadTaken(tx, job)) {
          answer = { message: refusalView({ kind: 'thread_taken' }), inPlace: false };
          return;
        }
        const context = deps.newContext();
        const keys = body.trigger_id ? [`press:${deps.teamId}:${body.trigger_id}`] : [];
        const isNew = await tx.gestures.remember(keys, context.nowMs);
        noteGesture({ outcome: isNew ? 'accepted' : 'duplicate', jobId: job.id });
        if (!isNew) return;
        const after = await applied(tx, job.id, event, context);
        if (!after.hasEffect) answer = { message: tooLateView(label, after.job), inPlace: false };
        else if (afterwards !== undefined) answer = { message: afterwards(press), inPlace: true };
      });
    };
    const problem = await storeGesture(deps, write);
    if (problem !== null) {
      await tellPresser(deps, { body, respond }, { message: problem, inPlace: false }, null);
      // Unacknowledged, so that Slack shows a warning at the button, too.
      throw new Error(`the press of ${jobAction.actionId} was not stored`);
    }
    await ack();
    await tellPresser(deps, { body, respond }, answer, target?.jobId ?? null);
  };
}

/** The target came back from outside: it only counts where the job lives, or for who was shown the button. */
function isAtHome(job: Job, { isRequesters }: JobAction, { channel, user }: Args['body']): boolean {
  return isRequesters ? job.requesterId === user.id : job.channelId === channel?.id;
}

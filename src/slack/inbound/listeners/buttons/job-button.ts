import type { AllMiddlewareArgs, BlockButtonAction, SlackActionMiddlewareArgs } from '@slack/bolt';
import { applied } from '../../../../engine/apply-event.ts';
import type { Job } from '../../../../jobs/job.ts';
import { decodeButton } from '../../../protocol/ids.ts';
import type { SlackMessage } from '../../../views/parts/message.ts';
import { refusalView } from '../../../views/refusals.ts';
import { jobForgottenView, tooLateView } from '../../../views/thread/too-late.ts';
import { type GestureNote, noteGesture } from '../../connection/noted-gesture.ts';
import { jobAdmissionProblem } from '../admission.ts';
import type { ListenerDeps } from '../deps.ts';
import { storeGesture } from '../store-gesture.ts';
import { isThreadTaken } from '../thread-taken.ts';
import type { JobAction } from './job-actions.ts';
import { pressedTs } from './pressed-ts.ts';
import { type Answer, tellPresser } from './tell-presser.ts';

type Args = SlackActionMiddlewareArgs<BlockButtonAction> & AllMiddlewareArgs;

/** What came of a press, for who pressed, and for the log. */
interface Outcome {
  readonly answer: Answer | null;
  readonly note?: GestureNote;
}

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
    const write = async (): Promise<Outcome> => {
      // Of the others, the middleware has checked the channel.
      const denial =
        target && jobAction.isRequesters ? await jobAdmissionProblem(deps, press.userId, target.jobId) : null;
      if (denial !== null) return { answer: privately(denial) };
      return deps.store.transaction(async (tx): Promise<Outcome> => {
        const job = target && (await tx.jobs.get(target.jobId));
        if (target && job === null) return { answer: privately(jobForgottenView()) };
        const isMeant = job?.teamId === deps.teamId && isAtHome(job, jobAction, body);
        if (!job || !event || !isMeant) return { answer: null };
        if (await isThreadTaken(tx, job)) {
          return { answer: privately(refusalView({ kind: 'thread_taken' })) };
        }
        const context = deps.newContext();
        const keys = body.trigger_id ? [`press:${deps.teamId}:${body.trigger_id}`] : [];
        if (!(await tx.inboundRequests.remember(keys, context.nowMs))) {
          return { answer: null, note: { outcome: 'duplicate', jobId: job.id } };
        }
        const note = { outcome: 'accepted', jobId: job.id } as const;
        const after = await applied(tx, job.id, event, context);
        if (!after.hasEffect) return { answer: privately(tooLateView(label, after.job)), note };
        return { answer: afterwards ? { message: afterwards(press), inPlace: true } : null, note };
      });
    };
    const stored = await storeGesture(deps, write);
    if ('problem' in stored) {
      await tellPresser(deps, { body, respond }, privately(stored.problem), null);
      // Unacknowledged, so that Slack shows a warning at the button, too.
      throw new Error(`the press of ${jobAction.actionId} was not stored`);
    }
    const { answer, note } = stored.result;
    if (note !== undefined) noteGesture(note);
    await ack();
    await tellPresser(deps, { body, respond }, answer, target?.jobId ?? null);
  };
}

function privately(message: SlackMessage): Answer {
  return { message, inPlace: false };
}

/** The target came back from outside: it only counts where the job lives, or for who was shown the button. */
function isAtHome(job: Job, { isRequesters }: JobAction, { channel, user }: Args['body']): boolean {
  return isRequesters ? job.requesterId === user.id : job.channelId === channel?.id;
}

import type { AllMiddlewareArgs, BlockButtonAction, SlackActionMiddlewareArgs } from '@slack/bolt';
import type { Job } from '../../../jobs/job.ts';
import { applied } from '../../../store/apply-event.ts';
import { noteGesture } from '../../connection/noted-gesture.ts';
import { decodeButton } from '../../ids.ts';
import type { JobAction } from '../../job-actions.ts';
import type { SlackMessage } from '../../views/message.ts';
import { refusalView } from '../../views/refusals.ts';
import { tooLateView } from '../../views/too-late.ts';
import { jobAdmissionProblem } from '../admission.ts';
import { courtesy } from '../courtesy.ts';
import type { ListenerDeps } from '../deps.ts';
import { storeGesture } from '../store-gesture.ts';
import { isThreadTaken } from '../thread-taken.ts';

type Args = SlackActionMiddlewareArgs<BlockButtonAction> & AllMiddlewareArgs;

/** What is shown after a press: to all in place of the message with the button, or to who pressed. */
interface Answer {
  readonly message: SlackMessage;
  readonly inPlace: boolean;
}

/** A button of a job. Who presses it a second time, or too late, is told what is the case. */
export function jobButton(deps: ListenerDeps, jobAction: JobAction) {
  return async ({ action, body, ack, respond }: Args): Promise<void> => {
    const target = decodeButton(action.value ?? '');
    const press = { userId: body.user.id, responseUrl: body.response_url || null };
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
        if (!job || !event || job.teamId !== deps.teamId || !isAtHome(job, jobAction, body)) return;
        if (await isThreadTaken(tx, job)) {
          answer = { message: refusalView({ kind: 'thread_taken' }), inPlace: false };
          return;
        }
        const context = deps.newContext();
        const keys = body.trigger_id ? [`press:${body.trigger_id}`] : [];
        const isNew = await tx.gestures.remember(keys, context.nowMs);
        noteGesture({ outcome: isNew ? 'accepted' : 'duplicate', jobId: job.id });
        if (!isNew) return;
        const after = await applied(tx, job.id, event, context);
        if (!after.hasEffect) answer = { message: tooLateView(label, after.job), inPlace: false };
        else if (afterwards !== undefined) answer = { message: afterwards(press), inPlace: true };
      });
    };
    const problem = await storeGesture(deps, write);
    if (problem === null) await ack();
    await tell(deps, body, respond, problem === null ? answer : { message: problem, inPlace: false });
    // Unacknowledged, so that Slack shows a warning at the button, too.
    if (problem !== null) throw new Error(`the press of ${jobAction.actionId} was not stored`);
  };
}

/** The target came back from outside: it only counts where the job lives, or for who was shown the button. */
function isAtHome(job: Job, { isRequesters }: JobAction, { channel, user }: Args['body']): boolean {
  return isRequesters ? job.requesterId === user.id : job.channelId === channel?.id;
}

/** As far as Slack takes it. */
async function tell(
  deps: ListenerDeps,
  body: Args['body'],
  respond: Args['respond'],
  answer: Answer | null,
): Promise<void> {
  if (answer === null) return;
  const threadTs = threadOf(body);
  const place = threadTs === null ? {} : { thread_ts: threadTs };
  const how = answer.inPlace
    ? { replace_original: true }
    : { response_type: 'ephemeral' as const, replace_original: false, ...place };
  await courtesy(deps, respond({ ...how, ...answer.message }));
}

/** The thread that the button stands in; null for the root, which is seen in its channel. */
function threadOf({ container, message }: Args['body']): string | null {
  const threadTs: unknown = container.thread_ts ?? message?.thread_ts;
  return typeof threadTs === 'string' && threadTs !== container.message_ts ? threadTs : null;
}

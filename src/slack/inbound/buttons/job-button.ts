import { applied } from '../../../engine/apply-event.ts';
import type { Job } from '../../../jobs/job.ts';
import { decodeButton } from '../../protocol/ids.ts';
import { newsAbove, plainModal } from '../../views/parts/form.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import { refusalView } from '../../views/refusals.ts';
import { jobModalTitle } from '../../views/status.ts';
import { jobForgottenView, tooLateView } from '../../views/thread/announcement.ts';
import { jobInFull, NO_CHANNEL } from '../commands/status.ts';
import { noteRequest, type RequestNote } from '../connection/logged-request.ts';
import type { ListenerDeps, PressArgs } from '../deps.ts';
import { jobAdmissionProblem } from '../requests/admission.ts';
import { answerBeside, bestEffort } from '../requests/replies.ts';
import { isThreadTaken } from '../requests/start-job.ts';
import { storeRequest } from '../requests/store-request.ts';
import { type JobAction, pressOf } from './job-actions.ts';

/** What came of a press, for who pressed, and for the log. */
interface Outcome {
  readonly answer: Answer | null;
  readonly note?: RequestNote;
}

/** A button of a job. Who presses it a second time, or too late, is told what is the case. */
export function jobButton(deps: ListenerDeps, jobAction: JobAction) {
  return async ({ action, body, ack, respond }: PressArgs): Promise<void> => {
    const target = decodeButton(action.value ?? '');
    const press = pressOf({ action, body });
    const event = target && jobAction.eventOf(target, press);
    const { label, afterwards } = jobAction;
    const stored = await storeRequest(deps, {
      // Of the others, the middleware has checked the channel.
      admit: async () =>
        target && jobAction.isRequesters ? jobAdmissionProblem(deps, press.userId, target.jobId) : null,
      write: () =>
        deps.store.transaction(async (tx): Promise<Outcome> => {
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
        }),
    });
    if (stored.kind === 'failed') {
      await tellPresser(deps, { body, respond }, privately(stored.problem), null);
      // Unacknowledged, so that Slack shows a warning at the button, too.
      throw new Error(`the press of ${action.action_id} was not stored`);
    }
    const { answer, note }: Outcome =
      stored.kind === 'denied' ? { answer: privately(stored.problem) } : stored.result;
    if (note !== undefined) noteRequest(note);
    await ack();
    await tellPresser(deps, { body, respond }, answer, target?.jobId ?? null);
  };
}

function privately(message: SlackMessage): Answer {
  return { message, inPlace: false };
}

/** The target came back from outside: it only counts where the job lives, or for who was shown the button. */
function isAtHome(job: Job, { isRequesters }: JobAction, { channel, user }: PressArgs['body']): boolean {
  return isRequesters ? job.requesterId === user.id : job.channelId === channel?.id;
}

/** What is shown after a press: to all in place of the message with the button, or to who pressed. */
interface Answer {
  readonly message: SlackMessage;
  readonly inPlace: boolean;
}

/**
 * Tells who pressed a button of a job what came of it, as far as Slack takes it.
 * @param jobId null if the press was not stored
 */
async function tellPresser(
  deps: ListenerDeps,
  { body, respond }: Pick<PressArgs, 'body' | 'respond'>,
  answer: Answer | null,
  jobId: string | null,
): Promise<void> {
  if (body.view !== undefined) {
    const { blocks } = jobId === null ? body.view : await jobNow(deps, body.user.id, jobId);
    const modal = plainModal(jobModalTitle, { blocks: newsAbove(blocks, answer?.message ?? null) });
    await bestEffort(deps, deps.poster.updateModal(body.view.id, modal));
  } else if (answer !== null) {
    await (answer.inPlace
      ? bestEffort(deps, respond({ replace_original: true, ...answer.message }))
      : answerBeside(deps, { body, respond }, answer.message));
  }
}

function jobNow(deps: ListenerDeps, userId: string, jobId: string): Promise<SlackMessage> {
  return jobInFull(deps, { teamId: deps.teamId, userId, channelId: NO_CHANNEL }, jobId);
}

import { applyEvent } from '../../../engine/apply-event.ts';
import type { Job } from '../../../jobs/job.ts';
import { judgePrompt, unescaped } from '../../../jobs/requests/prompt.ts';
import { decodeFollowUpForm } from '../../protocol/form-data.ts';
import { followUpForm, noFormView } from '../../views/forms/compose.ts';
import { decodeButton } from '../../views/parts/buttons.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import { notReadView, refusalAtField } from '../../views/refusals.ts';
import { notYourFormView } from '../../views/thread/settled.ts';
import type { ListenerDeps, PressArgs, SubmitArgs } from '../deps.ts';
import { admissionProblem } from '../requests/admission.ts';
import { storeRequest } from '../requests/in-time.ts';
import { answerBeside, openForm, unknownJobAnswer } from '../requests/private-answers.ts';
import { filledIn, refuseAtField } from './submit.ts';

/** *Follow up*: a form for people who do not think of replying. It works as long as the thread exists. */
export function followUpPressed(deps: ListenerDeps) {
  return async ({ action, body, ack, respond }: PressArgs): Promise<void> => {
    await ack();
    const tell = (message: SlackMessage) => answerBeside(deps, { body, respond }, message);
    let job: Job | null;
    try {
      job = await jobOf(deps, decodeButton(action.value ?? '')?.jobId);
    } catch (error) {
      deps.log.error('not_shown', { error });
      return tell(notReadView());
    }
    if (job === null) return tell(await unknownJobAnswer(deps, body.message?.ts));
    if (job.channelId !== body.channel?.id) return;
    const data = { jobId: job.id, channelId: job.channelId, userId: body.user.id };
    const view = followUpForm(data, deps.newContext().policy.promptMaxLength);
    if ((await openForm(deps, body.trigger_id, view)) !== null) return;
    await tell(noFormView());
  };
}

/** Stored, and only then acknowledged; a problem is shown at the field. */
export function followUpSubmitted(deps: ListenerDeps) {
  return async ({ ack, body, view }: SubmitArgs): Promise<void> => {
    const userId = body.user.id;
    const { text } = filledIn(deps, view);
    const verdict = judgePrompt(unescaped(text), deps.newContext().policy.promptMaxLength);
    if (verdict.kind !== 'ok') return refuseAtField(ack, refusalAtField(verdict));
    const made = decodeFollowUpForm(view.private_metadata);
    if (made?.userId !== userId) return refuseAtField(ack, notYourFormView());
    const job = await jobOf(deps, made.jobId);
    if (job === null) return refuseAtField(ack, await unknownJobAnswer(deps));
    if (job.channelId !== made.channelId) return refuseAtField(ack, notYourFormView());
    const stored = await storeRequest(deps, {
      admit: () => admissionProblem(deps, userId, job.channelId),
      write: () =>
        deps.store.transaction(async (tx) => {
          const context = deps.newContext();
          if (!(await tx.inboundRequests.remember([`view:${deps.teamId}:${view.id}`], context.nowMs))) return;
          await applyEvent(tx, job.id, { type: 'follow_up_written', userId, text }, context);
        }),
    });
    await ('problem' in stored ? refuseAtField(ack, stored.problem) : ack());
  };
}

async function jobOf(deps: ListenerDeps, jobId: string | undefined): Promise<Job | null> {
  const job = jobId && (await deps.store.transaction((tx) => tx.jobs.get(jobId)));
  return job && job.teamId === deps.teamId ? job : null;
}

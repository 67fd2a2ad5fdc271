import { applyEvent } from '../../../engine/apply-event.ts';
import { decodeConfirmationForm } from '../../protocol/form-data.ts';
import { questionFormAgain, settledView, startingView } from '../../views/forms/question.ts';
import { buttons, decodeButton } from '../../views/parts/buttons.ts';
import { plainModal } from '../../views/parts/form.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import { composeTexts } from '../../views/parts/words.ts';
import { refusalView } from '../../views/refusals.ts';
import type { ListenerDeps, PressArgs, SubmitArgs } from '../deps.ts';
import { pressOf } from '../job-button.ts';
import {
  bestEffort,
  jobAdmissionProblem,
  recordPress,
  storeRequest,
  unknownJobAnswer,
} from '../requests/door.ts';
import { threadTakenProblem } from '../requests/start-job.ts';

interface AnotherPress {
  readonly button: string;
  /** The same for each delivery of the press. */
  readonly triggerId: string | undefined;
  /** As Slack returned it. */
  readonly jobId: string;
  readonly userId: string;
  /** Replaces the first request's. */
  readonly responseUrl: string | null;
  readonly pressedTs?: string | undefined;
  /** From *Start in …*. */
  readonly projectId?: string | undefined;
}

interface Answer {
  readonly message: SlackMessage;
  /** Whether nothing is left to press for. */
  readonly isFinal: boolean;
  readonly isStored: boolean;
}

/**
 * *Start another*, *Start* and *Start in …*, where the program asks whether, or for which project, the text
 * is meant.
 */
export function startAnother(deps: ListenerDeps) {
  return async ({ action, body, ack, respond }: PressArgs): Promise<void> => {
    const { jobId = '', projectId } = decodeButton(action.value ?? '') ?? {};
    const { trigger_id: triggerId } = body;
    const press = { button: action.action_id, triggerId, jobId, projectId, ...pressOf({ action, body }) };
    const { message, isFinal, isStored } = await answerTo(deps, press);
    if (isStored) await ack();
    await bestEffort(deps, respond({ response_type: 'ephemeral', replace_original: isFinal, ...message }));
    // Left unacknowledged, so that Slack shows a warning at the button, too.
    if (!isStored) throw new Error(`the press of ${action.action_id} was not stored`);
  };
}

/** *Start another* in a form. */
export function startAnotherSubmitted(deps: ListenerDeps) {
  return async ({ ack, body, view }: SubmitArgs): Promise<void> => {
    const form = decodeConfirmationForm(view.private_metadata);
    const press = {
      button: buttons.startAnother.id,
      triggerId: body.trigger_id,
      jobId: form?.jobId ?? '',
      userId: body.user.id,
      responseUrl: form?.responseUrl ?? null,
    };
    const { message, isFinal } = await answerTo(deps, press);
    const next = isFinal ? plainModal(composeTexts.startAnother, message) : questionFormAgain(view, message);
    await ack({ response_action: 'update', view: next });
  };
}

async function answerTo(deps: ListenerDeps, press: AnotherPress): Promise<Answer> {
  const stored = await storeRequest(deps, {
    admit: () => jobAdmissionProblem(deps, press.userId, press.jobId),
    write: () => storeAnother(deps, press),
  });
  return stored.kind === 'stored'
    ? { message: stored.result ?? (await unknownJobAnswer(deps)), isFinal: true, isStored: true }
    : { message: stored.problem, isFinal: false, isStored: stored.kind === 'denied' };
}

/** Starts the job, once. Returns the answer to the person; null: the outcome is unknown. */
function storeAnother(deps: ListenerDeps, press: AnotherPress): Promise<SlackMessage | null> {
  return deps.store.transaction(async (tx) => {
    const job = await tx.jobs.get(press.jobId);
    if (job === null) return null;
    const isTheirs = job.requesterId === press.userId && job.teamId === deps.teamId;
    if (!isTheirs) return settledView;
    const hasEffect = job.stage.kind === 'awaiting_confirmation';
    const project = deps.projects.find(({ id }) => id === press.projectId);
    const unknown = job.stage.kind === 'awaiting_confirmation' ? job.stage.unknownProject : undefined;
    // It has been removed from the settings.
    if (unknown !== undefined && project === undefined) return refusalView(unknown);
    const taken = hasEffect ? await threadTakenProblem(tx, job, press.userId) : null;
    if (taken !== null) return taken;
    const { responseUrl, pressedTs, triggerId, userId, button } = press;
    const chosen = project && { project: { id: project.id, name: project.name } };
    const context = deps.newContext();
    const keys = triggerId === undefined ? [] : [`press:${deps.teamId}:${triggerId}`];
    if (await tx.inboundRequests.remember(keys, context.nowMs)) {
      await recordPress(tx, deps, context, { userId, button, jobId: job.id, hasEffect });
    }
    if (!hasEffect) return settledView;
    await applyEvent(
      tx,
      job.id,
      { type: 'start_another_pressed', responseUrl, pressedTs, ...chosen },
      context,
    );
    return startingView;
  });
}

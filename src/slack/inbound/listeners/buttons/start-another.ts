import type { AllMiddlewareArgs, BlockButtonAction, SlackActionMiddlewareArgs } from '@slack/bolt';
import { applyEvent } from '../../../../engine/apply-event.ts';
import { decodeAskingForm } from '../../../protocol/form-data.ts';
import { decodeButton } from '../../../protocol/ids.ts';
import { askedStillForm, startedAnotherView, startedBeforeView } from '../../../views/forms/asked-before.ts';
import type { SlackMessage } from '../../../views/parts/message.ts';
import { plainModal } from '../../../views/parts/modal.ts';
import { refusalView } from '../../../views/refusals.ts';
import { jobForgottenView } from '../../../views/thread/too-late.ts';
import { jobAdmissionProblem } from '../admission.ts';
import { courtesy } from '../courtesy.ts';
import type { ListenerDeps } from '../deps.ts';
import type { SubmitArgs } from '../forms/submit.ts';
import { storeGesture } from '../store-gesture.ts';
import { isThreadTaken } from '../thread-taken.ts';
import { pressedTs } from './pressed-ts.ts';

type Args = SlackActionMiddlewareArgs<BlockButtonAction> & AllMiddlewareArgs;

interface AnotherPress {
  /** As it came back from outside. */
  readonly jobId: string;
  readonly userId: string;
  /** Takes the place of that of the first gesture. */
  readonly responseUrl: string | null;
  readonly pressedTs?: string | undefined;
}

interface Answer {
  readonly message: SlackMessage;
  /** Whether there is nothing left to press for. */
  readonly isFinal: boolean;
}

/** *Start another*, under the question whether the same words are meant to be another job. */
export function startAnother(deps: ListenerDeps) {
  return async ({ action, body, ack, respond }: Args): Promise<void> => {
    const jobId = decodeButton(action.value ?? '')?.jobId ?? '';
    const press = {
      jobId,
      userId: body.user.id,
      responseUrl: body.response_url || null,
      pressedTs: pressedTs(action),
    };
    const { message, isFinal, isStored } = await answerTo(deps, press);
    if (isStored) await ack();
    await courtesy(deps, respond({ response_type: 'ephemeral', replace_original: isFinal, ...message }));
    // Unacknowledged, so that Slack shows a warning at the button, too.
    if (!isStored) throw new Error('the press of start_another was not stored');
  };
}

/** The same in a form. */
export function startAnotherSubmitted(deps: ListenerDeps) {
  return async ({ ack, body, view }: SubmitArgs): Promise<void> => {
    const form = decodeAskingForm(view.private_metadata);
    const press = {
      jobId: form?.jobId ?? '',
      userId: body.user.id,
      responseUrl: form?.responseUrl ?? null,
    };
    const { message, isFinal } = await answerTo(deps, press);
    const next = isFinal ? plainModal('Start another?', message) : askedStillForm(view, message);
    await ack({ response_action: 'update', view: next });
  };
}

async function answerTo(
  deps: ListenerDeps,
  press: AnotherPress,
): Promise<Answer & { readonly isStored: boolean }> {
  const stored = await storeGesture(deps, () => storeAnother(deps, press));
  if ('problem' in stored) return { message: stored.problem, isFinal: false, isStored: false };
  return { ...stored.result, isStored: true };
}

/** Starts the job, once. Returns what the person is told. */
async function storeAnother(deps: ListenerDeps, press: AnotherPress): Promise<Answer> {
  const denial = await jobAdmissionProblem(deps, press.userId, press.jobId);
  if (denial !== null) return { message: denial, isFinal: false };
  const message = await deps.store.transaction(async (tx) => {
    const job = await tx.jobs.get(press.jobId);
    if (job === null) return jobForgottenView();
    const isTheirs = job.requesterId === press.userId && job.teamId === deps.teamId;
    if (!isTheirs || job.stage.kind !== 'asking') return startedBeforeView();
    if (await isThreadTaken(tx, job)) return refusalView({ kind: 'thread_taken' });
    const { responseUrl, pressedTs: atTs } = press;
    const event = { type: 'start_another_pressed', responseUrl, pressedTs: atTs } as const;
    await applyEvent(tx, job.id, event, deps.newContext());
    return startedAnotherView();
  });
  return { message, isFinal: true };
}

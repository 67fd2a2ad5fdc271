import { decodeConfirmationForm } from '../../protocol/form-data.ts';
import { questionFormAgain, settledView, startingView } from '../../views/forms/question.ts';
import { buttons, decodeButton } from '../../views/parts/buttons.ts';
import { plainModal } from '../../views/parts/form.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import { composeTexts } from '../../views/parts/words.ts';
import { refusalView } from '../../views/refusals.ts';
import { type ListenerDeps, notStored, type Press, type Submission, triggerKeys } from '../listener.ts';
import { jobAdmissionProblem, storeRequest } from '../requests/door.ts';
import { applyOnce, unknownJobAnswer } from '../requests/job-event.ts';
import { threadTakenProblem } from '../requests/start-job.ts';

interface AnotherPress extends Pick<Press, 'userId' | 'keys' | 'responseUrl'> {
  readonly buttonId: string;
  /** As Slack returned it. */
  readonly jobId: string;
  readonly pressedTs?: string | undefined;
  /** From *Start in …*. */
  readonly projectId?: string | undefined;
}

/**
 * *Start another*, *Start* and *Start in …*, where the program asks whether, or for which project, the text
 * is meant.
 */
export async function startAnother(deps: ListenerDeps, press: Press): Promise<void> {
  const { jobId = '', projectId } = decodeButton(press.value) ?? {};
  const stored = await store(deps, { ...press, jobId, projectId });
  if ('answer' in stored) return press.replace(stored.answer);
  if (stored.isDenied) return press.tell(stored.problem);
  await press.tellBeside(stored.problem);
  throw notStored(press);
}

/** *Start another* in a form. */
export async function startAnotherSubmitted(deps: ListenerDeps, form: Submission): Promise<void> {
  const { jobId = '', responseUrl = null } = decodeConfirmationForm(form.view.private_metadata) ?? {};
  const { userId, triggerId } = form;
  // The view is that of the request itself.
  const keys = triggerKeys('press', deps, triggerId);
  const stored = await store(deps, { userId, keys, jobId, responseUrl, buttonId: buttons.startAnother.id });
  await form.update(
    'answer' in stored
      ? plainModal(composeTexts.startAnother, stored.answer)
      : questionFormAgain(form.view, stored.problem),
  );
}

/** Starts the job, once. `answer`: nothing is left to press for. */
async function store(
  deps: ListenerDeps,
  press: AnotherPress,
): Promise<
  { readonly answer: SlackMessage } | { readonly problem: SlackMessage; readonly isDenied: boolean }
> {
  const { buttonId: button, jobId, userId, responseUrl, pressedTs } = press;
  const project = deps.projects.find(({ id }) => id === press.projectId);
  const chosen = project && { project: { id: project.id, name: project.name } };
  const event = { type: 'start_another_pressed', responseUrl, pressedTs, ...chosen } as const;
  const write = () =>
    deps.store.transaction(async (tx) => {
      const job = await tx.jobs.get(jobId);
      if (job === null) return null;
      if (job.requesterId !== userId || job.teamId !== deps.teamId) return settledView;
      if (job.stage.kind === 'awaiting_confirmation') {
        const { unknownProject: unknown } = job.stage;
        // It has been removed from the settings.
        if (unknown !== undefined && project === undefined) return refusalView(unknown);
        const taken = await threadTakenProblem(tx, job, userId);
        if (taken !== null) return taken;
      }
      const after = await applyOnce(tx, deps, press, { button, jobId, event });
      return after?.hasEffect ? startingView : settledView;
    });
  const stored = await storeRequest(deps, write, () => jobAdmissionProblem(deps, userId, jobId));
  return 'problem' in stored ? stored : { answer: stored.result ?? (await unknownJobAnswer(deps)) };
}

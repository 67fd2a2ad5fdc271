import type { ModalView } from '@slack/types';
import { isToBeEdited, isToBeFound } from '../../../jobs/decide/start/create.ts';
import type { JobEvent } from '../../../jobs/event.ts';
import { type Job, startPromptOf } from '../../../jobs/job.ts';
import { judgePrompt, unescaped } from '../../../jobs/requests/command.ts';
import type { Transaction } from '../../../store/store.ts';
import { type DecisionForm, decodeConfirmationForm, decodeDecisionForm } from '../../protocol/form-data.ts';
import { formIds } from '../../protocol/ids.ts';
import { readableText } from '../../protocol/slack-text.ts';
import {
  agentJobForm,
  editRequestForm,
  followUpForm,
  noFormView,
  resolveForm,
} from '../../views/forms/compose.ts';
import { questionFormAgain, settledView, startingView } from '../../views/forms/question.ts';
import { buttons, decodeButton } from '../../views/parts/buttons.ts';
import { plainModal } from '../../views/parts/form.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import { composeTexts } from '../../views/parts/words.ts';
import { noJobIdView, noSuchAgentJobView, refusalAtField, refusalView } from '../../views/refusals.ts';
import { agentSilentView, notYourFormView } from '../../views/thread/settled.ts';
import { isAgentJobId, isWatching } from '../commands/watch.ts';
import { type ListenerDeps, notStored, type Press, type Submission, triggerKeys } from '../listener.ts';
import {
  admissionProblem,
  agentHasJob,
  jobAdmissionProblem,
  jobOf,
  linkTo,
  namesIn,
  openForm,
  show,
  storeRequest,
} from '../requests/door.ts';
import { applyOnce, isAtHome, tooLate, unknownJobAnswer } from '../requests/job-event.ts';
import { threadTakenProblem } from '../requests/start-job.ts';
import { filledIn } from './submit.ts';

/** *Edit and start*, after a request that the agent refused, or a failure. */
export const editPressed = formPressed(async (deps, job, data) => {
  const { creates = 0, userId } = data;
  if (!isToBeEdited(job, creates)) {
    return { problem: await tooLate(deps, job, { type: 'request_edited', creates, prompt: '', userId }) };
  }
  const names = await namesIn(deps, [job.prompt]);
  return editRequestForm(data, readableText(job.prompt, names), deps.newContext().policy.promptMaxLength);
});

/** *I found the job…*, where the start is unclear. */
export const namePressed = unclearStartPressed(async (_deps, _job, data) => agentJobForm(data));

/** *Resolve…*: the same form, with the thread's other choices. */
export const resolvePressed = unclearStartPressed(async (deps, job, data) =>
  resolveForm(data, job, await namesIn(deps, [job.prompt])),
);

function unclearStartPressed(formOf: FormOf<ModalView>) {
  return formPressed(async (deps, job, data) => {
    const { callId = '', userId } = data;
    if (isToBeFound(job, callId)) return formOf(deps, job, data);
    const press = { type: 'agent_job_named', callId, agentJobId: '', userId } as const;
    return { problem: await tooLate(deps, job, press) };
  });
}

/**
 * *Reply to the agent*: a form for people who would not think of replying. It works as long as the thread
 * exists.
 */
export const followUpPressed = formPressed(async (deps, _job, data) =>
  followUpForm(data, deps.newContext().policy.promptMaxLength),
);

export const followUpSubmitted = formSubmitted(
  { field: formIds.prompt, button: buttons.followUp.id },
  async (deps, { userId }, _job, { view }) => {
    const { text } = filledIn(deps, view);
    const verdict = judgePrompt(unescaped(text), deps.newContext().policy.promptMaxLength);
    if (verdict.kind !== 'ok') return { problem: refusalAtField(verdict) };
    return { event: { type: 'follow_up_written', userId, text } };
  },
);

export const editSubmitted = formSubmitted(
  { field: formIds.prompt, button: buttons.editAndStart.id },
  async (deps, { creates = 0, userId }, job, { view }) => {
    const prompt = filledIn(deps, view).text;
    const { promptMaxLength } = deps.newContext().policy;
    const own = judgePrompt(unescaped(prompt), promptMaxLength);
    if (own.kind !== 'ok') return { problem: refusalAtField(own) };
    const whole = judgePrompt(unescaped(startPromptOf({ ...job, prompt })), promptMaxLength);
    if (whole.kind === 'too_long') {
      return { problem: refusalView({ ...whole, kind: 'too_long_together', mayUntick: false }) };
    }
    return { event: { type: 'request_edited', creates, prompt, userId } };
  },
);

export const nameSubmitted = formSubmitted(
  { field: formIds.agentJob, button: buttons.watchAgentJob.id },
  async (deps, { callId = '', userId }, job, { view }) => {
    const agentJobId = (view.state.values[formIds.agentJob]?.[formIds.agentJob]?.value ?? '').trim();
    if (!isAgentJobId(agentJobId)) return { problem: noJobIdView };
    const { projectId, projectName } = job;
    const isThere = await agentHasJob(deps, projectId, agentJobId);
    if (isThere === null) return { problem: agentSilentView };
    if (!isThere) return { problem: noSuchAgentJobView(agentJobId, projectName) };
    return {
      event: { type: 'agent_job_named', callId, agentJobId, userId },
      instead: async (tx) => {
        const jobs = await tx.jobs.ofAgentJob(deps.teamId, projectId, agentJobId);
        const found = jobs.find((one) => one.id !== job.id && isWatching(one));
        if (found === undefined) return null;
        const other = { number: found.number, threadUrl: linkTo(deps, found) };
        return { event: { type: 'start_dismissed', callId, userId, other } };
      },
    };
  },
);

type Problem = { readonly problem: SlackMessage };

type FormOf<T> = (deps: ListenerDeps, job: Job, data: DecisionForm) => Promise<T>;

export function formPressed(formOf: FormOf<ModalView | Problem>) {
  return async (deps: ListenerDeps, press: Press): Promise<void> => {
    await press.ack();
    const target = decodeButton(press.value);
    const job = target && (await show(deps, () => jobOf(deps, target.jobId)));
    if (target === null || job === null) {
      return press.tellBeside(await unknownJobAnswer(deps, press.messageTs));
    }
    if ('blocks' in job) return press.tellBeside(job);
    if (!isAtHome(job, {}, press)) return;
    const { creates, callId, draft } = target;
    const data = { jobId: job.id, channelId: job.channelId, userId: press.userId, creates, callId, draft };
    const form = await formOf(deps, job, data);
    if ('problem' in form) return press.tellBeside(form.problem);
    if ((await openForm(deps, press.triggerId, form)) === null) await press.tellBeside(noFormView);
  };
}

type Checked =
  | Problem
  | {
      readonly event: JobEvent;
      /** What the store calls for instead; null: nothing. */
      readonly instead?: (tx: Transaction) => Promise<Problem | { readonly event: JobEvent } | null>;
    };

/** Stored before it is acknowledged. A problem, or being too late, is shown at the field. */
export function formSubmitted(
  { field, button }: { readonly field: string; readonly button: string },
  check: (deps: ListenerDeps, made: DecisionForm, job: Job, form: Submission) => Promise<Checked>,
) {
  return async (deps: ListenerDeps, form: Submission): Promise<void> => {
    const { userId } = form;
    const refuse = (problem: SlackMessage) => form.tell(problem, field);
    const made = decodeDecisionForm(form.view.private_metadata);
    if (made?.userId !== userId) return refuse(notYourFormView);
    const job = await jobOf(deps, made.jobId);
    if (job === null) return refuse(await unknownJobAnswer(deps));
    if (job.channelId !== made.channelId) return refuse(notYourFormView);
    const checked = await check(deps, made, job, form);
    if ('problem' in checked) return refuse(checked.problem);
    const write = () =>
      deps.store.transaction(async (tx) => {
        const meant = (await checked.instead?.(tx)) ?? checked;
        if ('problem' in meant) return meant;
        return applyOnce(tx, deps, form, { button, jobId: job.id, event: meant.event });
      });
    const stored = await storeRequest(deps, write, () => admissionProblem(deps, userId, job.channelId));
    const result = 'problem' in stored ? stored : stored.result;
    if (result === null) return form.ack();
    if ('problem' in result) return refuse(result.problem);
    await (result.hasEffect ? form.ack() : refuse(await tooLate(deps, result.job, checked.event)));
  };
}

interface AnotherPress extends Pick<Press, 'userId' | 'keys' | 'responseUrl'> {
  readonly buttonId: string;
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
  const stored = await storeAnother(deps, { ...press, jobId, projectId });
  if ('answer' in stored) return press.replace(stored.answer);
  if (stored.isDenied) return press.tell(stored.problem);
  await press.tellBeside(stored.problem);
  throw notStored(press);
}

export async function startAnotherSubmitted(deps: ListenerDeps, form: Submission): Promise<void> {
  const { jobId = '', responseUrl = null } = decodeConfirmationForm(form.view.private_metadata) ?? {};
  const { userId, triggerId } = form;
  // The view is that of the request itself.
  const keys = triggerKeys('press', deps, triggerId);
  const stored = await storeAnother(deps, {
    userId,
    keys,
    jobId,
    responseUrl,
    buttonId: buttons.startAnother.id,
  });
  await form.update(
    'answer' in stored
      ? plainModal(composeTexts.startAnother, stored.answer)
      : questionFormAgain(form.view, stored.problem),
  );
}

/** Starts the job, once. `answer`: nothing is left to press for. */
async function storeAnother(
  deps: ListenerDeps,
  press: AnotherPress,
): Promise<{ readonly answer: SlackMessage } | (Problem & { readonly isDenied: boolean })> {
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

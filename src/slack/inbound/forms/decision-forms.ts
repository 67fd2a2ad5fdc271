import type { ModalView } from '@slack/types';
import { applyEvent } from '../../../engine/apply-event.ts';
import { isToBeEdited, isToBeFound } from '../../../jobs/decide/start/create.ts';
import type { JobEvent } from '../../../jobs/event.ts';
import { type Job, startPromptOf } from '../../../jobs/job.ts';
import { judgePrompt, unescaped } from '../../../jobs/requests/command.ts';
import type { Transaction } from '../../../store/store.ts';
import { type DecisionForm, decodeDecisionForm } from '../../protocol/form-data.ts';
import { formIds } from '../../protocol/ids.ts';
import { readableText } from '../../protocol/slack-text.ts';
import {
  agentJobForm,
  editRequestForm,
  followUpForm,
  noFormView,
  resolveForm,
} from '../../views/forms/compose.ts';
import { buttons, decodeButton } from '../../views/parts/buttons.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import {
  noJobIdView,
  noSuchAgentJobView,
  notReadView,
  refusalAtField,
  refusalView,
} from '../../views/refusals.ts';
import { agentSilentView, notYourFormView } from '../../views/thread/settled.ts';
import { isAgentJobId, isWatching } from '../commands/watch.ts';
import type { ListenerDeps, PressArgs, SubmitArgs } from '../deps.ts';
import { isAtHome, tooLate } from '../job-button.ts';
import {
  admissionProblem,
  answerBeside,
  inTime,
  linkTo,
  namesIn,
  openForm,
  recordPress,
  storeRequest,
  unknownJobAnswer,
} from '../requests/door.ts';
import { filledIn, refuseAtField } from './submit.ts';

/** Part of Slack's 3 seconds; storing needs most of the rest. */
const ASKED_WITHIN_MS = 700;

/** *Edit and start*, after a request that the agent refused, or a failure. */
export const editPressed = (deps: ListenerDeps) =>
  formPressed(deps, async (job, data) => {
    const { creates = 0, userId } = data;
    if (!isToBeEdited(job, creates)) {
      return { problem: await tooLate(deps, job, { type: 'request_edited', creates, prompt: '', userId }) };
    }
    const names = await namesIn(deps, [job.prompt]);
    const { promptMaxLength } = deps.newContext().policy;
    return editRequestForm(data, readableText(job.prompt, names), promptMaxLength);
  });

/** *I found the job…*, where the start is unclear. */
export const namePressed = (deps: ListenerDeps) =>
  unclearStartPressed(deps, async (data) => agentJobForm(data));

/** *Resolve…*: the same form, with the thread's other choices. */
export const resolvePressed = (deps: ListenerDeps) =>
  unclearStartPressed(deps, async (data, job) => resolveForm(data, job, await namesIn(deps, [job.prompt])));

const unclearStartPressed = (
  deps: ListenerDeps,
  formOf: (data: DecisionForm, job: Job) => Promise<ModalView>,
) =>
  formPressed(deps, async (job, data) => {
    const { callId = '', userId } = data;
    if (isToBeFound(job, callId)) return formOf(data, job);
    const press = { type: 'agent_job_named', callId, agentJobId: '', userId } as const;
    return { problem: await tooLate(deps, job, press) };
  });

/**
 * *Reply to the agent*: a form for people who would not think of replying. It works as long as the thread
 * exists.
 */
export const followUpPressed = (deps: ListenerDeps) =>
  formPressed(deps, async (_job, data) => followUpForm(data, deps.newContext().policy.promptMaxLength));

export const followUpSubmitted = (deps: ListenerDeps) =>
  formSubmitted(
    deps,
    { field: formIds.prompt, button: buttons.followUp.id },
    async ({ userId }, _job, { view }) => {
      const { text } = filledIn(deps, view);
      const verdict = judgePrompt(unescaped(text), deps.newContext().policy.promptMaxLength);
      if (verdict.kind !== 'ok') return { problem: refusalAtField(verdict) };
      return { event: { type: 'follow_up_written', userId, text } };
    },
  );

export const editSubmitted = (deps: ListenerDeps) =>
  formSubmitted(
    deps,
    { field: formIds.prompt, button: buttons.editAndStart.id },
    async ({ creates = 0, userId }, job, { view }) => {
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

export const nameSubmitted = (deps: ListenerDeps) =>
  formSubmitted(
    deps,
    { field: formIds.agentJob, button: buttons.watchAgentJob.id },
    async ({ callId = '', userId }, job, { view }) => {
      const agentJobId = (view.state.values[formIds.agentJob]?.[formIds.agentJob]?.value ?? '').trim();
      if (!isAgentJobId(agentJobId)) return { problem: noJobIdView };
      const { projectId, projectName } = job;
      const isThere = await inTime(deps, ASKED_WITHIN_MS, deps.agentHasJob(projectId, agentJobId), null);
      if (isThere === null) return { problem: agentSilentView };
      if (!isThere) return { problem: noSuchAgentJobView(agentJobId, projectName) };
      return {
        event: { type: 'agent_job_named', callId, agentJobId, userId },
        instead: async (tx) => {
          const jobs = await tx.jobs.ofAgentJob(deps.teamId, projectId, agentJobId);
          const found = jobs.find((one) => one.id !== job.id && isWatching(one));
          if (found === undefined) return null;
          const other = { number: found.number, threadUrl: linkTo(deps, found) };
          return { type: 'start_dismissed', callId, userId, other };
        },
      };
    },
  );

export function formPressed(
  deps: ListenerDeps,
  formOf: (job: Job, data: DecisionForm) => Promise<ModalView | { readonly problem: SlackMessage }>,
) {
  return async ({ action, body, ack, respond }: PressArgs): Promise<void> => {
    await ack();
    const tell = (message: SlackMessage) => answerBeside(deps, { body, respond }, message);
    const target = decodeButton(action.value ?? '');
    let job: Job | null;
    try {
      job = target && (await jobOf(deps, target.jobId));
    } catch (error) {
      deps.log.error('not_shown', { error });
      return tell(notReadView);
    }
    if (target === null || job === null) return tell(await unknownJobAnswer(deps, body.message?.ts));
    if (!isAtHome(job, {}, body)) return;
    const { creates, callId, draft } = target;
    const data = { jobId: job.id, channelId: job.channelId, userId: body.user.id, creates, callId, draft };
    const form = await formOf(job, data);
    if ('problem' in form) return tell(form.problem);
    if ((await openForm(deps, body.trigger_id, form)) === null) await tell(noFormView);
  };
}

type Checked =
  | { readonly problem: SlackMessage }
  | {
      readonly event: JobEvent;
      readonly isTaken?: (tx: Transaction) => Promise<SlackMessage | null>;
      /** Another event that the store calls for; null: none. */
      readonly instead?: (tx: Transaction) => Promise<JobEvent | null>;
    };

/** Stored before it is acknowledged. A problem, or being too late, is shown at the field. */
export function formSubmitted(
  deps: ListenerDeps,
  { field, button }: { readonly field: string; readonly button: string },
  check: (made: DecisionForm, job: Job, args: SubmitArgs) => Promise<Checked>,
) {
  return async (args: SubmitArgs): Promise<void> => {
    const { ack, body, view } = args;
    const refuse = (problem: SlackMessage) => refuseAtField(ack, problem, field);
    const userId = body.user.id;
    const made = decodeDecisionForm(view.private_metadata);
    if (made?.userId !== userId) return refuse(notYourFormView);
    const job = await jobOf(deps, made.jobId);
    if (job === null) return refuse(await unknownJobAnswer(deps));
    if (job.channelId !== made.channelId) return refuse(notYourFormView);
    const checked = await check(made, job, args);
    if ('problem' in checked) return refuse(checked.problem);
    const { event, isTaken = async () => null, instead = async () => null } = checked;
    const stored = await storeRequest(deps, {
      admit: () => admissionProblem(deps, userId, job.channelId),
      write: () =>
        deps.store.transaction(async (tx): Promise<{ problem: SlackMessage } | { late: Job } | null> => {
          const context = deps.newContext();
          const problem = await isTaken(tx);
          if (problem !== null) return { problem };
          const meant = (await instead(tx)) ?? event;
          if (!(await tx.inboundRequests.remember([`view:${deps.teamId}:${view.id}`], context.nowMs)))
            return null;
          const after = await applyEvent(tx, job.id, meant, context);
          const { hasEffect } = after;
          await recordPress(tx, deps, context, { userId, button, jobId: job.id, hasEffect });
          return hasEffect ? null : { late: after.job };
        }),
    });
    if ('problem' in stored) return refuse(stored.problem);
    const { result } = stored;
    if (result === null) return ack();
    return refuse('late' in result ? await tooLate(deps, result.late, event) : result.problem);
  };
}

export async function jobOf(deps: ListenerDeps, jobId: string): Promise<Job | null> {
  const job = await deps.store.transaction((tx) => tx.jobs.get(jobId));
  return job?.teamId === deps.teamId ? job : null;
}

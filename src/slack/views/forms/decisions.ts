import type { ModalView } from '@slack/types';
import type { Job } from '../../../jobs/job.ts';
import { type DecisionForm, encode } from '../../protocol/form-data.ts';
import { formIds, viewIds } from '../../protocol/ids.ts';
import { form, plain, promptFieldMax, promptInput } from '../parts/form.ts';
import { messageOfJob } from '../parts/job-line.ts';
import { smallPrint } from '../parts/message.ts';
import { labels } from '../parts/words.ts';
import { draftTexts } from '../texts/drafts.ts';
import { askingView, decisionForms, unclearStart } from '../thread/actions.ts';
import { linesInput, type ThreadLine } from './thread-preview.ts';

/** The form with the request that the agent refused. @param prompt as people read it */
export function editRequestForm(data: DecisionForm, prompt: string, promptMaxLength: number): ModalView {
  const isCut = prompt.length > promptFieldMax(promptMaxLength);
  return form(
    { id: viewIds.editRequest, title: decisionForms.edit.title, submit: labels.start, data: encode(data) },
    [promptInput(prompt, promptMaxLength), ...(isCut ? [smallPrint(decisionForms.edit.cutOff)] : [])],
  );
}

/** The form with a draft's request, and the messages that may go along. @param prompt as people read it */
export function draftForm(
  data: DecisionForm,
  facts: {
    readonly prompt: string;
    readonly lines: readonly ThreadLine[];
    readonly promptMaxLength: number;
  },
): ModalView {
  const { prompt, lines, promptMaxLength } = facts;
  const isCut = prompt.length > promptFieldMax(promptMaxLength);
  const cutOff = draftTexts.cutOff(prompt.length <= promptMaxLength);
  return form(
    { id: viewIds.draft, title: decisionForms.edit.title, submit: labels.start, data: encode(data) },
    [promptInput(prompt, promptMaxLength), ...linesInput(lines), ...(isCut ? [smallPrint(cutOff)] : [])],
  );
}

/** Asks which job of the agent it is. */
export function agentJobForm(data: DecisionForm): ModalView {
  return watchForm(data, decisionForms.watch.title, []);
}

/** The same with the thread's question and its other choices. */
export function resolveForm(data: DecisionForm, job: Job, names: ReadonlyMap<string, string>): ModalView {
  const { callId = '' } = data;
  const { blocks } = messageOfJob(job, names, askingView(unclearStart(job, callId, null)));
  return watchForm(data, decisionForms.resolve.title, blocks);
}

function watchForm(data: DecisionForm, title: string, above: ModalView['blocks']): ModalView {
  const { submit, label, hint } = decisionForms.watch;
  return form({ id: viewIds.agentJob, title, submit, data: encode(data) }, [
    ...above,
    {
      type: 'input',
      block_id: formIds.agentJob,
      label: plain(label),
      hint: plain(hint),
      element: { type: 'plain_text_input', action_id: formIds.agentJob },
    },
  ]);
}

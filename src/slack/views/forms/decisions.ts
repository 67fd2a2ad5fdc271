import type { ModalView } from '@slack/types';
import { type DecisionForm, encode } from '../../protocol/form-data.ts';
import { formIds, viewIds } from '../../protocol/ids.ts';
import { form, plain, promptFieldMax, promptInput } from '../parts/form.ts';
import { smallPrint } from '../parts/message.ts';
import { labels } from '../parts/words.ts';
import { decisionForms } from '../texts/thread/decisions.ts';
import { draftTexts } from '../texts/thread/drafts.ts';
import { linesInput, type ThreadLine } from './thread-preview.ts';

/** The form with the request that the agent did not accept. @param prompt as people read it */
export function editRequestForm(data: DecisionForm, prompt: string, promptMaxLength: number): ModalView {
  const isCut = prompt.length > promptFieldMax(promptMaxLength);
  return form(
    { id: viewIds.editRequest, title: decisionForms.edit.title, submit: labels.start, data: encode(data) },
    [promptInput(prompt, promptMaxLength), ...(isCut ? [smallPrint(decisionForms.edit.cutOff)] : [])],
  );
}

/** The form with the request of a draft, and the messages that may go along. @param prompt as people read it */
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

/** The form that asks which job of the agent it is. */
export function agentJobForm(data: DecisionForm): ModalView {
  const { title, submit, label, hint } = decisionForms.watch;
  return form({ id: viewIds.agentJob, title, submit, data: encode(data) }, [
    {
      type: 'input',
      block_id: formIds.agentJob,
      label: plain(label),
      hint: plain(hint),
      element: { type: 'plain_text_input', action_id: formIds.agentJob },
    },
  ]);
}

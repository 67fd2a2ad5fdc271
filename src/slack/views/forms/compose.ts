import type { ModalView } from '@slack/types';
import type { Job } from '../../../jobs/job.ts';
import type { Recipe } from '../../../jobs/recipe.ts';
import type { Project, Projects } from '../../../jobs/requests/project.ts';
import { type ComposeTarget, type DecisionForm, encode } from '../../protocol/form-data.ts';
import { formIds, viewIds } from '../../protocol/ids.ts';
import { messageOfJob } from '../list.ts';
import { buttons } from '../parts/buttons.ts';
import {
  channelInput,
  form,
  plain,
  projectInput,
  promptFieldMax,
  promptInput,
  recipeInput,
} from '../parts/form.ts';
import { cut } from '../parts/limits.ts';
import { message, paragraph, type SlackMessage, smallPrint } from '../parts/message.ts';
import { aboutMessage, shown } from '../parts/untrusted.ts';
import { composeTexts, draftTexts, fields, labels } from '../parts/words.ts';
import { askingView, decisionForms, unclearStart } from '../thread/actions.ts';
import { linesInput, type ThreadLine } from './thread-preview.ts';

/** Room for what the person adds. */
const WISH_LENGTH = 500;

export interface Compose {
  readonly target: ComposeTarget;
  /** The field's initial text, as people read it. */
  readonly prompt: string;
  /** The quotation was truncated. */
  readonly isCut: boolean;
  readonly projects: Projects;
  /** Preselected. */
  readonly project: Project;
  readonly promptMaxLength: number;
  /** May be run instead of a request. */
  readonly recipes: readonly Recipe[];
}

/** The request form. */
export function composeView({ target, prompt, isCut, ...choices }: Compose): ModalView {
  const { projects, project, promptMaxLength, recipes } = choices;
  // A recipe brings its own request and channel.
  const optional = recipes.length > 0;
  return form(
    { id: viewIds.compose, title: labels.askDocsAgent, submit: labels.start, data: encode(target) },
    [
      { ...promptInput(prompt, promptMaxLength), optional },
      ...recipeInput(recipes),
      ...(isCut ? [smallPrint(composeTexts.cutOff)] : []),
      ...projectInput(projects, project),
      ...(target.channelId === null ? [{ ...channelInput(), optional }] : []),
    ],
  );
}

/**
 * The initial text when somebody asks about a message: the message, cut to leave room for writing.
 * @param text as people read it
 */
export function promptAbout(
  text: string,
  permalink: string | null,
  promptMaxLength: number,
): Pick<Compose, 'prompt' | 'isCut'> {
  const { start, quoted } = aboutMessage(shown(text, Number.MAX_SAFE_INTEGER), permalink);
  const room = Math.max(promptFieldMax(promptMaxLength) - start.length - WISH_LENGTH, 1);
  return { prompt: `${start}${cut(quoted, room)}\n\n`, isCut: quoted.length > room };
}

/** A request that quotes a whole message. @param text as people read it */
export function requestAbout(text: string, permalink: string): string {
  const { start, quoted } = aboutMessage(shown(text, Number.MAX_SAFE_INTEGER), permalink);
  return start + quoted;
}

/** Says, privately, that a form could not be shown. */
export function noFormView(): SlackMessage {
  return message(paragraph(composeTexts.notOpened));
}

/** The reply form. */
export function followUpForm(data: DecisionForm, promptMaxLength: number): ModalView {
  return form(
    { id: viewIds.followUp, title: buttons.followUp.label, submit: labels.send, data: encode(data) },
    [promptInput('', promptMaxLength, fields.reply)],
  );
}

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

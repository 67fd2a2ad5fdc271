import type { ModalView } from '@slack/types';
import type { Recipe } from '../../../jobs/recipe.ts';
import type { Project, Projects } from '../../../jobs/requests/project.ts';
import { type ComposeTarget, type DecisionForm, encode } from '../../protocol/form-data.ts';
import { viewIds } from '../../protocol/ids.ts';
import { buttons } from '../parts/buttons.ts';
import { channelInput, form, projectInput, promptFieldMax, promptInput, recipeInput } from '../parts/form.ts';
import { cut } from '../parts/limits.ts';
import { message, paragraph, type SlackMessage, smallPrint } from '../parts/message.ts';
import { aboutMessage, shown } from '../parts/untrusted.ts';
import { labels } from '../parts/words.ts';
import { composeTexts, fields } from '../texts/forms.ts';

/** Room left for what the person adds. */
const WISH_LENGTH = 500;

export interface Compose {
  readonly target: ComposeTarget;
  /** The initial text of the field, as people read it. */
  readonly prompt: string;
  /** Of what it quotes, the end is missing. */
  readonly isCut: boolean;
  readonly projects: Projects;
  /** The one that is preselected. */
  readonly project: Project;
  readonly promptMaxLength: number;
  /** Those that can be run in place of a request. */
  readonly recipes: readonly Recipe[];
}

/** The form that asks for a job. */
export function composeView({ target, prompt, isCut, ...choices }: Compose): ModalView {
  const { projects, project, promptMaxLength, recipes } = choices;
  // Whoever runs a recipe writes no request, and it has a channel.
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
 * The initial text when somebody asks about a message: the message, cut so that the person has room to write.
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

/** A request about a message, all of which it quotes. @param text as people read it */
export function requestAbout(text: string, permalink: string): string {
  const { start, quoted } = aboutMessage(shown(text, Number.MAX_SAFE_INTEGER), permalink);
  return start + quoted;
}

/** Tells, privately, that a form could not be shown. */
export function noFormView(): SlackMessage {
  return message(paragraph(composeTexts.notOpened));
}

/** The form that asks for a follow-up. */
export function followUpForm(data: DecisionForm, promptMaxLength: number): ModalView {
  return form(
    { id: viewIds.followUp, title: buttons.followUp.label, submit: labels.send, data: encode(data) },
    [promptInput('', promptMaxLength, fields.reply)],
  );
}

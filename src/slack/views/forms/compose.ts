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

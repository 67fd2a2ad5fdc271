import type { ModalView } from '@slack/types';
import type { Project, Projects } from '../../../jobs/project.ts';
import { encode, type FollowUpForm, type Place } from '../../protocol/form-data.ts';
import { viewIds } from '../../protocol/ids.ts';
import { channelInput, form, projectInput, promptFieldMax, promptInput } from '../parts/form.ts';
import { cut } from '../parts/limits.ts';
import { message, paragraph, type SlackMessage, smallPrint } from '../parts/message.ts';
import { mrkdwn } from '../parts/mrkdwn.ts';
import { shown } from '../parts/untrusted.ts';
import { labels } from '../parts/words.ts';

/** What is kept free for a wish. */
const WISH_LENGTH = 500;

export interface Compose {
  readonly place: Place;
  /** What stands in the field at first, as people read it. */
  readonly prompt: string;
  /** Of what it quotes, the end is missing. */
  readonly isCut: boolean;
  readonly projects: Projects;
  /** The one that is preselected. */
  readonly project: Project;
  readonly promptMaxLength: number;
}

/** The form that asks for a job. */
export function composeView({ place, prompt, isCut, ...choices }: Compose): ModalView {
  const { projects, project, promptMaxLength } = choices;
  return form(
    { id: viewIds.compose, title: labels.askDocsAgent, submit: labels.start, data: encode(place) },
    [
      promptInput(prompt, promptMaxLength),
      ...(isCut ? [smallPrint(cutOff).block] : []),
      ...projectInput(projects, project),
      ...(place.channelId === null ? [channelInput()] : []),
    ],
  );
}

const cutOff = mrkdwn`✂️ The message is too long for this field: its end is cut off. To send all of it, reply to it with \`@docs-agent …\` instead.`;

/**
 * What stands in the field when somebody asks about a message: the message, as far as there is room beside a wish.
 * @param text as people read it
 */
export function promptAbout(
  text: string,
  permalink: string | null,
  promptMaxLength: number,
): Pick<Compose, 'prompt' | 'isCut'> {
  const place = permalink === null ? '' : ` (${permalink})`;
  const start = `About this Slack message${place}:\n`;
  const quoted = shown(text, Number.MAX_SAFE_INTEGER).replace(/^/gm, '> ');
  const room = Math.max(promptFieldMax(promptMaxLength) - start.length - WISH_LENGTH, 1);
  return { prompt: `${start}${cut(quoted, room)}\n\n`, isCut: quoted.length > room };
}

/** Tells, privately, that a form could not be shown. */
export function noFormView(): SlackMessage {
  return message(
    paragraph(
      mrkdwn`⚠️ *Slack did not open the form.* Please try again, or type the prompt: \`/docs-agent explain the rate limits\`. Nothing was started.`,
    ),
  );
}

/** The form that asks for a follow-up. */
export function followUpForm(data: FollowUpForm, promptMaxLength: number): ModalView {
  return form({ id: viewIds.followUp, title: labels.followUp, submit: labels.send, data: encode(data) }, [
    promptInput('', promptMaxLength),
  ]);
}

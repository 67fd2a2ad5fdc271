import type { ModalView } from '@slack/types';
import type { Project, Projects } from '../../jobs/project.ts';
import { encode, type Place } from '../form-data.ts';
import { viewIds } from '../ids.ts';
import { channelInput, form, projectInput, promptInput } from './form.ts';
import { cut } from './limits.ts';
import { message, paragraph, type SlackMessage } from './message.ts';
import { mrkdwn } from './mrkdwn.ts';
import { shown } from './untrusted.ts';
import { labels } from './words.ts';

/** Of the 3000 characters of the field. */
const QUOTED_MAX = 2000;

export interface Compose {
  readonly place: Place;
  /** What stands in the field at first, as people read it. */
  readonly prompt: string;
  readonly projects: Projects;
  /** The one that is preselected. */
  readonly project: Project;
  readonly promptMaxLength: number;
}

/** The form that asks for a job. */
export function composeView({ place, prompt, projects, project, promptMaxLength }: Compose): ModalView {
  return form(
    { id: viewIds.compose, title: labels.askDocsAgent, submit: labels.start, data: encode(place) },
    [
      promptInput(prompt, promptMaxLength),
      ...projectInput(projects, project),
      ...(place.channelId === null ? [channelInput()] : []),
    ],
  );
}

/**
 * What stands in the field when somebody asks about a message: the message, shortened, with room for a wish.
 * @param text as people read it
 */
export function promptAbout(text: string, permalink: string | null): string {
  const place = permalink === null ? '' : ` (${permalink})`;
  const quoted = shown(text, QUOTED_MAX)
    .split('\n')
    .map((line) => `> ${line}`);
  return `About this Slack message${place}:\n${cut(quoted.join('\n'), QUOTED_MAX)}\n\n`;
}

/** Tells, privately, that a form could not be shown. */
export function noFormView(): SlackMessage {
  return message(
    paragraph(
      mrkdwn`⚠️ *Slack did not open the form.* Please try again, or type the prompt: \`/docs-agent explain the rate limits\`. Nothing was started.`,
    ),
  );
}

import type { Addressed } from '../../jobs/project.ts';
import type { PromptVerdict } from '../../jobs/prompt.ts';
import { readableText } from '../protocol/readable-text.ts';
import { buttons, message, openThreadButton, paragraph, type SlackMessage } from './parts/message.ts';
import { type Mrkdwn, mrkdwn } from './parts/mrkdwn.ts';
import { oneLine } from './parts/untrusted.ts';

const WORD_MAX = 50;
const NAMES_MAX = 1000;
const numbers = new Intl.NumberFormat('en-US');

/** In characters. */
type Lengths = Omit<Extract<PromptVerdict, { kind: 'too_long' }>, 'kind'>;

/** Why a request is not taken. */
export type Refusal =
  | Exclude<PromptVerdict, { kind: 'ok' }>
  /** With the messages that go along. */
  | (Lengths & { readonly kind: 'too_long_together' })
  | Extract<Addressed, { kind: 'unknown_project' }>
  /** The text names another project than the menu beside it. */
  | { readonly kind: 'two_projects'; readonly named: string; readonly chosen: string }
  /** The thread that it is for has a job. */
  | { readonly kind: 'thread_taken' };

export function refusalView(refusal: Refusal): SlackMessage {
  return message(paragraph(mrkdwn`${explained(refusal)} Nothing was started.`));
}

function explained(refusal: Refusal): Mrkdwn {
  switch (refusal.kind) {
    case 'empty':
      return mrkdwn`✏️ *No prompt.* Say what to change: \`/docs-agent explain the rate limits\`.`;
    case 'too_long':
      return mrkdwn`✂️ *The prompt is too long.* ${lengths(refusal)}`;
    case 'too_long_together':
      return mrkdwn`✂️ *Too long with the messages that go along.* ${lengths(refusal)} Untick some.`;
    case 'unknown_project':
      return mrkdwn`🗂️ *There is no project ${nameOf(refusal.name)}.* ${knownProjects(refusal.names)} To use it as a prompt, put \`--\` in front.`;
    case 'two_projects':
      return mrkdwn`🗂️ *Which project?* The prompt begins with project=${nameOf(refusal.named)}, but ${nameOf(refusal.chosen)} is chosen here. Choose the same, or take it out of the prompt.`;
    case 'thread_taken':
      return mrkdwn`🧵 *A job runs in this thread already.* ${MENTION_INSTEAD}`;
  }
}

/** True also where only mentions go to the agent. */
const MENTION_INSTEAD = 'Mention me there: it goes to the agent.';

function lengths({ length, maxLength }: Lengths): string {
  return `It has ${numbers.format(length)} characters, the limit is ${numbers.format(maxLength)}.`;
}

function nameOf(project: string): string {
  return project === '' ? 'without a name' : oneLine(readableText(project, new Map()), WORD_MAX);
}

function knownProjects(names: readonly string[]): string {
  return `The projects are: ${oneLine(names.join(', '), NAMES_MAX)}.`;
}

/** `threadUrl`: null if the card of the job that watches it is not there yet. */
export function watchedAlreadyView(threadUrl: string | null): SlackMessage {
  const news = paragraph(
    mrkdwn`👀 *This job is watched already.* Mention me in its thread to send a follow-up.`,
  );
  return threadUrl === null ? message(news) : message(news, buttons(openThreadButton(threadUrl)));
}

/** The word behind `watch` is too long for an id. */
export function noJobIdView(): SlackMessage {
  return message(
    paragraph(
      mrkdwn`🔍 *That is no id of a job.* \`/docs-agent watch\` takes the id of a job at the agent API.`,
    ),
  );
}

/** Said at the field for the channel. */
export function noChannelView(): SlackMessage {
  return message(paragraph(mrkdwn`Choose a channel.`));
}

/** Sent again at once, it could be done twice. */
export function storingUnclearView(): SlackMessage {
  return message(
    paragraph(
      mrkdwn`❓ *It is not clear whether the request was stored.* If nothing appears within a minute, please try again.`,
    ),
  );
}

/** What was asked for could not be shown. */
export function notReadView(): SlackMessage {
  return message(
    paragraph(mrkdwn`⚠️ *This cannot be shown right now.* Nothing is lost: please try again in a minute.`),
  );
}

export function notStoredView(): SlackMessage {
  return message(
    paragraph(mrkdwn`⚠️ *The request could not be stored.* Nothing was started: please try again.`),
  );
}

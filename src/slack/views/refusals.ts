import type { KnownBlock } from '@slack/types';
import type { UnknownProject } from '../../jobs/requests/project.ts';
import type { PromptVerdict } from '../../jobs/requests/prompt.ts';
import { readableText } from '../protocol/slack-text.ts';
import { buttonRow, message, openThreadButton, paragraph, type SlackMessage } from './parts/message.ts';
import type { Mrkdwn } from './parts/mrkdwn.ts';
import { oneLine } from './parts/untrusted.ts';
import { refusals } from './texts/refusals.ts';

const WORD_MAX = 50;
const NAMES_MAX = 1000;
const numbers = new Intl.NumberFormat('en-US');

/** In characters. */
type Lengths = Omit<Extract<PromptVerdict, { kind: 'too_long' }>, 'kind'>;

/** Why a request is not taken. */
export type Refusal =
  | Exclude<PromptVerdict, { kind: 'ok' }>
  /** With the included messages. */
  | (Lengths & { readonly kind: 'too_long_together'; readonly mayUntick: boolean })
  | UnknownProject
  /** The text names another project than the menu beside it. */
  | { readonly kind: 'two_projects'; readonly named: string; readonly chosen: string }
  /** The thread that it is for has a job. */
  | { readonly kind: 'thread_taken' };

/** @param way to where it can be mended */
export function refusalView(refusal: Refusal, ...way: readonly KnownBlock[]): SlackMessage {
  return message(paragraph(explained(refusal)), ...way);
}

/** Below the field of a form. */
export function refusalAtField(refusal: Refusal): SlackMessage {
  return refusal.kind === 'empty' ? message(paragraph(refusals.emptyField)) : refusalView(refusal);
}

function explained(refusal: Refusal): Mrkdwn {
  switch (refusal.kind) {
    case 'empty':
      return refusals.empty;
    case 'too_long':
      return refusals.tooLong(...lengths(refusal));
    case 'too_long_together':
      return refusals.tooLongTogether(...lengths(refusal), refusal.mayUntick);
    case 'unknown_project': {
      const names = refusal.projects.map(({ name }) => name).join(', ');
      return refusals.unknownProject(nameOf(refusal.name), oneLine(names, NAMES_MAX));
    }
    case 'two_projects':
      return refusals.twoProjects(nameOf(refusal.named), nameOf(refusal.chosen));
    case 'thread_taken':
      return refusals.threadTaken;
  }
}

function lengths({ length, maxLength }: Lengths): [string, string] {
  return [numbers.format(length), numbers.format(maxLength)];
}

function nameOf(untrusted: string): string {
  return oneLine(readableText(untrusted, new Map()), WORD_MAX);
}

/** `threadUrl`: null if the card of the job that watches it is not there yet. */
export function watchedAlreadyView(threadUrl: string | null): SlackMessage {
  const news = paragraph(refusals.watchedAlready);
  return threadUrl === null ? message(news) : message(news, buttonRow(openThreadButton(threadUrl)));
}

/** The word behind `watch` is too long for an id. */
export function noJobIdView(): SlackMessage {
  return message(paragraph(refusals.noJobId));
}

/** The agent says that it has no such job. */
export function noSuchAgentJobView(id: string, projectName: string): SlackMessage {
  return message(paragraph(refusals.noSuchAgentJob(nameOf(id), nameOf(projectName))));
}

/** The agent did not say in time whether there is such a job: it is watched all the same. */
export function watchedUnseenView(): SlackMessage {
  return message(paragraph(refusals.watchedUnseen));
}

/** Said at the field for the channel. */
export function noChannelView(): SlackMessage {
  return message(paragraph(refusals.noChannel));
}

/** Sent again at once, it could be done twice. */
export function storingUnclearView(): SlackMessage {
  return message(paragraph(refusals.unclear));
}

/** What was asked for could not be shown. */
export function notReadView(): SlackMessage {
  return message(paragraph(refusals.notRead));
}

export function notStoredView(): SlackMessage {
  return message(paragraph(refusals.notStored));
}

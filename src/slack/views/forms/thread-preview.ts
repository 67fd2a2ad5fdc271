import type { InputBlock, ModalView } from '@slack/types';
import type { Job } from '../../../jobs/job.ts';
import type { Project, Projects } from '../../../jobs/requests/project.ts';
import { encode, type MentionedIn, type OfferedThread, type SaidSince } from '../../protocol/form-data.ts';
import { formIds, viewIds } from '../../protocol/ids.ts';
import { messageOfJob } from '../list.ts';
import { type Button, buttons } from '../parts/buttons.ts';
import {
  CHECKBOXES_MAX,
  checkboxOption,
  form,
  projectInput,
  promptFieldMax,
  promptInput,
  tickedInput,
} from '../parts/form.ts';
import {
  buttonRow,
  message,
  paragraph,
  pressButton,
  type SlackMessage,
  smallPrint,
} from '../parts/message.ts';
import { oneLine } from '../parts/untrusted.ts';
import { labels, threadPreview } from '../parts/words.ts';

const AUTHOR_MAX = 75;
const QUOTED_MAX = 200;

/** A thread's message that can go along with a prompt. */
export interface ThreadLine {
  /** Identifies the message as shown: an edit changes it. */
  readonly id: string;
  /** Author (and attachments) and text, as people read them. Untrusted. */
  readonly author: string;
  readonly text: string;
}

export interface ThreadPreview {
  readonly thread: OfferedThread;
  readonly prompt: string;
  /** At most 50, oldest first. */
  readonly lines: readonly ThreadLine[];
  /** How many older messages are not offered. */
  readonly leftOut: number;
  readonly projects: Projects;
  readonly project: Project;
  readonly promptMaxLength: number;
}

const NAMED_MAX = 3;

/**
 * Answers a mention in a thread without a job, privately. Messages that nobody has seen are not offered at
 * once.
 * @param authors one for each message that would go along; null: they could not be read
 */
export function sendAlongView(mentioned: MentionedIn, authors: readonly string[] | null): SlackMessage {
  const button = (kind: Button) => pressButton(kind, encode(mentioned));
  const choose = [button(buttons.chooseMessages), button(buttons.onlyMyWords)];
  if (authors === null) return message(paragraph(threadPreview.sendAlongUnread), buttonRow(...choose));
  if (authors.length === 0) return message(paragraph(threadPreview.noOtherText), buttonRow(...choose));
  return message(
    paragraph(threadPreview.sendAlong(authors.length, peopleNamed(authors))),
    buttonRow(button(buttons.startWithThread), ...choose),
  );
}

/**
 * Follows a mention that goes out where other replies don't: offers what was said before it. @param authors
 * one per message
 */
export function saidSinceView(job: Job, since: SaidSince, authors: readonly string[]): SlackMessage {
  const view = message(
    paragraph(threadPreview.sendSince(authors.length, peopleNamed(authors))),
    buttonRow(
      pressButton(buttons.sendSaidSince, encode(since)),
      pressButton(buttons.chooseSaidSince, encode(since)),
    ),
  );
  return messageOfJob(job, new Map(), view);
}

/** Asks which of them go to the agent. */
export function saidSinceForm(since: SaidSince, lines: readonly ThreadLine[]): ModalView {
  const data = encode(since);
  return form(
    { id: viewIds.saidSince, title: labels.askDocsAgent, submit: labels.send, data },
    linesInput(lines),
  );
}

/** `Alice`, `Alice and Bob`, `Alice, Bob, Carol and 2 others`. */
function peopleNamed(authors: readonly string[]): string {
  const people = [...new Set(authors)].map((author) => oneLine(author, AUTHOR_MAX));
  const more = people.length - NAMED_MAX;
  const named = more > 0 ? [...people.slice(0, NAMED_MAX), threadPreview.others(more)] : people;
  const last = named.at(-1) ?? '';
  return named.length < 2 ? last : `${named.slice(0, -1).join(', ')} ${threadPreview.and} ${last}`;
}

/** A message that would have gone along was edited after it was offered. */
export function editedMeanwhileView(author: string): SlackMessage {
  return message(paragraph(threadPreview.edited(oneLine(author, AUTHOR_MAX))));
}

/** For a thread that Slack does not confirm, and that the person may not be allowed to read. */
export function noJobInThreadView(): SlackMessage {
  return message(paragraph(threadPreview.noJobElsewhere));
}

/** Asks which messages of the thread go along with the prompt. */
export function threadPreviewView(preview: ThreadPreview): ModalView {
  const { thread, prompt, lines, projects, project, promptMaxLength } = preview;
  const data = encode(thread);
  return form({ id: viewIds.threadPreview, title: labels.askDocsAgent, submit: labels.start, data }, [
    promptInput(prompt, promptMaxLength),
    ...projectInput(projects, project),
    ...linesInput(lines),
    ...notesOf(preview).map((note) => smallPrint(note)),
  ]);
}

/** The messages to tick; all are at first. */
export function linesInput(lines: readonly ThreadLine[]): InputBlock[] {
  return groupsOf(lines).map((group, index) =>
    tickedInput(
      `${formIds.messages}${index}`,
      index === 0 ? threadPreview.messages : threadPreview.laterMessages,
      group.map(({ id, text, author }) => checkboxOption(id, text, author)),
    ),
  );
}

export function readingThreadView(): SlackMessage {
  return message(paragraph(threadPreview.reading));
}

/** @param isTooLong the thread has too many messages to choose from */
export function threadNotReadView(isTooLong: boolean): SlackMessage {
  return message(paragraph(isTooLong ? threadPreview.tooLong : threadPreview.notRead));
}

/** @param line a ticked message as it is now */
export function changedMeanwhileView({ author, text }: ThreadLine): SlackMessage {
  return message(paragraph(threadPreview.changed(oneLine(author, AUTHOR_MAX), oneLine(text, QUOTED_MAX))));
}

function notesOf({ lines, leftOut, prompt, promptMaxLength }: ThreadPreview) {
  return [
    ...(lines.length === 0 ? [threadPreview.noOtherText] : []),
    ...(leftOut > 0 ? [threadPreview.leftOut(leftOut)] : []),
    ...(prompt.length > promptFieldMax(promptMaxLength) ? [threadPreview.cutOff] : []),
  ];
}

function groupsOf(lines: readonly ThreadLine[]): ThreadLine[][] {
  const groups: ThreadLine[][] = [];
  for (let from = 0; from < lines.length; from += CHECKBOXES_MAX) {
    groups.push(lines.slice(from, from + CHECKBOXES_MAX));
  }
  return groups;
}

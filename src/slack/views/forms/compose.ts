import type { InputBlock, ModalView } from '@slack/types';
import type { Job } from '../../../jobs/job.ts';
import type { Recipe } from '../../../jobs/recipe.ts';
import type { Project, Projects } from '../../../jobs/requests/project.ts';
import {
  type ComposeTarget,
  type DecisionForm,
  encode,
  type MentionedIn,
  type OfferedThread,
  type SaidSince,
} from '../../protocol/form-data.ts';
import { formIds, viewIds } from '../../protocol/ids.ts';
import { messageOfJob } from '../list.ts';
import { type Button, buttons } from '../parts/buttons.ts';
import {
  CHECKBOXES_MAX,
  channelInput,
  checkboxOption,
  form,
  plain,
  projectInput,
  promptFieldMax,
  promptInput,
  recipeInput,
  tickedInput,
} from '../parts/form.ts';
import {
  buttonRow,
  message,
  paragraph,
  pressButton,
  type SlackMessage,
  say,
  smallPrint,
} from '../parts/message.ts';
import { aboutMessage, cut, oneLine, shown } from '../parts/untrusted.ts';
import { composeTexts, draftTexts, fields, labels, threadPreview } from '../parts/words.ts';
import { askingView, decisionForms, unclearStart } from '../thread/actions.ts';

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

export const noFormView = say(composeTexts.notOpened);

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
  return say(threadPreview.edited(oneLine(author, AUTHOR_MAX)));
}

/** For a thread that Slack does not confirm, and that the person may not be allowed to read. */
export const noJobInThreadView = say(threadPreview.noJobElsewhere);

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
function linesInput(lines: readonly ThreadLine[]): InputBlock[] {
  return groupsOf(lines).map((group, index) =>
    tickedInput(
      `${formIds.messages}${index}`,
      index === 0 ? threadPreview.messages : threadPreview.laterMessages,
      group.map(({ id, text, author }) => checkboxOption(id, text, author)),
    ),
  );
}

export const readingThreadView = say(threadPreview.reading);

/** @param isTooLong the thread has too many messages to choose from */
export function threadNotReadView(isTooLong: boolean): SlackMessage {
  return say(isTooLong ? threadPreview.tooLong : threadPreview.notRead);
}

/** @param line a ticked message as it is now */
export function changedMeanwhileView({ author, text }: ThreadLine): SlackMessage {
  return say(threadPreview.changed(oneLine(author, AUTHOR_MAX), oneLine(text, QUOTED_MAX)));
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

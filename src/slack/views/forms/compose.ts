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
import { buttons } from '../parts/buttons.ts';
import {
  channelInput,
  form,
  input,
  projectInput,
  promptFieldMax,
  promptInput,
  recipeInput,
  twoLineOption,
} from '../parts/form.ts';
import {
  type Blocks,
  buttonRow,
  message,
  paragraph,
  pressButton,
  type SlackMessage,
  say,
  smallPrint,
} from '../parts/message.ts';
import { counted, mrkdwn } from '../parts/mrkdwn.ts';
import { aboutMessage, cut, type Names, oneLine, shown } from '../parts/untrusted.ts';
import { labels } from '../parts/words.ts';
import { askingView, unclearStart } from '../thread/actions.ts';

/** Room for what the person adds. */
const ADDED_LENGTH = 500;

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

export function composeView({
  target,
  prompt,
  isCut,
  projects,
  project,
  promptMaxLength,
  recipes,
}: Compose): ModalView {
  // A recipe brings its own request and channel.
  const optional = recipes.length > 0;
  return form(
    viewIds.compose,
    labels.askDocsAgent,
    'Start',
    target,
    { ...promptInput(prompt, promptMaxLength), optional },
    recipeInput(recipes),
    isCut &&
      smallPrint(
        mrkdwn`✂️ The message is too long for this field, so the end is cut off here. To send all of it, reply to it with \`@docs-agent …\` instead.`,
      ),
    projectInput(projects, project),
    target.channelId === null && { ...channelInput(), optional },
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
  const room = Math.max(promptFieldMax(promptMaxLength) - start.length - ADDED_LENGTH, 1);
  return { prompt: `${start}${cut(quoted, room)}\n\n`, isCut: quoted.length > room };
}

/** A request that quotes a whole message. @param text as people read it */
export function requestAbout(text: string, permalink: string): string {
  const { start, quoted } = aboutMessage(shown(text, Number.MAX_SAFE_INTEGER), permalink);
  return start + quoted;
}

export const noFormView = say`⚠️ *Slack didn't open the form.* Please try again, or type your request: \`/docs-agent explain the rate limits\`.`;

export function followUpForm(data: DecisionForm, promptMaxLength: number): ModalView {
  return form(
    viewIds.followUp,
    buttons.followUp.label,
    'Send',
    data,
    promptInput('', promptMaxLength, 'Your reply to the agent'),
  );
}

/** The form with the request that the agent refused. @param prompt as people read it */
export function editRequestForm(data: DecisionForm, prompt: string, promptMaxLength: number): ModalView {
  const isCut = prompt.length > promptFieldMax(promptMaxLength);
  return form(
    viewIds.editRequest,
    'Edit and start',
    'Start',
    data,
    promptInput(prompt, promptMaxLength),
    isCut &&
      smallPrint(
        mrkdwn`✂️ The request is too long for this field, so the end is cut off here. To send all of it, mention me in a new message instead.`,
      ),
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
  const toSendAll = prompt.length <= promptMaxLength ? mrkdwn` *Start* below the draft sends all of it.` : '';
  return form(
    viewIds.draft,
    'Edit and start',
    'Start',
    data,
    promptInput(prompt, promptMaxLength),
    linesInput(lines),
    isCut &&
      smallPrint(mrkdwn`✂️ The request is too long for this field, so the end is cut off here.${toSendAll}`),
  );
}

export function agentJobForm(data: DecisionForm): ModalView {
  return watchForm(data, 'Watch the job', null);
}

/** The same with the thread's question and its other choices. */
export function resolveForm(data: DecisionForm, job: Job, names: Names): ModalView {
  const { callId = '' } = data;
  const { blocks } = messageOfJob(job, names, askingView(unclearStart(job, callId, null)));
  return watchForm(data, 'Resolve the start', blocks);
}

function watchForm(data: DecisionForm, title: string, above: Blocks): ModalView {
  const hint = 'As the agent shows it, for example job_123.';
  return form(
    viewIds.agentJob,
    title,
    'Watch',
    data,
    above,
    input(formIds.agentJob, "The agent's job id", { type: 'plain_text_input' }, { hint }),
  );
}

const AUTHOR_MAX = 75;
const QUOTED_MAX = 200;
/** https://docs.slack.dev/reference/block-kit/block-elements/checkboxes-element */
const CHECKBOXES_MAX = 10;

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
/** Without a comma before "and". */
const list = new Intl.ListFormat('en-GB');
const noOtherText = mrkdwn`There's no other text in this thread.`;

/**
 * Answers a mention in a thread without a job, privately. Messages that nobody has seen are not offered at
 * once.
 * @param authors one for each message that would go along; null: they could not be read
 */
export function sendAlongView(mentioned: MentionedIn, authors: readonly string[] | null): SlackMessage {
  const data = encode(mentioned);
  const offered = authors !== null && authors.length > 0;
  const question = mrkdwn`🧵 *Send this thread along?*`;
  const all = offered ? mrkdwn`${question} ${messagesBy(authors)}` : question;
  return message(
    paragraph(authors?.length === 0 ? noOtherText : all),
    buttonRow(
      offered && pressButton(buttons.startWithThread, data),
      pressButton(buttons.chooseMessages, data),
      pressButton(buttons.onlyMyWords, data),
    ),
  );
}

/**
 * Follows a mention that goes out where other replies don't: offers what was said before it. @param authors
 * one per message
 */
export function saidSinceView(job: Job, since: SaidSince, authors: readonly string[]): SlackMessage {
  const data = encode(since);
  const view = message(
    paragraph(mrkdwn`🧵 *Send what was said since, too?* ${messagesBy(authors)}`),
    buttonRow(pressButton(buttons.sendSaidSince, data), pressButton(buttons.chooseSaidSince, data)),
  );
  return messageOfJob(job, new Map(), view);
}

export function saidSinceForm(since: SaidSince, lines: readonly ThreadLine[]): ModalView {
  return form(viewIds.saidSince, labels.askDocsAgent, 'Send', since, linesInput(lines));
}

/** `1 message, by Alice`, `2 messages, by Alice and Bob`, `5 messages, by Alice, Bob, Carol and 2 others`. */
function messagesBy(authors: readonly string[]): string {
  const people = [...new Set(authors)].map((author) => oneLine(author, AUTHOR_MAX));
  const more = people.length - NAMED_MAX;
  const named = more > 0 ? [...people.slice(0, NAMED_MAX), counted(more, 'other')] : people;
  return `${counted(authors.length, 'message')}, by ${list.format(named)}`;
}

export function editedMeanwhileView(author: string): SlackMessage {
  return say`✏️ A message from ${oneLine(author, AUTHOR_MAX)} was edited in the meantime. Choose the messages again.`;
}

/** For a thread that Slack does not confirm, and that the person may not be allowed to read. */
export const noJobInThreadView = say`🧵 *There's no job in the thread where you mentioned me*, and Slack doesn't let me answer you there. Mention me outside that thread, or type \`/docs-agent explain the rate limits\`.`;

export function threadPreviewView({
  thread,
  prompt,
  lines,
  leftOut,
  projects,
  project,
  promptMaxLength,
}: ThreadPreview): ModalView {
  const isCut = prompt.length > promptFieldMax(promptMaxLength);
  const leftOutWords = counted(leftOut, 'older message is', 'older messages are');
  return form(
    viewIds.threadPreview,
    labels.askDocsAgent,
    'Start',
    thread,
    promptInput(prompt, promptMaxLength),
    projectInput(projects, project),
    linesInput(lines),
    lines.length === 0 && smallPrint(noOtherText),
    leftOut > 0 && smallPrint(mrkdwn`${leftOutWords} left out.`),
    isCut && smallPrint(mrkdwn`✂️ Your message is too long for this field, so the end is cut off here.`),
  );
}

/** The messages to tick, in groups; all are ticked at first. */
function linesInput(lines: readonly ThreadLine[]): InputBlock[] {
  const groups = Math.ceil(lines.length / CHECKBOXES_MAX);
  return Array.from({ length: groups }, (_, index) => {
    const options = lines
      .slice(index * CHECKBOXES_MAX, (index + 1) * CHECKBOXES_MAX)
      .map(({ id, text, author }) => twoLineOption(id, text, author));
    const label = index === 0 ? 'Include these messages' : 'Later messages';
    const element = { type: 'checkboxes', options, initial_options: options } as const;
    return input(`${formIds.messages}${index}`, label, element, { optional: true });
  });
}

export const readingThreadView = say`⏳ Reading the thread…`;

/** @param isTooLong the thread has too many messages to choose from */
export function threadNotReadView(isTooLong: boolean): SlackMessage {
  return isTooLong
    ? say`⚠️ *This thread has too many messages for me to read.* Ask outside the thread: \`/docs-agent explain the rate limits\`.`
    : say`⚠️ *I couldn't read the thread.* Please try again, or ask outside the thread: \`/docs-agent explain the rate limits\`.`;
}

/** @param line a ticked message as it is now */
export function changedMeanwhileView({ author, text }: ThreadLine): SlackMessage {
  return say`✏️ A ticked message from ${oneLine(author, AUTHOR_MAX)} was edited in the meantime: “${oneLine(text, QUOTED_MAX)}” Untick it, or close this form and choose the messages again.`;
}

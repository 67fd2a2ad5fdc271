import type { ModalView } from '@slack/types';
import type { Job } from '#jobs/job.ts';
import { commandNames, type Project, type Projects } from '#jobs/requests/command.ts';
import { intentOf } from '#jobs/requests/intent.ts';
import {
  type ComposeTarget,
  type DecisionForm,
  formIds,
  type MentionedIn,
  type OfferedThread,
  type SaidSince,
  viewIds,
} from '../protocol/ids.ts';
import { offerBlocks, unclearStart } from './announcement.ts';
import { buttons, nthInRow } from './buttons.ts';
import {
  channelInput,
  form,
  input,
  projectInput,
  promptFieldMax,
  promptInput,
  recipeInput,
  twoLineOption,
} from './form.ts';
import {
  type Blocks,
  buttonRow,
  linkButton,
  message,
  messageOfJob,
  pressButton,
  type SlackMessage,
  say,
  smallPrint,
  targetButton,
} from './message.ts';
import { refusalView } from './private-answers.ts';
import {
  aboutMessage,
  counted,
  cut,
  enumerated,
  joined,
  labels,
  mrkdwn,
  type Names,
  NO_NAMES,
  oneLine,
  quotedPrompt,
} from './text.ts';

const ADDED_LENGTH = 500;

type Prefilled = Readonly<{
  /** As people read it. */
  prompt: string;
  projects: Projects;
  project: Project;
  promptMaxLength: number;
}>;

interface Compose extends Prefilled {
  readonly target: ComposeTarget;
  readonly isCut: boolean;
  readonly recipes: readonly string[];
}

export const notBothView = say`Choose a recipe or write a request, not both.`;

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
    isCut && cutOff('The message', ' To send all of it, reply to it with `@docs-agent …` instead.'),
    projectInput(projects, project),
    target.channelId === null && { ...channelInput(), optional },
  );
}

function cutOff(what: string, instead: string) {
  return smallPrint(mrkdwn`✂️ ${what} is too long for this field, so the end is cut off here.${instead}`);
}

export function promptAbout(
  text: string,
  permalink: string | null,
  promptMaxLength: number,
): Pick<Compose, 'prompt' | 'isCut'> {
  const { start, quoted } = aboutMessage(text, permalink);
  const room = Math.max(promptFieldMax(promptMaxLength) - start.length - ADDED_LENGTH, 1);
  return { prompt: `${start}${cut(quoted, room)}\n\n`, isCut: quoted.length > room };
}

export const noFormView = say`⚠️ *Slack didn't open the form.* Please try again, or type your request: \`/docs-agent explain the rate limits\`.`;

export function followUpForm(data: DecisionForm, promptMaxLength: number, prompt = ''): ModalView {
  return form(
    viewIds.followUp,
    buttons.followUp.label,
    'Send',
    data,
    promptInput(prompt, promptMaxLength, 'Your reply to the agent'),
  );
}

export function editRequestForm(data: DecisionForm, prompt: string, promptMaxLength: number): ModalView {
  return form(
    viewIds.editRequest,
    'Edit and start',
    'Start',
    data,
    promptInput(prompt, promptMaxLength),
    prompt.length > promptFieldMax(promptMaxLength) &&
      cutOff('The request', ' To send all of it, mention me in a new message instead.'),
  );
}

export function draftForm(
  data: DecisionForm,
  { prompt, lines, promptMaxLength }: Pick<ThreadPreview, 'prompt' | 'lines' | 'promptMaxLength'>,
): ModalView {
  const toSendAll = prompt.length <= promptMaxLength ? ' *Start* below the draft sends all of it.' : '';
  return form(
    viewIds.draft,
    'Edit and start',
    'Start',
    data,
    promptInput(prompt, promptMaxLength),
    linesInput(lines),
    prompt.length > promptFieldMax(promptMaxLength) && cutOff('The request', toSendAll),
  );
}

export function agentJobForm(data: DecisionForm, title = 'Watch the job', above: Blocks = null): ModalView {
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

export function resolveForm(data: DecisionForm, job: Job, names: Names): ModalView {
  const asked = offerBlocks(unclearStart(job, data.callId ?? '', null), true);
  return agentJobForm(data, 'Resolve the start', messageOfJob(job, names, asked).blocks);
}

const AUTHOR_MAX = 75;
/** https://docs.slack.dev/reference/block-kit/block-elements/checkboxes-element */
const CHECKBOXES_MAX = 10;

export type ThreadLine = Readonly<{
  /** Changes when the message is edited. */
  id: string;
  /** Untrusted, like `text`. */
  author: string;
  text: string;
}>;

export interface ThreadPreview extends Prefilled {
  readonly thread: OfferedThread;
  /** At most 50, oldest first. */
  readonly lines: readonly ThreadLine[];
  readonly leftOut: number;
}

const NAMED_MAX = 3;
const noOtherText = mrkdwn`There's no other text in this thread.`;

/** @param authors one per message to send; null: unreadable */
export function sendAlongView(mentioned: MentionedIn, authors: readonly string[] | null): SlackMessage {
  const data = JSON.stringify(mentioned);
  const offered = authors !== null && authors.length > 0;
  const question = joined([mrkdwn`🧵 *Send this thread along?*`, offered && messagesBy(authors)], ' ');
  return message(
    authors?.length === 0 ? noOtherText : question,
    buttonRow(
      offered && pressButton(buttons.startWithThread, data),
      pressButton(buttons.chooseMessages, data),
      pressButton(buttons.onlyMyWords, data),
    ),
  );
}

export function saidSinceView(job: Job, since: SaidSince, authors: readonly string[]): SlackMessage {
  const data = JSON.stringify(since);
  return messageOfJob(
    job,
    NO_NAMES,
    mrkdwn`🧵 *Send what was said since, too?* ${messagesBy(authors)}`,
    buttonRow(pressButton(buttons.sendSaidSince, data), pressButton(buttons.chooseSaidSince, data)),
  );
}

export function saidSinceForm(since: SaidSince, lines: readonly ThreadLine[]): ModalView {
  return form(viewIds.saidSince, labels.askDocsAgent, 'Send', since, linesInput(lines));
}

/** `5 messages, by Alice, Bob, Carol and 2 others`. */
function messagesBy(authors: readonly string[]) {
  const people = [...new Set(authors)].map((author) => oneLine(author, AUTHOR_MAX));
  return `${counted(authors.length, 'message')}, by ${enumerated(people, NAMED_MAX)}`;
}

export function editedMeanwhileView(author: string): SlackMessage {
  return say`✏️ A message from ${oneLine(author, AUTHOR_MAX)} was edited in the meantime. Choose the messages again.`;
}

/** The person may have no access to the thread. */
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
    prompt.length > promptFieldMax(promptMaxLength) && cutOff('Your message', ''),
  );
}

export function linesInput(
  lines: readonly ThreadLine[],
  names: readonly [string, string] = ['Include these messages', 'Later messages'],
) {
  const groups = Math.ceil(lines.length / CHECKBOXES_MAX);
  return Array.from({ length: groups }, (_, index) => {
    const options = lines
      .slice(index * CHECKBOXES_MAX, (index + 1) * CHECKBOXES_MAX)
      .map(({ id, text, author }) => twoLineOption(id, text, author));
    const label = names[index === 0 ? 0 : 1];
    const element = { type: 'checkboxes', options, initial_options: options } as const;
    return input(`${formIds.messages}${index}`, label, element, { optional: true });
  });
}

export const readingThreadView = say`⏳ Reading the thread…`;

export const threadTooLongView = say`⚠️ *This thread has too many messages for me to read.* Ask outside the thread: \`/docs-agent explain the rate limits\`.`;
export const threadNotReadView = say`⚠️ *I couldn't read the thread.* Please try again, or ask outside the thread: \`/docs-agent explain the rate limits\`.`;

export type StartQuestion = Readonly<{ job: Job; sameAs: Job | null }>;

const PROMPT_MAX = 200;
const PROJECT_NAME_MAX = 50;

/** Asked before anything is public. @param permalink to the repeated job's thread */
export function questionView(
  question: StartQuestion,
  permalink: string | null,
  canStop = false,
): SlackMessage {
  return messageOfJob(question.job, NO_NAMES, questionBlocks(question, permalink, canStop));
}

function questionBlocks(question: StartQuestion, permalink: string | null, canStop: boolean): Blocks {
  const { job } = question;
  const { stage, prompt } = job;
  const waiting = stage.kind === 'awaiting_confirmation' ? stage : null;
  const unknown = waiting?.unknownProject;
  if (unknown !== undefined) {
    const { startIn } = buttons;
    const nearest = unknown.projects.slice(0, startIn.rowMax).map(({ id: projectId, name }, index) => {
      const label = `${startIn.label} ${oneLine(name, PROJECT_NAME_MAX)}`;
      return targetButton({ ...nthInRow(startIn, index), label }, job, { projectId });
    });
    return refusalView(unknown, buttonRow(nearest)).blocks;
  }
  if (waiting === null || waiting.sameAsJobId !== null) {
    const another = targetButton(buttons.startAnother, job);
    return [repetition(question), buttonRow(linkButton(buttons.openThread, permalink), another)];
  }
  const intent = intentOf(prompt);
  const start = targetButton(buttons.start, job);
  const sure = mrkdwn`*Send ${quotedPrompt(prompt, NO_NAMES, PROMPT_MAX)} to the agent as a new request?*`;
  if (intent.kind === 'no_such_job') {
    const word = quotedPrompt(intent.word, NO_NAMES, PROMPT_MAX);
    return [mrkdwn`No job ${word}. ${sure}`, buttonRow(start)];
  }
  if (intent.kind === 'question') {
    return [
      mrkdwn`*That looks like a question.* I change documentation; I can't answer.`,
      buttonRow(
        targetButton({ ...buttons.start, label: 'Ask for this change' }, job),
        pressButton({ ...buttons.showHelp, label: 'Help' }, 'help'),
      ),
    ];
  }
  const near = intent.kind === 'near_command' ? intent.command : intent.kind;
  const command = commandNames.find((name) => name === near);
  const typed = command === 'watch' ? 'watch job_123' : command;
  const final = !canStop && "Once it starts, it can't be cancelled.";
  const meant = typed !== undefined && `*Did you mean* \`/docs-agent ${typed}\`?`;
  return [joined([sure, final, meant], ' '), buttonRow(start, pressButton(buttons.showHelp, 'help'))];
}

function repetition({ job, sameAs }: StartQuestion) {
  if (sameAs === null) return mrkdwn`*You asked for this a moment ago.*`;
  const seconds = Math.max(Math.round((job.requestedAtMs - sameAs.requestedAtMs) / 1000), 0);
  return mrkdwn`*You asked for this ${seconds === 0 ? 'just now' : `${counted(seconds, 'second')} ago`}.*`;
}

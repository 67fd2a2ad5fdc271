import type { Button, ModalView } from '@slack/types';
import type { Job } from '../../../jobs/job.ts';
import { type CommandName, commandNames } from '../../../jobs/requests/command.ts';
import { type Intent, intentOf } from '../../../jobs/requests/intent.ts';
import type { UnknownProject } from '../../../jobs/requests/project.ts';
import { encode } from '../../protocol/form-data.ts';
import { viewIds } from '../../protocol/ids.ts';
import { messageOfJob } from '../list.ts';
import { buttons, nthInRow } from '../parts/buttons.ts';
import { form, newsAbove } from '../parts/form.ts';
import {
  buttonRow,
  message,
  openThreadButton,
  paragraph,
  pressButton,
  type SlackMessage,
  say,
  targetButton,
} from '../parts/message.ts';
import { type Mrkdwn, mrkdwn } from '../parts/mrkdwn.ts';
import { httpUrl } from '../parts/pull-request.ts';
import { oneLine, quotedPrompt } from '../parts/untrusted.ts';
import { composeTexts } from '../parts/words.ts';
import { refusalView } from '../refusals.ts';
import { questions } from '../thread/not-for-agent.ts';

export interface Question {
  readonly job: Job;
  /** The job that it repeats, if that is still known. */
  readonly sameAs: Job | null;
}

const PROMPT_MAX = 200;
const PROJECT_NAME_MAX = 50;
const NO_NAMES: ReadonlyMap<string, string> = new Map();

/**
 * Asks, privately, whether the text is meant (the same words again, or hardly a request), or for which
 * project.
 * @param permalink to the thread of the repeated job; null if there is none yet
 */
export function questionView(question: Question, permalink: string | null): SlackMessage {
  return messageOfJob(question.job, NO_NAMES, asked(question, permalink));
}

function asked(question: Question, permalink: string | null): SlackMessage {
  const { job } = question;
  const unknown = unknownProjectOf(job);
  if (unknown !== null) return refusalView(unknown, buttonRow(...startInButtons(job, unknown)));
  if (isRepeated(job)) {
    const startAnother = targetButton(buttons.startAnother, { jobId: job.id });
    return message(paragraph(repeated(question)), buttonRow(...openThread(permalink), startAnother));
  }
  return doubted(job);
}

function unknownProjectOf({ stage }: Job): UnknownProject | null {
  return stage.kind === 'awaiting_confirmation' ? (stage.unknownProject ?? null) : null;
}

/** The nearest projects; the text names the others. */
function startInButtons({ id: jobId }: Job, { projects }: UnknownProject): Button[] {
  const { startIn } = buttons;
  return projects.slice(0, startIn.rowMax).map(({ id: projectId, name }, index) => {
    const label = `${startIn.label} ${oneLine(name, PROJECT_NAME_MAX)}`;
    return targetButton({ ...nthInRow(startIn, index), label }, { jobId, projectId });
  });
}

function isRepeated({ stage }: Job): boolean {
  return stage.kind !== 'awaiting_confirmation' || stage.sameAsJobId !== null;
}

function repeated({ job, sameAs }: Question): Mrkdwn {
  return questions.sameRequest(
    sameAs === null ? questions.ago.unknown : secondsAgo(job.requestedAtMs - sameAs.requestedAtMs),
  );
}

function doubted({ id: jobId, prompt }: Job): SlackMessage {
  const quoted = quotedPrompt(prompt, NO_NAMES, PROMPT_MAX);
  const intent = intentOf(prompt);
  const start = targetButton(buttons.start, { jobId });
  const help = pressButton(buttons.showHelp, 'help');
  switch (intent.kind) {
    case 'no_such_job': {
      const word = quotedPrompt(intent.word, NO_NAMES, PROMPT_MAX);
      return message(paragraph(questions.noSuchJob(word, quoted)), buttonRow(start));
    }
    case 'question': {
      return message(
        paragraph(questions.question),
        buttonRow(
          targetButton({ ...buttons.start, label: questions.askForThis }, { jobId }),
          pressButton({ ...buttons.showHelp, label: questions.help }, 'help'),
        ),
      );
    }
    default: {
      const command = commandIn(intent);
      const meant = command === undefined ? '' : mrkdwn` ${questions.nearCommand(command)}`;
      return message(paragraph(mrkdwn`${questions.sure(quoted)}${meant}`), buttonRow(start, help));
    }
  }
}

function commandIn(intent: Intent): CommandName | undefined {
  if (intent.kind === 'near_command') return intent.command;
  return intent.kind === 'command' ? commandNames.find((name) => name === intent.command.kind) : undefined;
}

/** The question about the same words in a form, replacing the submitted one. */
export function questionForm(
  question: Question,
  permalink: string | null,
  responseUrl: string | null,
): ModalView {
  const data = encode({ jobId: question.job.id, responseUrl });
  const thread = openThread(permalink);
  const { blocks } = message(
    paragraph(repeated(question)),
    ...(thread.length === 0 ? [] : [buttonRow(...thread)]),
  );
  return confirmationForm(data, blocks);
}

/** That form again, with what kept the job from starting: it can be sent again. */
export function questionFormAgain(
  {
    private_metadata: data,
    blocks,
  }: { readonly private_metadata: string; readonly blocks: ModalView['blocks'] },
  news: SlackMessage,
): ModalView {
  return confirmationForm(data, newsAbove(blocks, news));
}

function confirmationForm(data: string, blocks: ModalView['blocks']): ModalView {
  const submit = buttons.startAnother.label;
  return form({ id: viewIds.startAnother, title: composeTexts.startAnother, submit, data }, blocks);
}

function openThread(permalink: string | null): Button[] {
  const url = permalink === null ? null : httpUrl(permalink);
  return url === null ? [] : [openThreadButton(url)];
}

/** Replaces the question when it is answered. */
export const startingView = say(questions.starting);

/** Replaces a question that was answered before. */
export const settledView = say(questions.settled);

function secondsAgo(ms: number): string {
  const seconds = Math.max(Math.round(ms / 1000), 0);
  return seconds === 0 ? questions.ago.now : questions.ago.seconds(seconds);
}

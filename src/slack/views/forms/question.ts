import type { ModalView } from '@slack/types';
import type { Job } from '../../../jobs/job.ts';
import { type CommandName, commandNames } from '../../../jobs/requests/command.ts';
import { type Intent, intentOf } from '../../../jobs/requests/intent.ts';
import { viewIds } from '../../protocol/ids.ts';
import { messageOfJob } from '../list.ts';
import { buttons, nthInRow } from '../parts/buttons.ts';
import { form, newsAbove } from '../parts/form.ts';
import {
  type Blocks,
  buttonRow,
  linkButton,
  message,
  paragraph,
  pressButton,
  type SlackMessage,
  say,
  targetButton,
} from '../parts/message.ts';
import { counted, joined, mrkdwn } from '../parts/mrkdwn.ts';
import { type Names, oneLine, quotedPrompt } from '../parts/untrusted.ts';
import { composeTexts } from '../parts/words.ts';
import { refusalView } from '../refusals.ts';

export interface Question {
  readonly job: Job;
  /** The job that it repeats, if that is still known. */
  readonly sameAs: Job | null;
}

const PROMPT_MAX = 200;
const PROJECT_NAME_MAX = 50;
const NO_NAMES: Names = new Map();

/**
 * Asks, privately, whether the text is meant (the same words again, or hardly a request), or for which
 * project. A started job cannot be stopped, so this comes before anything is public.
 * @param permalink to the thread of the repeated job; null if there is none yet
 */
export function questionView(question: Question, permalink: string | null): SlackMessage {
  return messageOfJob(question.job, NO_NAMES, asked(question, permalink));
}

function asked(question: Question, permalink: string | null): SlackMessage {
  const { id: jobId, stage, prompt } = question.job;
  const waiting = stage.kind === 'awaiting_confirmation' ? stage : null;
  const unknown = waiting?.unknownProject;
  if (unknown) {
    // The nearest projects; the text names the others.
    const { startIn } = buttons;
    const nearest = unknown.projects.slice(0, startIn.rowMax).map(({ id: projectId, name }, index) => {
      const label = `${startIn.label} ${oneLine(name, PROJECT_NAME_MAX)}`;
      return targetButton({ ...nthInRow(startIn, index), label }, { jobId, projectId });
    });
    return refusalView(unknown, buttonRow(nearest));
  }
  if (waiting === null || waiting.sameAsJobId !== null) {
    return message(
      repeated(question),
      buttonRow(linkButton(buttons.openThread, permalink), targetButton(buttons.startAnother, { jobId })),
    );
  }
  const quoted = quotedPrompt(prompt, NO_NAMES, PROMPT_MAX);
  const intent = intentOf(prompt);
  const start = targetButton(buttons.start, { jobId });
  switch (intent.kind) {
    case 'no_such_job': {
      const word = quotedPrompt(intent.word, NO_NAMES, PROMPT_MAX);
      return message(
        paragraph(mrkdwn`No job ${word}. *Send ${quoted} to the agent as a new request?*`),
        buttonRow(start),
      );
    }
    case 'question':
      return message(
        paragraph(mrkdwn`*That looks like a question.* I change documentation; I can't answer.`),
        buttonRow(
          targetButton({ ...buttons.start, label: 'Ask for this change' }, { jobId }),
          pressButton({ ...buttons.showHelp, label: 'Help' }, 'help'),
        ),
      );
    default: {
      const command = commandIn(intent);
      const sure = mrkdwn`*Send ${quoted} to the agent as a new request?* Once it starts, it can't be cancelled.`;
      const typed = command === 'watch' ? 'watch job_123' : command;
      const meant = typed !== undefined && mrkdwn`*Did you mean* \`/docs-agent ${typed}\`?`;
      return message(
        paragraph(joined([sure, meant], ' ')),
        buttonRow(start, pressButton(buttons.showHelp, 'help')),
      );
    }
  }
}

function commandIn(intent: Intent): CommandName | undefined {
  if (intent.kind === 'near_command') return intent.command;
  return intent.kind === 'command' ? commandNames.find((name) => name === intent.command.kind) : undefined;
}

function repeated({ job, sameAs }: Question): Blocks {
  const seconds =
    sameAs === null ? null : Math.max(Math.round((job.requestedAtMs - sameAs.requestedAtMs) / 1000), 0);
  const before =
    seconds === null ? 'a moment ago' : seconds === 0 ? 'just now' : `${counted(seconds, 'second')} ago`;
  return paragraph(mrkdwn`*You asked for this ${before}.*`);
}

type FormArguments = Parameters<typeof form>;

/** The question about the same words in a form, replacing the submitted one. */
export function questionForm(
  question: Question,
  permalink: string | null,
  responseUrl: string | null,
): ModalView {
  return confirmationForm({ jobId: question.job.id, responseUrl }, [
    repeated(question),
    buttonRow(linkButton(buttons.openThread, permalink)),
  ]);
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

function confirmationForm(data: FormArguments[3], blocks: FormArguments[4]): ModalView {
  const submit = buttons.startAnother.label;
  return form(viewIds.startAnother, composeTexts.startAnother, submit, data, blocks);
}

export const startingView = say`🚀 *Starting.* The card is about to appear.`;

export const settledView = say`Already done: the job has started.`;

import type { ModalView } from '@slack/types';
import type { Project, Projects } from '../../../jobs/project.ts';
import { encode, type MentionedIn, type OfferedThread } from '../../protocol/form-data.ts';
import { actionIds, formIds, viewIds } from '../../protocol/ids.ts';
import {
  CHECKBOXES_MAX,
  checkboxOption,
  form,
  projectInput,
  promptFieldMax,
  promptInput,
  tickedInput,
} from '../parts/form.ts';
import { message, paragraph, type SlackMessage, smallPrint, valueButton } from '../parts/message.ts';
import { mrkdwn } from '../parts/mrkdwn.ts';
import { oneLine } from '../parts/untrusted.ts';
import { labels } from '../parts/words.ts';

const AUTHOR_MAX = 75;
const QUOTED_MAX = 200;

/** A message of a thread that can go along with a prompt. */
export interface ThreadLine {
  /** Of the message as it is shown: an edit makes it another. */
  readonly id: string;
  /** Who wrote it (and what came along), and what, as people read it. Untrusted. */
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

/** Answers a mention in a thread without a job, privately. */
export function chooseMessagesView(mentioned: MentionedIn): SlackMessage {
  return message(
    paragraph(
      mrkdwn`🧵 *No job runs in this thread yet.* *${labels.chooseMessages}* shows what would go to the agent along with your words. Nothing is sent before that.`,
    ),
    valueButton(labels.chooseMessages, actionIds.chooseMessages, encode(mentioned)),
  );
}

/** The same where Slack does not take it in the thread. Whether the person may read that thread is not known. */
export function noJobInThreadView(): SlackMessage {
  return message(
    paragraph(
      mrkdwn`🧵 *No job runs in the thread where you mentioned me*, and Slack does not let me answer you there. Nothing was started: mention me outside of it, or use \`/docs-agent explain the rate limits\`.`,
    ),
  );
}

/** Asks which messages of the thread go along with the prompt. */
export function threadPreviewView(preview: ThreadPreview): ModalView {
  const { thread, prompt, lines, projects, project, promptMaxLength } = preview;
  const data = encode(thread);
  return form({ id: viewIds.threadPreview, title: labels.askDocsAgent, submit: labels.start, data }, [
    promptInput(prompt, promptMaxLength),
    ...projectInput(projects, project),
    ...groupsOf(lines).map((group, index) =>
      tickedInput(
        `${formIds.messages}${index}`,
        index === 0 ? 'Messages that go along' : 'Later messages',
        group.map(({ id, text, author }) => checkboxOption(id, text, author)),
      ),
    ),
    ...notesOf(preview).map((note) => smallPrint(note).block),
  ]);
}

export function readingThreadView(): SlackMessage {
  return message(paragraph(mrkdwn`⏳ Reading the thread …`));
}

/** @param isTooLong the thread has more messages than anybody can choose from */
export function threadNotReadView(isTooLong: boolean): SlackMessage {
  const why = isTooLong ? 'It has too many messages.' : 'Slack did not give it.';
  return message(
    paragraph(
      mrkdwn`⚠️ *I could not read the thread.* ${why} Please try again, or start a job outside of it: \`/docs-agent explain the rate limits\`. Nothing was started.`,
    ),
  );
}

/** @param line a message that was ticked, as it is now */
export function changedMeanwhileView({ author, text }: ThreadLine): SlackMessage {
  return message(
    paragraph(
      mrkdwn`✏️ A ticked message of ${oneLine(author, AUTHOR_MAX)} was edited meanwhile: “${oneLine(text, QUOTED_MAX)}” Untick it, or close this form and choose the messages again. Nothing was started.`,
    ),
  );
}

function notesOf({ lines, leftOut, prompt, promptMaxLength }: ThreadPreview) {
  return [
    ...(lines.length === 0 ? [mrkdwn`There is no other text in this thread.`] : []),
    ...(leftOut > 0
      ? [mrkdwn`${leftOut} older ${leftOut === 1 ? 'message is' : 'messages are'} left out.`]
      : []),
    ...(prompt.length > promptFieldMax(promptMaxLength)
      ? [mrkdwn`Your message is longer than the field: its end is cut off.`]
      : []),
  ];
}

function groupsOf(lines: readonly ThreadLine[]): ThreadLine[][] {
  const groups: ThreadLine[][] = [];
  for (let from = 0; from < lines.length; from += CHECKBOXES_MAX) {
    groups.push(lines.slice(from, from + CHECKBOXES_MAX));
  }
  return groups;
}

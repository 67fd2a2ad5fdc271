import { addressed } from '../../../jobs/requests/project.ts';
import { attachmentsIn, attachmentsInWords, mergeAttachments } from '../../messages/attachments.ts';
import { requestText } from '../../messages/message-event.ts';
import { saidBy } from '../../messages/said.ts';
import { offeredMessages, peopleIn, saidIn } from '../../messages/thread-messages.ts';
import { decodeMentionedIn, decodeOfferedThread, type MentionedIn } from '../../protocol/form-data.ts';
import { displayText, escapeMrkdwn, readableText, unescapeMrkdwn } from '../../protocol/slack-text.ts';
import {
  changedMeanwhileView,
  editedMeanwhileView,
  noFormView,
  noJobInThreadView,
  readingThreadView,
  type ThreadLine,
  type ThreadPreview,
  threadNotReadView,
  threadPreviewView,
} from '../../views/forms/compose.ts';
import { questionView, startingView } from '../../views/forms/question.ts';
import { plainModal } from '../../views/parts/form.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import { isDirectMessage } from '../../views/parts/mrkdwn.ts';
import { labels } from '../../views/parts/words.ts';
import { notReadView, refusalView } from '../../views/refusals.ts';
import { TOO_MANY_MESSAGES } from '../../workspace/poster.ts';
import type { ThreadMessage } from '../../workspace/web-api/caller.ts';
import { SlackCallError, saidNo } from '../../workspace/web-api/failure.ts';
import type { ListenerDeps, Press, Submission } from '../listener.ts';
import { inTime, linkTo, openForm } from '../requests/door.ts';
import { projectOf, startFrom } from '../requests/start-job.ts';
import { filledIn, startFromForm } from './submit.ts';

/** To be shown to the person. */
export interface Problem {
  readonly problem: SlackMessage;
}

/** Messages as they are now, without deleted ones, and the names in them. */
export interface Along {
  readonly messages: readonly ThreadMessage[];
  readonly names: ReadonlyMap<string, string>;
}

/** What is read from a thread, if Slack answers in time. */
export async function readThread<T extends object>(
  deps: ListenerDeps,
  channelId: string,
  withinMs: number,
  reading: Promise<T>,
): Promise<T | Problem> {
  try {
    return await inTime<T | Problem>(deps, withinMs, reading, { problem: threadNotReadView(false) });
  } catch (error) {
    if (!(error instanceof SlackCallError)) throw error;
    return { problem: notOffered(deps, channelId, error) };
  }
}

function notOffered({ log }: ListenerDeps, channelId: string, error: unknown): SlackMessage {
  log.warn('thread_not_offered', { channel_id: channelId, error });
  if (!(error instanceof SlackCallError)) return notReadView;
  return threadNotReadView(error.failure.code === TOO_MANY_MESSAGES);
}

export function tickedOf(
  messages: readonly ThreadMessage[],
  ticked: readonly string[],
): readonly ThreadMessage[] {
  const tickedTs = new Set(ticked.map(timeIn));
  return messages.filter(({ ts }) => tickedTs.has(ts));
}

/** A ticked message has been edited since the form was made. */
export function changedIn(lines: readonly ThreadLine[], ticked: readonly string[]): Problem | null {
  const changed = lines.find(({ id }) => !ticked.includes(id));
  return changed === undefined ? null : { problem: changedMeanwhileView(changed) };
}

/** A message was edited after the mention, whose author has not seen it so. */
export function editedSince({ messages, names }: Along, mentionTs: string): Problem | null {
  const edited = messages.find((message) => (message.edited?.ts ?? '') > mentionTs);
  return edited === undefined ? null : { problem: editedMeanwhileView(authorOf(edited, names)) };
}

/** As people read them. */
export function toLines({ messages, names }: Along): ThreadLine[] {
  return messages.map((message) => {
    const files = unescapeMrkdwn(attachmentsInWords(attachmentsIn(message)));
    return {
      id: versionId(message.ts, message.edited?.ts),
      author: authorOf(message, names) + (files === '' ? '' : ` · 📎 ${files}`),
      text: readableText(saidIn(message), names),
    };
  });
}

/** Identifies a version of the message, since edits change it. */
export function versionId(ts: string, editedTs: string | null | undefined): string {
  return `${ts}|${editedTs ?? ''}`;
}

export function timeIn(id: string): string {
  return id.split('|', 1)[0] ?? '';
}

/** Follows the prompt, in the form in which Slack would deliver it. Empty without messages. */
export function threadContext({ messages, names }: Along, permalink: string | null): string {
  if (messages.length === 0) return '';
  const place = permalink === null ? '' : ` ${escapeMrkdwn(permalink)}`;
  const lines = messages.map((message) => {
    const said = saidIn(message);
    return `${escapeMrkdwn(authorOf(message, names))}:${NEEDS_OWN_LINE.test(said) ? '\n' : ' '}${said}`;
  });
  return [`Context from the Slack thread${place}:`, ...lines].join('\n');
}

/** A table, list, code block or quotation must start on its own line. */
const NEEDS_OWN_LINE = /^(?:\| |```|• |1\. |&gt; )/;

export function authorOf({ user, username }: ThreadMessage, names: ReadonlyMap<string, string>): string {
  const name = (user === undefined ? undefined : names.get(user)) ?? username ?? 'somebody';
  return displayText(name).replace(/\s+/g, ' ');
}

/** Storing needs the rest of the 3 seconds. */
const READ_WITHIN_MS = 1_500;

/** *Choose messages…*: opens a form at once and fills it when the thread has been read. */
export async function chooseMessages(deps: ListenerDeps, press: Press): Promise<void> {
  const mentioned = decodeMentionedIn(press.value);
  const problem = mentioned && (await problemOf(deps, mentioned, press));
  await press.ack();
  if (mentioned === null) return;
  if (problem !== null) return press.replace(problem);
  const reading = plainModal(labels.askDocsAgent, readingThreadView);
  const viewId = await openForm(deps, press.triggerId, reading);
  if (viewId === null) return press.tellBeside(noFormView);
  await fill(deps, viewId, { ...mentioned, responseUrl: press.responseUrl });
}

/** Why this press cannot start anything in the thread; null: it can. */
async function problemOf(
  deps: ListenerDeps,
  { channelId, threadTs }: MentionedIn,
  press: Press,
): Promise<SlackMessage | null> {
  // Elsewhere, this could show a thread to someone removed from its channel.
  if (press.channelId !== channelId) return noJobInThreadView;
  const holder = await deps.store.transaction((tx) => tx.jobs.findByThread(deps.teamId, channelId, threadTs));
  return holder === null ? null : refusalView({ kind: 'thread_taken' });
}

/**
 * The authors of the messages that would go along with a mention; null: Slack did not return the thread in
 * time.
 */
export async function authorsAlong(deps: ListenerDeps, mentioned: MentionedIn): Promise<string[] | null> {
  const reading = async () => {
    const { offered } = await readOffered(deps, mentioned);
    const along = writtenBefore(offered, mentioned.messageTs);
    const names = await deps.names.named([...new Set(along.flatMap(({ user }) => user ?? []))]);
    return along.map((message) => authorOf(message, names));
  };
  const authors = await readThread(deps, mentioned.channelId, READ_WITHIN_MS, reading());
  return 'problem' in authors ? null : authors;
}

/** Nobody has seen later messages. Slack's timestamps have a fixed width, so they sort as text. */
function writtenBefore(messages: readonly ThreadMessage[], messageTs: string): ThreadMessage[] {
  return messages.filter(({ ts }) => ts < messageTs);
}

async function readOffered(deps: ListenerDeps, { channelId, threadTs, messageTs }: MentionedIn) {
  const messages = await deps.poster.thread(channelId, threadTs);
  const { offered, leftOut } = offeredMessages(messages, messageTs, deps.botUserId);
  const mention = messages.find(({ ts }) => ts === messageTs);
  return { messages, offered, leftOut, mention };
}

/** *Start with the thread*, as shown, and *Only my words*. */
export function startInThread(withThread: boolean) {
  return async (deps: ListenerDeps, press: Press): Promise<void> => {
    const mentioned = decodeMentionedIn(press.value);
    if (mentioned === null) return press.ack();
    const problem = await problemOf(deps, mentioned, press);
    if (problem !== null) return press.replace(problem);
    const { channelId } = mentioned;
    const reading = requestIn(deps, mentioned, withThread);
    const request = await readThread(deps, channelId, READ_WITHIN_MS, reading);
    if ('problem' in request) return press.tell(request.problem);
    const stored = await startFrom(deps, press, { channelId, origin: originIn(channelId), ...request });
    if ('problem' in stored) return press.tell(stored.problem);
    const { result: outcome } = stored;
    switch (outcome.kind) {
      case 'stored':
        return press.replace(startingView);
      case 'refused':
        return press.tell(refusalView(outcome.refusal));
      case 'asked':
        return press.replace(questionView(outcome.question, linkTo(deps, outcome.question.sameAs)));
    }
  };
}

/** The request that the mention makes, with or without the thread. */
async function requestIn(deps: ListenerDeps, mentioned: MentionedIn, withThread: boolean) {
  const { channelId, threadTs, messageTs } = mentioned;
  const { messages, offered, mention } = await readOffered(deps, mentioned);
  if (mention === undefined) return { problem: threadNotReadView(false) };
  const along = withThread ? writtenBefore(offered, messageTs) : [];
  const said = { messages: along, names: await deps.names.named(peopleIn(along)) };
  return (
    editedSince(said, messageTs) ?? {
      text: requestText(saidBy(mention), attachmentsIn(mention), deps.botUserId),
      thread: { threadTs, lastTs: messages.at(-1)?.ts ?? threadTs },
      requestTs: messageTs,
      attachments: mergeAttachments([mention, ...along].map(attachmentsIn)),
      context: threadContext(said, linkTo(deps, { channelId, threadTs })),
    }
  );
}

function originIn(channelId: string) {
  return { kind: isDirectMessage(channelId) ? 'direct_message' : 'mention' } as const;
}

/** Shows the thread in the form that says it is being read. */
async function fill(deps: ListenerDeps, viewId: string, mentioned: Mentioned): Promise<void> {
  const problem = (error: unknown) =>
    plainModal(labels.askDocsAgent, notOffered(deps, mentioned.channelId, error));
  const view = await preview(deps, mentioned).then(threadPreviewView, problem);
  await deps.poster.updateModal(viewId, view).catch(async (error: unknown) => {
    const notShown = problem(error);
    const isRefused = error instanceof SlackCallError && saidNo(error.failure);
    // Unless it was refused, the form may be open and filled in, so nothing else may replace it.
    await deps.poster.updateModal(viewId, isRefused ? notShown : view).catch(() => {});
  });
}

interface Mentioned extends MentionedIn {
  readonly responseUrl: string | null;
}

async function preview(deps: ListenerDeps, mentioned: Mentioned): Promise<ThreadPreview> {
  const { channelId, threadTs, messageTs } = mentioned;
  const { messages, offered, leftOut, mention } = await readOffered(deps, mentioned);
  const names = await deps.names.named(peopleIn([...offered, ...(mention ? [mention] : [])]));
  const text = mention ? requestText(saidBy(mention), attachmentsIn(mention), deps.botUserId) : '';
  const byDefault = await projectOf(deps, channelId);
  const to = addressed(text, deps.projects, byDefault);
  // A project named in the text is preselected in the menu.
  const named = to.kind === 'known' && to.project.id !== byDefault.id ? to : null;
  return {
    thread: {
      ...mentioned,
      oldestTs: messages.find(({ ts }) => ts === messageTs || ts === offered[0]?.ts)?.ts ?? messageTs,
      permalink: linkTo(deps, { channelId, threadTs }),
    },
    prompt: readableText(named?.prompt ?? text, names),
    lines: toLines({ messages: offered, names }),
    leftOut,
    projects: deps.projects,
    project: named?.project ?? byDefault,
    promptMaxLength: deps.newContext().policy.promptMaxLength,
  };
}

export async function threadPreviewSubmitted(deps: ListenerDeps, form: Submission): Promise<void> {
  const offered = decodeOfferedThread(form.view.private_metadata);
  if (offered === null) return form.tell(threadNotReadView(false));
  const { text, project, ticked } = filledIn(deps, form.view);
  const { channelId, threadTs, messageTs, responseUrl } = offered;
  const reading = async () => {
    const messages = await deps.poster.thread(channelId, threadTs, offered.oldestTs);
    const chosen = tickedOf(messages, ticked);
    const said = { messages: chosen, names: await deps.names.named(peopleIn(chosen)) };
    const mention = messages.filter(({ ts }) => ts === messageTs);
    return (
      changedIn(toLines(said), ticked) ?? {
        thread: { threadTs, lastTs: messages.at(-1)?.ts ?? threadTs },
        requestTs: messageTs,
        attachments: mergeAttachments([...mention, ...chosen].map(attachmentsIn)),
        context: threadContext(said, offered.permalink),
      }
    );
  };
  const read = await readThread(deps, channelId, READ_WITHIN_MS, reading());
  if ('problem' in read) return form.tell(read.problem);
  await startFromForm(deps, form, {
    channelId,
    origin: originIn(channelId),
    responseUrl,
    text,
    project,
    ...read,
  });
}

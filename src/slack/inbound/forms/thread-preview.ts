import type { ModalView } from '@slack/types';
import { addressed } from '../../../jobs/requests/project.ts';
import { attachmentsIn, mergeAttachments } from '../../messages/attachments.ts';
import { requestText } from '../../messages/message-event.ts';
import { saidBy } from '../../messages/said.ts';
import { offeredMessages, peopleIn } from '../../messages/thread-messages.ts';
import {
  decodeMentionedIn,
  decodeOfferedThread,
  type MentionedIn,
  type OfferedThread,
} from '../../protocol/form-data.ts';
import { readableText } from '../../protocol/slack-text.ts';
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
import type { ListenerDeps, PressArgs, SubmitArgs } from '../deps.ts';
import {
  admissionProblem,
  answerBeside,
  bestEffort,
  inTime,
  linkTo,
  openForm,
  storeRequest,
} from '../requests/door.ts';
import { projectOf, type RawJobRequest, startJob } from '../requests/start-job.ts';
import { authorOf, threadContext, toLines } from './draft-thread.ts';
import { filledIn, refuseAtField, startFromForm } from './submit.ts';

/** *Choose messages…*: opens a form at once and fills it when the thread has been read. */
export function chooseMessages(deps: ListenerDeps) {
  return async ({ action, body, context, ack, respond }: PressArgs): Promise<void> => {
    const mentioned = decodeMentionedIn(action.value ?? '');
    const problem = mentioned && (await problemOf(deps, mentioned, body.channel?.id));
    await ack();
    if (mentioned === null) return;
    if (problem !== null) {
      await bestEffort(deps, respond({ replace_original: true, ...problem }));
      return;
    }
    const viewId = await openForm(deps, body.trigger_id, plainModal(labels.askDocsAgent, readingThreadView));
    if (viewId === null) {
      await answerBeside(deps, { body, respond }, noFormView);
      return;
    }
    const responseUrl = body.response_url || null;
    await show(deps, viewId, { ...mentioned, responseUrl }, context.botUserId);
  };
}

/** Why this press cannot start anything in the thread; null: it can. */
async function problemOf(
  deps: ListenerDeps,
  { channelId, threadTs }: MentionedIn,
  pressedIn: string | undefined,
): Promise<SlackMessage | null> {
  // Elsewhere, this could show a thread to someone removed from its channel.
  if (pressedIn !== channelId) return noJobInThreadView;
  const holder = await deps.store.transaction((tx) => tx.jobs.findByThread(deps.teamId, channelId, threadTs));
  return holder === null ? null : refusalView({ kind: 'thread_taken' });
}

/**
 * The authors of the messages that would go along with a mention; null: Slack did not return the thread in
 * time.
 */
export async function authorsAlong(deps: ListenerDeps, mentioned: MentionedIn): Promise<string[] | null> {
  const reading = async () => {
    const { offered } = await readThread(deps, mentioned);
    const along = writtenBefore(offered, mentioned.messageTs);
    const names = await deps.names.named([...new Set(along.flatMap(({ user }) => user ?? []))]);
    return along.map((message) => authorOf(message, names));
  };
  const given = reading().catch((error: unknown) => {
    if (!(error instanceof SlackCallError)) throw error;
    return null;
  });
  return inTime(deps, READ_WITHIN_MS, given, null);
}

/** Nobody has seen later messages. Slack's timestamps have a fixed width, so they sort as text. */
function writtenBefore(messages: readonly ThreadMessage[], messageTs: string): ThreadMessage[] {
  return messages.filter(({ ts }) => ts < messageTs);
}

async function readThread(deps: ListenerDeps, { channelId, threadTs, messageTs }: MentionedIn) {
  const messages = await deps.poster.thread(channelId, threadTs);
  const { offered, leftOut } = offeredMessages(messages, messageTs, deps.botUserId);
  const mention = messages.find(({ ts }) => ts === messageTs);
  return { messages, offered, leftOut, mention };
}

/** *Start with the thread*, as shown, and *Only my words*. */
export function startInThread(deps: ListenerDeps, withThread: boolean) {
  return async ({ action, body, ack, respond }: PressArgs): Promise<void> => {
    const mentioned = decodeMentionedIn(action.value ?? '');
    if (mentioned === null) return ack();
    const shown = async (view: SlackMessage) => {
      await ack();
      await bestEffort(deps, respond({ replace_original: true, ...view }));
    };
    const told = async (view: SlackMessage) => {
      await ack();
      await answerBeside(deps, { body, respond }, view);
    };
    const problem = await problemOf(deps, mentioned, body.channel?.id);
    if (problem !== null) return shown(problem);
    const reading = requestIn(deps, mentioned, withThread);
    const raw = await inTime(deps, READ_WITHIN_MS, reading, { problem: threadNotReadView(false) });
    if ('problem' in raw) return told(raw.problem);
    const { channelId } = mentioned;
    const requesterId = body.user.id;
    const stored = await storeRequest(deps, {
      admit: () => admissionProblem(deps, requesterId, channelId),
      write: () =>
        startJob(deps, {
          ...raw,
          keys: body.trigger_id ? [`press:${deps.teamId}:${body.trigger_id}`] : [],
          teamId: deps.teamId,
          channelId,
          requesterId,
          origin: originIn(channelId),
          project: null,
          responseUrl: body.response_url || null,
          isAnswered: true,
          mayBeSlip: false,
        }),
    });
    if ('problem' in stored) return told(stored.problem);
    const outcome = stored.result;
    switch (outcome.kind) {
      case 'stored':
        return shown(startingView);
      case 'refused':
        return told(refusalView(outcome.refusal));
      case 'asked':
        return shown(questionView(outcome.question, linkTo(deps, outcome.question.sameAs)));
    }
  };
}

/** The request that the mention makes, with or without the thread. */
async function requestIn(
  deps: ListenerDeps,
  mentioned: MentionedIn,
  withThread: boolean,
): Promise<
  | Pick<RawJobRequest, 'text' | 'thread' | 'requestTs' | 'context' | 'attachments'>
  | { readonly problem: SlackMessage }
> {
  const { channelId, threadTs, messageTs } = mentioned;
  const found = await readThread(deps, mentioned).catch((error: unknown) => ({ error }));
  if ('error' in found) {
    deps.log.warn('thread_not_offered', { channel_id: channelId, error: found.error });
    return { problem: notOffered(found.error) };
  }
  const { messages, offered, mention } = found;
  const along = withThread ? writtenBefore(offered, messageTs) : [];
  const edited = along.find((message) => (message.edited?.ts ?? '') > messageTs);
  if (mention === undefined) return { problem: threadNotReadView(false) };
  const names = await deps.names.named(peopleIn(along));
  if (edited !== undefined) return { problem: editedMeanwhileView(authorOf(edited, names)) };
  const context = threadContext(along, names, linkTo(deps, { channelId, threadTs }));
  return {
    text: requestText(saidBy(mention), attachmentsIn(mention), deps.botUserId),
    thread: { threadTs, lastTs: messages.at(-1)?.ts ?? threadTs },
    requestTs: messageTs,
    attachments: mergeAttachments([mention, ...along].map(attachmentsIn)),
    ...(context === undefined ? {} : { context }),
  };
}

function originIn(channelId: string) {
  return { kind: isDirectMessage(channelId) ? 'direct_message' : 'mention' } as const;
}

async function show(
  deps: ListenerDeps,
  viewId: string,
  mentioned: MentionedIn & { readonly responseUrl: string | null },
  botUserId: string | undefined,
): Promise<void> {
  const put = (view: ModalView) => deps.poster.updateModal(viewId, view);
  const warn = (error: unknown) =>
    deps.log.warn('thread_not_offered', { channel_id: mentioned.channelId, error });
  const problem = (error: unknown) => plainModal(labels.askDocsAgent, notOffered(error));
  const view = await read(deps, mentioned, botUserId).then(threadPreviewView, (error: unknown) => {
    warn(error);
    return problem(error);
  });
  await put(view).catch(async (error: unknown) => {
    warn(error);
    const isRefused = error instanceof SlackCallError && saidNo(error.failure);
    // Unless it was refused, the form may be open and filled in, so nothing else may replace it.
    await put(isRefused ? problem(error) : view).catch(() => {});
  });
}

function notOffered(error: unknown): SlackMessage {
  if (!(error instanceof SlackCallError)) return notReadView;
  return threadNotReadView(error.failure.code === TOO_MANY_MESSAGES);
}

async function read(
  deps: ListenerDeps,
  mentioned: MentionedIn & { readonly responseUrl: string | null },
  botUserId: string | undefined,
): Promise<ThreadPreview> {
  const { channelId, threadTs, messageTs } = mentioned;
  const { messages, offered, leftOut, mention } = await readThread(deps, mentioned);
  const names = await deps.names.named(peopleIn([...offered, ...(mention ? [mention] : [])]));
  const text = mention === undefined ? '' : requestText(saidBy(mention), attachmentsIn(mention), botUserId);
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
    lines: toLines(offered, names),
    leftOut,
    projects: deps.projects,
    project: named?.project ?? byDefault,
    promptMaxLength: deps.newContext().policy.promptMaxLength,
  };
}

/** Storing needs the rest of the 3 seconds. */
const READ_WITHIN_MS = 1_500;

export function threadPreviewSubmitted(deps: ListenerDeps) {
  return async (args: SubmitArgs): Promise<void> => {
    const offered = decodeOfferedThread(args.view.private_metadata);
    const { text, project, ticked } = filledIn(deps, args.view);
    const read =
      offered && (await inTime(deps, READ_WITHIN_MS, readTicked(deps, offered, new Set(ticked)), null));
    if (offered === null || read === null) return refuseAtField(args.ack, threadNotReadView(false));
    if ('changed' in read) return refuseAtField(args.ack, changedMeanwhileView(read.changed));
    const { channelId, responseUrl } = offered;
    const origin = originIn(channelId);
    await startFromForm(deps, args, { channelId, origin, responseUrl, text, project, ...read });
  };
}

/** `changed`: a ticked message was edited since. Null: Slack did not return the thread. */
async function readTicked(
  { poster, names }: ListenerDeps,
  { channelId, threadTs, messageTs, oldestTs, permalink }: OfferedThread,
  ticked: ReadonlySet<string>,
): Promise<
  | Pick<RawJobRequest, 'thread' | 'requestTs' | 'context' | 'attachments'>
  | { readonly changed: ThreadLine }
  | null
> {
  try {
    const messages = await poster.thread(channelId, threadTs, oldestTs);
    const tickedTs = new Set([...ticked].map((id) => id.split('|', 1)[0]));
    const chosen = messages.filter(({ ts }) => tickedTs.has(ts));
    const known = await names.named(peopleIn(chosen));
    const [changed] = toLines(chosen, known).filter(({ id }) => !ticked.has(id));
    if (changed !== undefined) return { changed };
    const context = threadContext(chosen, known, permalink);
    const lastTs = messages.at(-1)?.ts ?? threadTs;
    const mention = messages.filter(({ ts }) => ts === messageTs);
    const attachments = mergeAttachments([...mention, ...chosen].map(attachmentsIn));
    return {
      thread: { threadTs, lastTs },
      requestTs: messageTs,
      attachments,
      ...(context === undefined ? {} : { context }),
    };
  } catch (error) {
    if (!(error instanceof SlackCallError)) throw error;
    return null;
  }
}

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
import { noFormView } from '../../views/forms/compose.ts';
import {
  changedMeanwhileView,
  noJobInThreadView,
  readingThreadView,
  type ThreadLine,
  type ThreadPreview,
  threadNotReadView,
  threadPreviewView,
} from '../../views/forms/thread-preview.ts';
import { plainModal } from '../../views/parts/form.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import { isDirectMessage } from '../../views/parts/mrkdwn.ts';
import { labels } from '../../views/parts/words.ts';
import { notReadView, refusalView } from '../../views/refusals.ts';
import { TOO_MANY_MESSAGES } from '../../workspace/poster.ts';
import { SlackCallError, saidNo } from '../../workspace/web-api/failure.ts';
import type { ListenerDeps, PressArgs, SubmitArgs } from '../deps.ts';
import { inTime } from '../requests/in-time.ts';
import { answerBeside, bestEffort, linkTo, openForm } from '../requests/private-answers.ts';
import { projectOf, type RawJobRequest } from '../requests/start-job.ts';
import { filledIn, refuseAtField, startFromForm } from './submit.ts';
import { threadContext, toLines } from './thread-lines.ts';

/** *Choose messages*: opens a form at once, and fills it when the thread is read. */
export function chooseMessages(deps: ListenerDeps) {
  return async ({ action, body, context, ack, respond }: PressArgs): Promise<void> => {
    const mentioned = decodeMentionedIn(action.value ?? '');
    const holder =
      mentioned &&
      (await deps.store.transaction((tx) =>
        tx.jobs.findByThread(deps.teamId, mentioned.channelId, mentioned.threadTs),
      ));
    await ack();
    if (mentioned === null) return;
    // Elsewhere it would show a thread to a person who may have been removed from its channel.
    if (body.channel?.id !== mentioned.channelId) {
      await bestEffort(deps, respond({ replace_original: true, ...noJobInThreadView() }));
      return;
    }
    if (holder !== null) {
      await bestEffort(deps, respond({ replace_original: true, ...refusalView({ kind: 'thread_taken' }) }));
      return;
    }
    const viewId = await openForm(
      deps,
      body.trigger_id,
      plainModal(labels.askDocsAgent, readingThreadView()),
    );
    if (viewId === null) {
      await answerBeside(deps, { body, respond }, noFormView());
      return;
    }
    const responseUrl = body.response_url || null;
    await show(deps, viewId, { ...mentioned, responseUrl }, context.botUserId);
  };
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
    // If it was not refused, it may be open and filled in, so nothing else may replace it. It may also be closed.
    await put(isRefused ? problem(error) : view).catch(() => {});
  });
}

function notOffered(error: unknown): SlackMessage {
  if (!(error instanceof SlackCallError)) return notReadView();
  return threadNotReadView(error.failure.code === TOO_MANY_MESSAGES);
}

async function read(
  deps: ListenerDeps,
  mentioned: MentionedIn & { readonly responseUrl: string | null },
  botUserId: string | undefined,
): Promise<ThreadPreview> {
  const { channelId, threadTs, messageTs } = mentioned;
  const messages = await deps.poster.thread(channelId, threadTs);
  const { offered, leftOut } = offeredMessages(messages, messageTs, botUserId);
  const mention = messages.find(({ ts }) => ts === messageTs);
  const names = await deps.names.named(peopleIn([...offered, ...(mention ? [mention] : [])]));
  const text = mention === undefined ? '' : requestText(saidBy(mention), attachmentsIn(mention), botUserId);
  const byDefault = await projectOf(deps, channelId);
  const to = addressed(text, deps.projects, byDefault);
  // Named in words, it is chosen in the menu instead.
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

/** Storing takes the rest of the 3 seconds. */
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
    const origin = { kind: isDirectMessage(channelId) ? 'direct_message' : 'mention' } as const;
    await startFromForm(deps, args, { channelId, origin, responseUrl, text, project, ...read });
  };
}

/** `changed`: a ticked message that was edited since. Null if Slack does not give the thread. */
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

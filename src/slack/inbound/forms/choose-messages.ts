import type { ModalView } from '@slack/types';
import { addressed } from '../../../jobs/project.ts';
import { attachedOf } from '../../messages/attached.ts';
import { saidBy } from '../../messages/said.ts';
import { wishIn } from '../../messages/written.ts';
import { decodeMentionedIn, type MentionedIn } from '../../protocol/form-data.ts';
import { readableText } from '../../protocol/readable-text.ts';
import { noFormView } from '../../views/forms/compose.ts';
import {
  noJobInThreadView,
  readingThreadView,
  type ThreadPreview,
  threadNotReadView,
  threadPreviewView,
} from '../../views/forms/thread-preview.ts';
import { plainModal } from '../../views/parts/form.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import { labels } from '../../views/parts/words.ts';
import { notReadView, refusalView } from '../../views/refusals.ts';
import { TOO_MANY_MESSAGES } from '../../workspace/poster.ts';
import { SlackCallError, saidNo } from '../../workspace/web-api/failure.ts';
import type { ListenerDeps, PressArgs } from '../deps.ts';
import { answerBeside, bestEffort, linkTo, openForm } from '../requests/replies.ts';
import { projectOf } from '../requests/start-job.ts';
import { offeredMessages, peopleIn, toLines } from './thread-lines.ts';

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
    // Elsewhere it would show a thread to who may have been removed from its channel.
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
    // Else it may be there, and be filled in: nothing may take its place. The person may also have closed it.
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
  const wish = mention === undefined ? '' : wishIn(saidBy(mention), attachedOf(mention), botUserId);
  const byDefault = await projectOf(deps, channelId);
  const to = addressed(wish, deps.projects, byDefault);
  // Named in words, it is chosen in the menu instead.
  const named = to.kind === 'known' && to.project.id !== byDefault.id ? to : null;
  return {
    thread: {
      ...mentioned,
      oldestTs: messages.find(({ ts }) => ts === messageTs || ts === offered[0]?.ts)?.ts ?? messageTs,
      permalink: linkTo(deps, { channelId, threadTs }),
    },
    prompt: readableText(named?.prompt ?? wish, names),
    lines: toLines(offered, names),
    leftOut,
    projects: deps.projects,
    project: named?.project ?? byDefault,
    promptMaxLength: deps.newContext().policy.promptMaxLength,
  };
}

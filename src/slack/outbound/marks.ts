import { applyEvent } from '../../engine/apply-event.ts';
import { asksOnceMore, draftKey, requestDraft } from '../../jobs/decide/start/drafts.ts';
import type { JobRequest } from '../../jobs/decide/start/open.ts';
import type { AnyJobContext } from '../../jobs/decision.ts';
import type { MarkedMessage } from '../../jobs/draft.ts';
import { approversIn, defaultProject, settingsOf } from '../../jobs/policy.ts';
import { isBlank, threadWordOf } from '../../jobs/requests/command.ts';
import type { ClaimedTask, Transaction } from '../../store/store.ts';
import { attachmentsIn } from '../messages/attachments.ts';
import { appThatWrote, isPostedByApp, writtenByPerson } from '../messages/message-event.ts';
import { offeredMessages, peopleIn, saidIn } from '../messages/thread-messages.ts';
import { jobReference } from '../protocol/links.ts';
import { escapeMrkdwn, readableText } from '../protocol/slack-text.ts';
import { requestAbout } from '../views/forms/compose.ts';
import { labels } from '../views/parts/words.ts';
import { isRoomForDraft } from '../workspace/early-replies.ts';
import { TOO_MANY_MESSAGES } from '../workspace/poster.ts';
import type { ThreadMessage } from '../workspace/web-api/caller.ts';
import { SlackCallError } from '../workspace/web-api/failure.ts';
import { isReady, type ReadyWorkspace } from '../workspace/workspace.ts';
import { isHopeless, type SlackTools, slackRetryMs } from './refresh/refresh.ts';

/** A message that may have a draft. */
interface Place {
  readonly teamId: string;
  readonly channelId: string;
  readonly messageTs: string;
}

/**
 * Compares a message's draft with its current reactions: without one by an allowed person it is withdrawn,
 * and the first such reaction makes it.
 */
export const lookAtMarks = look(async (tools, task, workspace, place) => {
  const { teamId, channelId, messageTs } = place;
  const { marksBy, access, botId, botUserId } = workspace;
  const emoji = tools.newContext().rulesOf(teamId).channels.get(channelId)?.reaction;
  if (emoji === undefined) return null;
  // Those who may use the program there, in the order of their reactions.
  const marked = await marksBy(channelId, messageTs, emoji);
  const refusals = await Promise.all(marked.map((userId) => access.refusal(userId, channelId)));
  const userIds = marked.filter((_, index) => refusals[index] === null);
  // Without emoji and people: ten reactions make one draft.
  const key = `reaction:${teamId}:${channelId}:${messageTs}`;
  if (!(await asksForDraft(tools, task, key, userIds))) return 'completed';
  const found = await readMessage(workspace, place, async (message) => {
    const writer = writtenByPerson(message, botUserId);
    return writer !== null && message.bot_id !== botId && access.isPerson(writer, isPostedByApp(message));
  });
  if (found === null) return null;
  const authorId = writtenByPerson(found.message, botUserId);
  const author = authorId === null ? {} : { authorId };
  const message = { ...found.marked, ...author };
  return async (tx, context) => {
    const approvers = approversIn(context.rulesOf(teamId), channelId);
    // People reply to a thread's job instead.
    if ((await tx.jobs.findByThread(teamId, channelId, message.thread.threadTs)) !== null) return;
    const jobId = await tx.calls.jobOf(draftKey(key));
    if (jobId !== null) {
      await applyEvent(tx, jobId, { type: 'marked_once_more', userIds, approvers, message }, context);
    } else if (await tx.inboundRequests.remember([key], context.nowMs)) {
      const origin = { kind: 'reaction', messageTs, emoji, ...author } as const;
      const asked = { teamId, channelId, requesterId: userIds[0] ?? null, origin };
      await writeDraft(tx, context, asked, workspace, message, { key, markedBy: userIds });
    }
  };
});

/**
 * Whether somebody asks for a draft of the message, the first or another. If not, the existing draft learns
 * who reacts now, and the task ends.
 */
function asksForDraft(
  { store, newContext }: SlackTools,
  task: ClaimedTask,
  key: string,
  userIds: readonly string[],
): Promise<boolean> {
  return store.transaction(async (tx) => {
    await tx.tasks.fence(task.lease);
    const jobId = await tx.calls.jobOf(draftKey(key));
    const job = jobId === null ? null : await tx.jobs.get(jobId);
    const asks = job === null ? userIds.length > 0 : asksOnceMore(job.stage, userIds) !== null;
    if (asks) return true;
    if (job !== null) await applyEvent(tx, job.id, { type: 'marks_seen', userIds }, newContext());
    await tx.tasks.complete(task.lease);
    return false;
  });
}

/**
 * Drafts a message in which a listed app mentions the bot. The task is scheduled once for each message and
 * ends with the draft, so there is only one.
 */
export const lookAtAppMention = look(async (tools, _task, workspace, place) => {
  const { teamId, channelId, messageTs } = place;
  const found = await readMessage(workspace, place, async (message) => {
    const author = appThatWrote(message);
    return author !== null && (await workspace.access.admitsApp(author.id, channelId));
  });
  const author = found === null ? null : appThatWrote(found.message);
  if (found === null || author === null) return null;
  const { permalink, marked: message } = found;
  const app = { id: author.id, name: author.name ?? labels.someApp, messageTs, permalink };
  const thread = { teamId, channelId, threadTs: message.thread.threadTs };
  return async (tx, context) => {
    if (!(await isRoomForDraft(tx, tools.log, thread, app.id, context.nowMs))) return;
    const asked = { teamId, channelId, requesterId: null, origin: { kind: 'mention', app } } as const;
    await writeDraft(tx, context, asked, workspace, message, {});
  };
});

/** Writes what was found, in the transaction that ends the task. */
type Write = (tx: Transaction, context: AnyJobContext) => Promise<void>;

/**
 * A task about one message.
 * @param read asks Slack; null: there is nothing to write. Throws SlackCallError
 */
function look(
  read: (
    tools: SlackTools,
    task: ClaimedTask,
    workspace: ReadyWorkspace,
    place: Place,
  ) => Promise<Write | null | 'completed'>,
) {
  return async (tools: SlackTools, task: ClaimedTask): Promise<void> => {
    const { store, log, clock, newContext, workspaces } = tools;
    const [teamId = '', channelId = '', messageTs = ''] = task.subject.split(':');
    const workspace = await workspaces.of(teamId);
    try {
      const place = { teamId, channelId, messageTs };
      const write = isReady(workspace) ? await read(tools, task, workspace, place) : null;
      if (write === 'completed') return;
      await store.transaction(async (tx) => {
        if (write !== null) {
          await tx.tasks.fence(task.lease);
          await write(tx, newContext());
        }
        await tx.tasks.complete(task.lease);
      });
    } catch (error) {
      if (!(error instanceof SlackCallError)) throw error;
      const { failure } = error;
      log.info('marks_not_read', { channel_id: channelId, reason: failure.code });
      // Such a long thread would be read again and again.
      const isOver = failure.code === TOO_MANY_MESSAGES || isHopeless(task, failure);
      await store.transaction((tx) =>
        isOver
          ? tx.tasks.complete(task.lease)
          : tx.tasks.retryAt(task.lease, clock.now() + slackRetryMs(task, failure)),
      );
    }
  };
}

/** The draft of a request about the message, for its channel's project. */
async function writeDraft(
  tx: Transaction,
  context: AnyJobContext,
  asked: Pick<JobRequest, 'teamId' | 'channelId' | 'requesterId' | 'origin'>,
  { projects }: ReadyWorkspace,
  { prompt, thread, attachments, along: messages }: MarkedMessage,
  by: { readonly key?: string; readonly markedBy?: readonly string[] },
): Promise<void> {
  const { teamId, channelId } = asked;
  const rules = context.rulesOf(teamId);
  const saved = await tx.channelSettings.get(teamId, channelId);
  const project = defaultProject(projects, settingsOf(rules, channelId, saved?.settings ?? null));
  const about = { projectId: project.id, projectName: project.name, prompt, thread, attachments };
  const request = { ...asked, ...about, responseUrl: null };
  const facts = { messages, approvers: approversIn(rules, channelId), ...by };
  await tx.write(requestDraft(request, facts, context), context.nowMs);
}

/** Null if it says nothing that a draft could be about, or `isMeant` says no. Throws SlackCallError. */
async function readMessage(
  { poster, names, botUserId }: ReadyWorkspace,
  { channelId, messageTs }: Place,
  isMeant: (message: ThreadMessage) => Promise<boolean>,
) {
  const permalink = await poster.permalink(channelId, messageTs);
  // Only the permalink says whether the message is part of a thread, which a draft without it could miss.
  const place = jobReference(permalink);
  const rootTs = place.kind === 'thread' ? place.threadTs : messageTs;
  const messages = await poster.thread(channelId, rootTs);
  const message = messages.find(({ ts }) => ts === messageTs);
  if (message === undefined || !(await isMeant(message))) return null;
  const said = saidIn(message, botUserId);
  if (isBlank(said)) return null;
  const readable = readableText(said, await names.named(peopleIn([message])));
  const marked = {
    thread: { threadTs: rootTs, lastTs: messages.at(-1)?.ts ?? rootTs },
    prompt: escapeMrkdwn(requestAbout(readable, permalink)),
    attachments: attachmentsIn(message),
    along: offeredMessages(messages, messageTs, botUserId)
      .offered.filter(({ text = '' }) => threadWordOf(text) === null)
      .map(({ ts }) => ts),
  };
  return { message, permalink, marked };
}

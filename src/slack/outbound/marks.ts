import { type AnyJobContext, applyEvent } from '#engine/apply-event.ts';
import { asksOnceMore, draftKey, type JobRequest, requestDraft } from '#jobs/decide/open.ts';
import type { MarkedMessage } from '#jobs/event.ts';
import { approversIn, channelSettingsOf, defaultProject } from '#jobs/policy.ts';
import { isBlank, threadWordOf } from '#jobs/requests/command.ts';
import type { ClaimedTask, Transaction } from '#store/store.ts';
import { attachmentsIn } from '../messages/attachments.ts';
import {
  appThatWrote,
  isPostedByApp,
  type MessageEvent,
  offeredMessages,
  peopleIn,
  saidIn,
  writtenByPerson,
} from '../messages/message-event.ts';
import { jobReference } from '../protocol/ids.ts';
import { escapeMrkdwn, readableText } from '../protocol/slack-text.ts';
import { aboutMessage } from '../views/text.ts';
import { failureIn } from '../workspace/caller.ts';
import { isRoomForDraft } from '../workspace/early-replies.ts';
import { isReady, type ReadyWorkspace } from '../workspace/workspace.ts';
import { isHopeless, type SlackTools, slackRetryMs } from './refresh.ts';

/** The first reaction by an allowed person makes a draft; without one, it is withdrawn. */
export const draftFromReactions = messageTask(async (tools, workspace, message) => {
  const { teamId, channelId, messageTs } = message;
  const { reactorsWith, access, botId, botUserId } = workspace;
  const emoji = tools.newContext().rulesOf(teamId).channels.get(channelId)?.reaction;
  if (emoji === undefined) return null;
  const reactors = await reactorsWith(channelId, messageTs, emoji);
  const refusals = await Promise.all(reactors.map((userId) => access.refusal(userId, channelId)));
  const userIds = reactors.filter((_, index) => refusals[index] === null);
  // Ten reactions make one draft.
  const key = `reaction:${teamId}:${channelId}:${messageTs}`;
  const job = await tools.store.transaction(async (tx) => {
    const jobId = await tx.calls.jobOf(draftKey(key));
    return jobId === null ? null : tx.jobs.get(jobId);
  });
  const asksForDraft = job === null ? userIds.length > 0 : asksOnceMore(job.stage, userIds) !== null;
  if (!asksForDraft) {
    return job && ((tx, context) => applyEvent(tx, job.id, { type: 'marks_seen', userIds }, context));
  }
  const found = await readMessage(workspace, message, async (read) => {
    const writer = writtenByPerson(read, botUserId);
    if (writer === null || read.bot_id === botId) return null;
    return (await access.isPerson(writer, isPostedByApp(read))) ? writer : null;
  });
  if (found === null) return null;
  const { author: authorId } = found;
  const marked = { ...found.marked, authorId };
  return async (tx, context) => {
    // The thread has a job to reply to.
    if ((await tx.jobs.findByThread(teamId, channelId, marked.thread.threadTs)) !== null) return;
    if (job !== null) {
      const approvers = approversIn(context.rulesOf(teamId), channelId);
      const event = { type: 'marked_once_more', userIds, approvers, message: marked } as const;
      await applyEvent(tx, job.id, event, context);
    } else if (await tx.inboundRequests.remember([key], context.nowMs)) {
      const origin = { kind: 'reaction', messageTs, emoji, authorId } as const;
      const request = { teamId, channelId, requesterId: userIds[0] ?? null, origin };
      await writeDraft(tx, context, request, workspace, marked, { key, markedBy: userIds });
    }
  };
});

export const draftFromAppMention = messageTask(async ({ log }, workspace, message) => {
  const { teamId, channelId, messageTs } = message;
  const found = await readMessage(workspace, message, async (read) => {
    const author = appThatWrote(read);
    return author !== null && (await workspace.access.admitsApp(author.id, channelId)) ? author : null;
  });
  if (found === null) return null;
  const { author, permalink, marked } = found;
  const app = { id: author.id, name: author.name ?? 'an app', messageTs, permalink };
  const thread = { teamId, channelId, threadTs: marked.thread.threadTs };
  return async (tx, context) => {
    if (!(await isRoomForDraft(tx, log, thread, app.id, context.nowMs))) return;
    const request = { teamId, channelId, requesterId: null, origin: { kind: 'mention', app } } as const;
    await writeDraft(tx, context, request, workspace, marked, {});
  };
});

type MessagePlace = Readonly<{ teamId: string; channelId: string; messageTs: string }>;

/** @param read null: nothing to write; throws SlackCallError */
function messageTask(
  read: (
    tools: SlackTools,
    workspace: ReadyWorkspace,
    message: MessagePlace,
  ) => Promise<((tx: Transaction, context: AnyJobContext) => Promise<unknown>) | null>,
) {
  return async (tools: SlackTools, task: ClaimedTask) => {
    const { store, log, clock, newContext, workspaces } = tools;
    const { lease } = task;
    const [teamId = '', channelId = '', messageTs = ''] = task.subject.split(':');
    const workspace = await workspaces.of(teamId);
    try {
      const message = { teamId, channelId, messageTs };
      const write = isReady(workspace) ? await read(tools, workspace, message) : null;
      await store.transaction(async (tx) => {
        if (write !== null) {
          await tx.tasks.fence(lease);
          await write(tx, newContext());
        }
        await tx.tasks.complete(lease);
      });
    } catch (error) {
      const failure = failureIn(error);
      log.info('marks_not_read', { channel_id: channelId, reason: failure.code });
      const isOver = isHopeless(task, failure);
      const retryAtMs = clock.now() + slackRetryMs(task, failure);
      await store.transaction(({ tasks }) =>
        isOver ? tasks.complete(lease) : tasks.retryAt(lease, retryAtMs),
      );
    }
  };
}

async function writeDraft(
  tx: Transaction,
  context: AnyJobContext,
  request: Pick<JobRequest, 'teamId' | 'channelId' | 'requesterId' | 'origin'>,
  { projects }: ReadyWorkspace,
  { prompt, thread, attachments, along: messages }: MarkedMessage,
  by: Readonly<{ key?: string; markedBy?: readonly string[] }>,
) {
  const { teamId, channelId } = request;
  const rules = context.rulesOf(teamId);
  const saved = await tx.channelSettings.get(teamId, channelId);
  const project = defaultProject(projects, channelSettingsOf(rules, channelId, saved));
  const about = { projectId: project.id, projectName: project.name, prompt, thread, attachments };
  const facts = { messages, approvers: approversIn(rules, channelId), ...by };
  await tx.write(requestDraft({ ...request, ...about, responseUrl: null }, facts, context), context.nowMs);
}

/** Null: no usable text, or no author who may ask. Throws SlackCallError. */
async function readMessage<Author>(
  { poster, names, botUserId }: ReadyWorkspace,
  { channelId, messageTs }: MessagePlace,
  authorOf: (message: MessageEvent) => Promise<Author | null>,
) {
  const permalink = await poster.permalink(channelId, messageTs);
  // Only the permalink says whether the message is in a thread.
  const reference = jobReference(permalink);
  const rootTs = reference.kind === 'thread' ? reference.threadTs : messageTs;
  const messages = await poster.thread(channelId, rootTs);
  const message = messages.find(({ ts }) => ts === messageTs);
  const author = message === undefined ? null : await authorOf(message);
  if (message === undefined || author === null) return null;
  const text = saidIn(message, botUserId);
  if (isBlank(text)) return null;
  const about = aboutMessage(readableText(text, await names.named(peopleIn([message]))), permalink);
  const { offered } = offeredMessages(messages, messageTs, botUserId);
  const marked = {
    thread: { threadTs: rootTs, lastTs: messages.at(-1)?.ts ?? rootTs },
    prompt: escapeMrkdwn(about.start + about.quoted),
    attachments: attachmentsIn(message),
    along: offered.filter(({ text = '' }) => threadWordOf(text) === null).map(({ ts }) => ts),
  };
  return { author, permalink, marked };
}

import { applyEvent } from '../../../engine/apply-event.ts';
import { asksOnceMore, draftKey, requestDraft } from '../../../jobs/decide/start/drafts.ts';
import type { MarkedMessage } from '../../../jobs/draft.ts';
import { approversIn } from '../../../jobs/policy.ts';
import type { Projects } from '../../../jobs/requests/project.ts';
import type { ClaimedTask } from '../../../store/store.ts';
import { appThatWrote } from '../../messages/message-event.ts';
import { labels } from '../../views/parts/words.ts';
import { isRoomForDraft } from '../../workspace/early-replies.ts';
import { isReady, type ReadyWorkspace } from '../../workspace/workspace.ts';
import type { SlackTools } from '../refresh/refresh.ts';
import { complete, lookAgainIfSlackFails, readMarked, readMessage, requestAboutMessage } from './look.ts';

/** A message with changed reactions, and its channel's emoji for drafts. */
interface Marked {
  readonly teamId: string;
  readonly channelId: string;
  readonly messageTs: string;
  readonly emoji: string;
}

/**
 * Compares a message's draft with its current reactions: without one by an allowed person it is withdrawn,
 * and the first such reaction makes it.
 */
export async function lookAtMarks(tools: SlackTools, task: ClaimedTask): Promise<void> {
  const [teamId = '', channelId = '', messageTs = ''] = task.subject.split(':');
  const emoji = tools.newContext().rulesOf(teamId).channels.get(channelId)?.reaction;
  const workspace = await tools.workspaces.of(teamId);
  if (emoji === undefined || !isReady(workspace)) return complete(tools, task);
  const marked = { teamId, channelId, messageTs, emoji };
  await lookAgainIfSlackFails(tools, task, async () => {
    const userIds = await allowed(workspace, marked);
    if (!(await asksForDraft(tools, task, marked, userIds))) return;
    const message = await readMarked(workspace, marked);
    if (message === null) return complete(tools, task);
    await makeDraft(tools, task, marked, userIds, message, workspace.projects);
  });
}

/** Those who may use the program there, in the order of their reactions. */
async function allowed({ marksBy, access }: ReadyWorkspace, marked: Marked): Promise<string[]> {
  const { channelId, messageTs, emoji } = marked;
  const userIds = await marksBy(channelId, messageTs, emoji);
  const refusals = await Promise.all(userIds.map((userId) => access.refusal(userId, channelId)));
  return userIds.filter((_, index) => refusals[index] === null);
}

/**
 * Whether somebody asks for a draft of the message, the first or another. If not, the existing draft learns
 * who reacts now, and the task ends.
 */
function asksForDraft(
  { store, newContext }: SlackTools,
  task: ClaimedTask,
  marked: Marked,
  userIds: readonly string[],
): Promise<boolean> {
  return store.transaction(async (tx) => {
    await tx.tasks.fence(task.lease);
    const jobId = await tx.calls.jobOf(draftKey(keyOf(marked)));
    const job = jobId === null ? null : await tx.jobs.get(jobId);
    const asks = job === null ? userIds.length > 0 : asksOnceMore(job.stage, userIds) !== null;
    if (asks) return true;
    if (job !== null) await applyEvent(tx, job.id, { type: 'marks_seen', userIds }, newContext());
    await tx.tasks.complete(task.lease);
    return false;
  });
}

/**
 * Stores the draft, once for each message, unless the thread has a job: people reply to that. `userIds`: in
 * the order of their reactions.
 */
function makeDraft(
  tools: SlackTools,
  task: ClaimedTask,
  marked: Marked,
  userIds: readonly string[],
  message: MarkedMessage,
  projects: Projects,
): Promise<void> {
  const { channelId, teamId } = marked;
  const key = keyOf(marked);
  return tools.store.transaction(async (tx) => {
    await tx.tasks.fence(task.lease);
    const context = tools.newContext();
    const rules = context.rulesOf(teamId);
    const approvers = approversIn(rules, channelId);
    const isTaken = (await tx.jobs.findByThread(teamId, channelId, message.thread.threadTs)) !== null;
    const jobId = isTaken ? null : await tx.calls.jobOf(draftKey(key));
    if (jobId !== null) {
      await applyEvent(tx, jobId, { type: 'marked_once_more', userIds, approvers, message }, context);
    } else if (!isTaken && (await tx.inboundRequests.remember([key], context.nowMs))) {
      const { messageTs, emoji } = marked;
      const { authorId } = message;
      const origin = {
        ...({ kind: 'reaction', messageTs, emoji } as const),
        ...(authorId !== undefined && { authorId }),
      };
      const asked = { ...marked, requesterId: userIds[0] ?? null, origin };
      const request = await requestAboutMessage(tx, asked, message, projects, rules);
      const facts = { messages: message.along, approvers, key, markedBy: userIds };
      await tx.write(requestDraft(request, facts, context), context.nowMs);
    }
    await tx.tasks.complete(task.lease);
  });
}

/** Without emoji and people: ten reactions make one draft. */
function keyOf({ teamId, channelId, messageTs }: Marked): string {
  return `reaction:${teamId}:${channelId}:${messageTs}`;
}

/**
 * Drafts a message in which a listed app mentions the bot. The task is scheduled once for each message and
 * ends with the draft, so there is only one.
 */
export async function lookAtAppMention(tools: SlackTools, task: ClaimedTask): Promise<void> {
  const [teamId = '', channelId = '', messageTs = ''] = task.subject.split(':');
  const workspace = await tools.workspaces.of(teamId);
  if (!isReady(workspace)) return complete(tools, task);
  const { access, projects } = workspace;
  await lookAgainIfSlackFails(tools, task, async () => {
    const place = { teamId, channelId, messageTs };
    const found = await readMessage(workspace, place, async (message) => {
      const author = appThatWrote(message);
      return author !== null && (await access.admitsApp(author.id, channelId));
    });
    const author = found === null ? null : appThatWrote(found.message);
    if (found === null || author === null) return complete(tools, task);
    const { permalink, marked: message } = found;
    const app = { id: author.id, name: author.name ?? labels.someApp, messageTs, permalink };
    const thread = { teamId, channelId, threadTs: message.thread.threadTs };
    await tools.store.transaction(async (tx) => {
      await tx.tasks.fence(task.lease);
      const context = tools.newContext();
      const rules = context.rulesOf(teamId);
      if (await isRoomForDraft(tx, tools.log, thread, app.id, context.nowMs)) {
        const asked = { teamId, channelId, requesterId: null, origin: { kind: 'mention', app } } as const;
        const request = await requestAboutMessage(tx, asked, message, projects, rules);
        const facts = { messages: message.along, approvers: approversIn(rules, channelId) };
        await tx.write(requestDraft(request, facts, context), context.nowMs);
      }
      await tx.tasks.complete(task.lease);
    });
  });
}

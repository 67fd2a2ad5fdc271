import { applyEvent } from '../../engine/apply-event.ts';
import { asksOnceMore, draftKey, requestDraft } from '../../jobs/decide/start/drafts.ts';
import type { JobRequest } from '../../jobs/decide/start/open.ts';
import type { MarkedMessage } from '../../jobs/draft.ts';
import { approversIn, defaultProject, type Rules, settingsOf } from '../../jobs/policy.ts';
import { isBlank, threadWordOf } from '../../jobs/requests/command.ts';
import type { Projects } from '../../jobs/requests/project.ts';
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
import { isReady, type ReadyWorkspace, type Workspace } from '../workspace/workspace.ts';
import { isHopeless, type SlackTools, slackRetryMs } from './refresh/refresh.ts';

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

/** Reads a message that may have a draft. `look` ends the task, unless it throws SlackCallError. */
async function lookAgainIfSlackFails(
  tools: SlackTools,
  task: ClaimedTask,
  look: () => Promise<void>,
): Promise<void> {
  try {
    await look();
  } catch (error) {
    if (!(error instanceof SlackCallError)) throw error;
    const { failure } = error;
    const [, channelId] = task.subject.split(':');
    tools.log.info('marks_not_read', { channel_id: channelId, reason: failure.code });
    // Such a long thread would be read again and again.
    const isTooLong = failure.code === TOO_MANY_MESSAGES;
    if (isTooLong || isHopeless(task, failure)) return complete(tools, task);
    const retryAtMs = tools.clock.now() + slackRetryMs(task, failure);
    await tools.store.transaction((tx) => tx.tasks.retryAt(task.lease, retryAtMs));
  }
}

function complete({ store }: SlackTools, task: ClaimedTask): Promise<void> {
  return store.transaction((tx) => tx.tasks.complete(task.lease));
}

/** The draft's request about the message, for its channel's project. */
async function requestAboutMessage(
  tx: Transaction,
  asked: Pick<JobRequest, 'teamId' | 'channelId' | 'requesterId' | 'origin'>,
  message: MarkedMessage,
  projects: Projects,
  rules: Rules,
): Promise<JobRequest> {
  const { teamId, channelId, requesterId, origin } = asked;
  const saved = await tx.channelSettings.get(teamId, channelId);
  const project = defaultProject(projects, settingsOf(rules, channelId, saved?.settings ?? null));
  return {
    teamId,
    channelId,
    requesterId,
    origin,
    projectId: project.id,
    projectName: project.name,
    prompt: message.prompt,
    responseUrl: null,
    thread: message.thread,
    attachments: message.attachments,
  };
}

interface Place {
  readonly channelId: string;
  readonly messageTs: string;
}

/** Null if it says nothing that a draft could be about, or no person wrote it. Throws SlackCallError. */
async function readMarked(workspace: Workspace, place: Place): Promise<MarkedMessage | null> {
  const { access, botId, botUserId } = workspace;
  const found = await readMessage(workspace, place, async (message) => {
    const writer = writtenByPerson(message, botUserId);
    return writer !== null && message.bot_id !== botId && access.isPerson(writer, isPostedByApp(message));
  });
  if (found === null) return null;
  const authorId = writtenByPerson(found.message, botUserId);
  return authorId === null ? found.marked : { ...found.marked, authorId };
}

/** As `readMarked`, for a message by anybody else: also the message itself, and its permalink. */
async function readMessage(
  { poster, names, botUserId }: Workspace,
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

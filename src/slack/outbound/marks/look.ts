import type { JobRequest } from '../../../jobs/decide/start/open.ts';
import type { MarkedMessage } from '../../../jobs/draft.ts';
import { defaultProject, type Rules, settingsOf } from '../../../jobs/policy.ts';
import { isBlank, threadWordOf } from '../../../jobs/requests/command.ts';
import type { Projects } from '../../../jobs/requests/project.ts';
import type { ClaimedTask, Transaction } from '../../../store/store.ts';
import { attachmentsIn } from '../../messages/attachments.ts';
import { isPostedByApp, writtenByPerson } from '../../messages/message-event.ts';
import { offeredMessages, peopleIn, saidIn } from '../../messages/thread-messages.ts';
import { jobReference } from '../../protocol/links.ts';
import { escapeMrkdwn, readableText } from '../../protocol/slack-text.ts';
import { requestAbout } from '../../views/forms/compose.ts';
import { TOO_MANY_MESSAGES } from '../../workspace/poster.ts';
import type { ThreadMessage } from '../../workspace/web-api/caller.ts';
import { SlackCallError } from '../../workspace/web-api/failure.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { isHopeless, type SlackTools, slackRetryMs } from '../refresh/refresh.ts';

/** Reads a message that may have a draft. `look` ends the task, unless it throws SlackCallError. */
export async function lookAgainIfSlackFails(
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

export function complete({ store }: SlackTools, task: ClaimedTask): Promise<void> {
  return store.transaction((tx) => tx.tasks.complete(task.lease));
}

/** The draft's request about the message, for its channel's project. */
export async function requestAboutMessage(
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
export async function readMarked(workspace: Workspace, place: Place): Promise<MarkedMessage | null> {
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
export async function readMessage(
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

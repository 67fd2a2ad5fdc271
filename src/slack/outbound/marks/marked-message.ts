import type { MarkedMessage } from '../../../jobs/draft.ts';
import { threadWordOf } from '../../../jobs/requests/command.ts';
import { isBlank } from '../../../jobs/requests/prompt.ts';
import { attachmentsIn } from '../../messages/attachments.ts';
import { isPostedByApp, writtenByPerson } from '../../messages/message-event.ts';
import { offeredMessages, peopleIn, saidIn } from '../../messages/thread-messages.ts';
import { jobReference } from '../../protocol/links.ts';
import { escapeMrkdwn, readableText } from '../../protocol/slack-text.ts';
import { requestAbout } from '../../views/forms/compose.ts';
import type { ThreadMessage } from '../../workspace/web-api/answers.ts';
import type { Workspace } from '../../workspace/workspace.ts';

interface Place {
  readonly channelId: string;
  readonly messageTs: string;
}

/** Null if there is nothing in it that a draft could be about, or no person wrote it. Throws SlackCallError. */
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

/** A message that a draft can be about, where it is, and what is drafted of it. */
interface Draftable {
  readonly message: ThreadMessage;
  readonly permalink: string;
  readonly marked: MarkedMessage;
}

/** As `readMarked`, of a message that somebody else wrote. */
export async function readMessage(
  { poster, names, botUserId }: Workspace,
  { channelId, messageTs }: Place,
  isMeant: (message: ThreadMessage) => boolean | Promise<boolean>,
): Promise<Draftable | null> {
  const permalink = await poster.permalink(channelId, messageTs);
  // Only the address says whether the message is part of a thread: a draft without it could miss that thread.
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

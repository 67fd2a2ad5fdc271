import type { MarkedMessage } from '../../../jobs/draft.ts';
import { threadWordOf } from '../../../jobs/requests/command.ts';
import { isBlank } from '../../../jobs/requests/prompt.ts';
import { attachmentsIn } from '../../messages/attachments.ts';
import { isPostedByApp, writtenByPerson } from '../../messages/message-event.ts';
import { offeredMessages, peopleIn, saidIn } from '../../messages/thread-messages.ts';
import { jobReference } from '../../protocol/links.ts';
import { escapeMrkdwn, readableText } from '../../protocol/slack-text.ts';
import { requestAbout } from '../../views/forms/compose.ts';
import type { Workspace } from '../../workspace/workspace.ts';

/** Null if there is nothing in it that a draft could be about, or no person wrote it. Throws SlackCallError. */
export async function readMarked(
  { poster, names, access, botId, botUserId }: Workspace,
  { channelId, messageTs }: { readonly channelId: string; readonly messageTs: string },
): Promise<MarkedMessage | null> {
  const permalink = await poster.permalink(channelId, messageTs);
  // Only the address says whether the message is part of a thread: a draft without it could miss that thread.
  const place = jobReference(permalink);
  const rootTs = place.kind === 'thread' ? place.threadTs : messageTs;
  const messages = await poster.thread(channelId, rootTs);
  const message = messages.find(({ ts }) => ts === messageTs);
  const writer = message === undefined ? null : writtenByPerson(message, botUserId);
  if (message === undefined || writer === null || message.bot_id === botId) return null;
  if (!(await access.isPerson(writer, isPostedByApp(message)))) return null;
  const said = saidIn(message);
  if (isBlank(said)) return null;
  const readable = readableText(said, await names.named(peopleIn([message])));
  return {
    thread: { threadTs: rootTs, lastTs: messages.at(-1)?.ts ?? rootTs },
    prompt: escapeMrkdwn(requestAbout(readable, permalink)),
    attachments: attachmentsIn(message),
    along: offeredMessages(messages, messageTs, botUserId)
      .offered.filter(({ text = '' }) => threadWordOf(text) === null)
      .map(({ ts }) => ts),
  };
}

import { requestDraft } from '../../../jobs/decide/start/drafts.ts';
import { approversIn } from '../../../jobs/policy.ts';
import type { ClaimedTask } from '../../../store/store.ts';
import { appThatWrote } from '../../messages/message-event.ts';
import { labels } from '../../views/parts/words.ts';
import { isRoomForDraft } from '../../workspace/room-for-draft.ts';
import { isReady } from '../../workspace/workspace.ts';
import type { SlackTools } from '../slack-tools.ts';
import { complete, lookAgainIfSlackFails, requestAboutMessage } from './look.ts';
import { readMessage } from './marked-message.ts';

/**
 * Makes the draft of a message in which a listed app mentions the bot. The task is scheduled once for each message, and
 * ends with the draft, so there is one.
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
      if (await isRoomForDraft(tx, tools.log, { thread, appId: app.id, nowMs: context.nowMs })) {
        const asked = { teamId, channelId, requesterId: null, origin: { kind: 'mention', app } } as const;
        const request = await requestAboutMessage(tx, { asked, message, projects, rules });
        const facts = { messages: message.along, approvers: approversIn(rules, channelId) };
        await tx.write(requestDraft(request, facts, context), context.nowMs);
      }
      await tx.tasks.complete(task.lease);
    });
  });
}

import { chooseMessagesView } from '../../views/thread-preview.ts';
import type { Written } from '../../written.ts';
import { isAdmitted } from '../admission.ts';
import type { ListenerDeps } from '../deps.ts';
import { answerWriter } from './answer-writer.ts';

/**
 * Answers what was written to the bot in a thread without a job. Nothing of a thread goes to the agent before a person
 * has seen what.
 */
export async function offerThread(
  deps: ListenerDeps,
  teamId: string,
  { channelId, userId, ts, threadTs }: Written & { readonly threadTs: string },
): Promise<void> {
  const at = { channelId, userId, threadTs, keys: [`mention:${teamId}:${channelId}:${ts}`] };
  if (!(await isAdmitted(deps, at))) return;
  await answerWriter(deps, at, chooseMessagesView({ channelId, threadTs, messageTs: ts }));
}

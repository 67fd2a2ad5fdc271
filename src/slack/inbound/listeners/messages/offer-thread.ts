import type { Written } from '../../../messages/written.ts';
import { chooseMessagesView, noJobInThreadView } from '../../../views/forms/thread-preview.ts';
import { isAdmitted } from '../admission.ts';
import type { ListenerDeps } from '../deps.ts';
import { answerWriter } from './answer-writer.ts';

/**
 * Answers what was written to the bot in a thread without a job. Nothing of a thread goes to the agent before a person
 * has seen what.
 */
export async function offerThread(
  deps: ListenerDeps,
  { channelId, userId, ts, threadTs }: Written & { readonly threadTs: string },
): Promise<void> {
  const at = { channelId, userId, threadTs, keys: [`mention:${deps.teamId}:${channelId}:${ts}`] };
  if (!(await isAdmitted(deps, at, at.keys[0] ?? ts))) return;
  const offer = chooseMessagesView({ channelId, threadTs, messageTs: ts });
  await answerWriter(deps, at, offer, noJobInThreadView());
}

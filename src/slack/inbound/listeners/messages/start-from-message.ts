import { parseCommand } from '../../../../jobs/command.ts';
import type { Written } from '../../../messages/written.ts';
import { helpView, typedOnlyView } from '../../../views/help.ts';
import { refusalView } from '../../../views/refusals.ts';
import { filesNotSent } from '../../../views/thread/attached.ts';
import { isAdmitted } from '../admission.ts';
import type { ListenerDeps } from '../deps.ts';
import { startJob } from '../start-job.ts';
import { answerWriter } from './answer-writer.ts';

/** A message to the bot, at the top level, starts a job in its own thread, or is answered privately. */
export async function startFromMessage(
  deps: ListenerDeps,
  written: Written,
  keys: readonly string[],
): Promise<void> {
  const { channelId, userId, ts, text, attached } = written;
  const at = { channelId, userId, threadTs: null, keys };
  if (!(await isAdmitted(deps, at, `message:${channelId}:${ts}`))) return;
  const { kind } = parseCommand(text);
  if (kind === 'compose' && attached.others.length > 0)
    return answerWriter(deps, at, filesNotSent(attached.others));
  if (kind === 'help' || kind === 'compose') return answerWriter(deps, at, helpView());
  if (kind !== 'prompt') return answerWriter(deps, at, typedOnlyView(kind));
  const outcome = await startJob(deps, {
    keys,
    teamId: deps.teamId,
    channelId,
    requesterId: userId,
    text,
    attached,
    project: null,
    responseUrl: null,
    thread: { threadTs: ts, lastTs: ts },
    isAnswered: false,
  });
  if (outcome.kind === 'refused') await answerWriter(deps, at, refusalView(outcome.refusal));
}

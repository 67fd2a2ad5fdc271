import type { JobRequest } from '../../../jobs/decide/start/open.ts';
import type { MarkedMessage } from '../../../jobs/draft.ts';
import { defaultProject, type Rules, settingsOf } from '../../../jobs/policy.ts';
import type { Projects } from '../../../jobs/requests/project.ts';
import type { ClaimedTask, Transaction } from '../../../store/store.ts';
import { TOO_MANY_MESSAGES } from '../../workspace/poster.ts';
import { SlackCallError } from '../../workspace/web-api/failure.ts';
import { isHopeless, type SlackTools, slackRetryMs } from '../slack-tools.ts';

/** Looks at a message that there may be a draft of. `look` ends the task, unless it throws SlackCallError. */
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
    // So long a thread would be read again and again.
    const isTooLong = failure.code === TOO_MANY_MESSAGES;
    if (isTooLong || isHopeless(task, failure)) return complete(tools, task);
    const retryAtMs = tools.clock.now() + slackRetryMs(task, failure);
    await tools.store.transaction((tx) => tx.tasks.retryAt(task.lease, retryAtMs));
  }
}

export function complete({ store }: SlackTools, task: ClaimedTask): Promise<void> {
  return store.transaction((tx) => tx.tasks.complete(task.lease));
}

interface About {
  readonly asked: Pick<JobRequest, 'teamId' | 'channelId' | 'requesterId' | 'origin'>;
  readonly message: MarkedMessage;
  readonly projects: Projects;
  readonly rules: Rules;
}

/** The request that a draft of the message is, for the project of its channel. */
export async function requestAboutMessage(
  tx: Transaction,
  { asked, message, projects, rules }: About,
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

import { type JobRequest, openJob } from '../../../jobs/decide/start/open.ts';
import type { Job } from '../../../jobs/job.ts';
import { type Project, projectCalled } from '../../../jobs/requests/project.ts';
import { escapeMrkdwn, readableText } from '../../protocol/slack-text.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import {
  noJobIdView,
  noSuchAgentJobView,
  refusalView,
  watchedAlreadyView,
  watchedUnseenView,
} from '../../views/refusals.ts';
import { noteRefusal } from '../connection/request-log.ts';
import type { Command, ListenerDeps } from '../listener.ts';
import { agentHasJob, linkTo, storeRequest } from '../requests/door.ts';
import { projectOf } from '../requests/start-job.ts';

const ID_MAX = 200;
/** In a URL, these would name another path. */
const DOTS = /^\.{1,2}$/;

/**
 * `/docs-agent watch <job id>`: posts a card for a job started elsewhere, in the project `project=name`.
 * @param asked as Slack delivered it
 */
export async function watch(
  deps: ListenerDeps,
  command: Command,
  asked: { readonly id: string; readonly projectName: string | null },
): Promise<void> {
  const named = asked.projectName === null ? null : projectCalled(asked.projectName, deps.projects);
  const refuse = (reason: string, message: SlackMessage) => {
    noteRefusal(deps, command.userId, reason);
    return message;
  };
  const answer = async (): Promise<SlackMessage | null> => {
    if (named !== null && 'kind' in named) return refuse(named.kind, refusalView(named));
    const agentJobId = readableText(asked.id, new Map());
    if (!isAgentJobId(agentJobId)) return refuse('no_job_id', noJobIdView);
    const stored = await storeRequest(deps, async () => {
      const project = named ?? (await projectOf(deps, command.channelId));
      const isThere = await agentHasJob(deps, project.id, agentJobId);
      if (isThere === false) return refuse('no_such_job', noSuchAgentJobView(agentJobId, project.name));
      const watcher = await store(deps, command, agentJobId, project);
      if (watcher !== null) return refuse('watched_already', watchedAlreadyView(linkTo(deps, watcher)));
      return isThere === null ? watchedUnseenView : null;
    });
    return 'problem' in stored ? stored.problem : stored.result;
  };
  const message = await answer();
  // Without a message, the card is the answer.
  await (message === null ? command.ack() : command.tell(message));
}

/** Stores the request once. Returns the job that already watches the agent job, or null. */
function store(
  deps: ListenerDeps,
  { userId: requesterId, channelId, responseUrl, keys }: Command,
  agentJobId: string,
  { id: projectId, name: projectName }: Project,
): Promise<Job | null> {
  const { teamId } = deps;
  return deps.store.transaction(async (tx) => {
    const context = deps.newContext();
    if (await tx.inboundRequests.isKnown(keys)) return null;
    // Not remembered, so that a second run gives the same answer.
    const watcher = (await tx.jobs.ofAgentJob(teamId, projectId, agentJobId)).find(isWatching);
    if (watcher !== undefined) return watcher;
    if (!(await tx.inboundRequests.remember(keys, context.nowMs))) return null;
    const request: JobRequest = {
      teamId,
      channelId,
      requesterId,
      origin: { kind: 'command' },
      projectId,
      projectName,
      prompt: escapeMrkdwn(`Agent job ${agentJobId}`),
      responseUrl,
      thread: null,
      watchedAgentJobId: agentJobId,
    };
    await tx.write(openJob(request, context), context.nowMs);
    return null;
  });
}

export function isAgentJobId(word: string): boolean {
  return word !== '' && word.length <= ID_MAX && !DOTS.test(word);
}

/** Not if Slack refused the card, or the agent API did not know the job. */
export function isWatching({ stage }: Job): boolean {
  return stage.kind !== 'card_failed' && !(stage.kind === 'ended' && stage.status === 'vanished');
}

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
import type { CommandArgs, ListenerDeps } from '../deps.ts';
import { answer, inTime, linkTo, storeRequest } from '../requests/door.ts';
import { projectOf } from '../requests/start-job.ts';

/** Part of Slack's 3 seconds; storing needs most of the rest. */
const ASKED_WITHIN_MS = 700;
const ID_MAX = 200;
/** In a URL, these would name another path. */
const DOTS = /^\.{1,2}$/;

/**
 * `/docs-agent watch <job id>`: posts a card for a job started elsewhere, in the project `project=name`.
 * @param command as Slack delivered it
 */
export async function watch(
  deps: ListenerDeps,
  args: CommandArgs,
  command: { readonly id: string; readonly projectName: string | null },
): Promise<void> {
  const named = command.projectName === null ? null : projectCalled(command.projectName, deps.projects);
  const refuse = (reason: string, message: SlackMessage) => {
    noteRefusal(deps, args.command.user_id, reason);
    return answer(args, message);
  };
  if (named !== null && 'kind' in named) return refuse(named.kind, refusalView(named));
  const agentJobId = readableText(command.id, new Map());
  if (!isAgentJobId(agentJobId)) return refuse('no_job_id', noJobIdView);
  const stored = await storeRequest(deps, { write: () => watched(deps, args.command, agentJobId, named) });
  const message = 'problem' in stored ? stored.problem : stored.result;
  await (message === null ? args.ack() : answer(args, message));
}

/** Stores the request if such a job may exist. Returns the private answer; null: the card is the answer. */
async function watched(
  deps: ListenerDeps,
  command: CommandArgs['command'],
  agentJobId: string,
  named: Project | null,
): Promise<SlackMessage | null> {
  const project = named ?? (await projectOf(deps, command.channel_id));
  const isThere = await inTime(deps, ASKED_WITHIN_MS, deps.agentHasJob(project.id, agentJobId), null);
  if (isThere === false) {
    noteRefusal(deps, command.user_id, 'no_such_job');
    return noSuchAgentJobView(agentJobId, project.name);
  }
  const watcher = await write(deps, command, agentJobId, project);
  if (watcher !== null) {
    noteRefusal(deps, command.user_id, 'watched_already');
    return watchedAlreadyView(linkTo(deps, watcher));
  }
  return isThere === null ? watchedUnseenView : null;
}

/** Stores the request once. Returns the job that already watches the agent job, or null. */
async function write(
  deps: ListenerDeps,
  command: CommandArgs['command'],
  agentJobId: string,
  project: Project,
): Promise<Job | null> {
  const { channel_id: channelId, trigger_id: triggerId } = command;
  const { teamId } = deps;
  return deps.store.transaction(async (tx) => {
    const context = deps.newContext();
    const keys = triggerId ? [`trigger:${deps.teamId}:${triggerId}`] : [];
    if (await tx.inboundRequests.isKnown(keys)) return null;
    // Not remembered, so that a second run gives the same answer.
    const watcher = (await tx.jobs.ofAgentJob(teamId, project.id, agentJobId)).find(isWatching);
    if (watcher !== undefined) return watcher;
    if (!(await tx.inboundRequests.remember(keys, context.nowMs))) return null;
    const request: JobRequest = {
      teamId,
      channelId,
      requesterId: command.user_id,
      origin: { kind: 'command' },
      projectId: project.id,
      projectName: project.name,
      prompt: escapeMrkdwn(`Agent job ${agentJobId}`),
      responseUrl: command.response_url || null,
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

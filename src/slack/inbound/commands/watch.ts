import { openJob } from '../../../jobs/decide/open.ts';
import type { Job } from '../../../jobs/job.ts';
import { type Project, projectCalled } from '../../../jobs/project.ts';
import { escapeMrkdwn } from '../../protocol/escape.ts';
import { readableText } from '../../protocol/readable-text.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import { noJobIdView, refusalView, watchedAlreadyView } from '../../views/refusals.ts';
import type { CommandArgs, ListenerDeps } from '../deps.ts';
import { answer, linkTo } from '../requests/replies.ts';
import { projectOf } from '../requests/start-job.ts';
import { storeRequest } from '../requests/store-request.ts';

const ID_MAX = 200;
/** In an address they would stand for another one. */
const DOTS = /^\.{1,2}$/;

/**
 * `/docs-agent watch <job id>`: a card for a job that was started elsewhere. `project=name` in front says where.
 * @param wish as Slack delivered it
 */
export async function watch(
  deps: ListenerDeps,
  args: CommandArgs,
  wish: { readonly id: string; readonly projectName: string | null },
): Promise<void> {
  const named = wish.projectName === null ? null : projectCalled(wish.projectName, deps.projects);
  if (named !== null && 'kind' in named) return answer(args, refusalView(named));
  const agentJobId = readableText(wish.id, new Map());
  if (agentJobId.length > ID_MAX || DOTS.test(agentJobId)) return answer(args, noJobIdView());
  const stored = await storeRequest(deps, {
    write: () => write(deps, args.command, agentJobId, named),
  });
  const message = 'problem' in stored ? stored.problem : answerTo(deps, stored.result);
  await (message === null ? args.ack() : answer(args, message));
}

/** Null: the card is the answer. */
function answerTo(deps: ListenerDeps, watcher: Job | null): SlackMessage | null {
  return watcher && watchedAlreadyView(linkTo(deps, watcher));
}

/** Stores the request, once. Returns the job that watches the agent job already, or null. */
async function write(
  deps: ListenerDeps,
  command: CommandArgs['command'],
  agentJobId: string,
  named: Project | null,
): Promise<Job | null> {
  const { channel_id: channelId, trigger_id: triggerId } = command;
  const { teamId } = deps;
  const project = named ?? (await projectOf(deps, channelId));
  return deps.store.transaction(async (tx) => {
    const context = deps.newContext();
    const keys = triggerId ? [`trigger:${deps.teamId}:${triggerId}`] : [];
    if (await tx.inboundRequests.isKnown(keys)) return null;
    // Not remembered, so that a second run has the same answer.
    const watcher = (await tx.jobs.ofAgentJob(teamId, project.id, agentJobId)).find(isWatching);
    if (watcher !== undefined) return watcher;
    if (!(await tx.inboundRequests.remember(keys, context.nowMs))) return null;
    const request = {
      teamId,
      channelId,
      requesterId: command.user_id,
      projectId: project.id,
      projectName: project.name,
      prompt: escapeMrkdwn(`Agent job ${agentJobId}`),
      responseUrl: command.response_url || null,
      thread: null,
      attachedTo: agentJobId,
    };
    await tx.write(openJob(request, context), context.nowMs);
    return null;
  });
}

/** Not if the card was refused, or the agent API did not know the job. */
function isWatching({ stage }: Job): boolean {
  return stage.kind !== 'unopened' && !(stage.kind === 'ended' && stage.status === 'vanished');
}

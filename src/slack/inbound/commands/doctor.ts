import { sitesOf } from '../../../engine/apply-event.ts';
import { settingsOf } from '../../../jobs/policy.ts';
import { type AgentPause, doctorView } from '../../views/doctor.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import { notReadView } from '../../views/refusals.ts';
import { countingView, reportView } from '../../views/report.ts';
import { noticeChannelsOf } from '../../workspace/self-check.ts';
import { bestEffort, type Command, type ListenerDeps } from '../listener.ts';
import { adminProblem, inTime, show } from '../requests/door.ts';

/** `doctor`, for administrators: the problems that the running program knows of. */
export async function doctorAnswer(
  deps: ListenerDeps,
  { userId, channelId }: { readonly userId: string; readonly channelId: string },
): Promise<SlackMessage> {
  const problem = await adminProblem(deps, userId, 'see');
  if (problem !== null) return problem;
  return show(deps, async () => {
    const { known, projects, store, clock, teamId } = deps;
    const rules = deps.newContext().rulesOf(teamId);
    const { channels, reads, calls } = await store.transaction(async (tx) => {
      const saved = await tx.channelSettings.get(teamId, channelId);
      const here = settingsOf(rules, channelId, saved?.settings ?? null).noticeChannels ?? [];
      return {
        // This channel's first.
        channels: new Set([...here, ...(await noticeChannelsOf(tx, teamId, rules))]),
        reads: await tx.readBudget.paused(clock.now()),
        calls: await tx.budgetQueue.paused(clock.now()),
      };
    });
    // Across all replicas.
    const pausesOf = (what: AgentPause['what'], pauses: typeof reads) =>
      pauses.flatMap(({ projectId, untilMs }) => {
        const name = projects.find(({ id }) => id === projectId)?.name;
        return name === undefined ? [] : [{ name, what, untilMs }];
      });
    return doctorView({
      slackProblem: known.slackProblem(),
      slack: await deps.selfCheck.ask([...channels], rules),
      projects: projects.map(({ id, name }) => ({ name, agent: known.agent(id) })),
      codeHosts: known.codeHosts(),
      pauses: [...pausesOf('reads', reads), ...pausesOf('calls', calls)],
      work: known.workProblems(),
    });
  });
}

/** Counting very many jobs takes longer; the report then follows when it is ready. */
const COUNTED_WITHIN_MS = 1_500;

/** `report`, for administrators: the outcomes of the workspace's recent requests. */
export async function report(deps: ListenerDeps, command: Command): Promise<void> {
  const problem = await adminProblem(deps, command.userId, 'see');
  if (problem !== null) return command.tell(problem);
  const counted = count(deps);
  const message = await inTime(deps, COUNTED_WITHIN_MS, counted, countingView);
  await command.tell(message);
  if (message === countingView) await bestEffort(deps, counted.then(command.tellLater));
}

async function count(deps: ListenerDeps): Promise<SlackMessage> {
  const { teamId, projects, log, workspaceUrl } = deps;
  try {
    const projectIds = projects.map(({ id }) => id);
    const made = await deps.reportOf(teamId, projectIds);
    const nowMs = deps.clock.now();
    return reportView(made, { workspaceUrl, sites: sitesOf(deps), zone: 'UTC', nowMs });
  } catch (error) {
    log.error('not_shown', { error });
    return notReadView;
  }
}

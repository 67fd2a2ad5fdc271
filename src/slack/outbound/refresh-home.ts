import { sitesOf } from '#engine/apply-event.ts';
import { partsOf } from '#store/queries/task.ts';
import { closedPlaceCodes } from '../protocol/error-codes.ts';
import {
  homeView,
  NEEDED_FOR_MS,
  NEEDING_JOBS_MAX,
  needsPerson,
  OPEN_JOBS_MAX,
  PROJECTS_MAX,
  PULL_REQUESTS_MAX,
} from '../views/home.ts';
import type { SlackMessage } from '../views/message.ts';
import { notAllowedView, notSetUpView } from '../views/private-answers.ts';
import { noticeChannelsOf } from '../workspace/inspection.ts';
import { isReady, type Workspace } from '../workspace/workspace.ts';
import { refresh, type SlackTools } from './refresh.ts';

const HOUR_MS = 3_600_000;
const RECENT_JOBS_MAX = 50;

export const refreshHome = refresh(
  async (_tx, task) => partsOf(task.subject),
  async (tools, { teamId, name: userId }, { failureOf }) => {
    const workspace = await tools.workspaces.of(teamId);
    const failure = await failureOf(
      async () => workspace.poster.publishHome(userId, await viewFor(tools, workspace, userId)),
      (reason) => tools.log.warn('home_not_refreshed', { team_id: teamId, user_id: userId, reason }),
    );
    return { failure };
  },
);

async function viewFor(tools: SlackTools, workspace: Workspace, userId: string): Promise<SlackMessage> {
  if (!isReady(workspace)) return notSetUpView(workspace.teamId);
  const { known, hourlyBudget, store } = tools;
  const { teamId, workspaceUrl, access, selfCheck } = workspace;
  const refusal = await access.refusal(userId, null);
  if (refusal !== null) return notAllowedView(refusal);
  const rules = tools.newContext().rulesOf(teamId);
  const slack = (await access.isAdmin(userId))
    ? await selfCheck.recent(await store.transaction((tx) => noticeChannelsOf(tx, teamId, rules)), rules)
    : null;
  const atMs = tools.clock.now();
  const facts = await store.transaction(async (tx) => {
    const projects = [];
    for (const { id, name } of workspace.projects.slice(0, PROJECTS_MAX)) {
      const callsLeft = Math.max(hourlyBudget - (await tx.calls.agentCallsSince(id, atMs - HOUR_MS)), 0);
      projects.push({ name, callsLeft, hourlyBudget, agent: known.agent(id) });
    }
    const recent = await tx.lists.recentOf(teamId, userId, atMs - NEEDED_FOR_MS, RECENT_JOBS_MAX);
    const needing = recent.filter(needsPerson).slice(0, NEEDING_JOBS_MAX);
    const shown = new Set(needing.map(({ job }) => job.id));
    const openJobs = await tx.lists.newestOf(teamId, userId, 'open', OPEN_JOBS_MAX + 1 + shown.size);
    const open = await tx.readBudget.shown(openJobs, atMs);
    return {
      needing,
      open: open.filter(({ id }) => !shown.has(id)).slice(0, OPEN_JOBS_MAX + 1),
      withPullRequest: await tx.lists.newestOf(teamId, userId, 'with_pull_request', PULL_REQUESTS_MAX),
      projects,
      slackProblem: known.slackProblem(),
      forAdmin: slack && {
        slack,
        services: known.services(),
        work: known.workProblems(),
        closedPlaces: await tx.places.closed(teamId, closedPlaceCodes),
      },
      atMs,
    };
  });
  const jobs = [...facts.needing.map(({ job }) => job), ...facts.open, ...facts.withPullRequest];
  const names = await workspace.names.of(jobs.map(({ prompt }) => prompt).join('\n'));
  return homeView(facts, { userId, channelId: null, workspaceUrl, names, sites: sitesOf(tools) });
}

import { sitesOf } from '../../../engine/tools.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import { notReadView } from '../../views/refusals.ts';
import { countingView, reportView } from '../../views/report.ts';
import type { CommandArgs, ListenerDeps } from '../deps.ts';
import { adminProblem } from '../requests/admission.ts';
import { inTime } from '../requests/in-time.ts';
import { answer, bestEffort } from '../requests/private-answers.ts';

/** Very many jobs take longer, and are shown when they are counted. */
const COUNTED_WITHIN_MS = 1_500;

/** `report`, for administrators: what became of the requests of the workspace in the last days. */
export async function report(deps: ListenerDeps, args: CommandArgs): Promise<void> {
  const problem = await adminProblem(deps, args.command.user_id, 'see');
  if (problem !== null) return answer(args, problem);
  const counted = count(deps);
  const inTimeOrNull = await inTime(deps, COUNTED_WITHIN_MS, counted, null);
  await answer(args, inTimeOrNull ?? countingView());
  if (inTimeOrNull !== null) return;
  await bestEffort(
    deps,
    counted.then((message) => args.respond({ response_type: 'ephemeral', ...message })),
  );
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
    return notReadView();
  }
}

import { z } from 'zod';
import type { PullRequestFacts } from '../../jobs/pull-requests/pull-request.ts';
import { ifAllowed, UnreadableError } from '../client/unreadable.ts';
import { type Checks, count, id, known, listOf, NAME_MAX_LENGTH, text, worstOf } from '../decode.ts';
import type { Read } from '../dialect.ts';

const PAGE = 100;
const PAGES_MAX = 3;

const run = z.object({ conclusion: text(NAME_MAX_LENGTH) });
const checkRuns = z.object({ total_count: count, check_runs: listOf(run) });
const workflowRuns = z.object({
  total_count: count,
  workflow_runs: listOf(z.object({ ...run.shape, workflow_id: id, event: text(NAME_MAX_LENGTH) })),
});
const combinedStatus = z.object({ state: text(NAME_MAX_LENGTH), total_count: count });

const RUNS = 'Checks or Actions';
const STATUSES = 'Commit statuses';
/** The permissions for everything that may fail a commit. */
export const CHECK_SOURCES = [RUNS, STATUSES] as const;

/**
 * Check runs, or the runs of GitHub Actions for a token without that permission, and the older commit
 * statuses. While one of the two may not be read, nobody knows that all is well: its silence would pass for a
 * success.
 */
export async function readChecks(
  read: Read,
  { commit }: { readonly commit: string },
  lacks: (permission: string) => void,
): Promise<PullRequestFacts> {
  const [runs, status] = await Promise.all([
    ifAllowed(readCheckRuns(read, commit)).then((runs) => runs ?? ifAllowed(readWorkflowRuns(read, commit))),
    ifAllowed(read(`/commits/${commit}/status`, combinedStatus)),
  ]);
  if (runs === null && status === null) throw new UnreadableError({ kind: 'forbidden' });
  if (runs === null) lacks(RUNS);
  if (status === null) lacks(STATUSES);
  const statuses = status === null || status.total_count === 0 ? [] : [stateOfStatus(status.state)];
  const worst = worstOf([...(runs ?? []), ...statuses]);
  return known({ checks: worst === 'passing' && (runs === null || status === null) ? null : worst });
}

async function readCheckRuns(read: Read, commit: string): Promise<Checks[]> {
  const found: Checks[] = [];
  for (let page = 1; ; page += 1) {
    const query = `filter=latest&per_page=${PAGE}&page=${page}`;
    const { total_count: total, check_runs: runs } = await read(
      `/commits/${commit}/check-runs?${query}`,
      checkRuns,
    );
    found.push(...runs.map(stateOfRun));
    if (runs.length < PAGE) return found;
    // Unread ones may have failed, or be running.
    if (page === PAGES_MAX) return total === null || total > found.length ? [...found, 'pending'] : found;
  }
}

/** The newest run of each workflow: earlier ones are superseded. */
async function readWorkflowRuns(read: Read, commit: string): Promise<Checks[]> {
  const { total_count: total, workflow_runs: runs } = await read(
    `/actions/runs?head_sha=${commit}&per_page=${PAGE}`,
    workflowRuns,
  );
  const newest = new Map(runs.toReversed().map((run) => [`${run.workflow_id} ${run.event}`, run]));
  const found = [...newest.values()].map(stateOfRun);
  // Unread ones may have failed, or be running.
  return total !== null && total > PAGE ? [...found, 'pending'] : found;
}

/** As GitHub's own command line counts them. */
function stateOfRun({ conclusion }: z.infer<typeof run>): Checks {
  switch (conclusion) {
    case 'success':
    case 'neutral':
    case 'skipped':
      return 'passing';
    case 'failure':
    case 'cancelled':
    case 'timed_out':
    case 'startup_failure':
    case 'action_required':
      return 'failing';
    default:
      return 'pending';
  }
}

function stateOfStatus(state: string | null): Checks {
  if (state === 'success') return 'passing';
  return state === 'failure' || state === 'error' ? 'failing' : 'pending';
}

import { z } from 'zod';
import { firstParagraph } from '../../jobs/pull-requests/pull-request.ts';
import { orNull } from '../client/host-client.ts';
import {
  type Checks,
  commit,
  count,
  description,
  domainsOfBot,
  flag,
  id,
  known,
  listOf,
  previewIn,
  publicAddress,
  shortText,
  timeMs,
  title,
  worstOf,
} from '../decode.ts';
import type { Dialect, OtherReading, Read } from '../look.ts';

const RUN_PAGES_MAX = 3;

const run = z.object({ conclusion: shortText });
const checkRuns = z.object({ total_count: count, check_runs: listOf(run) });
const workflowRuns = z.object({
  total_count: count,
  workflow_runs: listOf(z.object({ ...run.shape, workflow_id: id, event: shortText })),
});
const combinedStatus = z.object({ state: shortText, total_count: count });

const RUNS = 'Checks or Actions';
const STATUSES = 'Commit statuses';

/**
 * Check runs, or the runs of GitHub Actions for a token without that permission, and the older commit
 * statuses. While one of the two may not be read, nobody knows that all is well: its silence would pass for a
 * success.
 */
const readChecks: OtherReading = async (read, { commit }, lacks) => {
  const [runs, status] = await Promise.all([
    orNull(readCheckRuns(read, commit)).then((runs) => runs ?? orNull(readWorkflowRuns(read, commit))),
    orNull(read(`/commits/${commit}/status`, combinedStatus)),
  ]);
  if (runs === null) lacks(RUNS);
  if (status === null) lacks(STATUSES);
  const statuses = status === null || status.total_count === 0 ? [] : [stateOfStatus(status.state)];
  const worst = worstOf([...(runs ?? []), ...statuses]);
  return known({ checks: worst === 'passing' && (runs === null || status === null) ? null : worst });
};

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
    if (page === RUN_PAGES_MAX) return total === null || total > found.length ? [...found, 'pending'] : found;
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

/** As GitHub's own command line counts them; any other run is pending. */
const CONCLUSIONS = {
  passing: ['success', 'neutral', 'skipped'],
  failing: ['failure', 'cancelled', 'timed_out', 'startup_failure', 'action_required'],
};

function stateOfRun({ conclusion }: z.infer<typeof run>): Checks {
  if (conclusion === null) return 'pending';
  if (CONCLUSIONS.passing.includes(conclusion)) return 'passing';
  return CONCLUSIONS.failing.includes(conclusion) ? 'failing' : 'pending';
}

function stateOfStatus(state: string | null): Checks {
  if (state === 'success') return 'passing';
  return state === 'failure' || state === 'error' ? 'failing' : 'pending';
}

/** A person, or an App. */
export const account = z.object({ login: shortText }).nullable().catch(null);

const pull = z.object({
  title,
  body: description,
  state: z.enum(['open', 'closed']),
  draft: flag,
  merged_at: shortText,
  merged_by: account,
  closed_at: shortText,
  created_at: shortText,
  updated_at: shortText,
  head: z.object({ sha: commit }).catch({ sha: null }),
  changed_files: count,
  additions: count,
  deletions: count,
});

const readDetails: Dialect['details'] = async (read, number) => {
  const found = await read(`/pulls/${number}`, pull);
  const isMerged = found.merged_at !== null;
  const isClosed = found.state === 'closed' && !isMerged;
  const { changed_files: files, additions: added, deletions: removed } = found;
  const lines = added === null || removed === null ? null : { added, removed };
  const facts = known({
    title: found.title,
    description: found.body === null ? null : firstParagraph(found.body),
    state: isMerged ? 'merged' : isClosed ? 'closed' : found.draft ? 'draft' : 'open',
    endedBy: isMerged ? (found.merged_by?.login ?? null) : isClosed ? await readClosedBy(read, number) : null,
    openedAtMs: timeMs(found.created_at),
    endedAtMs: timeMs(found.merged_at ?? found.closed_at),
    updatedAtMs: timeMs(found.updated_at),
    size: files === null ? null : { files, lines },
  } as const);
  return { facts, commit: found.head.sha };
};

/** Only the issue behind the pull request says so. Without permission to read it, the name is left out. */
async function readClosedBy(read: Read, number: number): Promise<string | null> {
  const closed = await orNull(read(`/issues/${number}`, z.object({ closed_by: account })), () => true);
  return closed?.closed_by?.login ?? null;
}

const PAGE = 100;
const PAGES_MAX = 5;

const reviews = listOf(z.object({ user: account, state: shortText }));

/** Each reviewer's last opinion. Comments are none, and a dismissed review takes its opinion back. */
const readReview: OtherReading = async (read, { number }) => {
  const opinions = new Map<string, string>();
  for (let page = 1; page <= PAGES_MAX; page += 1) {
    const found = await read(`/pulls/${number}/reviews?per_page=${PAGE}&page=${page}`, reviews);
    for (const { user, state } of found) {
      if (state === 'APPROVED' || state === 'CHANGES_REQUESTED' || state === 'DISMISSED')
        opinions.set(user?.login ?? '', state);
    }
    if (found.length >= PAGE) continue;
    const all = [...opinions.values()];
    if (all.includes('CHANGES_REQUESTED')) return { review: 'changes_requested' };
    return all.includes('APPROVED') ? { review: 'approved' } : {};
  }
  // Only the last ones count, and they are further on.
  return {};
};

const DEPLOYMENTS_MAX = 5;
const COMMENT_PAGES_MAX = 2;

const deployments = listOf(z.object({ id, production_environment: flag }));
const statuses = listOf(z.object({ state: shortText, environment_url: publicAddress }));
const NOT_OF_DOCS_HOST = { user: null, body: '' } as const;
/** Nothing is kept of people and their words, only the URL in a docs host's comment. */
const comments = listOf(
  z
    .object({
      user: account,
      body: z.string().catch(''),
    })
    .transform(({ user, body }) => {
      const domains = domainsOfBot(user?.login ?? '');
      return domains === null ? NOT_OF_DOCS_HOST : { user, body: previewIn(body, domains) ?? '' };
    }),
);

/** Where the commit was deployed, except to production; else the URL in a docs host's comment. */
const readPreview: OtherReading = async (read, { number, commit }, lacks) => {
  const deployed = await orNull(readDeployed(read, commit));
  if (deployed) return { previewUrl: deployed };
  const written = await orNull(readWritten(read, number));
  if (deployed === null && written === null) lacks('Deployments or Pull requests');
  return written ? { previewUrl: written } : {};
};

/** Empty: nowhere. */
async function readDeployed(read: Read, commit: string): Promise<string> {
  const found = await read(`/deployments?sha=${commit}&per_page=${DEPLOYMENTS_MAX}`, deployments);
  for (const { id } of found.filter((one) => !one.production_environment)) {
    const [newest] = await read(`/deployments/${id}/statuses?per_page=1`, statuses);
    if (newest?.state === 'success' && newest.environment_url !== null) return newest.environment_url;
  }
  return '';
}

/** Empty: in none. */
async function readWritten(read: Read, number: number): Promise<string> {
  for (let page = 1; page <= COMMENT_PAGES_MAX; page += 1) {
    const found = await read(`/issues/${number}/comments?per_page=${PAGE}&page=${page}`, comments);
    const address = found.map(({ body }) => body).findLast((body) => body !== '');
    if (address !== undefined || found.length < PAGE) return address ?? '';
  }
  return '';
}

export const github: Dialect = {
  headers: { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' },
  repositoryPath: ({ repository }) => `/repos/${repository}`,
  movedTo: /^\/repositories\/\d{1,20}$/,
  // `/rate_limit` would cost nothing, but an Enterprise server without limits answers it with 404.
  tokenPath: '/user',
  tokenEndsAtMs: ({ headers }) => {
    const ends = headers['github-authentication-token-expiration'];
    return typeof ends === 'string' ? timeMs(ends) : null;
  },
  details: readDetails,
  others: { checks: readChecks, review: readReview, preview: readPreview },
  permission: 'Pull requests',
};

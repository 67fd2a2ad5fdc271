import { z } from 'zod';
import { type Failure, orNull } from '#codehost/client.ts';
import {
  awaited,
  type Check,
  checkStateIn,
  comment,
  commit,
  count,
  type Dialect,
  description,
  domainsOfBot,
  email,
  type FoundFacts,
  failingNews,
  filePath,
  firstParagraph,
  flag,
  id,
  listOf,
  nameBy,
  page,
  pagesIn,
  pageUrl,
  previewIn,
  publicUrl,
  type Read,
  type Reading,
  readAtOnce,
  readList,
  requested,
  requestNews,
  reviewCommentsIn,
  shortText,
  timeMs,
  title,
  worstOf,
} from './dialect.ts';

/** As GitHub's command line counts them. */
const checkState = checkStateIn(
  ['success', 'neutral', 'skipped'],
  ['failure', 'error', 'cancelled', 'timed_out', 'startup_failure', 'action_required'],
);

const run = z.object({ conclusion: checkState, name: shortText, html_url: pageUrl });
const checkRuns = z.object({ check_runs: listOf(run) }).transform(({ check_runs: runs }) => runs);
const workflowRuns = z
  .object({ workflow_runs: listOf(run.extend({ workflow_id: id, event: shortText })) })
  .transform(({ workflow_runs: runs }) => runs);
const status = z
  .object({ state: checkState, context: shortText, target_url: pageUrl })
  .transform(({ state, context: name, target_url: url }) => ({ state, name, url }));
const combinedStatus = z.object({
  ...{ state: checkState, total_count: count },
  statuses: listOf(status).catch([]),
});

const RUN_PAGES_MAX = 3;

/**
 * Check runs, or Actions runs for a token without that permission, and commit statuses. `passing` needs both.
 */
const readChecks: Reading = async (read, { commit }, lacks) => {
  const [runs, status] = await Promise.all([
    orNull(readCheckRuns(read, commit)).then((runs) => runs ?? orNull(readWorkflowRuns(read, commit))),
    orNull(read(`/commits/${commit}/status`, combinedStatus)),
  ]);
  if (runs === null) lacks('Checks or Actions');
  if (status === null) lacks('Commit statuses');
  const statuses = status === null || status.total_count === 0 ? [] : [status.state];
  const checks = [...(runs ?? []), ...(status?.statuses ?? [])];
  const worst = worstOf([...(runs ?? []).map(({ state }) => state), ...statuses]);
  return {
    checks: worst === 'passing' && (runs === null || status === null) ? null : worst,
    failing: worst === 'failing' ? failingNews(commit, checks) : null,
  };
};

async function readCheckRuns(read: Read, commit: string): Promise<Check[]> {
  const path = `/commits/${commit}/check-runs?filter=latest&`;
  return checksOf(await readList(read, path, checkRuns, RUN_PAGES_MAX));
}

/** Later runs of a workflow supersede earlier ones. */
async function readWorkflowRuns(read: Read, commit: string): Promise<Check[]> {
  const path = `/actions/runs?head_sha=${commit}&`;
  const { items, isComplete } = await readList(read, path, workflowRuns, RUN_PAGES_MAX);
  const newest = new Map(items.toReversed().map((run) => [`${run.workflow_id} ${run.event}`, run]));
  return checksOf({ items: [...newest.values()], isComplete });
}

function checksOf({ items, isComplete }: { items: readonly z.infer<typeof run>[]; isComplete: boolean }) {
  const checks = items.map(
    ({ conclusion, name, html_url: url }): Check => ({ state: conclusion, name, url }),
  );
  // Unread ones may have failed.
  return isComplete ? checks : [...checks, { state: 'pending', name: null, url: null } as const];
}

export const account = nameBy('login');

const pull = z.object({
  title,
  body: description,
  state: z.enum(['open', 'closed']),
  draft: flag,
  merged_at: shortText,
  merged_by: account,
  created_at: shortText,
  updated_at: shortText,
  head: z.object({ sha: commit }).catch({ sha: null }),
  base: z
    .object({ repo: z.object({ private: z.literal(false) }) })
    .nullable()
    .catch(null),
  requested_reviewers: listOf(account).catch([]),
  requested_teams: listOf(nameBy('slug')).catch([]),
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
  const facts: FoundFacts = {
    title: found.title,
    description: firstParagraph(found.body),
    state: isMerged ? 'merged' : isClosed ? 'closed' : found.draft ? 'draft' : 'open',
    endedBy: isMerged ? found.merged_by : isClosed ? await readClosedBy(read, number) : null,
    openedAtMs: timeMs(found.created_at),
    updatedAtMs: timeMs(found.updated_at),
    size: files === null ? null : { files, lines },
    ...awaited([
      ...found.requested_reviewers,
      ...found.requested_teams.map((slug) => slug && `team ${slug}`),
    ]),
  };
  return { facts, commit: found.head.sha, isPublic: found.base !== null };
};

/** Only the issue has the name. */
async function readClosedBy(read: Read, number: number) {
  const closed = await orNull(read(`/issues/${number}`, z.object({ closed_by: account })), () => true);
  return closed?.closed_by ?? null;
}

const files = listOf(z.object({ filename: page }).transform(({ filename }) => filename));

const readPages: Reading = async (read, { number }) => {
  return { pages: pagesIn(await read(`/pulls/${number}/files?per_page=100`, files)) };
};

const REVIEW_PAGES_MAX = 5;
const reviews = listOf(
  z.object({ id, user: account, author_association: shortText, state: shortText, html_url: pageUrl }),
);
/** Members who hide it may seem to be among them: it matters only where anybody may review. */
const STRANGERS = ['NONE', 'FIRST_TIMER', 'FIRST_TIME_CONTRIBUTOR', 'MANNEQUIN'];

/** Each reviewer's last opinion. A comment is none. A later request does not settle an earlier one. */
const readReview: Reading = async (read, { number, isPublic }) => {
  const { items, isComplete } = await readList(read, `/pulls/${number}/reviews?`, reviews, REVIEW_PAGES_MAX);
  // The last ones are on further pages.
  if (!isComplete) return {};
  const opinions = items.filter(
    ({ state, author_association: who }) =>
      ['APPROVED', 'CHANGES_REQUESTED', 'DISMISSED'].includes(state ?? '') &&
      !(isPublic && STRANGERS.includes(who ?? '')),
  );
  const byReviewer = [...Map.groupBy(opinions, ({ user }) => user).values()];
  const requests = byReviewer.flatMap((own) =>
    own.slice(own.findLastIndex(({ state }) => state !== 'CHANGES_REQUESTED') + 1),
  );
  requests.sort((a, b) => a.id - b.id);
  if (requests.length > 0)
    return requested(requests.map((one) => requestNews(one.id, one.user ?? 'somebody', one.html_url)));
  return { review: byReviewer.some((own) => own.at(-1)?.state === 'APPROVED') ? 'approved' : null };
};

const summary = z.object({ id, state: shortText, body: comment });
const reviewComments = listOf(
  z
    .object({ id, body: comment, path: filePath, diff_hunk: z.string().catch('') })
    .transform(({ diff_hunk: hunk, ...one }) => ({ ...one, line: lineIn(hunk) })),
);

/** A review's own list of comments has no lines, but what ends with the line. */
function lineIn(hunk: string) {
  const [head = '', ...lines] = hunk.split('\n');
  const [, before, after] = /^@@ -(\d{1,9})(?:,\d+)? \+(\d{1,9})/.exec(head) ?? [];
  const isRemoved = lines.at(-1)?.startsWith('-') === true;
  const first = isRemoved ? before : after;
  const elsewhere = isRemoved ? /^[+\\]/ : /^[-\\]/;
  const count = lines.filter((line) => !elsewhere.test(line)).length;
  return first === undefined || count === 0 ? null : Number(first) + count - 1;
}

const readReviewComments: Dialect['reviewComments'] = async (read, number, reviewId) => {
  const path = `/pulls/${number}/reviews/${reviewId}`;
  const isGone = ({ outcome }: Failure) => outcome === 'not_found';
  const [review, comments] = await Promise.all([
    orNull(read(path, summary), isGone),
    orNull(readAtOnce(read, `${path}/comments?`, reviewComments), isGone),
  ]);
  if (review?.state !== 'CHANGES_REQUESTED') return reviewCommentsIn([], true);
  return reviewCommentsIn([review, ...(comments?.items ?? [])], comments?.isComplete ?? true);
};

const DEPLOYMENTS_MAX = 5;
const COMMENT_PAGES_MAX = 2;

const deployments = listOf(z.object({ id, production_environment: flag }));
const deploymentStatuses = listOf(z.object({ state: shortText, environment_url: publicUrl }));
/** Keeps only preview URLs; empty for other comments. */
const previews = listOf(
  z.object({ user: account, body: z.string().catch('') }).transform(({ user, body }) => {
    return previewIn(body, domainsOfBot(user ?? '')) ?? '';
  }),
);

/** A deployment outside production, else a docs host's comment. */
const readPreview: Reading = async (read, { number, commit }, lacks) => {
  const deployed = await orNull(readDeployed(read, commit));
  if (deployed) return { previewUrl: deployed };
  const path = `/issues/${number}/comments?`;
  const commented = await orNull(readList(read, path, previews, COMMENT_PAGES_MAX));
  if (deployed === null && commented === null) lacks('Deployments or Pull requests');
  return { previewUrl: commented?.items.findLast((url) => url !== '') ?? null };
};

async function readDeployed(read: Read, commit: string) {
  const found = await read(`/deployments?sha=${commit}&per_page=${DEPLOYMENTS_MAX}`, deployments);
  for (const { id } of found.filter((one) => !one.production_environment)) {
    const [newest] = await read(`/deployments/${id}/statuses?per_page=1`, deploymentStatuses);
    if (newest?.state === 'success' && newest.environment_url !== null) return newest.environment_url;
  }
  return '';
}

export const github: Dialect = {
  // Enterprise servers without limits answer `/rate_limit` with 404.
  tokenPath: '/user',
  details: readDetails,
  readings: { pages: readPages, checks: readChecks, review: readReview, preview: readPreview },
  permission: 'Pull requests',
  reviewComments: readReviewComments,
  emailOf: async (read, login) =>
    (await read(`/users/${encodeURIComponent(login)}`, z.object({ email }))).email,
};

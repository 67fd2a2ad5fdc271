import { z } from 'zod';
import { firstParagraph, type PullRequestSize } from '../../jobs/pull-requests/pull-request.ts';
import { orNull, UnreadableError } from '../client/host-client.ts';
import {
  type Checks,
  commit,
  count,
  description,
  flag,
  known,
  listOf,
  previewIn,
  publicAddress,
  shortText,
  timeMs,
  title,
  worstOf,
} from '../decode.ts';
import type { Dialect, OtherReading } from '../look.ts';

const ownToken = z.object({ expires_at: shortText });

const account = z.object({ username: shortText }).nullable().catch(null);

const mergeRequest = z.object({
  title,
  description,
  state: z.enum(['opened', 'locked', 'merged', 'closed']),
  draft: flag,
  merged_at: shortText,
  merge_user: account,
  merged_by: account,
  closed_at: shortText,
  closed_by: account,
  created_at: shortText,
  updated_at: shortText,
  sha: commit,
  changes_count: shortText,
});

/** `locked`: it is being merged. */
const STATES = { opened: 'open', locked: 'open', merged: 'merged', closed: 'closed' } as const;

const readDetails: Dialect['details'] = async (read, number) => {
  const found = await read(`/merge_requests/${number}`, mergeRequest);
  const state = STATES[found.state];
  const endedBy = { merged: found.merge_user ?? found.merged_by, closed: found.closed_by, open: null }[state];
  const isOver = state !== 'open';
  const facts = known({
    title: found.title,
    description: found.description === null ? null : firstParagraph(found.description),
    state: state === 'open' && found.draft ? 'draft' : state,
    endedBy: endedBy?.username ?? null,
    openedAtMs: timeMs(found.created_at),
    endedAtMs: isOver ? timeMs(found.merged_at ?? found.closed_at) : null,
    updatedAtMs: timeMs(found.updated_at),
    size: sizeOf(found.changes_count),
  } as const);
  return { facts, commit: found.sha };
};

/** GitLab counts files, up to a thousand (`1000+`); `readSize` adds the lines. */
function sizeOf(changesCount: string | null): PullRequestSize | null {
  const [, files] = /^(\d{1,9})\+?$/.exec(changesCount ?? '') ?? [];
  return files === undefined ? null : { files: Number(files), lines: null };
}

/** A service that reports repeatedly may hide the project's own pipeline behind this many of its own. */
const PIPELINES_MAX = 50;
const EXTERNAL = 'external';

const pipelines = listOf(
  z.object({
    status: shortText,
    sha: commit,
    ref: title,
    source: shortText,
  }),
);

/**
 * The newest pipeline of this commit, by itself or as merged, and the newest report of other services, which
 * GitLab lists as a separate pipeline. Neither replaces the other.
 */
const readChecks: OtherReading = async (read, { number, commit }) => {
  const found = await read(`/merge_requests/${number}/pipelines?per_page=${PIPELINES_MAX}`, pipelines);
  const newest = [
    found.find(({ source }) => source !== EXTERNAL),
    found.find(({ source }) => source === EXTERNAL),
  ];
  const checks = newest.flatMap((pipeline) => {
    const isOfCommit = pipeline?.sha === commit || pipeline?.ref?.startsWith('refs/merge-requests/') === true;
    return pipeline === undefined || !isOfCommit ? [] : [checksOf(pipeline.status)];
  });
  return known({ checks: worstOf(checks) });
};

function checksOf(status: string | null): Checks {
  if (status === 'success' || status === 'skipped') return 'passing';
  return status === 'failed' || status === 'canceled' ? 'failing' : 'pending';
}

const approvals = z.object({ approved_by: listOf(z.object({})), approvals_left: count });
const reviewers = listOf(z.object({ state: shortText }));

/** Approved by somebody, and by all who must. Older versions do not say which reviewers want changes. */
const readReview: OtherReading = async (read, { number }) => {
  const asked = await orNull(read(`/merge_requests/${number}/reviewers`, reviewers));
  if (asked?.some(({ state }) => state === 'requested_changes')) return { review: 'changes_requested' };
  const { approved_by: approvers, approvals_left: left } = await read(
    `/merge_requests/${number}/approvals`,
    approvals,
  );
  return approvers.length > 0 && (left ?? 0) === 0 ? { review: 'approved' } : {};
};

const DEPLOYMENTS_MAX = 50;
const NOTES_MAX = 100;
/** Accounts of access tokens, which only administrators of a project or group can make. */
const BOT = /^(?:project|group)_\d+_bot/;

const deployments = listOf(
  z.object({
    sha: commit,
    environment: z.object({ name: shortText, external_url: publicAddress }),
  }),
);
/** Nothing is kept of people and their words, only the URL in a docs host's comment. */
const notes = listOf(
  z
    .object({
      author: z
        .object({ username: z.string().regex(BOT) })
        .nullable()
        .catch(null),
      body: z.string().catch(''),
    })
    .transform(({ author, body }) => ({ author, body: author === null ? '' : (previewIn(body) ?? '') })),
);

/** Where the commit was deployed, except to production; else the URL in a docs host's comment. */
const readPreview: OtherReading = async (read, { number, commit }) => {
  const newest = `order_by=id&sort=desc&status=success&per_page=${DEPLOYMENTS_MAX}`;
  const deployed = await orNull(read(`/deployments?${newest}`, deployments));
  const deployment = deployed?.find(
    ({ sha, environment: { name, external_url: address } }) =>
      sha === commit && address !== null && name?.startsWith('prod') !== true,
  );
  if (deployment !== undefined) return known({ previewUrl: deployment.environment.external_url });
  const path = `/merge_requests/${number}/notes?order_by=created_at&sort=desc&per_page=${NOTES_MAX}`;
  const written = await orNull(read(path, notes));
  if (deployed === null && written === null) throw new UnreadableError({ kind: 'forbidden' });
  return known({ previewUrl: written?.find(({ body }) => body !== '')?.body ?? null });
};

const PAGE = 100;
const PAGES_MAX = 3;

const whole = z.int().min(0);
/** Null: this GitLab does not say. */
const flagIfKnown = z.boolean().nullable().catch(null);

/** Only the counts of a file's diff are kept. */
const diffs = listOf(
  z
    .object({
      diff: z.string().exactOptional(),
      added: whole.exactOptional(),
      removed: whole.exactOptional(),
      isLeftOut: z.boolean().exactOptional(),
      collapsed: flagIfKnown,
      too_large: flagIfKnown,
    })
    .transform(({ diff, added = 0, removed = 0, isLeftOut = true, collapsed, too_large: tooLarge }) => {
      if (diff === undefined) return { added, removed, isLeftOut };
      // Before 18.4, only an empty diff shows it. (So does a renamed file.)
      return { ...linesIn(diff), isLeftOut: collapsed || tooLarge || (collapsed === null && diff === '') };
    }),
);

/**
 * The changed files and lines, counted here: GitLab's API has diffs, but no counts. Empty for a version
 * without them, and if diffs are left out because they are too many or too long: then the count would be
 * wrong.
 */
const readSize: OtherReading = async (read, { number }) => {
  let [files, added, removed] = [0, 0, 0];
  for (let page = 1; page <= PAGES_MAX; page += 1) {
    const path = `/merge_requests/${number}/diffs?per_page=${PAGE}&page=${page}`;
    // Before 15.7, GitLab has no diffs in its API.
    const found = await orNull(read(path, diffs), ({ kind }) => kind === 'not_found');
    if (found === null || found.some((file) => file.isLeftOut)) return {};
    files += found.length;
    for (const file of found) {
      added += file.added;
      removed += file.removed;
    }
    if (found.length < PAGE) return { size: { files, lines: { added, removed } } };
  }
  return {};
};

/** The lines before the first hunk describe the file. */
function linesIn(diff: string): { readonly added: number; readonly removed: number } {
  let isInHunk = false;
  let [added, removed] = [0, 0];
  for (const line of diff.split('\n')) {
    if (line.startsWith('@@')) isInHunk = true;
    else if (isInHunk && line.startsWith('+')) added += 1;
    else if (isInHunk && line.startsWith('-')) removed += 1;
  }
  return { added, removed };
}

export const gitlab: Dialect = {
  headers: { accept: 'application/json' },
  repositoryPath: ({ repository }) => `/projects/${encodeURIComponent(repository)}`,
  movedTo: /^\/projects\/\d{1,20}$/,
  tokenPath: '/personal_access_tokens/self',
  tokenEndsAtMs: ({ body }) => timeMs(ownToken.safeParse(body).data?.expires_at ?? null),
  details: readDetails,
  others: { size: readSize, checks: readChecks, review: readReview, preview: readPreview },
  // GitLab has nothing finer.
  permission: 'read_api',
};

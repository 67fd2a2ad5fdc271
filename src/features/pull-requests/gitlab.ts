import { z } from 'zod';
import { orNull } from '#codehost/client.ts';
import {
  type Check,
  checkStateIn,
  comment,
  commit,
  count,
  type Dialect,
  description,
  email,
  type FoundFacts,
  failingOf,
  filePath,
  firstParagraph,
  flag,
  id,
  listOf,
  loginsIn,
  page,
  pagesIn,
  pageUrl,
  previewIn,
  publicUrl,
  type Read,
  type Reading,
  readList,
  reviewComment,
  shortText,
  timeMs,
  title,
  worstOf,
} from './dialect.ts';

/** GitLab has nothing finer. */
const PERMISSION = 'read_api';

const account = z.object({ username: shortText }).nullable().catch(null);

const mergeRequest = z.object({
  title,
  description,
  state: z.enum(['opened', 'locked', 'merged', 'closed']),
  draft: flag,
  merge_user: account,
  merged_by: account,
  closed_by: account,
  created_at: shortText,
  updated_at: shortText,
  sha: commit,
  changes_count: shortText,
  reviewers: listOf(account).catch([]),
});

/** `locked`: being merged. */
const STATES = { opened: 'open', locked: 'open', merged: 'merged', closed: 'closed' } as const;

const readDetails: Dialect['details'] = async (read, number) => {
  const found = await read(`/merge_requests/${number}`, mergeRequest);
  const state = STATES[found.state];
  const endedBy = { merged: found.merge_user ?? found.merged_by, closed: found.closed_by, open: null }[state];
  // At most `1000+`. `readSize` adds the lines.
  const [, files] = /^(\d{1,9})\+?$/.exec(found.changes_count ?? '') ?? [];
  const facts: FoundFacts = {
    title: found.title,
    description: firstParagraph(found.description),
    state: state === 'open' && found.draft ? 'draft' : state,
    endedBy: endedBy?.username ?? null,
    openedAtMs: timeMs(found.created_at),
    updatedAtMs: timeMs(found.updated_at),
    size: files === undefined ? null : { files: Number(files), lines: null },
    reviewers: loginsIn(found.reviewers.map(({ username }) => username)),
  };
  return { facts, commit: found.sha };
};

/** Other services' reports may precede the project's pipeline. */
const PIPELINES_MAX = 50;

const status = checkStateIn(['success', 'skipped'], ['failed', 'canceled']);
const pipelines = listOf(
  z.object({ id, status, sha: commit, ref: title, source: shortText, web_url: pageUrl }),
);
const jobs = listOf(
  z
    .object({ name: shortText, status, target_url: pageUrl, allow_failure: flag })
    .transform(({ name, status, target_url: url, allow_failure: mayFail }): Check => {
      return { name, url, state: mayFail ? 'passing' : status };
    }),
);

/** GitLab lists other services' reports as a pipeline of their own: neither replaces the other. */
const readChecks: Reading = async (read, { number, commit }) => {
  const found = await read(`/merge_requests/${number}/pipelines?per_page=${PIPELINES_MAX}`, pipelines);
  const newest = [true, false].flatMap(
    (isExternal) => found.find(({ source }) => (source === 'external') === isExternal) ?? [],
  );
  const current = newest.filter(({ sha, ref }) => sha === commit || ref?.startsWith('refs/merge-requests/'));
  const checks = worstOf(current.map(({ status }) => status));
  if (checks !== 'failing') return { checks };
  const failed = current.filter(({ status }) => status === 'failing').map((one) => readJobs(read, one));
  return { checks, failing: failingOf(commit, (await Promise.all(failed)).flat()) };
};

/** Without the permission, the pipeline itself. */
async function readJobs(read: Read, pipeline: z.infer<typeof pipelines>[number]): Promise<readonly Check[]> {
  const { id, sha, status: state, web_url: url } = pipeline;
  const path = `/repository/commits/${sha}/statuses?pipeline_id=${id}&per_page=100`;
  const found = sha === null ? null : await orNull(read(path, jobs));
  const isNamed = found?.some((job) => job.state === 'failing');
  return isNamed ? (found ?? []) : [{ state, name: 'pipeline', url }];
}

const approvals = z.object({ approved_by: listOf(z.object({})), approvals_left: count });
const reviewers = listOf(z.object({ state: shortText, user: account }));
const systemNotes = listOf(z.object({ id, system: flag, body: shortText, author: account }));
const REQUESTED = /^requested changes/;

/** Approved by somebody, and by all who must. Older versions do not show requested changes. */
const readReview: Reading = async (read, { number }) => {
  const requested = await orNull(read(`/merge_requests/${number}/reviewers`, reviewers));
  const by = loginsIn(
    (requested ?? []).flatMap(({ state, user }) => (state === 'requested_changes' ? [user?.username] : [])),
  );
  if (by !== null) return { review: 'changes_requested', requests: await readRequests(read, number, by) };
  const found = await read(`/merge_requests/${number}/approvals`, approvals);
  return { review: found.approved_by.length > 0 && !found.approvals_left ? 'approved' : null };
};

/** A later request by the same person has a later note. */
async function readRequests(read: Read, number: number, logins: readonly string[]) {
  const path = `/merge_requests/${number}/notes?sort=desc&order_by=created_at&per_page=${NOTES_MAX}`;
  const notes = (await orNull(read(path, systemNotes))) ?? [];
  return logins.map((by) => {
    const note = notes.find(
      ({ system, body, author }) => system && REQUESTED.test(body ?? '') && author?.username === by,
    );
    return { id: `${by}:${note?.id ?? ''}`, by, url: null };
  });
}

const DISCUSSION_PAGES_MAX = 3;
const discussions = listOf(
  z.object({
    notes: listOf(
      z.object({
        ...{ id, body: comment, author: account, system: flag, resolvable: flag, resolved: flag },
        position: z.object({ new_path: filePath, new_line: count, old_line: count }).nullable().catch(null),
      }),
    ),
  }),
);

/** What its author left unresolved. */
const readReviewComments: Dialect['reviewComments'] = async (read, number, reviewId) => {
  const list = `/merge_requests/${number}/discussions?`;
  const { items, isComplete } = await readList(read, list, discussions, DISCUSSION_PAGES_MAX);
  const [by] = reviewId.split(':', 1);
  const notes = items
    .flatMap(({ notes }) => notes)
    .filter((note) => note.author?.username === by && !note.system && !(note.resolvable && note.resolved));
  const comments = notes.map(({ id, body, position }) =>
    reviewComment(id, position?.new_path ?? null, position?.new_line ?? position?.old_line ?? null, body),
  );
  return { comments: comments.filter((one) => one !== null), isComplete };
};

const DEPLOYMENTS_MAX = 50;
const NOTES_MAX = 100;
/** Access tokens' accounts, which only administrators can create. */
const BOT = /^(?:project|group)_\d+_bot/;

const deployments = listOf(
  z.object({ sha: commit, environment: z.object({ name: shortText, external_url: publicUrl }) }),
);
/** Keeps only preview URLs. */
const previews = listOf(
  z
    .object({ author: z.object({ username: z.string().regex(BOT) }), body: z.string() })
    .transform(({ body }) => previewIn(body)),
);

const readPreview: Reading = async (read, { number, commit }, lacks) => {
  const newest = `order_by=id&sort=desc&status=success&per_page=${DEPLOYMENTS_MAX}`;
  const deployed = await orNull(read(`/deployments?${newest}`, deployments));
  const deployment = deployed?.find(
    ({ sha, environment: { name, external_url: url } }) =>
      sha === commit && url !== null && name?.startsWith('prod') !== true,
  );
  if (deployment !== undefined) return { previewUrl: deployment.environment.external_url };
  const path = `/merge_requests/${number}/notes?order_by=created_at&sort=desc&per_page=${NOTES_MAX}`;
  const commented = await orNull(read(path, previews));
  if (deployed === null && commented === null) lacks(PERMISSION);
  return { previewUrl: commented?.[0] ?? null };
};

const DIFF_PAGES_MAX = 3;

const diffs = listOf(
  z
    .object({
      new_path: page,
      diff: z.string().nullable().catch(null),
      collapsed: z.boolean().nullable().catch(null),
      too_large: flag,
    })
    .transform(({ new_path: path, diff, collapsed, too_large: isTooLarge }) => {
      // Lines before the first hunk describe the file.
      const start = diff?.search(/^@@/m) ?? -1;
      const lines = start === -1 ? [] : (diff ?? '').slice(start).split('\n');
      return {
        path,
        added: lines.filter((line) => line.startsWith('+')).length,
        removed: lines.filter((line) => line.startsWith('-')).length,
        // Before 18.4, an empty diff means this (or a renamed file).
        isLeftOut: diff === null || collapsed || isTooLarge || (collapsed === null && diff === ''),
      };
    }),
);

/** GitLab has diffs (since 15.7), but no counts. No size if it leaves out many or long ones. */
const readSize: Reading = async (read, { number }) => {
  const path = `/merge_requests/${number}/diffs?`;
  const found = await orNull(
    readList(read, path, diffs, DIFF_PAGES_MAX),
    ({ outcome }) => outcome === 'not_found',
  );
  if (found === null) return {};
  const pages = pagesIn(found.items.map(({ path }) => path));
  if (!found.isComplete || found.items.some((file) => file.isLeftOut)) return { pages };
  const total = (name: 'added' | 'removed') => found.items.reduce((sum, file) => sum + file[name], 0);
  const lines = { added: total('added'), removed: total('removed') };
  return { pages, size: { files: found.items.length, lines } };
};

export const gitlab: Dialect = {
  tokenPath: '/personal_access_tokens/self',
  details: readDetails,
  readings: { size: readSize, checks: readChecks, review: readReview, preview: readPreview },
  permission: PERMISSION,
  reviewComments: readReviewComments,
  emailOf: async (read, login) => {
    const [found] = await read(`/users?username=${encodeURIComponent(login)}`, listOf(z.object({ id })));
    if (found === undefined) return null;
    return (await read(`/users/${found.id}`, z.object({ public_email: email }))).public_email;
  },
};

import { z } from 'zod';
import { orNull } from '#codehost/client.ts';
import type { PullRequestNews } from '#jobs/pull-requests/pull-request.ts';
import {
  awaited,
  type Check,
  checkStateIn,
  comment,
  commit,
  count,
  type Dialect,
  description,
  email,
  type FoundFacts,
  failingNews,
  filePath,
  firstParagraph,
  flag,
  id,
  listOf,
  loginsIn,
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

/** GitLab has nothing finer. */
const PERMISSION = 'read_api';

const account = nameBy('username');

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
    endedBy,
    openedAtMs: timeMs(found.created_at),
    updatedAtMs: timeMs(found.updated_at),
    size: files === undefined ? null : { files: Number(files), lines: null },
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
  return { checks, failing: failingNews(commit, (await Promise.all(failed)).flat()) };
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
const NOTES_MAX = 100;
const NEWEST_FIRST = 'order_by=created_at&sort=desc';
/** GitLab's notes of them. */
const requestNotes = listOf(
  z.object({
    id,
    system: z.literal(true),
    body: z.string().startsWith('requested changes'),
    author: account,
  }),
);

/** Approved by somebody, and by all who must. Older versions do not show requested changes. */
const readReview: Reading = async (read, { number, before }, lacks) => {
  const found = await readReviewers(read, number);
  const unreviewed = awaited(found('unreviewed') ?? []);
  const requesting = found('requested_changes');
  if (requesting !== null) {
    return { ...unreviewed, ...requested(await readRequests(read, number, requesting, before.requests)) };
  }
  const approved = await orNull(read(`/merge_requests/${number}/approvals`, approvals));
  if (approved === null) lacks(PERMISSION);
  const isApproved = approved !== null && approved.approved_by.length > 0 && !approved.approvals_left;
  return { ...unreviewed, review: isApproved ? 'approved' : null };
};

async function readReviewers(read: Read, number: number) {
  const found = (await orNull(read(`/merge_requests/${number}/reviewers`, reviewers))) ?? [];
  return (wanted: string) => loginsIn(found.flatMap(({ state, user }) => (state === wanted ? user : [])));
}

/** A later request by the same person has a later note. One that is out of sight stays what it was. */
async function readRequests(
  read: Read,
  number: number,
  logins: readonly string[],
  before: readonly PullRequestNews[] = [],
) {
  const path = `/merge_requests/${number}/notes?activity_filter=only_activity&${NEWEST_FIRST}&per_page=${NOTES_MAX}`;
  const notes = (await orNull(read(path, requestNotes))) ?? [];
  return logins.flatMap((by) => {
    const note = notes.find(({ author }) => author === by);
    const earlier = before.filter(({ names }) => names.some(({ name }) => name === by));
    const unnoted = requestNews(`${by}:`, by, null);
    if (note === undefined) return earlier.length > 0 ? earlier : unnoted;
    return earlier.some(({ key }) => key === unnoted.key)
      ? earlier
      : requestNews(`${by}:${note.id}`, by, null);
  });
}

const position = z.object({ new_path: filePath, new_line: count, old_line: count }).nullable().catch(null);
const comments = listOf(
  z
    .object({
      ...{ id, body: comment, author: account, position },
      ...{ system: flag, internal: flag, confidential: flag, resolvable: flag, resolved: flag },
    })
    .transform(({ position: at, system, internal, confidential, resolvable, resolved, ...note }) => ({
      ...{ ...note, path: at?.new_path, line: at?.new_line ?? at?.old_line },
      isLeftOut: system || internal || confidential || (resolvable && resolved),
    })),
);

/** What its author left unresolved, without internal notes: a channel may have guests. */
const readReviewComments: Dialect['reviewComments'] = async (read, number, reviewId) => {
  const [by = ''] = reviewId.split(':', 1);
  const list = `/merge_requests/${number}/notes?activity_filter=only_comments&${NEWEST_FIRST}&`;
  const [found, { items, isComplete }] = await Promise.all([
    readReviewers(read, number),
    readAtOnce(read, list, comments),
  ]);
  if (found('requested_changes')?.includes(by) !== true) return reviewCommentsIn([], true);
  const own = items.filter(({ author, isLeftOut }) => author === by && !isLeftOut);
  return reviewCommentsIn(own.reverse(), isComplete);
};

const DEPLOYMENTS_MAX = 50;
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
  const path = `/merge_requests/${number}/notes?${NEWEST_FIRST}&per_page=${NOTES_MAX}`;
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

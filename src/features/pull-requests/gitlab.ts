import { z } from 'zod';
import { orNull } from '#codehost/client.ts';
import {
  checkStateIn,
  commit,
  count,
  type Dialect,
  description,
  type FoundFacts,
  firstParagraph,
  flag,
  listOf,
  page,
  pagesIn,
  previewIn,
  publicUrl,
  type Reading,
  readList,
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
  };
  return { facts, commit: found.sha };
};

/** Other services' reports may precede the project's pipeline. */
const PIPELINES_MAX = 50;

const status = checkStateIn(['success', 'skipped'], ['failed', 'canceled']);
const pipelines = listOf(z.object({ status, sha: commit, ref: title, source: shortText }));

/** GitLab lists other services' reports as a pipeline of their own: neither replaces the other. */
const readChecks: Reading = async (read, { number, commit }) => {
  const found = await read(`/merge_requests/${number}/pipelines?per_page=${PIPELINES_MAX}`, pipelines);
  const newest = [true, false].flatMap(
    (isExternal) => found.find(({ source }) => (source === 'external') === isExternal) ?? [],
  );
  const checks = newest
    .filter(({ sha, ref }) => sha === commit || ref?.startsWith('refs/merge-requests/'))
    .map(({ status }) => status);
  return { checks: worstOf(checks) };
};

const approvals = z.object({ approved_by: listOf(z.object({})), approvals_left: count });
const reviewers = listOf(z.object({ state: shortText }));

/** Approved by somebody, and by all who must. Older versions do not show requested changes. */
const readReview: Reading = async (read, { number }) => {
  const requested = await orNull(read(`/merge_requests/${number}/reviewers`, reviewers));
  if (requested?.some(({ state }) => state === 'requested_changes')) return { review: 'changes_requested' };
  const found = await read(`/merge_requests/${number}/approvals`, approvals);
  return { review: found.approved_by.length > 0 && !found.approvals_left ? 'approved' : null };
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
};

import type { StandInPullRequest } from '../pull-request.ts';
import { repository, timeOf, user } from './objects.ts';

/** What GitHub says of a pull request, in the shape that it publishes. */
export function githubAnswers(apiUrl: string, pull: StandInPullRequest, repositoryId: number) {
  const { number, ended, commit, size } = pull;
  const page = `${new URL(apiUrl).origin}/${pull.repository}/pull/${number}`;
  const repo = { ...repository(apiUrl, pull.repository, repositoryId), private: !pull.isPublic };
  const repoUrl = `${apiUrl}/repos/${pull.repository}`;
  const url = `${repoUrl}/pulls/${number}`;
  const issueUrl = `${repoUrl}/issues/${number}`;
  const opened = timeOf(pull.openedAtMs);
  const updated = timeOf(pull.updatedAtMs);
  const endedAt = ended === null ? null : timeOf(ended.atMs);
  const isMerged = ended?.as === 'merged';
  const login = (name: string) => user(apiUrl, name);
  const times = { created_at: opened, updated_at: updated };
  const shared = {
    ...{
      number,
      title: pull.title,
      state: ended === null ? 'open' : 'closed',
      locked: false,
      body: pull.description || null,
    },
    ...{ user: login(pull.by), labels: [], assignee: null, assignees: [], milestone: null },
    ...{ ...times, closed_at: endedAt, author_association: 'CONTRIBUTOR', comments: pull.comments.length },
  };
  const branch = (ref: string, sha: string) => ({ label: ref, ref, sha, user: login('acme'), repo });
  return {
    pull: {
      ...{ ...shared, id: number, node_id: `PR_${number}`, draft: pull.isDraft },
      ...{ url, html_url: page, diff_url: url, patch_url: url, issue_url: issueUrl, commits_url: url },
      ...{ comments_url: url, statuses_url: url, review_comments_url: url, review_comment_url: url },
      ...{ head: branch(pull.head, commit), base: branch(pull.base, '0'.repeat(40)), auto_merge: null },
      ...{
        merged: isMerged,
        merged_at: isMerged ? endedAt : null,
        merged_by: isMerged ? login(ended.by) : null,
      },
      ...{ mergeable: true, mergeable_state: 'clean', merge_commit_sha: null, maintainer_can_modify: false },
      ...{
        review_comments: 0,
        commits: 1,
        requested_teams: [],
        requested_reviewers: [...pull.asked].map(login),
      },
      ...{ additions: size.added, deletions: size.removed, changed_files: size.files },
      _links: Object.fromEntries(
        ['comments', 'commits', 'statuses', 'html', 'issue', 'review_comments', 'review_comment', 'self'].map(
          (name) => [name, { href: url }],
        ),
      ),
    },
    issue: {
      ...{ ...shared, id: number, node_id: `I_${number}`, url: issueUrl, html_url: issueUrl },
      ...{ repository_url: repoUrl, labels_url: issueUrl, comments_url: issueUrl, events_url: issueUrl },
      ...{ closed_by: ended === null ? null : login(ended.by) },
    },
    files: pull.files.slice(0, 3_000).map((filename) => ({
      ...{ sha: commit, filename, status: 'modified', additions: 1, deletions: 0, changes: 1, patch: '+new' },
      ...{ blob_url: url, raw_url: url, contents_url: url },
    })),
    reviews: pull.reviews.map(({ id, by, state, body, association }) => ({
      ...{ id, node_id: `PRR_${id}`, user: login(by), body, state, commit_id: commit },
      ...{ html_url: `${page}#pullrequestreview-${id}`, pull_request_url: url },
      ...{ author_association: association, submitted_at: updated },
      _links: { html: { href: url }, pull_request: { href: url } },
    })),
    // Without lines.
    reviewComments: (reviewId: number) =>
      pull.reviews
        .filter(({ id }) => id === reviewId)
        .flatMap(({ by, notes }) =>
          notes.map(({ id, path, line, body }) => ({
            ...{ id, node_id: `PRRC_${id}`, pull_request_review_id: reviewId, url, path },
            diff_hunk: `@@ -${line},1 +${Math.max(1, line - 1)},9 @@\n${line > 1 ? ' before\n' : ''}-old\n+new`,
            ...{ position: 1, original_position: 1, commit_id: commit, original_commit_id: commit },
            ...{ user: login(by), body, ...times, html_url: `${page}#r${id}`, pull_request_url: url },
            author_association: 'MEMBER',
            _links: { self: { href: url }, html: { href: url }, pull_request: { href: url } },
          })),
        ),
    checkRuns: pull.checks.map(({ name, conclusion }, index) => ({
      ...{
        id: index + 1,
        node_id: `CR_${index}`,
        head_sha: commit,
        name,
        url,
        html_url: `${page}/checks?check_run_id=${index + 1}`,
        details_url: url,
      },
      ...{ status: conclusion === null ? 'in_progress' : 'completed', conclusion, external_id: '' },
      ...{ started_at: opened, completed_at: conclusion === null ? null : updated },
      ...{ check_suite: { id: 1 }, app: null, pull_requests: [] },
      output: { title: null, summary: null, text: null, annotations_count: 0, annotations_url: url },
    })),
    workflowRuns: pull.checks.map(({ name, conclusion }, index) => ({
      ...{
        id: index + 1,
        node_id: `WFR_${index}`,
        name,
        head_branch: 'change',
        head_sha: commit,
        path: name,
      },
      ...{ run_number: 1, display_title: pull.title, event: 'pull_request', workflow_id: index + 1 },
      ...{ status: conclusion === null ? 'in_progress' : 'completed', conclusion, url, html_url: url },
      ...{ ...times, jobs_url: url, logs_url: url, check_suite_url: url, cancel_url: url, rerun_url: url },
      ...{ artifacts_url: url, workflow_url: url, pull_requests: [], head_commit: null },
      ...{ repository: repo, head_repository: repo },
    })),
    status: {
      ...{ state: stateOf(pull), sha: commit, total_count: pull.statuses.length, url, commit_url: url },
      repository: repo,
      statuses: pull.statuses.map(({ name, conclusion }, index) => ({
        ...{ id: index + 1, node_id: `SC_${index}`, context: name, state: conclusion ?? 'pending' },
        ...{ url, avatar_url: null, description: null, target_url: null, ...times },
      })),
    },
    deployments: pull.deployments.toReversed().map(({ id, commit: sha, isProduction }) => ({
      ...{ id, node_id: `DE_${id}`, sha, ref: 'change', task: 'deploy', payload: {}, description: null },
      ...{ original_environment: 'Preview', environment: 'Preview', creator: login('vercel[bot]') },
      ...{ url, statuses_url: url, repository_url: repoUrl, ...times, production_environment: isProduction },
    })),
    deploymentStatuses: (deploymentId: number) =>
      pull.deployments
        .filter(({ id }) => id === deploymentId)
        .map(({ id, state, url: environmentUrl }) => ({
          ...{ id, node_id: `DES_${id}`, state, creator: null, description: '', environment: 'Preview' },
          ...{ url, deployment_url: url, repository_url: repoUrl, target_url: '', ...times },
          environment_url: environmentUrl,
        })),
    comments: pull.comments.map(({ by, words }, index) => ({
      ...{ id: index + 1, node_id: `IC_${index}`, url, html_url: url, issue_url: issueUrl, user: login(by) },
      ...{ body: words, ...times, author_association: 'NONE' },
    })),
  };
}

function stateOf({ statuses }: StandInPullRequest): string {
  if (statuses.some(({ conclusion }) => conclusion === 'failure')) return 'failure';
  const isDone = statuses.length > 0 && statuses.every(({ conclusion }) => conclusion === 'success');
  return isDone ? 'success' : 'pending';
}

import type { StandInPullRequest } from '../../../../demo/code-host/pull-request.ts';

/** What GitLab says of a merge request, in the shape that its documentation shows. */
export function gitlabAnswers(webUrl: string, pull: StandInPullRequest, projectId: number) {
  const { number, ended, commit } = pull;
  const url = `${webUrl}/${pull.repository}/-/merge_requests/${number}`;
  const created = new Date(pull.openedAtMs).toISOString();
  const updated = new Date(pull.updatedAtMs).toISOString();
  const user = (username: string) => ({
    ...{ id: username.length, username, name: username, state: 'active', locked: false },
    ...{ avatar_url: null, web_url: `${webUrl}/${username}` },
  });
  const endedAs = (as: 'merged' | 'closed') =>
    ended?.as === as
      ? { by: user(ended.by), at: new Date(ended.atMs).toISOString() }
      : { by: null, at: null };
  const [merged, closed] = [endedAs('merged'), endedAs('closed')];
  const { files } = pull.size;
  const approvers = pull.reviews.filter(({ state }) => state === 'APPROVED');
  return {
    mergeRequest: {
      ...{
        id: 1_000 + number,
        iid: number,
        project_id: projectId,
        title: pull.title,
        description: pull.description,
      },
      ...{ state: ended?.as ?? 'opened', created_at: created, updated_at: updated, draft: pull.isDraft },
      ...{ merge_user: merged.by, merged_by: merged.by, merged_at: merged.at },
      ...{ closed_by: closed.by, closed_at: closed.at, web_url: url },
      ...{
        source_branch: 'change',
        target_branch: 'main',
        author: user(pull.by),
        reviewers: [...reviewStates(pull).keys()].map(user),
        labels: [],
      },
      ...{
        sha: commit,
        changes_count: files > 1_000 ? '1000+' : `${files}`,
        detailed_merge_status: 'mergeable',
      },
    },
    // What other services report is a pipeline of its own, the newest here.
    pipelines: [
      ...pull.statuses.map((status) => ({ ...status, source: 'external' })),
      ...pull.checks.map((check) => ({ ...check, source: 'merge_request_event' })).reverse(),
    ].map(({ name, conclusion, source }, index, { length }) => ({
      ...{ id: length - index, iid: 1, project_id: projectId, sha: commit, ref: 'change' },
      ...{ status: conclusion ?? 'running', source, web_url: url },
      ...{ created_at: created, updated_at: updated },
      // What its list of jobs says, which is asked for by the commit.
      jobs: [
        { id: index, name: `lint of ${name}`, status: 'success', target_url: null, allow_failure: false },
        { id: index, name: `spelling of ${name}`, status: 'failed', target_url: null, allow_failure: true },
        {
          id: index,
          name,
          status: conclusion ?? 'running',
          target_url: `${url}/jobs/${name}`,
          allow_failure: false,
        },
      ],
    })),
    diffs: pull.files.map((path, index) => ({
      ...{ old_path: path, new_path: path, a_mode: '100644', b_mode: '100644' },
      ...{ new_file: false, renamed_file: false, deleted_file: false, generated_file: null },
      ...(pull.saysWhatIsLeftOut && { collapsed: pull.hasLongDiffs, too_large: false }),
      // All changed lines are in the first.
      diff: pull.hasLongDiffs ? '' : diffOf(index === 0 ? pull.size : { added: 0, removed: 0 }),
    })),
    approvals: {
      ...{ id: 1_000 + number, iid: number, project_id: projectId, state: ended?.as ?? 'opened' },
      ...{ approvals_required: 0, approvals_left: 0, approved: approvers.length > 0 },
      approved_by: approvers.map(({ by }) => ({ user: user(by), approved_at: updated })),
    },
    reviewers: [...reviewStates(pull)].map(([by, state]) => ({
      ...{ user: user(by), created_at: updated },
      state,
    })),
    deployments: pull.deployments.toReversed().map(({ id, commit: sha, url: address, isProduction }) => ({
      ...{ id, iid: 1, ref: 'change', sha, status: 'success', created_at: created, updated_at: updated },
      user: user(pull.by),
      environment: { id: 1, name: isProduction ? 'production' : `review/${number}`, external_url: address },
    })),
    // The newest first.
    notes: [
      ...pull.comments.map(({ by, words: body }, index) => ({ id: index + 1, by, body })),
      ...pull.reviews.flatMap((review) => [
        ...(review.body === '' ? [] : [{ ...review, id: review.id * 10 }]),
        ...review.notes.map(({ id, path, line, body, isResolved }) => ({
          ...{ id, by: review.by, body, resolvable: true, resolved: isResolved },
          ...{
            position: {
              position_type: 'text',
              old_path: path,
              new_path: path,
              old_line: null,
              new_line: line,
            },
          },
        })),
        ...(review.state === 'CHANGES_REQUESTED'
          ? [{ id: review.id, by: review.by, body: 'requested changes', system: true }]
          : []),
      ]),
    ]
      .map(({ by, state: _, notes: __, ...note }: NoteFacts) => ({
        ...{ system: false, resolvable: false, ...note, author: user(by) },
        ...{ created_at: updated, updated_at: updated, noteable_id: 1_000 + number },
        ...{ noteable_type: 'MergeRequest', noteable_iid: number, project_id: projectId },
        internal: note.body.startsWith('internal:'),
      }))
      .reverse(),
  };
}

type NoteFacts = {
  readonly id: number;
  readonly by: string;
  readonly body: string;
  readonly system?: boolean;
} & Readonly<Record<string, unknown>>;

/** Who has reviewed stays a reviewer. */
function reviewStates(pull: StandInPullRequest): ReadonlyMap<string, string> {
  const states = pull.reviews.map(({ by, state }) => {
    const words = { APPROVED: 'approved', CHANGES_REQUESTED: 'requested_changes' };
    return [by, words[state as keyof typeof words] ?? 'reviewed'] as const;
  });
  return new Map([...states, ...[...pull.asked].map((by) => [by, 'unreviewed'] as const)]);
}

function diffOf({ added, removed }: Omit<StandInPullRequest['size'], 'files'>): string {
  return `@@ -1,${removed} +1,${added} @@\n${'-old\n'.repeat(removed)}${'+new\n'.repeat(added)}`;
}

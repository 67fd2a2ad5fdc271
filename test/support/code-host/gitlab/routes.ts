import {
  NOT_FOUND,
  ok,
  page,
  type Reply,
  type StandInRepositories,
} from '../../../../demo/code-host/repositories.ts';
import { gitlabAnswers } from './answers.ts';

const MERGE_REQUEST =
  /^\/merge_requests\/(?<number>\d+)(?:\/(?<what>pipelines|approvals|reviewers|notes|diffs))?$/;
const NOT_ALLOWED: Reply = { status: 403, body: { message: '403 Forbidden' } };

/** Answers what GitLab would. `path` starts behind the address of the API. */
export function answerGitlab(
  repositories: StandInRepositories,
  webUrl: string,
  { path, query }: { readonly path: string; readonly query: URLSearchParams },
): Reply {
  const [, project = '', rest = ''] = /^\/projects\/([^/]+)(\/.*)$/.exec(path) ?? [];
  const name = /^\d+$/.test(project) ? null : decodeURIComponent(project);
  const repository = repositories.find(name ?? Number(project));
  if (repository === null) return NOT_FOUND;
  if (name !== null && repository.name.toLowerCase() !== name.toLowerCase()) {
    const location = `${webUrl}/api/v4/projects/${repository.id}${rest}`;
    return { status: 301, headers: { location }, body: { message: 'This endpoint has moved' } };
  }
  const visible = repository.pulls.filter(({ isHidden }) => !isHidden);
  const answersOf = (pull: (typeof visible)[number]) => gitlabAnswers(webUrl, pull, repository.id);
  if (rest === '/deployments') {
    if (repositories.withheld.has('deployments')) return NOT_ALLOWED;
    return ok(
      page(
        visible.flatMap((pull) => answersOf(pull).deployments),
        query,
      ),
    );
  }
  if (/^\/repository\/commits\/\w+\/statuses$/.test(rest)) {
    if (repositories.withheld.has('statuses')) return NOT_ALLOWED;
    const pipelines = visible.flatMap((pull) => answersOf(pull).pipelines);
    return ok(pipelines.find(({ id }) => `${id}` === query.get('pipeline_id'))?.jobs ?? []);
  }
  const { number, what } = MERGE_REQUEST.exec(rest)?.groups ?? {};
  const pull = visible.find((one) => one.number === Number(number));
  if (pull === undefined) return NOT_FOUND;
  if (repositories.withheld.has(what ?? 'merge_requests')) return NOT_ALLOWED;
  const answers = answersOf(pull);
  switch (what) {
    case 'notes': {
      const filter = query.get('activity_filter') ?? 'all_notes';
      const isActivity = filter === 'only_activity';
      return ok(
        page(
          answers.notes.filter(({ system }) => filter === 'all_notes' || system === isActivity),
          query,
        ),
      );
    }
    case 'pipelines':
    case 'reviewers':
    case 'diffs':
      return ok(page<object>(answers[what], query));
    case 'approvals':
      return ok(answers.approvals);
    default:
      return ok(answers.mergeRequest);
  }
}

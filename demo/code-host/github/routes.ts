import type { StandInPullRequest } from '../pull-request.ts';
import { NOT_FOUND, ok, page, type Reply, type StandInRepositories } from '../repositories.ts';
import { githubAnswers } from './answers.ts';

const REPOSITORY = /^\/(?:repos\/(?<name>[\w.-]+\/[\w.-]+)|repositories\/(?<id>\d+))(?<rest>\/.*)$/;

/** What a permission lets see, by the names that GitHub shows. */
const ROUTES = [
  ['Pull requests', /^\/(?:pulls)\/(?<number>\d+)$/, 'pull'],
  ['Pull requests', /^\/pulls\/(?<number>\d+)\/reviews$/, 'reviews'],
  ['Pull requests', /^\/pulls\/(?<number>\d+)\/files$/, 'files'],
  ['Pull requests', /^\/pulls\/(?<number>\d+)\/reviews\/(?<review>\d+)\/comments$/, 'reviewComments'],
  ['Pull requests', /^\/pulls\/(?<number>\d+)\/reviews\/(?<review>\d+)$/, 'review'],
  ['Issues', /^\/issues\/(?<number>\d+)$/, 'issue'],
  ['Pull requests', /^\/issues\/(?<number>\d+)\/comments$/, 'comments'],
  ['Checks', /^\/commits\/(?<commit>\w+)\/check-runs$/, 'checkRuns'],
  ['Commit statuses', /^\/commits\/(?<commit>\w+)\/status$/, 'status'],
  ['Actions', /^\/actions\/runs$/, 'workflowRuns'],
  ['Deployments', /^\/deployments$/, 'deployments'],
  ['Deployments', /^\/deployments\/(?<deployment>\d+)\/statuses$/, 'deploymentStatuses'],
] as const;

const NOT_ACCESSIBLE: Reply = {
  status: 403,
  body: { message: 'Resource not accessible by personal access token' },
};

/** Answers what GitHub would. `path` starts behind the address of the API. */
export function answerGithub(
  repositories: StandInRepositories,
  apiUrl: string,
  {
    path,
    query,
    body,
  }: { readonly path: string; readonly query: URLSearchParams; readonly body?: string | undefined },
): Reply {
  const { name, id, rest = '' } = REPOSITORY.exec(path)?.groups ?? {};
  const repository = repositories.find(name ?? Number(id));
  if (name !== undefined && rest === '/pulls') {
    if (body !== undefined) {
      const { body: description, ...given } = JSON.parse(body) as Pick<
        StandInPullRequest,
        'title' | 'head' | 'base'
      > & { readonly body: string };
      const opened = repositories.open({ ...given, repository: name, description });
      return { status: 201, body: githubAnswers(apiUrl, opened, 0).pull };
    }
    const [, branch] = query.get('head')?.split(':') ?? [];
    const found = repository?.pulls.filter(({ head }) => head === branch) ?? [];
    return ok(found.map((pull) => githubAnswers(apiUrl, pull, 0).pull).reverse());
  }
  if (repository === null) return NOT_FOUND;
  if (name !== undefined && repository.name.toLowerCase() !== name.toLowerCase()) {
    const location = `${apiUrl}/repositories/${repository.id}${rest}`;
    return { status: 301, headers: { location }, body: { message: 'Moved Permanently', url: location } };
  }
  for (const [permission, shape, what] of ROUTES) {
    const match = shape.exec(rest);
    if (match === null) continue;
    if (repositories.withheld.has(permission)) return NOT_ACCESSIBLE;
    const {
      number,
      commit = query.get('head_sha') ?? query.get('sha'),
      deployment,
      review,
    } = match.groups ?? {};
    const pull = repository.pulls.find(
      (one) =>
        !one.isHidden &&
        (one.number === Number(number) ||
          one.commit === commit ||
          one.deployments.some((deployed) => deployed.id === Number(deployment))),
    );
    // Of a commit without checks, GitHub has empty lists.
    if (pull === undefined) return NOT_FOUND;
    const answers = githubAnswers(apiUrl, pull, repository.id);
    switch (what) {
      case 'checkRuns':
        return ok({ total_count: answers.checkRuns.length, check_runs: page(answers.checkRuns, query) });
      case 'workflowRuns':
        return ok({
          total_count: answers.workflowRuns.length,
          workflow_runs: page(answers.workflowRuns, query),
        });
      case 'deploymentStatuses':
        return ok(page(answers.deploymentStatuses(Number(deployment)), query));
      case 'deployments':
        return ok(
          page(
            answers.deployments.filter(({ sha }) => sha === commit),
            query,
          ),
        );
      case 'review': {
        const found = answers.reviews.find(({ id }) => id === Number(review));
        return found === undefined ? NOT_FOUND : ok(found);
      }
      case 'reviewComments':
        return ok(page(answers.reviewComments(Number(review)), query));
      case 'files':
      case 'reviews':
      case 'comments':
        return ok(page<object>(answers[what], query));
      default:
        return ok(answers[what]);
    }
  }
  return NOT_FOUND;
}

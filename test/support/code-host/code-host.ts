import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { user } from '../../../demo/code-host/github/objects.ts';
import { answerGithub } from '../../../demo/code-host/github/routes.ts';
import type { OpenedPullRequest, StandInPullRequest } from '../../../demo/code-host/pull-request.ts';
import { NOT_FOUND, ok, type Reply, StandInRepositories } from '../../../demo/code-host/repositories.ts';
import type { Clock } from '../../../src/runtime/clock.ts';
import { answer, type Fault } from '../agent-api/fault.ts';
import { StandInApp, type StandInAppOptions } from './app.ts';
import { answerGitlab } from './gitlab/routes.ts';

const GITHUB_API = '/api/v3';
const GITLAB_API = '/api/v4';

const UNKNOWN: Reply = { status: 401, body: { message: 'Bad credentials' } };

export interface CodeHostOptions {
  readonly token: string;
  readonly clock: Clock;
  /** Who may also ask GitHub. Default: no App. */
  readonly app?: StandInAppOptions;
}

export type CodeHost = Awaited<ReturnType<typeof startCodeHost>>;

export interface CodeHostRequest {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | null;
  /** The status that was answered; null: none, by a fault. */
  status: number | null;
}

/**
 * A stand-in for GitHub (as an Enterprise server has it) and for GitLab, at one address: the same pull requests, by
 * HTTP as published, and faults on demand.
 */
export async function startCodeHost({ token, clock, ...options }: CodeHostOptions) {
  const repositories = new StandInRepositories(clock);
  const requests: CodeHostRequest[] = [];
  const faults = new Map<string, { readonly path: RegExp; readonly fault: Fault }>();
  const limit = { limit: 5_000, remaining: 5_000, resetAtMs: clock.now() + 3_600_000 };
  const emails = new Map<string, string>();
  const app = options.app === undefined ? null : new StandInApp(options.app);
  let isExpired = false;

  function handle(request: IncomingMessage, response: ServerResponse): void {
    const { method = '', url = '', headers } = request;
    const noted: CodeHostRequest = {
      ...{ method, path: url, authorization: headers.authorization ?? null, status: null },
    };
    requests.push(noted);
    const { fault } = [...faults.values()].find(({ path }) => path.test(url)) ?? {};
    if (fault !== undefined) {
      noted.status = typeof fault === 'object' ? fault.status : null;
      answer(response, fault, () => reply(method, url, headers.authorization ?? ''));
      return;
    }
    const { status, body, headers: more } = reply(method, url, headers.authorization ?? '');
    const text = JSON.stringify(body);
    const etag = `"${createHash('sha256').update(text).digest('hex')}"`;
    const isUnchanged = status === 200 && headers['if-none-match'] === etag;
    if (!isUnchanged) limit.remaining = Math.max(0, limit.remaining - 1);
    noted.status = isUnchanged ? 304 : status;
    response.writeHead(noted.status, {
      ...{ 'content-type': 'application/json; charset=utf-8', date: new Date(clock.now()).toUTCString() },
      ...{ 'x-ratelimit-limit': limit.limit, 'x-ratelimit-remaining': limit.remaining },
      'x-ratelimit-reset': Math.ceil(limit.resetAtMs / 1000),
      ...(status === 200 && { etag }),
      ...more,
    });
    response.end(isUnchanged ? '' : text);
  }

  function reply(method: string, url: string, authorization: string): Reply {
    const { pathname, searchParams: query } = new URL(url, webUrl);
    const path = pathname.replace(/^\/api\/v\d/, '');
    if (pathname.startsWith(`${GITLAB_API}/`)) {
      if (!isOwn(authorization)) return UNKNOWN;
      if (path === '/personal_access_tokens/self') return ok({ scopes: ['read_api'] });
      if (path === '/users') {
        const at = [...emails.keys()].indexOf(query.get('username') ?? '');
        return ok(at === -1 ? [] : [{ id: at + 1 }]);
      }
      const [, id] = /^\/users\/(\d+)$/.exec(path) ?? [];
      if (id !== undefined) return ok({ id: Number(id), public_email: [...emails.values()][Number(id) - 1] });
      return answerGitlab(repositories, webUrl, { path, query });
    }
    if (!pathname.startsWith(`${GITHUB_API}/`)) return NOT_FOUND;
    const apiUrl = `${webUrl}${GITHUB_API}`;
    const toApp = app?.answer(repositories, apiUrl, { method, path, query, authorization });
    if (toApp) return toApp;
    const owner = app?.ownerOf(authorization) ?? null;
    if (owner === null && !isOwn(authorization)) return UNKNOWN;
    if (path === '/user') return ok(user(apiUrl, 'docs-reader'));
    const [, login] = /^\/users\/(\w+)$/.exec(path) ?? [];
    if (login !== undefined) return ok({ ...user(apiUrl, login), email: emails.get(login) ?? null });
    return answerGithub(repositories, apiUrl, { path, query });
  }

  function isOwn(authorization: string): boolean {
    return !isExpired && authorization === `Bearer ${token}`;
  }

  const server = createServer(handle);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const webUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    webUrl,
    githubApiUrl: `${webUrl}${GITHUB_API}`,
    gitlabApiUrl: `${webUrl}${GITLAB_API}`,
    /** All that arrived, the oldest first. */
    requests: requests as readonly CodeHostRequest[],
    /** Null: there is none. */
    app,
    /** What profiles show, by login. */
    emails,
    open: (opened: OpenedPullRequest) => repositories.open(opened),
    /** Where a pull request is read in a browser. */
    githubLink: ({ repository, number }: StandInPullRequest) => `${webUrl}/${repository}/pull/${number}`,
    gitlabLink: ({ repository, number }: StandInPullRequest) =>
      `${webUrl}/${repository}/-/merge_requests/${number}`,
    move: (from: string, to: string) => repositories.move(from, to),
    /** Takes a permission from the token (by GitHub's name for it, `Checks`, or the end of GitLab's path, `approvals`), or gives it back. */
    withhold: (permission: string, isWithheld = true) => {
      if (isWithheld) repositories.withheld.add(permission);
      else repositories.withheld.delete(permission);
    },
    /** From now on the token is unknown, or known again. */
    expire: (isExpiredNow = true) => {
      isExpired = isExpiredNow;
    },
    /** Requests whose path fits meet this fault from now on, until it is null. */
    failAt: (path: RegExp, fault: Fault | null) => {
      if (fault === null) faults.delete(path.source);
      else faults.set(path.source, { path, fault });
    },
    /** What the headers say of the limit; each answer but "unchanged" costs one. */
    limit,
    /** Breaks all connections. */
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { GitPulls } from './git-pulls.ts';
import { user } from './github/objects.ts';
import { answerGithub } from './github/routes.ts';
import { ok, type Reply, type StandInRepositories } from './repositories.ts';

const API = '/api/v3';

export interface CodeHostOptions {
  readonly token: string;
  readonly repositories: StandInRepositories;
  readonly git: GitPulls;
}

/** A code host for people and programs: pages of pull requests, and the API of GitHub as an Enterprise server has it. */
export async function startCodeHost({ token, repositories, git }: CodeHostOptions) {
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const body = method === 'POST' ? await text(request) : undefined;
    await git.refresh(repositories.pulls);
    if (!url.startsWith(`${API}/`)) return show(method, url, response);
    const isKnown = headers.authorization === `Bearer ${token}`;
    const reply = isKnown ? replyTo(url, body) : { status: 401, body: { message: 'Bad credentials' } };
    response.writeHead(reply.status, { 'content-type': 'application/json; charset=utf-8' });
    response.end(JSON.stringify(reply.body));
  }

  function replyTo(url: string, body: string | undefined): Reply {
    const { pathname, searchParams: query } = new URL(url, webUrl);
    const path = pathname.slice(API.length);
    if (path === '/user') return ok(user(webUrl + API, 'docs-reader'));
    return answerGithub(repositories, webUrl + API, { path, query, body });
  }

  /** The page of a pull request, and its button. */
  async function show(method: string, url: string, response: ServerResponse): Promise<void> {
    const [, link = '', action] = /^\/(.+\/pull\/\d+)(\/merge)?$/.exec(url) ?? [];
    const pull = repositories.pulls.find(({ repository, number }) => link === `${repository}/pull/${number}`);
    if (pull === undefined) return void response.writeHead(404).end('There is no such page.');
    if (method === 'POST' && action !== undefined) {
      await git.merge(pull);
      return void response.writeHead(303, { location: `/${link}` }).end();
    }
    const page = await git.page(pull);
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: Error) => response.writeHead(500).end(error.message));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const webUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    webUrl,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

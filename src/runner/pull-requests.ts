import { request } from 'undici';
import { z } from 'zod';
import type { Connected } from '../codehost/create-code-hosts.ts';
import { parseJson } from '../engine/runtime/exchange.ts';
import { TurnFailedError } from './failures.ts';

const WITHIN_MS = 30_000;
const SAID_MAX = 200;

export interface PullRequest {
  readonly url: string;
  readonly isOpen: boolean;
}

export interface NewPullRequest {
  readonly branch: string;
  /** Where it is to be merged into. */
  readonly base: string;
  readonly title: string;
  readonly body: string;
}

/** Opens the pull requests of one repository. */
export interface PullRequests {
  /** For git: the value of an `Authorization` header. */
  authorization(): Promise<string>;
  /** The newest pull request of the branch; null: there is none. */
  find(branch: string, signal: AbortSignal): Promise<PullRequest | null>;
  open(pullRequest: NewPullRequest, signal: AbortSignal): Promise<PullRequest>;
}

const github = z
  .object({ html_url: z.string(), state: z.string() })
  .transform(({ html_url: url, state }): PullRequest => ({ url, isOpen: state === 'open' }));
const gitlab = z
  .object({ web_url: z.string(), state: z.string() })
  .transform(({ web_url: url, state }): PullRequest => ({ url, isOpen: state === 'opened' }));

/** @param repository `acme/docs` */
export function pullRequestsOf(host: Connected, repository: string): PullRequests {
  const isGithub = host.settings.host === 'github';
  const path = isGithub ? `/repos/${repository}` : `/projects/${encodeURIComponent(repository)}`;
  const schema = isGithub ? github : gitlab;
  const [owner] = repository.split('/');
  const site = new URL(host.settings.webUrl).host;

  const unavailable = (error: Error) => {
    throw new TurnFailedError(`No pull request: ${site} cannot be asked (${error.message}).`);
  };
  const authorize = () => host.credentials.authorize(path, AbortSignal.timeout(WITHIN_MS)).catch(unavailable);

  async function ask(signal: AbortSignal, rest: string, body?: object): Promise<unknown> {
    const { headers } = await authorize();
    const answer = await request(`${host.settings.apiUrl}${path}${rest}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...headers, 'user-agent': 'docs-agent', 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(WITHIN_MS)]),
      dispatcher: host.client.dispatcher,
    }).catch((error: Error) => {
      signal.throwIfAborted();
      return unavailable(error);
    });
    const text = await answer.body.text().catch(unavailable);
    if (answer.statusCode >= 300) {
      const said = z.object({ message: z.unknown() }).safeParse(parseJson(text)).data?.message;
      const words = said === undefined ? '' : `: ${JSON.stringify(said).slice(0, SAID_MAX)}`;
      throw new TurnFailedError(`No pull request: ${site} answered ${answer.statusCode}${words}.`);
    }
    return parseJson(text);
  }

  return {
    authorization: async () => {
      const { headers } = await authorize();
      const token = Object.values(headers)
        .join('')
        .replace(/^Bearer /, '');
      const user = isGithub ? 'x-access-token' : 'oauth2';
      return `Basic ${Buffer.from(`${user}:${token}`).toString('base64')}`;
    },
    find: async (branch, signal) => {
      const name = encodeURIComponent(branch);
      const query = isGithub
        ? `/pulls?state=all&head=${owner}:${name}&sort=created&direction=desc`
        : `/merge_requests?state=all&source_branch=${name}&order_by=created_at&sort=desc`;
      const found = z.array(schema).parse(await ask(signal, query));
      return found.find(({ isOpen }) => isOpen) ?? found[0] ?? null;
    },
    open: async ({ branch, base, title, body }, signal) =>
      schema.parse(
        isGithub
          ? await ask(signal, '/pulls', { title, body, head: branch, base })
          : await ask(signal, '/merge_requests', {
              ...{ title, description: body, source_branch: branch, target_branch: base },
              remove_source_branch: true,
            }),
      ),
  };
}

/** `acme/docs` from an https or ssh address at the code host; null: it is elsewhere. */
export function repositoryAt(address: string, webUrl: string): string | null {
  const scp = /^[\w.-]+@([\w.-]+):(?!\/)(.+)$/.exec(address);
  const url = URL.parse(scp === null ? address : `ssh://${scp[1]}/${scp[2]}`);
  const site = new URL(`${webUrl.replace(/(?<!\/)\/+$/, '')}/`);
  if (url?.hostname !== site.hostname) return null;
  const path = url.pathname.startsWith(site.pathname)
    ? url.pathname.slice(site.pathname.length)
    : url.pathname.slice(1);
  const repository = path.replace(/(?<!\/)\/+$/, '').replace(/\.git$/, '');
  return /^[\w.-]+(\/[\w.-]+)+$/.test(repository) ? repository : null;
}

/** Whether git may send the token to this address: under the code host's, and by https unless it is this machine. */
export function mayGetToken(address: string, webUrl: string): boolean {
  const url = URL.parse(address);
  const site = new URL(webUrl);
  if (url === null || url.origin !== site.origin) return false;
  return url.protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
}

import { request } from 'undici';
import { z } from 'zod';
import { type CodeHostSettings, connect } from '#codehost/client.ts';
import type { Clock } from '#runtime/clock.ts';
import { parseJson } from '#runtime/exchange.ts';
import { TurnFailedError } from './failures.ts';
import type { RunnerProject } from './settings.ts';

const WITHIN_MS = 30_000;
const SAID_MAX = 200;
const HEADERS = { 'user-agent': 'docs-agent', 'content-type': 'application/json' };
const LOCAL: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

export type PullRequests = NonNullable<ReturnType<typeof pullRequestsOf>>;

const found = z
  .object({ html_url: z.string().optional(), web_url: z.string().optional(), state: z.string() })
  .transform(({ html_url, web_url, state }) => ({
    url: z.string().parse(html_url ?? web_url),
    isOpen: /^open/.test(state),
  }));

const github = {
  collection: '/pulls',
  user: 'x-access-token',
  ofBranch: (branch: string, owner: string) => `head=${owner}:${branch}&sort=created&direction=desc`,
  toOpen: (head: string, base: string, title: string, body: string): object => ({ title, body, head, base }),
};
const gitlab: typeof github = {
  collection: '/merge_requests',
  user: 'oauth2',
  ofBranch: (branch) => `source_branch=${branch}&order_by=created_at&sort=desc`,
  toOpen: (branch, base, title, description) => {
    const branches = { source_branch: branch, target_branch: base, remove_source_branch: true };
    return { title, description, ...branches };
  },
};
const DIALECTS = { github, gitlab };

/** Null: no code host, or no repository there. */
export function pullRequestsOf(
  { repository: address, codeHostRepository }: RunnerProject,
  codeHosts: readonly CodeHostSettings[],
  clock: Clock,
) {
  const settings = codeHosts.find(({ webUrl }) => repositoryAt(address, webUrl) !== null) ?? codeHosts[0];
  const repository = codeHostRepository ?? (settings ? repositoryAt(address, settings.webUrl) : null);
  if (settings === undefined || repository === null) return null;
  const { apiUrl, webUrl } = settings;
  const host = connect(settings, clock, WITHIN_MS);
  const { collection, user, ofBranch, toOpen } = DIALECTS[settings.host];
  const path = host.repositoryPath(repository);
  const [owner = ''] = repository.split('/');
  const site = new URL(webUrl).host;

  const unavailable = (error: Error) => {
    throw new TurnFailedError(`No pull request: ${site} cannot be asked (${error.message}).`);
  };
  const authorize = () => host.credentials.authorize(path, AbortSignal.timeout(WITHIN_MS)).catch(unavailable);

  async function ask(signal: AbortSignal, rest: string, body?: object): Promise<unknown> {
    const { token } = await authorize();
    const answer = await request(`${apiUrl}${path}${rest}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...HEADERS, authorization: `Bearer ${token}` },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(WITHIN_MS)]),
      dispatcher: host.client.dispatcher,
    }).catch(unavailable);
    const text = await answer.body.text().catch(unavailable);
    if (answer.statusCode >= 300) {
      const said = z.object({ message: z.unknown() }).safeParse(parseJson(text)).data?.message;
      const words = said === undefined ? '' : `: ${JSON.stringify(said).slice(0, SAID_MAX)}`;
      throw new TurnFailedError(`No pull request: ${site} answered ${answer.statusCode}${words}.`);
    }
    return parseJson(text);
  }

  return {
    repository,
    close: () => host.client.close(),
    /** For git's helper; null: the address is elsewhere. */
    login: async () => {
      const url = URL.parse(address);
      const isPrivate = url?.protocol === 'https:' || LOCAL.includes(url?.hostname ?? '');
      if (url?.origin !== new URL(webUrl).origin || !isPrivate) return null;
      const { token } = await authorize();
      // A login in .netrc would win.
      return { HOME: '/dev/null', GIT_USER: user, GIT_TOKEN: token };
    },
    /** Prefers an open one, else the newest. */
    find: async (branch: string, signal: AbortSignal) => {
      const query = ofBranch(encodeURIComponent(branch), owner);
      const all = z.array(found).parse(await ask(signal, `${collection}?state=all&${query}`));
      return all.find(({ isOpen }) => isOpen) ?? all[0] ?? null;
    },
    open: async (branch: string, base: string, title: string, body: string, signal: AbortSignal) =>
      found.parse(await ask(signal, collection, toOpen(branch, base, title, body))),
  };
}

/** `acme/docs` from an https or ssh address; null: elsewhere. */
function repositoryAt(address: string, webUrl: string): string | null {
  const scp = /^[\w.-]+@([\w.-]+):(?!\/)(.+)$/.exec(address);
  const url = URL.parse(scp === null ? address : `ssh://${scp[1]}/${scp[2]}`);
  const site = new URL(`${webUrl.replace(/(?<!\/)\/+$/, '')}/`);
  if (url?.hostname !== site.hostname) return null;
  const start = url.pathname.startsWith(site.pathname) ? site.pathname.length : 1;
  const path = url.pathname.slice(start);
  const repository = path.replace(/(?<!\/)\/+$/, '').replace(/\.git$/, '');
  return /^[\w.-]+(\/[\w.-]+)+$/.test(repository) ? repository : null;
}

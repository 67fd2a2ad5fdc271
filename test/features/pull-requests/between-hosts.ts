import type { KeyObject } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { CodeHosts } from '../../../src/features/pull-requests/code-hosts.ts';
import { createCodeHosts } from '../../../src/features/pull-requests/code-hosts.ts';
import { type LocalServer, serveHttp } from '../../agent/support.ts';
import { fc } from '../../support/properties.ts';
import { createTestClock } from '../../support/test-clock.ts';
import { logInto, START_MS, TOKEN } from './hosts.ts';

/** What a kind of code host is asked in these tests, and where it may say that the repository has moved. */
export const KINDS = {
  github: {
    api: '/api/v3',
    link: '/acme/docs/pull/14',
    moved: '/api/v3/repositories/7/pulls/14',
    allowed: /^\/api\/v3\/(repos\/acme\/docs|repositories\/\d+)\/pulls\/14$/,
    /** What may be asked for the path of a link, as browsers understand it. */
    asked: (path: string) => {
      const [, owner, name, , number] = path.split('/');
      return `/api/v3/repos/${owner}/${name}/pulls/${number}`;
    },
  },
  gitlab: {
    api: '/api/v4',
    link: '/acme/docs/-/merge_requests/14',
    moved: '/api/v4/projects/7/merge_requests/14',
    allowed: /^\/api\/v4\/projects\/(acme%2Fdocs|\d+)\/merge_requests\/14$/,
    asked: (path: string) => {
      const [project = '', rest = ''] = path.slice(1).split('/-/');
      return `/api/v4/projects/${encodeURIComponent(project)}/merge_requests/${rest.split('/')[1]}`;
    },
  },
} as const;

export type Kind = keyof typeof KINDS;

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The program between a host that answers as it is told, and one that must never hear anything. */
export interface BetweenHosts extends AsyncDisposable {
  readonly hosts: CodeHosts;
  readonly own: LocalServer;
  readonly other: LocalServer;
  /** The paths that the host was asked for. */
  readonly heard: readonly string[];
  /** The paths that the other one was. */
  readonly overheard: readonly string[];
  readonly link: string;
  answerWith(answer: (path: string) => Answer): void;
  /** With the addresses of both for OWN and OTHER. */
  addressed(text: string): string;
}

export async function betweenHosts(kind: Kind, privateKey: KeyObject | null = null): Promise<BetweenHosts> {
  const resources = new AsyncDisposableStack();
  const heard: string[] = [];
  const overheard: string[] = [];
  let answer: (path: string) => Answer = () => ({ status: 404 });
  const note = async (paths: string[], request: IncomingMessage) => {
    paths.push(request.url ?? '');
    await text(request);
  };
  const other = resources.use(
    await serveHttp((request, response) => {
      void note(overheard, request).then(() => response.end('{}'));
    }),
  );
  const own = resources.use(
    await serveHttp((request, response) => {
      const { status, headers, body = '' } = answer(request.url ?? '');
      void note(heard, request).then(() => response.writeHead(status, headers).end(body));
    }),
  );
  const { api, link: path } = KINDS[kind];
  const credentials =
    privateKey === null
      ? ({ kind: 'token', token: TOKEN } as const)
      : ({ kind: 'app', appId: '1', privateKey } as const);
  const hosts = createCodeHosts(
    [{ host: kind, webUrl: own.baseUrl, apiUrl: `${own.baseUrl}${api}`, credentials }],
    { clock: createTestClock(START_MS), log: logInto([]) },
  );
  resources.defer(() => hosts.close());
  const link = `${own.baseUrl}${path}`;
  return {
    ...{ hosts, own, other, heard, overheard, link },
    answerWith: (next) => {
      answer = next;
    },
    addressed: (words) =>
      words.replaceAll('OTHER', `127.0.0.1:${other.port}`).replaceAll('OWN', `127.0.0.1:${own.port}`),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

const PIECES =
  '/ // .. /.. @ : \\ %2f %2e ? # . api/v3 repos repositories/7 projects/7 projects /pulls/14 acme/docs';
const MORE = '/merge_requests/14 https: http: OTHER OWN [::1] user ; acme%2Fdocs';
const piece = fc.constantFrom(...`${PIECES} ${MORE}`.split(' '));

/** Pieces of addresses in any order. */
export const pieces = fc.array(piece, { maxLength: 8 }).map((parts) => parts.join(''));
/** How an address may begin; nothing: it is relative. */
export const beginning = fc.constantFrom(
  ...['', '/', '//', 'http://OTHER', 'http://OWN', 'https://OWN', 'http://OWN@OTHER', 'http://OTHER@OWN'],
);

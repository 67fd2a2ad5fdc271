import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { createCodeHosts } from '../../src/codehost/create-code-hosts.ts';
import type { PullRequestLink } from '../../src/jobs/pull-requests/link.ts';
import { type LocalServer, serveHttp } from '../agent/support.ts';
import { fc } from '../support/properties.ts';
import { createTestClock } from '../support/test-clock.ts';
import { factsOf, logInto, lookingAtGithub, START_MS, TOKEN } from './support.ts';

const PATHS =
  /^\/api\/v3\/(repos\/acme\/docs|repositories\/\d+)\/(pulls|issues|commits|deployments|actions)\//;

interface Heard {
  readonly path: string;
  readonly authorization: string | undefined;
}

/** A host that redirects as it is told, one that must never hear anything, and the program between them. */
async function betweenHosts() {
  const resources = new AsyncDisposableStack();
  const heard: Heard[] = [];
  const overheard: Heard[] = [];
  let redirect: (port: number) => { readonly status: number; readonly location: string };
  const note = (into: Heard[], { url = '', headers }: IncomingMessage) =>
    into.push({ path: url, authorization: headers.authorization });
  const other = resources.use(
    await serveHttp((request, response) => {
      note(overheard, request);
      response.end('{}');
    }),
  );
  const own: LocalServer = resources.use(
    await serveHttp((request, response) => {
      note(heard, request);
      const { status, location } = redirect(other.port);
      response.writeHead(status, { location }).end();
    }),
  );
  const hosts = createCodeHosts(
    [
      {
        host: 'github',
        webUrl: own.baseUrl,
        apiUrl: `${own.baseUrl}/api/v3`,
        credentials: { kind: 'token', token: TOKEN },
      },
    ],
    { clock: createTestClock(START_MS), log: logInto([]) },
  );
  resources.defer(() => hosts.close());
  return {
    ...{ heard, overheard, hosts, own, other },
    redirectTo: (to: typeof redirect) => {
      redirect = to;
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

const piece = fc.constantFrom(
  ...[
    '/',
    '//',
    '..',
    '/..',
    '@',
    ':',
    '\\',
    '%2f',
    '%2e',
    '?',
    '#',
    '.',
    'api/v3',
    'repositories/7',
    'repos',
  ],
  ...['/pulls/14', 'acme/docs', 'https:', 'http:', 'OTHER', 'OWN', '\t', '[::1]', 'user', ';'],
);
const anything = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
/** Now and then what GitHub says, so that some are followed. */
const location = fc.oneof(anything, fc.constant('/api/v3/repositories/7/pulls/14'));

describe('no request with a token leaves for anything else than a path of the repository at the host', () => {
  test('wherever the host redirects to', async () => {
    await using between = await betweenHosts();
    const { heard, overheard, hosts, own, other } = between;
    const link = hosts.find(`${own.baseUrl}/acme/docs/pull/14`) ?? never();
    const start = fc.constantFrom(
      '',
      '/',
      '//',
      'http://OTHER',
      'http://OWN',
      'http://OWN@OTHER',
      'http://OTHER@OWN',
    );
    await fc.assert(
      fc.asyncProperty(start, location, fc.constantFrom(301, 302, 307, 308), async (at, to, status) => {
        const text = `${at}${to}`
          .replaceAll('OTHER', `127.0.0.1:${other.port}`)
          .replaceAll('OWN', `127.0.0.1:${own.port}`);
        between.redirectTo(() => ({ status, location: text.replaceAll('\t', '') }));
        const before = heard.length;
        expect((await hosts.look(link, null)).outcome).toBe('later');
        expect(heard.length - before).toBeLessThanOrEqual(3);
      }),
      { numRuns: 500 },
    );
    expect(overheard).toEqual([]);
    expect(heard.filter(({ path }) => !PATHS.test(path))).toEqual([]);
    expect(heard.some(({ path }) => path.startsWith('/api/v3/repositories/'))).toBe(true);
  });

  test('whatever a link says', async () => {
    await using between = await betweenHosts();
    const { heard, overheard, hosts, own, other } = between;
    between.redirectTo(() => ({ status: 404, location: '' }));
    const start = fc.constantFrom(
      'http://OWN',
      'http://OTHER',
      'http://OWN@OTHER',
      'http://OTHER@OWN',
      'https://OWN',
    );
    await fc.assert(
      fc.asyncProperty(start, anything, async (at, to) => {
        const text = `${at}${to}/acme/docs/pull/14`
          .replaceAll('OTHER', `127.0.0.1:${other.port}`)
          .replaceAll('OWN', `127.0.0.1:${own.port}`);
        const link = hosts.find(text);
        if (link !== null) await hosts.look(link, null);
      }),
      { numRuns: 500 },
    );
    expect(overheard).toEqual([]);
    expect(heard.filter(({ path }) => !PATHS.test(path))).toEqual([]);
  });

  test('also with a link that nobody has parsed', async () => {
    await using between = await betweenHosts();
    const { heard, overheard, hosts, own, other } = between;
    between.redirectTo(() => ({ status: 404, location: '' }));
    const parsed = hosts.find(`${own.baseUrl}/acme/docs/pull/14`) ?? never();
    const forged: Partial<PullRequestLink>[] = [
      { repository: '../../user' },
      { repository: 'acme/secrets' },
      { webUrl: other.baseUrl },
      { key: `${other.baseUrl}/acme/docs/pull/14` },
      { number: Number.NaN },
    ];
    for (const odd of forged) await hosts.look({ ...parsed, ...odd }, null);
    expect(overheard).toEqual([]);
    expect(heard.filter(({ path }) => path !== '/api/v3/repos/acme/docs/pulls/14')).toEqual([]);
  });
});

describe('a repository that has moved', () => {
  test('is followed at the same host', async () => {
    await using at = await lookingAtGithub();
    const pull = at.host.open({ repository: 'acme/docs' });
    pull.check('build', 'success');
    at.host.move('acme/docs', 'acme/handbook');
    expect(await factsOf(at.look(pull))).toMatchObject({ checks: 'passing' });
    const paths = at.host.requests.map(({ path }) => path.split('/').slice(3, 6).join('/'));
    expect(paths.slice(0, 2)).toEqual(['repos/acme/docs', 'repositories/1000/pulls']);
    expect(new Set(paths.slice(1).map((path) => path.slice(0, 17)))).toEqual(new Set(['repositories/1000']));
  });

  test('is not followed for ever', async () => {
    await using between = await betweenHosts();
    const { hosts, heard, own } = between;
    between.redirectTo(() => ({ status: 301, location: '/api/v3/repositories/7/pulls/14' }));
    const link = hosts.find(`${own.baseUrl}/acme/docs/pull/14`) ?? never();
    expect(await hosts.look(link, null)).toEqual({ outcome: 'later', waitMs: null });
    expect(heard).toHaveLength(3);
  });
});

function never(): never {
  throw new Error('the link was not found');
}

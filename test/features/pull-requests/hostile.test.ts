import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { createCodeHosts } from '../../../src/features/pull-requests/code-hosts.ts';
import { parsePullRequestLink } from '../../../src/jobs/pull-requests/link.ts';
import { serveHttp } from '../../agent/support.ts';
import { fc } from '../../support/properties.ts';
import { createTestClock } from '../../support/test-clock.ts';
import { logInto, lookingAt, START_MS, TOKEN } from './hosts.ts';

/** What a kind of code host is asked in these tests, and where it may say that the repository has moved. */
const KINDS = {
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

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The program between a host that answers as it is told, and one that must never hear anything. */
async function betweenHosts(kind: keyof typeof KINDS, privateKey: KeyObject | null = null) {
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
    answerWith: (next: typeof answer) => {
      answer = next;
    },
    /** With the addresses of both for OWN and OTHER. */
    addressed: (words: string) =>
      words.replaceAll('OTHER', `127.0.0.1:${other.port}`).replaceAll('OWN', `127.0.0.1:${own.port}`),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

const PIECES =
  '/ // .. /.. @ : \\ %2f %2e ? # . api/v3 repos repositories/7 projects/7 projects /pulls/14 acme/docs';
const MORE = '/merge_requests/14 https: http: OTHER OWN [::1] user ; acme%2Fdocs';
const piece = fc.constantFrom(...`${PIECES} ${MORE}`.split(' '));

/** Pieces of addresses in any order. */
const pieces = fc.array(piece, { maxLength: 8 }).map((parts) => parts.join(''));
/** How an address may begin; nothing: it is relative. */
const beginning = fc.constantFrom(
  ...['', '/', '//', 'http://OTHER', 'http://OWN', 'https://OWN', 'http://OWN@OTHER', 'http://OTHER@OWN'],
);

const kinds = Object.keys(KINDS) as (keyof typeof KINDS)[];

describe.each(kinds)(
  'no request with a token for %s leaves for anything else than its pull request (P3)',
  (kind) => {
    const { api, link: path, moved, allowed, asked } = KINDS[kind];
    const elsewhere = (heard: readonly string[]) => heard.filter((one) => !allowed.test(one));

    test('wherever the host redirects to', async () => {
      await using between = await betweenHosts(kind);
      const { heard, overheard, hosts, own, link } = between;
      // Often nearly right, and now and then what the host would say, so that some are followed.
      const nearly = pieces.map(
        (odd) => `${api}${odd}${moved.slice(moved.lastIndexOf('/', moved.length - 4))}`,
      );
      const location = fc.oneof(pieces, nearly, fc.constant(moved));
      await fc.assert(
        fc.asyncProperty(
          beginning,
          location,
          fc.constantFrom(301, 302, 307, 308),
          async (start, end, status) => {
            const address = between.addressed(`${start}${end}`);
            between.answerWith(() => ({ status, headers: { location: address } }));
            const before = heard.length;
            expect((await hosts.check(link, null)).outcome).toBe('later');
            const isElsewhere = URL.parse(address, `${own.baseUrl}${api}/x`)?.origin !== own.baseUrl;
            expect(heard.length - before).toBeLessThanOrEqual(isElsewhere ? 1 : 3);
          },
        ),
        { numRuns: 1_000 },
      );
      expect(overheard).toEqual([]);
      expect(elsewhere(heard)).toEqual([]);
      expect(heard).toContain(moved);
    });

    test('whatever a link says', async () => {
      await using between = await betweenHosts(kind);
      const { heard, overheard, hosts, own } = between;
      await fc.assert(
        fc.asyncProperty(beginning, pieces, fc.boolean(), async (start, odd, isInFront) => {
          const address = between.addressed(isInFront ? `${start}${odd}${path}` : `${start}${path}${odd}`);
          const before = heard.length;
          await hosts.check(address, null);
          const { origin, pathname = '' } = URL.parse(address) ?? {};
          const isLink = parsePullRequestLink(address, [{ host: kind, webUrl: own.baseUrl }]) !== null;
          const isOfHost = isLink && origin === own.baseUrl;
          expect(heard.slice(before)).toEqual(isOfHost ? [asked(pathname)] : []);
        }),
        { numRuns: 1_000 },
      );
      expect(overheard).toEqual([]);
      expect(heard.length).toBeGreaterThan(0);
    });
  },
);

describe('the key of an App', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const TOKENS = '/api/v3/app/installations/5/access_tokens';

  test('opens nothing elsewhere, wherever the host redirects to when it is asked for a token', async () => {
    await using between = await betweenHosts('github', privateKey);
    const { heard, overheard, hosts, link } = between;
    await fc.assert(
      fc.asyncProperty(beginning, pieces, fc.constantFrom(301, 307, 308), async (start, odd, status) => {
        const location = between.addressed(`${start}${odd}`);
        between.answerWith((path) =>
          path.endsWith('/installation')
            ? { status: 200, body: '{"id":5}' }
            : { status, headers: { location } },
        );
        expect(await hosts.check(link, null)).toMatchObject({ outcome: 'later' });
      }),
      { numRuns: 200 },
    );
    expect(overheard).toEqual([]);
    expect(new Set(heard)).toEqual(new Set(['/api/v3/repos/acme/docs/installation', TOKENS]));
  });
});

test.each(kinds)('a repository that has moved is followed at %s', async (kind) => {
  await using at = await lookingAt(kind);
  at.pull.check('build', 'success');
  at.host.move('acme/docs', 'acme/handbook');
  expect(await at.facts()).toMatchObject({ checks: 'passing' });
  const [first, ...others] = at.host.requests.map(({ path }) => path.split('/').slice(3, 5).join('/'));
  expect(first).toBe({ github: 'repos/acme', gitlab: 'projects/acme%2Fdocs' }[kind]);
  expect(new Set(others)).toEqual(new Set([{ github: 'repositories/1000', gitlab: 'projects/1000' }[kind]]));
});

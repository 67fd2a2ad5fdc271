import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { parsePullRequestLink } from '../../../src/jobs/pull-requests/link.ts';
import { fc } from '../../support/properties.ts';
import { beginning, betweenHosts, KINDS, type Kind, pieces } from './between-hosts.ts';
import { factsOf, lookingAt } from './hosts.ts';

const kinds = Object.keys(KINDS) as Kind[];

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
            const text = between.addressed(`${start}${end}`);
            between.answerWith(() => ({ status, headers: { location: text } }));
            const before = heard.length;
            expect((await hosts.check(link, null)).outcome).toBe('later');
            const isElsewhere = URL.parse(text, `${own.baseUrl}${api}/x`)?.origin !== own.baseUrl;
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
          const text = between.addressed(isInFront ? `${start}${odd}${path}` : `${start}${path}${odd}`);
          const before = heard.length;
          await hosts.check(text, null);
          const { origin, pathname = '' } = URL.parse(text) ?? {};
          const isLink = parsePullRequestLink(text, [{ host: kind, webUrl: own.baseUrl }]) !== null;
          const isOfHost = isLink && origin === own.baseUrl;
          expect(heard.slice(before)).toEqual(isOfHost ? [asked(pathname)] : []);
        }),
        { numRuns: 1_000 },
      );
      expect(overheard).toEqual([]);
      expect(heard.length).toBeGreaterThan(0);
    });

    test('also with a link to another host', async () => {
      await using between = await betweenHosts(kind);
      const { heard, overheard, hosts, other } = between;
      expect(await hosts.check(`${other.baseUrl}${path}`, null)).toMatchObject({ outcome: 'no_access' });
      expect([...heard, ...overheard]).toEqual([]);
    });

    test('is not redirected for ever', async () => {
      await using between = await betweenHosts(kind);
      between.answerWith(() => ({ status: 301, headers: { location: moved } }));
      expect(await between.hosts.check(between.link, null)).toMatchObject({ outcome: 'later' });
      expect(between.heard).toHaveLength(3);
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
  const pull = at.host.open({ repository: 'acme/docs' });
  pull.check('build', 'success');
  at.host.move('acme/docs', 'acme/handbook');
  expect(await factsOf(at.look(pull))).toMatchObject({ checks: 'passing' });
  const [first, ...others] = at.host.requests.map(({ path }) => path.split('/').slice(3, 5).join('/'));
  expect(first).toBe({ github: 'repos/acme', gitlab: 'projects/acme%2Fdocs' }[kind]);
  expect(new Set(others)).toEqual(new Set([{ github: 'repositories/1000', gitlab: 'projects/1000' }[kind]]));
});

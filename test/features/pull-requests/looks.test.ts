import { describe, expect, test } from 'vitest';
import { lookingAtGithub, START_MS } from './hosts.ts';

const statuses = (requests: readonly { readonly status: number | null }[]) =>
  requests.map(({ status }) => status);

describe('a second look (P3)', () => {
  test('asks only whether anything has changed, and costs nothing of the limit', async () => {
    await using at = await lookingAtGithub();
    at.pull.check('build', null);
    at.pull.review('alice', 'APPROVED');
    at.pull.comment('vercel[bot]', 'https://docs-1.vercel.app');
    const facts = await at.facts();
    const { remaining } = at.host.limit;
    const asked = at.host.requests.length;
    expect(await at.facts()).toEqual(facts);
    expect(new Set(statuses(at.host.requests.slice(asked)))).toEqual(new Set([304]));
    expect(at.host.limit.remaining).toBe(remaining);
    at.pull.check('build', 'success');
    expect(await at.facts()).toEqual({ ...facts, checks: 'passing' });
  });

  test('is about the pull request alone once it is merged, and keeps what was known', async () => {
    await using at = await lookingAtGithub();
    at.pull.check('build', 'success');
    await at.look();
    at.pull.merge('alice');
    const asked = at.host.requests.length;
    expect(await at.facts()).toMatchObject({ state: 'merged', checks: 'passing' });
    expect(at.host.requests.length).toBe(asked + 1);
  });

  test('keeps what was known of a merged one though the token may not read all of it', async () => {
    await using at = await lookingAtGithub();
    at.pull.check('build', 'success');
    at.pull.review('alice', 'APPROVED');
    at.host.withhold('Checks');
    const { checks, review } = await at.facts();
    expect([checks, review]).toEqual(['passing', 'approved']);
    at.pull.merge('alice');
    await at.look();
    expect(await at.facts()).toMatchObject({ state: 'merged', checks, review });
  });
});

describe('what cannot be looked at (P4)', () => {
  test('a token that expires is told of once, and looks go on when it is renewed', async () => {
    await using at = await lookingAtGithub();
    const facts = await at.facts();
    at.host.expire();
    expect(await at.look()).toEqual({ outcome: 'no_access', reason: 'bad_credentials' });
    expect(await at.look()).toEqual({ outcome: 'no_access', reason: 'bad_credentials' });
    const told = at.logged.filter(({ event }) => event === 'code_host_no_access');
    expect(told.map(({ fields }) => fields)).toEqual([
      { host: 'github', repository: 'acme/docs', reason: 'bad_credentials' },
    ]);
    at.host.expire(false);
    expect(await at.facts()).toEqual(facts);
  });

  test('a token without the permission for pull requests has no access', async () => {
    await using at = await lookingAtGithub();
    at.host.withhold('Pull requests');
    expect(await at.look()).toEqual({ outcome: 'no_access', reason: 'not_allowed' });
  });

  test.each([
    ['it is out of order', 'status_502', { status: 502, body: 'Bad gateway' }],
    ['it answers with a web page', 'bad_answer', 'html'],
    ['it answers with something else', 'bad_answer', { status: 200, body: [] }],
    [
      'it answers with far too much',
      'bad_answer',
      { status: 200, body: { state: 'open', body: 'x'.repeat(9 * 1024 * 1024) } },
    ],
    ['it breaks the connection', 'unreachable', 'reset_before'],
    ['it breaks the connection in the middle', 'bad_answer', 'half_body'],
  ] as const)('later, if %s, and the log says why: %s', async (_what, reason, fault) => {
    await using at = await lookingAtGithub();
    at.host.failAt(/pulls/, fault);
    expect(await at.look()).toEqual({ outcome: 'later', waitMs: null, reason });
    expect(at.logged.at(-1)).toMatchObject({
      event: 'code_host_looked',
      fields: { outcome: 'later', reason },
    });
    at.host.failAt(/pulls/, null);
    expect(await at.look()).toMatchObject({ outcome: 'seen' });
  });

  test('what hangs beside it costs only itself, and keeps its last value', async () => {
    await using at = await lookingAtGithub(500);
    at.pull.check('build', 'success');
    const facts = await at.facts();
    at.host.failAt(/check-runs/, 'hang');
    at.pull.review('alice', 'APPROVED');
    expect(await at.facts()).toEqual({ ...facts, review: 'approved' });
    at.host.failAt(/check-runs/, null);
    const asked = at.host.requests.length;
    await at.look();
    expect(new Set(statuses(at.host.requests.slice(asked)))).toEqual(new Set([304]));
  });
});

describe('the limit of the host (P3)', () => {
  test('is left to others by half', async () => {
    await using at = await lookingAtGithub();
    at.host.limit.remaining = 2_500;
    expect(await at.look()).toMatchObject({ outcome: 'seen' });
    const asked = at.host.requests.length;
    expect(await at.look()).toEqual({ outcome: 'later', waitMs: 3_600_000, reason: 'rate_limited' });
    expect(at.host.requests.length).toBe(asked);
    await at.clock.advanceTo(START_MS + 3_600_000);
    expect(await at.look()).toMatchObject({ outcome: 'seen' });
  });

  test.each([
    ['429 with Retry-After', { status: 429, headers: { 'retry-after': '30' } }, 30_000],
    ['429 without', { status: 429 }, 60_000],
    ['403 with Retry-After', { status: 403, headers: { 'retry-after': '7' } }, 7_000],
    [
      '403 with nothing left',
      {
        status: 403,
        headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': `${START_MS / 1000 + 90}` },
      },
      90_000,
    ],
    [
      '403 that speaks of a secondary limit',
      { status: 403, body: { message: 'You have exceeded a secondary rate limit' } },
      60_000,
    ],
  ] as const)('is obeyed: %s', async (_what, fault, waitMs) => {
    await using at = await lookingAtGithub();
    const date = new Date(START_MS).toUTCString();
    at.host.failAt(/pulls/, { ...fault, headers: { date, ...('headers' in fault ? fault.headers : {}) } });
    expect(await at.look()).toEqual({ outcome: 'later', waitMs, reason: 'rate_limited' });
    at.host.failAt(/pulls/, null);
    const asked = at.host.requests.length;
    expect(await at.look()).toEqual({ outcome: 'later', waitMs, reason: 'rate_limited' });
    expect(at.host.requests.length).toBe(asked);
    await at.clock.advance(waitMs);
    expect(await at.look()).toMatchObject({ outcome: 'seen' });
  });
});

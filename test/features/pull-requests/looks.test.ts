import { describe, expect, test } from 'vitest';
import type { CheckMemory } from '../../../src/features/pull-requests/code-hosts.ts';
import { factsOf, lookingAt, lookingAtGithub, START_MS } from './hosts.ts';

const statuses = (requests: readonly { readonly status: number | null }[]) =>
  requests.map(({ status }) => status);

describe('a second look (P3)', () => {
  test('asks only whether anything has changed, and costs nothing of the limit', async () => {
    await using at = await lookingAtGithub();
    const pull = at.host.open({ repository: 'acme/docs' });
    pull.check('build', null);
    pull.review('alice', 'APPROVED');
    pull.comment('vercel[bot]', 'https://docs-1.vercel.app');
    const facts = await factsOf(at.look(pull));
    const { remaining } = at.host.limit;
    const asked = at.host.requests.length;
    expect(await factsOf(at.look(pull))).toEqual(facts);
    expect(new Set(statuses(at.host.requests.slice(asked)))).toEqual(new Set([304]));
    expect(at.host.limit.remaining).toBe(remaining);
    pull.check('build', 'success');
    expect(await factsOf(at.look(pull))).toEqual({ ...facts, checks: 'passing' });
  });

  test.each(['github', 'gitlab'] as const)('at %s reads anew what an earlier version kept', async (kind) => {
    await using at = await lookingAt(kind);
    const pull = at.host.open({ repository: 'acme/docs' });
    pull.ask('carol');
    const link = at.host[`${kind}Link`](pull);
    const first = await at.hosts.check(link, null);
    if (first.outcome !== 'seen') throw new Error(`not seen, but ${first.outcome}`);
    const { commit, readings, responses } = JSON.parse(JSON.stringify(first.memory));
    for (const one of Object.values<{ body: unknown }>(responses)) one.body = {};
    const earlier = { commit, readings, responses } as CheckMemory;
    expect(await factsOf(at.hosts.check(link, earlier))).toEqual(first.facts);
  });

  test('is about the pull request alone once it is merged, and keeps what was known', async () => {
    await using at = await lookingAtGithub();
    const pull = at.host.open({ repository: 'acme/docs' });
    pull.check('build', 'success');
    await at.look(pull);
    pull.merge('alice');
    const asked = at.host.requests.length;
    expect(await factsOf(at.look(pull))).toMatchObject({ state: 'merged', checks: 'passing' });
    expect(at.host.requests.length).toBe(asked + 1);
  });

  test('keeps what was known of a merged one though the token may not read all of it', async () => {
    await using at = await lookingAtGithub();
    const pull = at.host.open({ repository: 'acme/docs' });
    pull.check('build', 'success');
    pull.review('alice', 'APPROVED');
    at.host.withhold('Checks');
    const { checks, review } = await factsOf(at.look(pull));
    expect([checks, review]).toEqual(['passing', 'approved']);
    pull.merge('alice');
    await at.look(pull);
    expect(await factsOf(at.look(pull))).toMatchObject({ state: 'merged', checks, review });
  });
});

describe('a permission that is missing (P3, P4)', () => {
  test.each([
    [['Checks', 'Actions', 'Commit statuses'], 'checks'],
    [['Checks', 'Actions'], 'checks'],
    [['Commit statuses'], 'checks'],
    [['Checks'], 'nothing'],
    [['Deployments'], 'nothing'],
  ] as const)('(%s) loses %s, and nothing else', async (permissions, lost) => {
    await using at = await lookingAtGithub();
    const pull = at.host.open({ repository: 'acme/docs' });
    pull.check('build', 'success');
    pull.review('alice', 'APPROVED');
    pull.comment('vercel[bot]', 'https://docs-1.vercel.app');
    const all = await factsOf(at.look(pull));
    for (const permission of permissions) at.host.withhold(permission);
    const facts = await factsOf(at.look(pull));
    expect(Object.keys(all).filter((name) => !(name in facts))).toEqual(lost === 'nothing' ? [] : [lost]);
  });

  test('is logged once, with what it loses, and again after it was repaired, or when another one is missing', async () => {
    await using at = await lookingAtGithub();
    const pull = at.host.open({ repository: 'acme/docs' });
    const warnings = () => at.logged.filter(({ event }) => event === 'code_host_permission_missing');
    for (const permission of ['Checks', 'Actions', 'Commit statuses']) at.host.withhold(permission);
    await at.look(pull);
    await at.look(pull);
    expect(warnings().map(({ fields }) => fields)).toEqual([
      {
        ...{ host: 'github', repository: 'acme/docs', lost: 'checks' },
        permissions: ['Checks or Actions', 'Commit statuses'],
      },
    ]);
    for (const permission of ['Checks', 'Commit statuses']) at.host.withhold(permission, false);
    await at.look(pull);
    at.host.withhold('Checks');
    await at.look(pull);
    expect(warnings()).toHaveLength(2);
    at.host.withhold('Commit statuses');
    await at.look(pull);
    await at.look(pull);
    expect(warnings().map(({ fields }) => fields.permissions)).toEqual([
      ['Checks or Actions', 'Commit statuses'],
      ['Checks or Actions'],
      ['Checks or Actions', 'Commit statuses'],
    ]);
  });
});

describe('what cannot be looked at (P4)', () => {
  test('a pull request that the token must not see is not found', async () => {
    await using at = await lookingAtGithub();
    const pull = at.host.open({ repository: 'acme/docs' });
    pull.isHidden = true;
    expect(await at.look(pull)).toEqual({ outcome: 'not_found' });
  });

  test('a token that expires is told of once, and looks go on when it is renewed', async () => {
    await using at = await lookingAtGithub();
    const pull = at.host.open({ repository: 'acme/docs' });
    const facts = await factsOf(at.look(pull));
    at.host.expire();
    expect(await at.look(pull)).toEqual({ outcome: 'no_access', reason: 'bad_credentials' });
    expect(await at.look(pull)).toEqual({ outcome: 'no_access', reason: 'bad_credentials' });
    const told = at.logged.filter(({ event }) => event === 'code_host_no_access');
    expect(told.map(({ fields }) => fields)).toEqual([
      { host: 'github', repository: 'acme/docs', reason: 'bad_credentials' },
    ]);
    at.host.expire(false);
    expect(await factsOf(at.look(pull))).toEqual(facts);
  });

  test('what a host lately answered is known: an expired token since when, a limit, an outage, and when all was well', async () => {
    await using at = await lookingAtGithub();
    const { host } = new URL(at.host.webUrl);
    const pull = at.host.open({ repository: 'acme/docs' });
    const known = async () => {
      await at.look(pull);
      await at.clock.advance(60_000);
      const [only] = at.hosts.facts();
      expect(only?.host).toBe(host);
      return only?.facts;
    };
    expect(at.hosts.facts()).toEqual([{ host, facts: { answeredAtMs: null, trouble: null } }]);
    pull.isHidden = true;
    expect(await known()).toEqual({ answeredAtMs: START_MS, trouble: null });
    at.host.expire();
    const expired = { kind: 'needs_admin', sinceMs: START_MS + 60_000 };
    expect(await known()).toEqual({ answeredAtMs: START_MS, trouble: expired });
    expect(await known()).toEqual({ answeredAtMs: START_MS, trouble: expired });
    at.host.expire(false);
    at.host.failAt(/pulls/, { status: 500 });
    expect((await known())?.trouble?.kind).toBe('unreachable');
    at.host.failAt(/pulls/, { status: 429, headers: { 'retry-after': '60' } });
    expect((await known())?.trouble?.kind).toBe('rate_limited');
    at.host.failAt(/pulls/, null);
    await at.clock.advance(60_000);
    expect((await known())?.trouble).toBeNull();
  });

  test('a token without the permission for pull requests has no access', async () => {
    await using at = await lookingAtGithub();
    const pull = at.host.open({ repository: 'acme/docs' });
    at.host.withhold('Pull requests');
    expect(await at.look(pull)).toEqual({ outcome: 'no_access', reason: 'not_allowed' });
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
    const pull = at.host.open({ repository: 'acme/docs' });
    at.host.failAt(/pulls/, fault);
    expect(await at.look(pull)).toEqual({ outcome: 'later', waitMs: null, reason });
    expect(at.logged.at(-1)).toMatchObject({
      event: 'code_host_looked',
      fields: { outcome: 'later', reason },
    });
    at.host.failAt(/pulls/, null);
    expect(await at.look(pull)).toMatchObject({ outcome: 'seen' });
  });

  test('later, if it hangs', async () => {
    await using at = await lookingAtGithub(50);
    const pull = at.host.open({ repository: 'acme/docs' });
    at.host.failAt(/pulls/, 'hang');
    expect(await at.look(pull)).toEqual({ outcome: 'later', waitMs: null, reason: 'unreachable' });
  });

  test('what hangs beside it costs only itself, and keeps its last value', async () => {
    await using at = await lookingAtGithub(500);
    const pull = at.host.open({ repository: 'acme/docs' });
    pull.check('build', 'success');
    const facts = await factsOf(at.look(pull));
    at.host.failAt(/check-runs/, 'hang');
    pull.review('alice', 'APPROVED');
    expect(await factsOf(at.look(pull))).toEqual({ ...facts, review: 'approved' });
    at.host.failAt(/check-runs/, null);
    const asked = at.host.requests.length;
    await at.look(pull);
    expect(new Set(statuses(at.host.requests.slice(asked)))).toEqual(new Set([304]));
  });

  test('nor does it leave the answers of ever more commits, while it fails', async () => {
    await using at = await lookingAtGithub();
    const pull = at.host.open({ repository: 'acme/docs' });
    at.host.failAt(/check-runs/, { status: 502 });
    const kept = async () => {
      const look = await at.look(pull);
      return look.outcome === 'seen' ? Object.keys(look.memory.responses).length : 0;
    };
    const answers = await kept();
    expect(answers).toBeGreaterThan(1);
    for (let commits = 0; commits < 3; commits += 1) {
      pull.push();
      expect(await kept()).toBe(answers);
    }
  });
});

describe('the limit of the host (P3)', () => {
  test('is left to others by half', async () => {
    await using at = await lookingAtGithub();
    const pull = at.host.open({ repository: 'acme/docs' });
    at.host.limit.remaining = 2_500;
    expect(await at.look(pull)).toMatchObject({ outcome: 'seen' });
    const asked = at.host.requests.length;
    expect(await at.look(pull)).toEqual({ outcome: 'later', waitMs: 3_600_000, reason: 'rate_limited' });
    expect(at.host.requests.length).toBe(asked);
    await at.clock.advanceTo(START_MS + 3_600_000);
    expect(await at.look(pull)).toMatchObject({ outcome: 'seen' });
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
    const pull = at.host.open({ repository: 'acme/docs' });
    const date = new Date(START_MS).toUTCString();
    at.host.failAt(/pulls/, { ...fault, headers: { date, ...('headers' in fault ? fault.headers : {}) } });
    expect(await at.look(pull)).toEqual({ outcome: 'later', waitMs, reason: 'rate_limited' });
    at.host.failAt(/pulls/, null);
    const asked = at.host.requests.length;
    expect(await at.look(pull)).toEqual({ outcome: 'later', waitMs, reason: 'rate_limited' });
    expect(at.host.requests.length).toBe(asked);
    await at.clock.advance(waitMs);
    expect(await at.look(pull)).toMatchObject({ outcome: 'seen' });
  });
});

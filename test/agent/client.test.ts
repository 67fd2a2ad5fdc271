import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type AgentApi, startAgentApi } from '../support/agent-api/agent-api.ts';
import type { Fault } from '../support/agent-api/fault.ts';
import { createTestClock } from '../support/test-clock.ts';
import { API_KEY, errorOf, failureOf, openClient } from './support.ts';

const clock = createTestClock(Date.UTC(2026, 0, 1));
let api: AgentApi;

beforeEach(async () => {
  const script = () => ({ workMs: 6_000, ending: 'pull_request' }) as const;
  api = await startAgentApi({ apiKey: API_KEY, projectId: 'docs', clock, script });
});

afterEach(() => api.close());

describe('a job from its prompt to its pull request', () => {
  test('is created, watched, followed up and watched again', async () => {
    await using client = openClient(api.baseUrl);

    const created = await client.createJob('docs', 'Explain "rate limits" – 日本語 😀');
    expect(created).toEqual({
      id: api.jobs[0]?.id,
      status: 'active',
      repository: 'acme/docs',
      ref: 'docs-agent/explain-rate-limits',
      model: 'docs-writer-1',
      prLink: null,
    });
    expect(await client.getJob('docs', created.id)).toEqual(created);

    await clock.advance(6_000);
    const finished = await client.getJob('docs', created.id);
    expect(finished).toMatchObject({ status: 'completed', prLink: 'https://github.com/acme/docs/pull/1' });

    const followedUp = await client.sendMessage('docs', created.id, 'Add an example');
    expect(followedUp).toMatchObject({ id: created.id, status: 'active' });
    expect(api.jobs[0]?.prompts).toEqual(['Explain "rate limits" – 日本語 😀', 'Add an example']);
  });
});

describe('what the API refuses was not done', () => {
  test('a project without a key is not asked for at all', async () => {
    await using client = openClient(api.baseUrl, { apiKeyOf: () => undefined });
    expect(await failureOf(client.createJob('docs', 'a'))).toMatchObject({
      outcome: 'definite',
      reason: 'unauthorized',
      message: 'the project docs is not in the settings',
    });
  });

  test('an unknown project, an unknown job, an empty prompt', async () => {
    await using client = openClient(api.baseUrl);
    const definite = { outcome: 'definite', retryAfterMs: null };
    expect(await failureOf(client.createJob('other', 'a'))).toMatchObject({
      ...definite,
      reason: 'not_found',
      message: 'Project not found',
    });
    expect(await failureOf(client.getJob('docs', 'job_0'))).toMatchObject({
      ...definite,
      reason: 'not_found',
      message: 'Job not found',
    });
    expect(await failureOf(client.createJob('docs', ''))).toMatchObject({
      ...definite,
      reason: 'rejected',
      status: 400,
    });
    expect(api.counts).toEqual({ create: 2, message: 0, cancel: 0, get: 1 });
  });

  test('a rate limit, with the wait that was asked for', async () => {
    await using client = openClient(api.baseUrl);
    api.failNext('create', { status: 429, headers: { 'retry-after': '120' } }, { status: 429 });
    const limited = { outcome: 'definite', reason: 'rate_limited', status: 429 };
    expect(await failureOf(client.createJob('docs', 'a'))).toMatchObject({
      ...limited,
      retryAfterMs: 120_000,
    });
    expect(await failureOf(client.createJob('docs', 'a'))).toMatchObject({ ...limited, retryAfterMs: null });
  });

  test.each([
    [403, 'unauthorized'],
    [409, 'rejected'],
    [413, 'rejected'],
    [422, 'rejected'],
  ])('status %i', async (status, reason) => {
    await using client = openClient(api.baseUrl);
    api.failNext('message', { status });
    expect(await failureOf(client.sendMessage('docs', 'job_0', 'a'))).toMatchObject({
      outcome: 'definite',
      reason,
      status,
    });
  });
});

describe('a prompt goes out once, and its fate is called unknown when it is', () => {
  const unknown: readonly (readonly [Fault, string, number | null])[] = [
    ['reset_before', 'unreachable', null],
    ['reset_after', 'unreachable', null],
    ['half_body', 'bad_answer', 201],
    ['html', 'bad_answer', 200],
    ['hang', 'unreachable', null],
    [{ status: 500 }, 'server_error', 500],
    [{ status: 503, headers: { 'retry-after': '1' } }, 'server_error', 503],
  ];

  test.each(unknown)('a create that meets %j', async (fault, reason, status) => {
    await using client = openClient(api.baseUrl, { timeoutMs: fault === 'hang' ? 300 : 5_000 });
    api.failNext('create', fault);
    expect(await failureOf(client.createJob('docs', 'a'))).toMatchObject({
      outcome: 'unknown',
      reason,
      status,
    });
    expect(api.counts.create).toBe(1);
  });

  test('a message that meets a reset', async () => {
    await using client = openClient(api.baseUrl);
    const { id } = await client.createJob('docs', 'a');
    api.failNext('message', 'reset_after');
    expect(await failureOf(client.sendMessage('docs', id, 'b'))).toMatchObject({ outcome: 'unknown' });
    expect(api.counts.message).toBe(1);
    expect(api.jobs[0]?.prompts).toEqual(['a', 'b']);
  });

  test('a 5xx keeps the wait that was asked for', async () => {
    await using client = openClient(api.baseUrl);
    api.failNext('create', { status: 503, headers: { 'retry-after': '30' } });
    expect(await failureOf(client.createJob('docs', 'a'))).toMatchObject({ retryAfterMs: 30_000 });
  });
});

describe('a job is read again when that may help', () => {
  test('after a reset and a 5xx', async () => {
    await using client = openClient(api.baseUrl);
    const job = await client.createJob('docs', 'a');
    api.failNext('get', 'reset_before', { status: 502, body: '<html>' });
    expect(await client.getJob('docs', job.id)).toEqual(job);
    expect(api.counts.get).toBe(3);
  });

  test('but not after a refusal, a rate limit, or when the API asked to wait', async () => {
    await using client = openClient(api.baseUrl);
    api.failNext('get', { status: 401 }, { status: 429 }, { status: 503, headers: { 'retry-after': '9' } });
    for (const reason of ['unauthorized', 'rate_limited', 'server_error']) {
      expect(await failureOf(client.getJob('docs', 'job_0'))).toMatchObject({ reason });
    }
    expect(api.counts.get).toBe(3);
  });
});

describe('what an error says', () => {
  test("the API's own words, trimmed, cut, and never with the key", async () => {
    await using client = openClient(api.baseUrl);
    const body = { error: `  The key ${API_KEY} is odd. ${'x'.repeat(600)}` };
    api.failNext('create', { status: 400, body });
    const error = await errorOf(client.createJob('docs', 'a'));
    expect(error.message).toBe(error.failure.message);
    expect(error.message).toMatch(/^The key … is odd\. x+$/);
    expect(error.message).toHaveLength(500);
  });

  test.each([{ error: { code: 7 } }, { error: '  ' }, { message: 'no' }, ['error'], 'oops', null])(
    'plain words when the API gives none: %j',
    async (body) => {
      await using client = openClient(api.baseUrl);
      api.failNext('create', { status: 400, body });
      const { message } = await failureOf(client.createJob('docs', 'a'));
      expect(message).toBe('the agent API answered with status 400');
    },
  );
});

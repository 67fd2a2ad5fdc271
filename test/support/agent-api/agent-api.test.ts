import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createTestClock, type TestClock } from '../test-clock.ts';
import { type AgentApi, startAgentApi } from './agent-api.ts';
import type { Script, TurnScript } from './scripted-job.ts';

const firstLink = 'https://github.com/acme/docs/pull/1';
let plans: Record<number, TurnScript>;
let clock: TestClock;
let api: AgentApi;

const script: Script = (_prompt, turn) => plans[turn] ?? { workMs: 10_000, ending: 'pull_request' };

beforeEach(async () => {
  plans = {};
  clock = createTestClock(Date.UTC(2026, 0, 1));
  api = await startAgentApi({ apiKey: 'key', projectId: 'docs', clock, script });
});

afterEach(() => api.close());

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

async function call(method: string, path: string, body?: unknown, apiKey = 'key'): Promise<Answer> {
  const response = await fetch(`${api.baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}

const create = (prompt = 'Fix the typo') => call('POST', '/v2/agent/docs/job', { prompt });
const jobPath = () => `/v2/agent/docs/job/${api.jobs[0]?.id}`;
const get = () => call('GET', jobPath());
const message = (prompt: string) => call('POST', `${jobPath()}/message`, { prompt });
const shown = async () => {
  const { status, prLink } = (await get()).body;
  return [status, prLink];
};

describe('the documented contract', () => {
  test('create answers 201 with an active job', async () => {
    expect(await create('Fix the Typo, please!')).toEqual({
      status: 201,
      body: {
        id: api.jobs[0]?.id,
        status: 'active',
        source: { repository: 'acme/docs', ref: 'docs-agent/fix-the-typo-please' },
        model: 'docs-writer-1',
        prLink: null,
        createdAt: '2026-01-01T00:00:00.000Z',
        archivedAt: null,
      },
    });
  });

  test('get and message answer 200 with the job', async () => {
    const created = await create();
    expect(await get()).toEqual({ ...created, status: 200 });
    expect(await message('More')).toEqual({ ...created, status: 200 });
  });

  test('errors', async () => {
    await create();
    const message = '/v2/agent/docs/job/job_0/message';
    expect(await call('GET', jobPath(), undefined, 'no')).toEqual({
      status: 401,
      body: { error: 'Invalid API key' },
    });
    expect((await call('POST', '/v2/agent/other/job', { prompt: 'a' })).status).toBe(404);
    expect((await call('GET', '/v2/agent/docs/job/job_0')).status).toBe(404);
    expect((await call('POST', message, { prompt: 'a' })).status).toBe(404);
    expect((await call('POST', '/v2/agent/docs/job', { prompt: '' })).status).toBe(400);
    expect((await call('POST', '/v2/agent/docs/job', {})).status).toBe(400);
    expect((await call('POST', `${jobPath()}/message`, { prompt: '' })).status).toBe(400);
    expect((await call('DELETE', jobPath())).status).toBe(404);
    expect(api.jobs.map(({ prompts }) => prompts)).toEqual([['Fix the typo']]);
  });

  test('all requests can be looked at', async () => {
    await create();
    await clock.advance(1_000);
    await get();
    expect(api.requests).toEqual([
      { method: 'POST', path: '/v2/agent/docs/job', prompt: 'Fix the typo', atMs: Date.UTC(2026, 0, 1) },
      { method: 'GET', path: jobPath(), prompt: null, atMs: Date.UTC(2026, 0, 1) + 1_000 },
    ]);
    expect(api.counts).toEqual({ create: 1, message: 0, cancel: 0, get: 1 });
  });
});

describe('a job follows its script', () => {
  test('a prompt that is refused makes no job', async () => {
    plans[1] = { workMs: 10_000, ending: 'pull_request', refusal: 'Too vague' };
    expect(await create()).toEqual({ status: 400, body: { error: 'Too vague' } });
    expect(api.jobs).toEqual([]);
  });

  test('a pull request when the work is done, another one for another job', async () => {
    await create();
    await clock.advance(9_999);
    expect(await shown()).toEqual(['active', null]);
    await clock.advance(1);
    expect(await shown()).toEqual(['completed', firstLink]);
    await create();
    await clock.advance(10_000);
    const second = await call('GET', `/v2/agent/docs/job/${api.jobs[1]?.id}`);
    expect(second.body.prLink).toBe('https://github.com/acme/docs/pull/2');
  });

  test.each([
    ['no_change', 'completed'],
    ['failure', 'failed'],
  ] as const)('%s', async (ending, status) => {
    plans[1] = { workMs: 1_000, ending };
    await create();
    await clock.advance(1_000);
    expect(await shown()).toEqual([status, null]);
  });

  test('after a follow-up the old status lingers, then the agent works, and the link stays', async () => {
    plans[2] = { workMs: 5_000, ending: 'pull_request', lagMs: 3_000 };
    await create();
    await clock.advance(20_000);
    await message('More');
    await clock.advance(2_999);
    expect(await shown()).toEqual(['completed', firstLink]);
    await clock.advance(1);
    expect(await shown()).toEqual(['active', null]);
    await clock.advance(5_000);
    expect(await shown()).toEqual(['completed', firstLink]);
  });

  test('the ends of its work are known in advance, without that of a turn which the next one follows at once', async () => {
    plans[2] = { workMs: 5_000, ending: 'pull_request' };
    plans[3] = { workMs: 5_000, ending: 'pull_request', lagMs: 20_000 };
    await create();
    const startMs = clock.now();
    await message('More');
    await message('And more');
    expect(api.jobs[0]?.endsAtMs).toEqual([startMs + 15_000, startMs + 25_000]);
  });

  test('a later turn may bring another link', async () => {
    plans[2] = { workMs: 5_000, ending: 'pull_request', prLink: 'https://github.com/acme/docs/pull/99' };
    await create();
    await clock.advance(10_000);
    await message('More');
    await clock.advance(5_000);
    expect(await shown()).toEqual(['completed', 'https://github.com/acme/docs/pull/99']);
  });

  test('a follow-up during the work is worked on afterwards', async () => {
    await create();
    await clock.advance(4_000);
    await message('More');
    await clock.advance(15_999);
    expect(await shown()).toEqual(['active', null]);
    await clock.advance(1);
    expect(await shown()).toEqual(['completed', firstLink]);
  });
});

describe('a job by hand', () => {
  const manual: TurnScript = { workMs: 0, ending: 'manual' };

  test('stays active until it is finished, and again after a follow-up', async () => {
    plans = { 1: manual, 2: manual };
    await create();
    const id = api.jobs[0]?.id ?? '';
    await clock.advance(1_000_000);
    expect(await shown()).toEqual(['active', null]);
    api.finish(id, { status: 'completed', prLink: 'https://example.com/1' });
    expect(await shown()).toEqual(['completed', 'https://example.com/1']);
    await message('More');
    expect(await shown()).toEqual(['active', null]);
    api.finish(id, { status: 'failed' });
    expect(await shown()).toEqual(['failed', 'https://example.com/1']);
    api.finish(id, { status: 'archived', prLink: null });
    expect((await get()).body).toMatchObject({
      prLink: null,
      archivedAt: new Date(clock.now()).toISOString(),
    });
  });

  test('can be shown with a status that nobody knows, or active with a link', async () => {
    await create();
    const id = api.jobs[0]?.id ?? '';
    api.finish(id, { status: 'paused' });
    expect(await shown()).toEqual(['paused', null]);
    api.finish(id, { status: 'active', prLink: firstLink });
    expect(await shown()).toEqual(['active', firstLink]);
    expect(() => api.finish('job_0', { status: 'failed' })).toThrow('no job job_0');
  });
});

describe('faults', () => {
  test('come once each, in order, for their kind of request only', async () => {
    await create();
    const teapot = { status: 418, body: { error: 'short and stout' }, headers: { 'retry-after': '3' } };
    api.failNext('get', teapot, { status: 500 });
    expect((await message('More')).status).toBe(200);
    expect(await get()).toEqual({ status: 418, body: { error: 'short and stout' } });
    expect((await get()).status).toBe(500);
    expect((await get()).status).toBe(200);
  });

  test.each([
    ['reset_before', 0],
    ['reset_after', 1],
    ['half_body', 1],
  ] as const)('%s: the create fails for the caller, and makes %i jobs', async (fault, jobs) => {
    api.failNext('create', fault);
    await expect(create()).rejects.toThrow();
    expect(api.jobs).toHaveLength(jobs);
  });

  test('html and plain statuses: nothing is processed', async () => {
    api.failNext('create', 'html', { status: 503 });
    await expect(create()).rejects.toThrow('not valid JSON');
    expect((await create()).body).toEqual({ error: 'status 503' });
    expect(api.jobs).toEqual([]);
  });

  test('hang: there is no answer until the server is closed', async () => {
    api.failNext('create', 'hang');
    const hanging = expect(create()).rejects.toThrow();
    await expect.poll(() => api.counts.create).toBe(1);
    await api.close();
    await hanging;
    expect(api.jobs).toEqual([]);
    api = await startAgentApi({ apiKey: 'key', projectId: 'docs', clock, script });
  });
});

test('the agent tells of a pull request when it is first seen, and after each further turn', async () => {
  const clock = createTestClock(Date.now());
  const told: string[] = [];
  const api = await startAgentApi({
    apiKey: 'key',
    projectId: 'docs',
    clock,
    script: () => ({ workMs: 10_000, ending: 'pull_request' }),
    onPullRequest: (link, { prompts }) => told.push(`${link} after ${prompts.length}`),
  });
  onTestFinished(() => api.close());
  const call = (path: string, prompt?: string) =>
    fetch(`${api.baseUrl}/v2/agent/docs/job${path}`, {
      headers: { authorization: 'Bearer key' },
      ...(prompt === undefined ? {} : { method: 'POST', body: JSON.stringify({ prompt }) }),
    });
  await call('', 'Add a quickstart');
  const job = `/${api.jobs[0]?.id}`;
  await call(job);
  expect(told).toEqual([]);
  await clock.advance(10_000);
  await call(job);
  await call(job);
  const first = 'https://github.com/acme/docs/pull/1 after 1';
  expect(told).toEqual([first]);
  await call(`${job}/message`, 'Mention npx');
  await clock.advance(10_000);
  await call(job);
  expect(told).toEqual([first, 'https://github.com/acme/docs/pull/1 after 2']);
});

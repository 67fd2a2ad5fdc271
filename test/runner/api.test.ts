import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { AS_CALLER, type RunnerWorld, startRunnerWorld } from './support/world.ts';

const JOBS = '/v2/agent/docs/job';
const PNG = 'iVBORw0KGgo=';
let world: RunnerWorld;

beforeAll(async () => {
  world = await startRunnerWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

/** Besides what `test/contract/agent-api` asks of each service. */
describe('the agent API of the runner', () => {
  test('creates a job, says what it can do besides, and creates no other when asked again almost a day later', async () => {
    const asCaller = { ...AS_CALLER, 'idempotency-key': 'hello' };
    const create = () => world.call('POST', JOBS, { prompt: 'Hello' }, asCaller);
    const { status, headers, body } = await create();
    expect([status, headers.get('agent-capabilities')]).toEqual([
      201,
      'idempotency, cancel, summary, activity, images',
    ]);
    expect(body).toEqual({
      id: expect.stringMatching(/^job_[0-9a-f]{24}$/),
      status: 'active',
      source: { repository: 'acme/docs', ref: null },
      model: 'scripted 1.0',
      prLink: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      archivedAt: null,
      summary: null,
      activity: null,
      reason: null,
      queued: 1,
    });
    expect(await world.rested(body.id)).toMatchObject({ status: 'completed', summary: 'Done.' });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 86_000_000 });
    onTestFinished(() => void vi.useRealTimers());
    expect((await create()).body).toEqual(body);
  });

  test.each([
    ['no key', 'POST', JOBS, { prompt: 'x' }, {}, 401],
    ['another project', 'POST', '/v2/agent/other/job', { prompt: 'x' }, AS_CALLER, 404],
    ['another path', 'GET', '/v2/agent/docs/jobs', undefined, AS_CALLER, 404],
    ['another method', 'DELETE', `${JOBS}/job_0`, undefined, AS_CALLER, 404],
    ['an empty prompt', 'POST', JOBS, { prompt: ' \n' }, AS_CALLER, 400],
    ['a long prompt', 'POST', JOBS, { prompt: 'x'.repeat(1_000_001) }, AS_CALLER, 400],
    ['a huge body', 'POST', JOBS, { prompt: 'x'.repeat(33 * 1024 * 1024) }, AS_CALLER, 413],
  ])('refuses %s, in words', async (_what, method, path, body, headers, status) => {
    const answer = await world.call(method, path, body, headers);
    expect([answer.status, typeof answer.body.error]).toEqual([status, 'string']);
  });

  test('passes images on to an agent that takes them', async () => {
    const images = [{ name: 'screen.png', mimeType: 'image/png', data: PNG }];
    const { body } = await world.call('POST', JOBS, { prompt: 'Look', images });
    await world.rested(body.id);
    expect(world.lastPrompt()).toBe('Look\n[image]');
  });
});

test('a limit of requests an hour is told with the time to wait', async () => {
  await using limited = await startRunnerWorld({ hourlyLimit: 2 });
  for (const prompt of ['One', 'Two']) await limited.create(prompt);
  const { status, headers, body } = await limited.call('POST', JOBS, { prompt: 'Three' });
  expect([status, body.error]).toEqual([429, 'The limit of 2 requests an hour is reached.']);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(3_500);
});

test('more than fifty messages of one job do not wait', async () => {
  const { id } = await world.create('hang');
  const add = () => world.message(id, 'More');
  const answers = await Promise.all(Array.from({ length: 60 }, add));
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(8);
  expect(refused[0]?.body.error).toBe('50 messages of this job wait already.');
  await world.call('POST', `${JOBS}/${id}/cancel`);
});

test('a command that is no ACP agent is told at the start', async () => {
  await expect(startRunnerWorld({ command: ['/bin/false'] })).rejects.toThrow(
    'The agent ended by itself: exit code 1 Check that "/bin/false" starts an ACP agent.',
  );
  await expect(startRunnerWorld({ command: ['no-such-agent'] })).rejects.toThrow(/ENOENT/);
});

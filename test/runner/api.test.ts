import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AS_CALLER, type RunnerWorld, startRunnerWorld } from './support/world.ts';

const JOBS = '/v2/agent/docs/job';
const PNG = 'iVBORw0KGgo=';
let world: RunnerWorld;

beforeAll(async () => {
  world = await startRunnerWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

describe('the agent API of the runner', () => {
  test('creates a job, and says what it can do besides', async () => {
    const { status, headers, body } = await world.call('POST', JOBS, { prompt: 'Hello' });
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
  });

  test.each([
    ['no key', 'POST', JOBS, { prompt: 'x' }, {}, 401],
    ['a wrong key', 'POST', JOBS, { prompt: 'x' }, { authorization: 'Bearer other' }, 401],
    ['another project', 'POST', '/v2/agent/other/job', { prompt: 'x' }, AS_CALLER, 404],
    ['an unknown job', 'GET', `${JOBS}/job_0`, undefined, AS_CALLER, 404],
    ['a message to an unknown job', 'POST', `${JOBS}/job_0/message`, { prompt: 'x' }, AS_CALLER, 404],
    ['a cancel of an unknown job', 'POST', `${JOBS}/job_0/cancel`, undefined, AS_CALLER, 404],
    ['another path', 'GET', '/v2/agent/docs/jobs', undefined, AS_CALLER, 404],
    ['another method', 'DELETE', `${JOBS}/job_0`, undefined, AS_CALLER, 404],
    ['no JSON', 'POST', JOBS, '{"prompt":', AS_CALLER, 400],
    ['no prompt', 'POST', JOBS, {}, AS_CALLER, 400],
    ['an empty prompt', 'POST', JOBS, { prompt: ' \n' }, AS_CALLER, 400],
    ['a prompt that is no text', 'POST', JOBS, { prompt: 1 }, AS_CALLER, 400],
    ['a long prompt', 'POST', JOBS, { prompt: 'x'.repeat(1_000_001) }, AS_CALLER, 400],
    ['a huge body', 'POST', JOBS, { prompt: 'x'.repeat(33 * 1024 * 1024) }, AS_CALLER, 413],
    [
      'an image of another kind',
      'POST',
      JOBS,
      { prompt: 'x', images: [{ name: 'a', mimeType: 'image/tiff', data: PNG }] },
      AS_CALLER,
      400,
    ],
    [
      'nine images',
      'POST',
      JOBS,
      { prompt: 'x', images: Array(9).fill({ name: 'a', mimeType: 'image/png', data: PNG }) },
      AS_CALLER,
      400,
    ],
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

  test('starts one job for an Idempotency-Key, however often it is asked, and refuses another body', async () => {
    const headers = { ...AS_CALLER, 'idempotency-key': 'call-1' };
    const ask = (prompt: string) => world.call('POST', JOBS, { prompt }, headers);
    const answers = await Promise.all([1, 2, 3].map(() => ask('Once')));
    const [first] = answers;
    expect(answers.map(({ status, body }) => [status, body.id])).toEqual(
      answers.map(() => [201, first?.body.id]),
    );
    expect((await ask('Twice')).status).toBe(422);
    const id = first?.body.id ?? '';
    const message = () => world.call('POST', `${JOBS}/${id}/message`, { prompt: 'More' }, headers);
    const [one, two] = [await message(), await message()];
    expect([one.status, two.body]).toEqual([200, one.body]);
    await world.rested(id);
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

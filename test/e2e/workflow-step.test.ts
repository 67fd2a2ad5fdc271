import { describe, expect, onTestFinished, test } from 'vitest';
import { parseConfig } from '../../src/app/config/config.ts';
import { createLogger } from '../../src/app/operations/logger.ts';
import { createService } from '../../src/app/service.ts';
import { includes, present } from '../support/is.ts';
import { alice, general, random } from '../support/local-slack.ts';
import { createTestDatabase, testServerUrl } from '../support/postgres.ts';
import { noFiles } from '../support/settings.ts';
import type { Program } from '../support/strict-slack/program.ts';
import { ASKS, cards, ended, endOf, linkOf, PR, SUCCESS, startWithWorkflows } from './support/steps.ts';

const MINUTE_MS = 60_000;

test('a step posts a card, starts a job, and lets the workflow go on (T1)', async () => {
  const program = await startWithWorkflows();
  const { api, slack, later } = program;
  const executionId = await slack.control.runStep({ ...ASKS, draft: null, wait: false, project: '' });
  const end = await ended(program, executionId);
  const [card] = await cards(program);
  expect(end).toEqual({ outputs: { thread: linkOf(card?.ts ?? ''), state: 'started', pull_request: '' } });
  await later(
    () => api.jobs[0]?.prompts,
    (prompts) => prompts?.[0] === 'Document release 2.1',
    'the job',
  );
  api.finish(0, { status: 'completed', prLink: PR });
  if (card) await program.threadMessage(card, 'Pull request ready');
  expect(slack.calls(SUCCESS)).toHaveLength(1);
});

test('a step that waits ends with the turn: with its pull request, or without one (T1)', async () => {
  const program = await startWithWorkflows();
  const { api, clock, slack } = program;
  const executionId = await slack.control.runStep({ ...ASKS, wait: 'true' });
  await program.later(() => api.jobs.length, 1, 'the job');
  await clock.advance(3 * 60 * MINUTE_MS);
  expect(slack.control.stepEnd(executionId)).toBeNull();
  api.finish(0, { status: 'completed', prLink: PR });
  expect(await ended(program, executionId)).toEqual({
    outputs: { thread: expect.any(String), state: 'pull_request', pull_request: PR },
  });
  const another = await slack.control.runStep({ ...ASKS, wait: true });
  await program.later(() => api.jobs.length, 2, 'the other job');
  api.finish(1, { status: 'completed' });
  expect(await ended(program, another)).toMatchObject({ outputs: { state: 'done', pull_request: '' } });
});

describe('a step that waits fails, in words for the author of the workflow (T1)', () => {
  async function waiting(): Promise<{ program: Program; executionId: string; card: { ts: string } }> {
    const program = await startWithWorkflows();
    const executionId = await program.slack.control.runStep({ ...ASKS, wait: true });
    const card = await program.later(async () => (await cards(program))[0], present, 'the card');
    await program.later(() => program.api.jobs.length, 1, 'the job');
    return { program, executionId, card: card ?? { ts: '' } };
  }

  test.each([
    ['failed', 'The job failed; the agent gave no reason.'],
    ['archived', 'The job was archived before there was a pull request.'],
  ] as const)('if the job %s', async (status, error) => {
    const { program, executionId } = await waiting();
    program.api.finish(0, { status });
    expect(await ended(program, executionId)).toEqual({ error });
  });

  test('if nobody watches it any more', async () => {
    const { program, executionId, card } = await waiting();
    const [shown] = await cards(program);
    if (shown === undefined) throw new Error('there is no card');
    await program.threadMessage(shown, 'On it');
    await program.slack.control.press(shown, 'show_job', alice);
    await program.later(
      () => JSON.stringify(program.slack.control.modal(alice)?.blocks ?? []),
      includes('stop_watching'),
      'the details',
    );
    await program.slack.control.pressInView(alice, 'stop_watching');
    expect(await ended(program, executionId)).toEqual({
      error: expect.stringMatching(/^Somebody stopped watching the job.* See https:.*p\d+\.$/),
    });
    expect(card.ts).toBe(shown.ts);
  });

  test('if the agent does not accept the request, with its words', async () => {
    const program = await startWithWorkflows();
    program.api.failNext('create', { status: 400, body: { error: 'Too <vague>' } });
    expect(await endOf(program, { ...ASKS, wait: true })).toEqual({
      error: "The agent didn't accept the request. It says: Too <vague>",
    });
  });

  test('if the start is unclear, with the thread', async () => {
    const program = await startWithWorkflows();
    program.api.failNext('create', 'reset_after');
    expect(await endOf(program, { ...ASKS, wait: true })).toEqual({
      error: expect.stringMatching(/^Nobody could confirm the start. See https:.*p\d+\.$/),
    });
  });
});

describe('a step that asks for what cannot be had fails at once, and nothing is posted (T1)', () => {
  test.each([
    [{ ...ASKS, request: ' \n' }, 'The request is empty.'],
    [{ channel: general }, 'The request is empty.'],
    [{ ...ASKS, request: 7 }, "The step's input “request” can't be read."],
    [
      { ...ASKS, request: 'x'.repeat(20_001) },
      'The request is too long: 20,001 characters; the limit is 20,000.',
    ],
    [{ request: 'Document it' }, 'The step needs a channel.'],
    [{ ...ASKS, channel: '#general' }, "The step's input “channel” can't be read."],
    [{ ...ASKS, project: 'handbok' }, "There's no project “handbok”. Available: acme-docs."],
    [{ ...ASKS, wait: 'maybe' }, "The step's input “wait” can't be read."],
    // An id by itself may be anybody's.
    [{ ...ASKS, person: alice }, "The step's input “person” can't be read."],
    [
      { ...ASKS, channel: random },
      "Workflows can't start jobs in that channel. Ask an administrator of docs-agent.",
    ],
  ])('%j', async (inputs, error) => {
    const program = await startWithWorkflows();
    expect(await endOf(program, inputs)).toEqual({ error });
    await program.clock.advance(MINUTE_MS);
    expect(await program.slack.control.messages(general)).toEqual([]);
    expect(program.api.jobs).toEqual([]);
  });
});

describe('who may (T1)', () => {
  const person = { id: alice, secret: 'hush' };

  test('the person who started the workflow asks, as if it were a command, wherever that person may', async () => {
    const program = await startWithWorkflows({ configFile: '' });
    const executionId = await program.slack.control.runStep({ ...ASKS, person });
    expect(await ended(program, executionId)).toMatchObject({ outputs: { state: 'started' } });
    const [card] = await cards(program);
    expect(JSON.stringify(card?.blocks)).toContain('alice');
    expect(program.log.join('')).not.toContain('hush');
  });

  test('a person who may not use docs-agent may not by a workflow, either', async () => {
    const program = await startWithWorkflows({
      configFile: `access: { users: [U0BOB] }\nworkflows: { channels: [${general}] }`,
    });
    expect(await endOf(program, { ...ASKS, person })).toEqual({
      error:
        "The person who started the workflow can't use docs-agent in that channel: only certain people. " +
        'Ask an administrator of docs-agent.',
    });
    expect(await cards(program)).toEqual([]);
  });

  test('without a person, no channel is open that the settings do not name', async () => {
    const program = await startWithWorkflows({ configFile: '' });
    expect(await endOf(program, ASKS)).toMatchObject({
      error: expect.stringContaining("can't start jobs"),
    });
  });

  test('in a channel without the bot, the step says how to invite it', async () => {
    const program = await startWithWorkflows({ configFile: `workflows: { channels: [${random}] }` });
    expect(await endOf(program, { ...ASKS, channel: random })).toEqual({
      error: "docs-agent isn't in that channel. Invite it with /invite @docs-agent.",
    });
  });
});

describe('delivered several times, late or in turns, a step makes one job and is completed once (T1)', () => {
  test.each([1, 2, 3, 4])('%i copies at once', async (copies) => {
    const program = await startWithWorkflows();
    program.slack.onDelivery(({ kind }) => (kind === 'event' ? copies : 1));
    const ids = [await program.slack.control.runStep(ASKS), await program.slack.control.runStep(ASKS)];
    for (const id of ids) expect(await ended(program, id)).toMatchObject({ outputs: { state: 'started' } });
    await program.clock.advance(10 * MINUTE_MS);
    expect(await cards(program)).toHaveLength(2);
    expect(program.api.jobs).toHaveLength(2);
    expect(program.slack.calls(SUCCESS)).toHaveLength(2);
  });

  test('an event that gets lost twice arrives later, behind a younger one', async () => {
    const program = await startWithWorkflows();
    program.slack.onDelivery(({ kind, attempt }) => (kind === 'event' && attempt < 2 ? 0 : 1));
    const first = await program.slack.control.runStep(ASKS);
    program.slack.onDelivery(({ attempt }) => (attempt === 1 ? 0 : 1));
    const second = await program.slack.control.runStep(ASKS);
    expect(await ended(program, second)).toMatchObject({ outputs: { state: 'started' } });
    expect(await ended(program, first)).toMatchObject({ outputs: { state: 'started' } });
    expect(program.api.jobs.length).toBeLessThanOrEqual(2);
    expect(await cards(program)).toHaveLength(2);
  });

  test('over a restart before the completion, and one after it', async () => {
    const program = await startWithWorkflows();
    let isDown = true;
    program.slack.onCall(({ method }) => (isDown && method === SUCCESS ? { status: 503 } : null));
    const executionId = await program.slack.control.runStep(ASKS);
    await program.later(() => program.slack.calls(SUCCESS).length, Boolean, 'a try');
    await program.restart();
    isDown = false;
    expect(await ended(program, executionId)).toMatchObject({ outputs: { state: 'started' } });
    const tries = program.slack.calls(SUCCESS).length;
    await program.restart();
    await program.clock.advance(10 * MINUTE_MS);
    expect(program.slack.calls(SUCCESS)).toHaveLength(tries);
    expect(await cards(program)).toHaveLength(1);
  });

  test.skipIf(testServerUrl === undefined)('by two replicas on Postgres', async () => {
    const database = await createTestDatabase(testServerUrl ?? '');
    onTestFinished(() => database.drop());
    const program = await startWithWorkflows({ settings: { DATABASE_URL: database.url } });
    const log = createLogger({ level: 'debug', destination: { write: () => {} } });
    const configFile = `workflows: { channels: [${general}] }`;
    const readFile = (path: string) => (path.endsWith('.yml') ? configFile : noFiles(path));
    const config = parseConfig({ ...program.env, PORT: '0' }, readFile);
    const replica = createService(config, { clock: program.clock, log });
    await replica.start();
    onTestFinished(() => replica.stop());
    program.slack.control.letBotComplete(false);
    program.slack.onDelivery(({ kind }) => (kind === 'event' ? 3 : 1));
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) ids.push(await program.slack.control.runStep(ASKS));
    for (const id of ids) expect(await ended(program, id)).toMatchObject({ outputs: { state: 'started' } });
    expect(await cards(program)).toHaveLength(5);
    expect(program.slack.calls(SUCCESS)).toHaveLength(5);
  });
});

test('a step of the app that the program does not know is none of its business', async () => {
  const program = await startWithWorkflows();
  const executionId = await program.slack.control.runStep(ASKS, 'another_step');
  await program.clock.advance(10 * MINUTE_MS);
  expect(program.slack.control.stepEnd(executionId)).toBeNull();
  expect(program.slack.deliveries().filter(({ kind }) => kind === 'event')).toHaveLength(1);
  expect(await cards(program)).toEqual([]);
});

test('a request in a workflow is quoted as data: it pings nobody and breaks nothing (T1, E3)', async () => {
  const program = await startWithWorkflows();
  const request = '<!channel> ignore the above & </@U0BOB> *bold*\u0000';
  const executionId = await program.slack.control.runStep({ ...ASKS, request });
  await ended(program, executionId);
  const [card] = await program.slack.control.messages(general);
  expect(card?.text).not.toContain('<!channel>');
  expect(JSON.stringify(card?.blocks)).not.toContain('<!channel>');
});

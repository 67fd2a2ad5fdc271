import { describe, expect, onTestFinished, test } from 'vitest';
import { parseConfig } from '../../src/app/config/config.ts';
import { createLogger } from '../../src/app/operations/logger.ts';
import { createService } from '../../src/app/service.ts';
import { alice, general, random } from '../support/local-slack.ts';
import { createTestDatabase, testServerUrl } from '../support/postgres.ts';
import { noFiles } from '../support/settings.ts';
import { type Program, type ProgramOptions, startProgram } from '../support/strict-slack/program.ts';
import type { StepEnd } from '../support/strict-slack/steps.ts';
import type { StrictFault } from '../support/strict-slack/web-api.ts';

const MINUTE_MS = 60_000;
const PR = 'https://github.com/acme/docs/pull/14';
const SUCCESS = 'functions.completeSuccess';
const ERROR = 'functions.completeError';
const ASKS = { request: 'Document release 2.1', channel: general };

async function start(options: ProgramOptions = {}): Promise<Program> {
  const configFile = `workflows: { channels: [${general}] }`;
  const program = await startProgram({ configFile, ...options });
  onTestFinished(() => program[Symbol.asyncDispose]());
  return program;
}

async function ended({ later, slack }: Program, executionId: string): Promise<StepEnd> {
  const end = await later(
    () => slack.control.stepEnd(executionId),
    (now) => now !== null,
    'the step to end',
  );
  if (end === null) throw new Error('the step has not ended');
  return end;
}

const errorOf = async (program: Program, inputs: Readonly<Record<string, unknown>>) =>
  ended(program, await program.slack.control.runStep(inputs));

const cards = async ({ slack }: Program) =>
  (await slack.control.messages(general)).filter(({ text }) => text.includes('Document release 2.1'));

const events = ({ log }: Program, name: string) =>
  log.filter((line) => line.includes(`"event":"${name}"`)).map((line) => JSON.parse(line));

const linkOf = (ts: string) =>
  expect.stringMatching(new RegExp(`^https://.+/archives/${general}/p${ts.replace('.', '')}`));

test('a step posts a card, starts a job, and lets the workflow go on (T1)', async () => {
  const program = await start();
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
  api.finish(api.jobs[0]?.id ?? '', { status: 'completed', prLink: PR });
  if (card) await program.threadMessage(card, 'Pull request ready');
  expect(slack.calls(SUCCESS)).toHaveLength(1);
});

test('a step that waits ends with the turn: with its pull request, or without one (T1)', async () => {
  const program = await start();
  const { api, clock, slack } = program;
  const executionId = await slack.control.runStep({ ...ASKS, wait: 'true' });
  await program.later(
    () => api.jobs.length,
    (count) => count === 1,
    'the job',
  );
  await clock.advance(3 * 60 * MINUTE_MS);
  expect(slack.control.stepEnd(executionId)).toBeNull();
  api.finish(api.jobs[0]?.id ?? '', { status: 'completed', prLink: PR });
  expect(await ended(program, executionId)).toEqual({
    outputs: { thread: expect.any(String), state: 'pull_request', pull_request: PR },
  });
  const another = await slack.control.runStep({ ...ASKS, wait: true });
  await program.later(
    () => api.jobs.length,
    (count) => count === 2,
    'the other job',
  );
  api.finish(api.jobs[1]?.id ?? '', { status: 'completed' });
  expect(await ended(program, another)).toMatchObject({ outputs: { state: 'done', pull_request: '' } });
});

describe('a step that waits fails, in words for the author of the workflow (T1)', () => {
  async function waiting(): Promise<{ program: Program; executionId: string; card: { ts: string } }> {
    const program = await start();
    const executionId = await program.slack.control.runStep({ ...ASKS, wait: true });
    const card = await program.later(
      async () => (await cards(program))[0],
      (found) => found !== undefined,
      'the card',
    );
    await program.later(
      () => program.api.jobs.length,
      (count) => count === 1,
      'the job',
    );
    return { program, executionId, card: card ?? { ts: '' } };
  }

  test.each([
    ['failed', 'The job failed; the agent gave no reason.'],
    ['archived', 'The job was archived before there was a pull request.'],
  ] as const)('if the job %s', async (status, error) => {
    const { program, executionId } = await waiting();
    program.api.finish(program.api.jobs[0]?.id ?? '', { status });
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
      (modal) => modal.includes('stop_watching'),
      'the details',
    );
    await program.slack.control.pressInView(alice, 'stop_watching');
    expect(await ended(program, executionId)).toEqual({
      error: expect.stringMatching(/^Somebody stopped watching the job.* See https:.*p\d+\.$/),
    });
    expect(card.ts).toBe(shown.ts);
  });

  test('if the agent does not accept the request, with its words', async () => {
    const program = await start();
    program.api.failNext('create', { status: 400, body: { error: 'Too <vague>' } });
    expect(await errorOf(program, { ...ASKS, wait: true })).toEqual({
      error: "The agent didn't accept the request. It says: Too <vague>",
    });
  });

  test('if the start is unclear, with the thread', async () => {
    const program = await start();
    program.api.failNext('create', 'reset_after');
    expect(await errorOf(program, { ...ASKS, wait: true })).toEqual({
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
    const program = await start();
    expect(await errorOf(program, inputs)).toEqual({ error });
    await program.clock.advance(MINUTE_MS);
    expect(await program.slack.control.messages(general)).toEqual([]);
    expect(program.api.jobs).toEqual([]);
  });
});

describe('who may (T1)', () => {
  const person = { id: alice, secret: 'hush' };

  test('the person who started the workflow asks, as if it were a command, wherever that person may', async () => {
    const program = await start({ configFile: '' });
    const executionId = await program.slack.control.runStep({ ...ASKS, person });
    expect(await ended(program, executionId)).toMatchObject({ outputs: { state: 'started' } });
    const [card] = await cards(program);
    expect(JSON.stringify(card?.blocks)).toContain('alice');
    expect(program.log.join('')).not.toContain('hush');
  });

  test('a person who may not use docs-agent may not by a workflow, either', async () => {
    const program = await start({
      configFile: `access: { users: [U0BOB] }\nworkflows: { channels: [${general}] }`,
    });
    expect(await errorOf(program, { ...ASKS, person })).toEqual({
      error:
        "The person who started the workflow can't use docs-agent in that channel: only certain people. " +
        'Ask an administrator of docs-agent.',
    });
    expect(await cards(program)).toEqual([]);
  });

  test('without a person, no channel is open that the settings do not name', async () => {
    const program = await start({ configFile: '' });
    expect(await errorOf(program, ASKS)).toMatchObject({
      error: expect.stringContaining("can't start jobs"),
    });
  });

  test('in a channel without the bot, the step says how to invite it', async () => {
    const program = await start({ configFile: `workflows: { channels: [${random}] }` });
    expect(await errorOf(program, { ...ASKS, channel: random })).toEqual({
      error: "docs-agent isn't in that channel. Invite it with /invite @docs-agent.",
    });
  });
});

describe('delivered several times, late or in turns, a step makes one job and is completed once (T1)', () => {
  test.each([1, 2, 3, 4])('%i copies at once', async (copies) => {
    const program = await start();
    program.slack.onDelivery(({ kind }) => (kind === 'event' ? copies : 1));
    const ids = [await program.slack.control.runStep(ASKS), await program.slack.control.runStep(ASKS)];
    for (const id of ids) expect(await ended(program, id)).toMatchObject({ outputs: { state: 'started' } });
    await program.clock.advance(10 * MINUTE_MS);
    expect(await cards(program)).toHaveLength(2);
    expect(program.api.jobs).toHaveLength(2);
    expect(program.slack.calls(SUCCESS)).toHaveLength(2);
  });

  test('an event that gets lost twice arrives later, behind a younger one', async () => {
    const program = await start();
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
    const program = await start();
    let isDown = true;
    program.slack.onCall(({ method }) => (isDown && method === SUCCESS ? { status: 503 } : null));
    const executionId = await program.slack.control.runStep(ASKS);
    await program.later(
      () => program.slack.calls(SUCCESS).length,
      (count) => count > 0,
      'a try',
    );
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
    const program = await start({ settings: { DATABASE_URL: database.url } });
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

describe('what Slack answers to a completion (T1)', () => {
  /** Runs a step whose completion meets these faults, one each. */
  async function completed(faults: readonly StrictFault[], method = SUCCESS) {
    const program = await start();
    const left = [...faults];
    program.slack.onCall((call) => (call.method === method ? (left.shift() ?? null) : null));
    const executionId = await program.slack.control.runStep(ASKS);
    return { program, executionId };
  }
  const outcomes = (program: Program) => events(program, 'step_completed').map(({ outcome }) => outcome);
  const tokens = ({ slack }: Program) => slack.calls(SUCCESS).map(({ token }) => token?.slice(0, 5));

  test.each([
    'token_expired',
    'token_revoked',
    'invalid_auth',
    'account_inactive',
    'not_allowed_token_type',
    'access_denied',
  ])('%s to the token of the event: the token of the bot is tried at once', async (error) => {
    const { program, executionId } = await completed([{ error }]);
    expect(await ended(program, executionId)).toMatchObject({ outputs: { state: 'started' } });
    expect(tokens(program)).toEqual(['xwfp-', 'xoxb-']);
    await expect
      .poll(() => events(program, 'step_completed'))
      .toMatchObject([{ outcome: 'done', by: 'bot' }]);
    expect(events(program, 'slack_needs_admin')).toEqual([]);
  });

  test.each(['function_execution_not_found'])('%s: logged, and not tried again', async (error) => {
    const { program, executionId } = await completed([{ error }]);
    await program.later(
      () => outcomes(program),
      (found) => found.length > 0,
      'the outcome',
    );
    await program.clock.advance(60 * MINUTE_MS);
    expect(outcomes(program)).toEqual(['refused']);
    expect(program.slack.calls(SUCCESS)).toHaveLength(1);
    expect(program.slack.control.stepEnd(executionId)).toBeNull();
  });

  test('access_denied to both tokens: logged, and no trouble of the workspace', async () => {
    const { program } = await completed([{ error: 'access_denied' }, { error: 'access_denied' }]);
    await program.later(
      () => outcomes(program),
      (found) => found.length > 0,
      'the outcome',
    );
    await program.clock.advance(60 * MINUTE_MS);
    expect(outcomes(program)).toEqual(['refused']);
    expect(tokens(program)).toEqual(['xwfp-', 'xoxb-']);
    expect(events(program, 'slack_needs_admin')).toEqual([]);
  });

  test('execution_not_in_running_state: done', async () => {
    const { program } = await completed([{ error: 'execution_not_in_running_state' }]);
    await program.later(
      () => events(program, 'step_completed'),
      (found) => found.length > 0,
      'the outcome',
    );
    expect(events(program, 'step_completed')).toMatchObject([{ outcome: 'done', by: 'over' }]);
  });

  test('parameter_validation_failed: once more without what is empty', async () => {
    const { program, executionId } = await completed([{ error: 'parameter_validation_failed' }]);
    expect(await ended(program, executionId)).toEqual({
      outputs: { thread: expect.any(String), state: 'started' },
    });
    expect(tokens(program)).toEqual(['xwfp-', 'xwfp-']);
  });

  test('the same twice: logged, and not tried again', async () => {
    const error = 'parameter_validation_failed';
    const { program } = await completed([{ error }, { error }, { error }, { error }]);
    await program.later(
      () => outcomes(program),
      (found) => found.length > 0,
      'the outcome',
    );
    await program.clock.advance(60 * MINUTE_MS);
    expect(outcomes(program)).toEqual(['refused']);
    expect(program.slack.calls(SUCCESS)).toHaveLength(2);
  });

  test.each<[what: string, fault: StrictFault]>([
    ['a rate limit', { status: 429, headers: { 'retry-after': '3' } }],
    ['a server error', { status: 500 }],
    ['an error of its own', { error: 'internal_error' }],
    ['a broken connection', 'reset_before'],
    ['a code that nobody knows', { error: 'step_is_sleepy' }],
  ])('%s: tried again', async (_what, fault) => {
    const { program, executionId } = await completed([fault, fault]);
    expect(await ended(program, executionId)).toMatchObject({ outputs: { state: 'started' } });
    expect(program.slack.calls(SUCCESS)).toHaveLength(3);
    expect(await cards(program)).toHaveLength(1);
  });

  test('none, though it took the completion: it is repeated, and changes nothing', async () => {
    const { program } = await completed(['reset_after']);
    await program.later(
      () => outcomes(program),
      (found) => found.includes('done'),
      'the outcome',
    );
    expect(outcomes(program)).toEqual(['unknown', 'done']);
  });

  test('an error of the step is completed by the bot, too, and if Slack is away, the event comes again', async () => {
    const program = await start({ configFile: '' });
    const faults: StrictFault[] = [{ status: 503 }, { error: 'token_expired' }];
    program.slack.onCall(({ method }) => (method === ERROR ? (faults.shift() ?? null) : null));
    const running = program.slack.control.runStep(ASKS);
    await program.later(
      () => program.slack.calls(ERROR).length,
      (count) => count > 0,
      'a try',
    );
    await program.clock.advance(3_000);
    const end = await ended(program, await running);
    expect(end).toMatchObject({ error: expect.stringContaining("can't start jobs") });
    expect(program.slack.calls(ERROR).map(({ token }) => token?.slice(0, 5))).toEqual([
      'xwfp-',
      'xwfp-',
      'xoxb-',
    ]);
    expect(await cards(program)).toEqual([]);
  });
});

test('the token of a step is used for 15 minutes, then the bot’s; it is never logged (T1)', async () => {
  const program = await start();
  const { api, clock, slack } = program;
  const early = await slack.control.runStep({ ...ASKS, wait: true });
  const late = await slack.control.runStep({ ...ASKS, wait: true });
  await program.later(
    () => api.jobs.length,
    (count) => count === 2,
    'the jobs',
  );
  const [first, second] = api.jobs;
  api.finish(first?.id ?? '', { status: 'completed' });
  const isEarly = slack.control.stepEnd(early) ?? (await Promise.race([ended(program, early)]));
  expect(isEarly).toMatchObject({ outputs: { state: 'done' } });
  await clock.advance(16 * MINUTE_MS);
  api.finish(second?.id ?? '', { status: 'completed' });
  expect(await ended(program, late)).toMatchObject({ outputs: { state: 'done' } });
  expect(slack.calls(SUCCESS).map(({ token }) => token?.slice(0, 5))).toEqual(['xwfp-', 'xoxb-']);
  expect(program.log.join('')).not.toMatch(/xwfp-Fx/);
});

test('a step of the app that the program does not know is none of its business', async () => {
  const program = await start();
  const executionId = await program.slack.control.runStep(ASKS, 'another_step');
  await program.clock.advance(10 * MINUTE_MS);
  expect(program.slack.control.stepEnd(executionId)).toBeNull();
  expect(program.slack.deliveries().filter(({ kind }) => kind === 'event')).toHaveLength(1);
  expect(await cards(program)).toEqual([]);
});

test('a request in a workflow is quoted as data: it pings nobody and breaks nothing (T1, E3)', async () => {
  const program = await start();
  const request = '<!channel> ignore the above & </@U0BOB> *bold*\u0000';
  const executionId = await program.slack.control.runStep({ ...ASKS, request });
  await ended(program, executionId);
  const [card] = await program.slack.control.messages(general);
  expect(card?.text).not.toContain('<!channel>');
  expect(JSON.stringify(card?.blocks)).not.toContain('<!channel>');
});

describe('a step that asks for a draft (T1)', () => {
  const drafts = async (program: Program) =>
    (await program.slack.control.messages(general)).filter(({ text }) => text.includes('Draft'));

  async function drafted(program: Program, inputs: object = {}) {
    const executionId = await program.slack.control.runStep({ ...ASKS, draft: true, ...inputs });
    const [draft] = await program.later(
      () => drafts(program),
      (found) => found.length > 0,
      'the draft',
    );
    if (draft === undefined) throw new Error('there is no draft');
    return { executionId, draft };
  }

  test('lets the workflow go on when the draft is posted; nothing goes to the agent before somebody starts it', async () => {
    const program = await start();
    const { executionId, draft } = await drafted(program);
    expect(await ended(program, executionId)).toEqual({
      outputs: { thread: linkOf(draft.ts), state: 'draft', pull_request: '' },
    });
    expect(draft.text).toContain('from workflow');
    await program.clock.advance(60 * MINUTE_MS);
    expect(program.api.jobs).toEqual([]);
    await program.slack.control.press(draft, 'start_draft', alice);
    await program.later(
      () => program.api.jobs.length,
      (count) => count === 1,
      'the job',
    );
    expect(program.slack.calls(SUCCESS)).toHaveLength(1);
  });

  test('and waits for the end waits for the draft, too', async () => {
    const program = await start();
    const { executionId, draft } = await drafted(program, { wait: true });
    await program.clock.advance(60 * MINUTE_MS);
    expect(program.slack.control.stepEnd(executionId)).toBeNull();
    await program.slack.control.press(draft, 'start_draft', alice);
    await program.later(
      () => program.api.jobs.length,
      (count) => count === 1,
      'the job',
    );
    program.api.finish(program.api.jobs[0]?.id ?? '', { status: 'completed', prLink: PR });
    expect(await ended(program, executionId)).toEqual({
      outputs: { thread: linkOf(draft.ts), state: 'pull_request', pull_request: PR },
    });
  });

  test('and waits fails if somebody dismisses the draft, with the name', async () => {
    const program = await start();
    const { executionId, draft } = await drafted(program, { wait: true });
    await program.slack.control.press(draft, 'dismiss_draft', alice);
    expect(await ended(program, executionId)).toEqual({ error: 'Dismissed by alice.' });
  });

  test('fails in a channel without the bot, whether it waits or not', async () => {
    const program = await start({ configFile: `workflows: { channels: [${random}] }` });
    for (const wait of [true, false]) {
      expect(await errorOf(program, { ...ASKS, channel: random, draft: true, wait })).toEqual({
        error: "docs-agent isn't in that channel. Invite it with /invite @docs-agent.",
      });
    }
  });
});

import { describe, expect, test } from 'vitest';
import { includes, some } from '../support/is.ts';
import type { Program } from '../support/strict-slack/program.ts';
import type { StrictFault } from '../support/strict-slack/web-api.ts';
import {
  ASKS,
  cards,
  ERROR,
  ended,
  events,
  runIntoFault,
  SUCCESS,
  startWithWorkflows,
} from './support/steps.ts';

const MINUTE_MS = 60_000;

describe('what Slack answers to a completion (T1)', () => {
  /** Runs a step whose completion meets these faults, one each. */
  async function completed(faults: readonly StrictFault[], method = SUCCESS) {
    const program = await startWithWorkflows();
    const left = [...faults];
    program.slack.onCall((call) => (call.method === method ? (left.shift() ?? null) : null));
    const executionId = await program.slack.control.runStep(ASKS);
    return { program, executionId };
  }
  const outcomes = (program: Program) => events(program, 'step_completed').map(({ outcome }) => outcome);
  const expectRefusedForGood = async (program: Program) => {
    await program.later(() => outcomes(program), some, 'the outcome');
    program.clock.freeze(59 * MINUTE_MS);
    await program.clock.advance(MINUTE_MS);
    expect(outcomes(program)).toEqual(['refused']);
  };
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
    await expectRefusedForGood(program);
    expect(program.slack.calls(SUCCESS)).toHaveLength(1);
    expect(program.slack.control.stepEnd(executionId)).toBeNull();
  });

  test('access_denied to both tokens: logged, and no trouble of the workspace', async () => {
    const { program } = await completed([{ error: 'access_denied' }, { error: 'access_denied' }]);
    await expectRefusedForGood(program);
    expect(tokens(program)).toEqual(['xwfp-', 'xoxb-']);
    expect(events(program, 'slack_needs_admin')).toEqual([]);
  });

  test('execution_not_in_running_state: done', async () => {
    const { program } = await completed([{ error: 'execution_not_in_running_state' }]);
    await program.later(() => events(program, 'step_completed'), some, 'the outcome');
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
    await expectRefusedForGood(program);
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
    await program.later(() => outcomes(program), includes('done'), 'the outcome');
    expect(outcomes(program)).toEqual(['unknown', 'done']);
  });

  test('an error of the step is completed by the bot, too, and if Slack is away, the event comes again', async () => {
    const program = await startWithWorkflows({ configFile: '' });
    const faults: StrictFault[] = [{ status: 503 }, { error: 'token_expired' }];
    const executionId = await runIntoFault(program, () => faults.shift() ?? null);
    const end = await ended(program, executionId);
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
  const program = await startWithWorkflows();
  const { api, clock, slack } = program;
  const runStep = async (jobs: number) => {
    const executionId = await slack.control.runStep({ ...ASKS, wait: true });
    await program.later(() => api.jobs.length, jobs, 'the job');
    return executionId;
  };
  const early = await runStep(1);
  const late = await runStep(2);
  const [first, second] = api.jobs;
  api.finish(first?.id ?? '', { status: 'completed' });
  expect(await ended(program, early)).toMatchObject({ outputs: { state: 'done' } });
  await clock.advance(16 * MINUTE_MS);
  api.finish(second?.id ?? '', { status: 'completed' });
  expect(await ended(program, late)).toMatchObject({ outputs: { state: 'done' } });
  expect(slack.calls(SUCCESS).map(({ token }) => token?.slice(0, 5))).toEqual(['xwfp-', 'xoxb-']);
  expect(program.log.join('')).not.toMatch(/xwfp-Fx/);
});

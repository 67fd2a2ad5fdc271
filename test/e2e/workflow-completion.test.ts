import { describe, expect, test } from 'vitest';
import { includes, some } from '../support/is.ts';
import { general } from '../support/local-slack.ts';
import type { StrictFault } from '../support/strict-slack/web-api.ts';
import { ALLOWED, ERROR, SUCCESS, startWithWorkflows } from './support/steps.ts';

const MINUTE_MS = 60_000;
const STARTED = { outputs: { state: 'started' } };

/** A program whose calls of the method meet these faults, one each. */
async function start(configFile = ALLOWED) {
  const world = await startWithWorkflows({ configFile });
  return Object.assign(world, {
    outcomes: () => world.events('step_completed').map(({ outcome }) => outcome),
    meet: (faults: readonly StrictFault[], method = SUCCESS) => {
      const left = [...faults];
      world.slack.onCall((call) => (call.method === method ? (left.shift() ?? null) : null));
    },
  });
}

describe('what Slack answers to a completion (T1)', () => {
  test('that the token of the event is not taken: the token of the bot is tried at once', async () => {
    await using world = await start();
    const errors = ['token_expired', 'token_revoked', 'invalid_auth', 'account_inactive'];
    for (const error of [...errors, 'not_allowed_token_type', 'access_denied']) {
      world.meet([{ error }]);
      expect(await world.endOf(), error).toMatchObject(STARTED);
      expect(world.tokens().slice(-2), error).toEqual(['xwfp-', 'xoxb-']);
    }
    await expect.poll(world.outcomes).toEqual(Array(6).fill('done'));
    for (const { by } of world.events('step_completed')) expect(by).toBe('bot');
    expect(world.events('slack_needs_admin')).toEqual([]);
  });

  test.each<[what: string, errors: string[], calls: string[]]>([
    ['that there is no such execution', ['function_execution_not_found'], ['xwfp-']],
    ['access_denied to both tokens', ['access_denied', 'access_denied'], ['xwfp-', 'xoxb-']],
    ['twice that it is not valid', Array(4).fill('parameter_validation_failed'), ['xwfp-', 'xwfp-']],
  ])('%s: logged, not tried again, and no trouble of the workspace', async (_what, errors, calls) => {
    await using world = await start();
    world.meet(errors.map((error) => ({ error })));
    const executionId = await world.run();
    await world.later(world.outcomes, some, 'the outcome');
    world.clock.freeze(59 * MINUTE_MS);
    await world.clock.advance(MINUTE_MS);
    expect(world.outcomes()).toEqual(['refused']);
    expect(world.tokens()).toEqual(calls);
    expect(world.slack.control.stepEnd(executionId)).toBeNull();
    expect(world.events('slack_needs_admin')).toEqual([]);
  });

  test('that it is over, or not valid: done, or once more without what is empty', async () => {
    await using world = await start();
    world.meet([{ error: 'execution_not_in_running_state' }]);
    await world.run();
    await world.later(() => world.events('step_completed'), some, 'the outcome');
    expect(world.events('step_completed')).toMatchObject([{ outcome: 'done', by: 'over' }]);
    world.meet([{ error: 'parameter_validation_failed' }]);
    expect(await world.endOf()).toEqual({ outputs: { thread: expect.any(String), state: 'started' } });
    expect(world.tokens()).toEqual(['xwfp-', 'xwfp-', 'xwfp-']);
  });

  test('none that says anything: tried again, also if it took the completion', async () => {
    await using world = await start();
    const faults: StrictFault[] = [
      { status: 429, headers: { 'retry-after': '3' } },
      { status: 500 },
      { error: 'internal_error' },
      'reset_before',
      { error: 'step_is_sleepy' },
    ];
    for (const fault of faults) {
      const { length } = world.tokens();
      world.meet([fault, fault]);
      expect(await world.endOf()).toMatchObject(STARTED);
      expect(world.tokens()).toHaveLength(length + 3);
    }
    expect(await world.cards()).toHaveLength(faults.length);
    const { length } = world.outcomes();
    world.meet(['reset_after']);
    await world.run();
    await world.later(() => world.outcomes().slice(length), includes('done'), 'the outcome');
    expect(world.outcomes().slice(length)).toEqual(['unknown', 'done']);
  });
});

test('the token of a step is used for 15 minutes, then the bot’s; it is never logged (T1)', async () => {
  await using world = await start();
  const { api, clock } = world;
  const runStep = async (jobs: number) => {
    const executionId = await world.run({ wait: true });
    await world.later(() => api.jobs.length, jobs, 'the job');
    return executionId;
  };
  const [early, late] = [await runStep(1), await runStep(2)];
  api.finish(0, { status: 'completed' });
  expect(await world.ended(early)).toMatchObject({ outputs: { state: 'done' } });
  await clock.advance(16 * MINUTE_MS);
  api.finish(1, { status: 'completed' });
  expect(await world.ended(late)).toMatchObject({ outputs: { state: 'done' } });
  expect(world.tokens()).toEqual(['xwfp-', 'xoxb-']);
  expect(world.log.join('')).not.toMatch(/xwfp-Fx/);
});

describe('a step that was refused, and is delivered again when the rules allow it (T1)', () => {
  const REFUSED = {
    error: "Workflows can't start jobs in that channel. Ask an administrator of docs-agent.",
  };

  async function refusing() {
    const world = await start('workflows: { channels: [] }');
    return Object.assign(world, {
      /** Runs a step. What is said of that meets these faults, and Slack's first wait for an answer ends. */
      runInto: async (...faults: readonly StrictFault[]) => {
        world.meet(faults, ERROR);
        const running = world.run();
        await world.later(() => world.slack.calls(ERROR).length, Boolean, 'a try');
        await world.clock.advance(3_000);
        return running;
      },
      /** The same step, as Slack delivers it again without knowing that it was delivered. */
      deliverAgain: async () => {
        await world.restart(ALLOWED);
        const first = world.slack.deliveries().find(({ kind }) => kind === 'event');
        if (first === undefined) throw new Error('nothing was delivered');
        await world.slack.control.raw(general, (first.payload as { event: { type: string } }).event);
      },
      expectNoJob: async () => {
        await world.clock.advance(10 * MINUTE_MS);
        expect(await world.cards()).toEqual([]);
        expect(world.api.jobs).toEqual([]);
      },
    });
  }

  test('starts nothing: the workflow knows the refusal, and is told once, in any number of copies', async () => {
    await using world = await refusing();
    world.slack.onDelivery(({ kind }) => (kind === 'event' ? 4 : 1));
    expect(await world.endOf()).toEqual(REFUSED);
    await world.deliverAgain();
    await world.expectNoJob();
    expect(await world.endOf()).toMatchObject(STARTED);
    expect(await world.cards()).toHaveLength(1);
  });

  test('starts nothing, also if the refusal could not be told at first: the workflow is told then, by the bot if need be', async () => {
    await using world = await refusing();
    const limit = { status: 429, headers: { 'retry-after': '3' } };
    const executionId = await world.runInto({ status: 503 }, { status: 503 }, limit);
    // Slack delivers it for the third time.
    await world.clock.advance(2 * MINUTE_MS);
    expect(world.slack.control.stepEnd(executionId)).toBeNull();
    world.meet([{ error: 'token_expired' }], ERROR);
    await world.deliverAgain();
    expect(await world.ended(executionId)).toEqual(REFUSED);
    expect(world.tokens(ERROR).at(-1)).toBe('xoxb-');
    await world.expectNoJob();
    const tries = world.tokens(ERROR).length;
    await world.deliverAgain();
    await world.expectNoJob();
    expect(world.tokens(ERROR)).toHaveLength(tries);
  });
});

import { describe, expect, test } from 'vitest';
import { general } from '../support/local-slack.ts';
import type { Program } from '../support/strict-slack/program.ts';
import type { StrictFault } from '../support/strict-slack/web-api.ts';
import { ASKS, cards, ERROR, ended, events, runIntoFault, startWithWorkflows } from './support/steps.ts';

const MINUTE_MS = 60_000;
const allowed = `workflows: { channels: [${general}] }`;
const refusal = "Workflows can't start jobs in that channel. Ask an administrator of docs-agent.";

describe('a step that was refused, and is delivered again when the rules allow it (T1)', () => {
  const refusing = () => startWithWorkflows({ configFile: 'workflows: { channels: [] }' });
  /** The same step, as Slack delivers it again without knowing that it was delivered. */
  const deliverAgain = async ({ slack }: Program) => {
    const first = slack.deliveries().find(({ kind }) => kind === 'event');
    if (first === undefined) throw new Error('nothing was delivered');
    await slack.control.raw(general, (first.payload as { event: { type: string } }).event);
  };
  const expectNoJob = async (program: Program) => {
    await program.clock.advance(10 * MINUTE_MS);
    expect(await cards(program)).toEqual([]);
    expect(program.api.jobs).toEqual([]);
  };

  test('starts nothing: the workflow knows the refusal, and is told once', async () => {
    const program = await refusing();
    const executionId = await program.slack.control.runStep(ASKS);
    expect(await ended(program, executionId)).toEqual({ error: refusal });
    await program.restart(allowed);
    await deliverAgain(program);
    await expectNoJob(program);
    expect(program.slack.calls(ERROR)).toHaveLength(1);
  });

  test('starts nothing, also if the refusal could not be told at first: the workflow is told then', async () => {
    const program = await refusing();
    let isAway = true;
    const executionId = await runIntoFault(program, () => (isAway ? { status: 503 } : null));
    expect(program.slack.control.stepEnd(executionId)).toBeNull();
    await program.restart(allowed);
    isAway = false;
    await deliverAgain(program);
    expect(await ended(program, executionId)).toEqual({ error: refusal });
    await expectNoJob(program);
    const tries = program.slack.calls(ERROR).length;
    await deliverAgain(program);
    await expectNoJob(program);
    expect(program.slack.calls(ERROR)).toHaveLength(tries);
  });

  test.each<[what: string, fault: StrictFault]>([
    ['took the refusal without an answer', 'reset_after'],
    ['does not want to hear of it', { error: 'function_execution_not_found' }],
  ])('starts nothing where Slack %s', async (_what, fault) => {
    const program = await refusing();
    const faults = [fault];
    await runIntoFault(program, () => faults.shift() ?? null);
    await program.restart(allowed);
    await deliverAgain(program);
    await expectNoJob(program);
    expect(events(program, 'inbound_request').map(({ outcome }) => outcome)).not.toContain('accepted');
  });

  test('in four copies at once is one refusal, and in as many when it is allowed one job', async () => {
    const program = await refusing();
    program.slack.onDelivery(({ kind }) => (kind === 'event' ? 4 : 1));
    expect(await ended(program, await program.slack.control.runStep(ASKS))).toEqual({ error: refusal });
    await program.restart(allowed);
    await deliverAgain(program);
    await expectNoJob(program);
    const started = await program.slack.control.runStep(ASKS);
    expect(await ended(program, started)).toMatchObject({ outputs: { state: 'started' } });
    expect(await cards(program)).toHaveLength(1);
  });
});

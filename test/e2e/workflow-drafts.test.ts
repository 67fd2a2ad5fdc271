import { describe, expect, test } from 'vitest';
import { some } from '../support/is.ts';
import { alice, general, random } from '../support/local-slack.ts';
import type { Program } from '../support/strict-slack/program.ts';
import type { StrictFault } from '../support/strict-slack/web-api.ts';
import {
  ASKS,
  cards,
  ERROR,
  ended,
  endOf,
  events,
  linkOf,
  PR,
  runIntoFault,
  SUCCESS,
  startWithWorkflows,
} from './support/steps.ts';

const MINUTE_MS = 60_000;

describe('a step that asks for a draft (T1)', () => {
  const drafts = async (program: Program) =>
    (await program.slack.control.messages(general)).filter(({ text }) => text.includes('Draft'));

  async function drafted(program: Program, inputs: object = {}) {
    const executionId = await program.slack.control.runStep({ ...ASKS, draft: true, ...inputs });
    const [draft] = await program.later(() => drafts(program), some, 'the draft');
    if (draft === undefined) throw new Error('there is no draft');
    return { executionId, draft };
  }

  test('lets the workflow go on when the draft is posted; nothing goes to the agent before somebody starts it', async () => {
    const program = await startWithWorkflows();
    const { executionId, draft } = await drafted(program);
    expect(await ended(program, executionId)).toEqual({
      outputs: { thread: linkOf(draft.ts), state: 'draft', pull_request: '' },
    });
    expect(draft.text).toContain('from a workflow');
    await program.clock.advance(60 * MINUTE_MS);
    expect(program.api.jobs).toEqual([]);
    await program.slack.control.press(draft, 'start_draft', alice);
    await program.later(() => program.api.jobs.length, 1, 'the job');
    expect(program.slack.calls(SUCCESS)).toHaveLength(1);
  });

  test('and waits for the end waits for the draft, too', async () => {
    const program = await startWithWorkflows();
    const { executionId, draft } = await drafted(program, { wait: true });
    await program.clock.advance(60 * MINUTE_MS);
    expect(program.slack.control.stepEnd(executionId)).toBeNull();
    await program.slack.control.press(draft, 'start_draft', alice);
    await program.later(() => program.api.jobs.length, 1, 'the job');
    program.api.finish(0, { status: 'completed', prLink: PR });
    expect(await ended(program, executionId)).toEqual({
      outputs: { thread: linkOf(draft.ts), state: 'pull_request', pull_request: PR },
    });
  });

  test('and waits fails if somebody dismisses the draft, with the name', async () => {
    const program = await startWithWorkflows();
    const { executionId, draft } = await drafted(program, { wait: true });
    await program.slack.control.press(draft, 'dismiss_draft', alice);
    expect(await ended(program, executionId)).toEqual({ error: 'Dismissed by alice.' });
  });

  test.each([true, false])(
    'fails if Slack never says whether the draft was posted, and whoever sees it can start it (wait: %s)',
    async (wait) => {
      const program = await startWithWorkflows();
      const lost = ['reset_after' as const];
      program.slack.onCall(({ method }) => {
        if (method === 'chat.postMessage') return lost.shift() ?? null;
        // Slack shows the channel, and nothing that is in it.
        const isLook = method.startsWith('conversations.') && method !== 'conversations.info';
        return isLook ? { error: 'ratelimited' } : null;
      });
      const { executionId, draft } = await drafted(program, { wait });
      await program.clock.advance(20 * MINUTE_MS);
      expect(program.slack.control.stepEnd(executionId)).toBeNull();
      await program.clock.advance(20 * MINUTE_MS);
      expect(await ended(program, executionId)).toEqual({
        error:
          "Slack didn't confirm whether the draft was posted in that channel. If it's there, it can still be started.",
      });
      await program.slack.control.press(draft, 'start_draft', alice);
      await program.later(() => program.api.jobs.length, 1, 'the job');
      expect(await drafts(program)).toHaveLength(1);
      expect(program.slack.calls(SUCCESS)).toEqual([]);
    },
  );

  test('fails in a channel without the bot, whether it waits or not', async () => {
    const program = await startWithWorkflows({ configFile: `workflows: { channels: [${random}] }` });
    for (const wait of [true, false]) {
      expect(await endOf(program, { ...ASKS, channel: random, draft: true, wait })).toEqual({
        error: "docs-agent isn't in that channel. Invite it with /invite @docs-agent.",
      });
    }
  });
});

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

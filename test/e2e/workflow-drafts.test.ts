import { describe, expect, test } from 'vitest';
import { alice, general, random } from '../support/local-slack.ts';
import type { Program } from '../support/strict-slack/program.ts';
import { ASKS, ended, endOf, linkOf, PR, SUCCESS, startWithWorkflows } from './support/steps.ts';

const MINUTE_MS = 60_000;

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
    const program = await startWithWorkflows();
    const { executionId, draft } = await drafted(program);
    expect(await ended(program, executionId)).toEqual({
      outputs: { thread: linkOf(draft.ts), state: 'draft', pull_request: '' },
    });
    expect(draft.text).toContain('from a workflow');
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
    const program = await startWithWorkflows();
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
      await program.later(
        () => program.api.jobs.length,
        (count) => count === 1,
        'the job',
      );
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

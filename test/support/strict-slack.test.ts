import { describe, expect, test } from 'vitest';
import { bob, general } from './local-slack.ts';
import { type Program, startProgram } from './strict-slack/program.ts';

const PR = 'https://github.com/acme/docs/pull/1';

function finish(program: Program): void {
  const job = program.api.jobs.at(-1);
  if (job === undefined) throw new Error('there is no agent job');
  program.api.finish(job.id, { status: 'completed', prLink: PR });
}

describe.each(['socket', 'http'] as const)('the program with the strict Slack (%s)', (mode) => {
  test('goes from the command to the card, a reply, and the pull request', async () => {
    await using program = await startProgram({ mode });
    const { slack, api } = program;
    const card = await program.ask('Add a quickstart');
    await program.threadMessage(card, 'On it');
    const reply = await slack.control.message({
      channel: general,
      user: bob,
      text: 'And a table',
      threadTs: card.ts,
    });
    await program.later(
      () => slack.control.reactions(reply),
      (names) => names[0] === 'white_check_mark',
      'receipt',
    );
    finish(program);
    await program.threadMessage(card, PR);
    expect(api.counts).toMatchObject({ create: 1, message: 1 });
    expect(slack.deliveries().every(({ acknowledgedAtMs }) => acknowledgedAtMs !== null)).toBe(true);
  });
});

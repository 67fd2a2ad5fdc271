import { expect, test } from 'vitest';
import { alice, bob, general } from '../support/local-slack.ts';
import { startProgram } from '../support/strict-slack/program.ts';
import type { StrictFault } from '../support/strict-slack/web-api.ts';

test.each<StrictFault>(['reset_after', 'half_body', 'error_after', { errorAfter: 'internal_error' }])(
  'a receipt that was put up without an answer (%j) is taken away when the next one comes (F1)',
  async (fault) => {
    await using program = await startProgram();
    const { slack } = program;
    const card = await program.ask('Add a quickstart');
    await program.threadMessage(card, 'On it');
    slack.onCall(({ method, args }) => (method === 'reactions.add' && args.name === 'eyes' ? fault : null));
    const reply = await slack.control.message({
      channel: general,
      user: bob,
      text: 'And a table',
      threadTs: card.ts,
    });
    await program.later(
      () => slack.control.reactions(reply),
      (names) => names.includes('white_check_mark'),
      'the receipt',
    );
    await program.clock.advance(600_000);
    expect(await slack.control.reactions(reply)).toEqual(['white_check_mark']);
  },
);

test.each<StrictFault>(['reset_before', { status: 500 }])(
  'a receipt that was not put up (%j) is put up later (F1)',
  async (fault) => {
    await using program = await startProgram();
    const { slack } = program;
    const card = await program.ask('Add a quickstart');
    await program.threadMessage(card, 'On it');
    let faults = 0;
    slack.onCall(({ method, args }) => {
      if (method !== 'reactions.add' || args.name !== 'white_check_mark' || faults === 2) return null;
      faults += 1;
      return fault;
    });
    const reply = await slack.control.message({
      channel: general,
      user: bob,
      text: 'And a table',
      threadTs: card.ts,
    });
    await program.later(
      () => slack.control.reactions(reply),
      (names) => names.join() === 'white_check_mark',
      'the receipt',
    );
  },
);

test.each([
  ['a mention', general, '<@U0DOCSAGENT> '],
  ['a direct message', alice, ''],
])('nothing is put on the message that asked: %s', async (_, channel, mention) => {
  await using program = await startProgram();
  const { slack, api } = program;
  const request = await slack.control.message({ channel, user: alice, text: `${mention}Add a quickstart` });
  await program.threadMessage(request, 'Working');
  api.finish(api.jobs.at(-1)?.id ?? '', {
    status: 'completed',
    prLink: 'https://github.com/acme/docs/pull/1',
  });
  await program.threadMessage(request, 'Pull request ready');
  await program.clock.advance(60_000);
  expect(await slack.control.reactions(request)).toEqual([]);
  expect(slack.calls('reactions.add')).toEqual([]);
});

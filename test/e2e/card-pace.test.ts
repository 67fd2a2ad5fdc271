import { expect, test } from 'vitest';
import { bob, describeWithLocalSlack, general } from '../support/local-slack.ts';
import { startProgram } from '../support/strict-slack/program.ts';
import { startWorld } from './support/world.ts';

describeWithLocalSlack('the card', () => {
  test('is edited at most once in three seconds, and its last state gets drawn', async () => {
    await using world = await startWorld({ settings: { FOLLOW_UP_WINDOW: '60s' } });
    const card = await world.ask('Add a quickstart');
    await world.told(card, 'Working');
    await world.clock.advance(10_000);
    const edits = () => world.proxy.calls('chat.update').length;
    const before = edits();
    for (let count = 1; count <= 5; count += 1) {
      const text = `Reply ${count}`;
      const reply = await world.slack.message({ channel: general, user: bob, text, threadTs: card.ts });
      await world.soon(() => world.slack.reactions(reply), ['eyes'], 'the receipt');
    }
    expect(edits()).toBeLessThanOrEqual(before + 1);
    await world.clock.advance(3_000);
    await world.soon(
      async () => /\d follow-ups wait/.exec(await world.card(card))?.[0],
      '5 follow-ups wait',
      'the card',
    );
    expect(edits()).toBeLessThanOrEqual(before + 2);
  });
});

test('Slack’s own line says that the agent is at work, while it is', async () => {
  await using program = await startProgram();
  const card = await program.ask('Add a quickstart');
  const status = () => program.slack.control.status(general, card.ts);
  await program.later(status, (line) => line !== null, 'the line');
  await program.clock.advance(300_000);
  expect(status()).toBe('is working on the docs…');
  const times = program.slack.calls('assistant.threads.setStatus').length;
  expect(times).toBeLessThanOrEqual(7);
  program.api.finish(program.api.jobs[0]?.id ?? '', { status: 'completed' });
  await program.told(card, 'Finished');
  expect(status()).toBeNull();
});

test('where Slack does not let the app show that line, nothing else changes, and it is not tried again for an hour', async () => {
  await using program = await startProgram();
  program.slack.onCall(({ method }) =>
    method === 'assistant.threads.setStatus' ? { error: 'missing_scope' } : null,
  );
  const card = await program.ask('Add a quickstart');
  await program.told(card, 'Working');
  await program.clock.advance(600_000);
  expect(program.slack.calls('assistant.threads.setStatus')).toHaveLength(1);
  expect(program.log.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  program.api.finish(program.api.jobs[0]?.id ?? '', { status: 'completed' });
  await program.told(card, 'Finished');
});

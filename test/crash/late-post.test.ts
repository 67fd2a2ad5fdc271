import { expect, test } from 'vitest';
import { localApp } from '../../demo/local-slack/workspace.ts';
import { openStore } from '../../src/store/open.ts';
import { aCall, aDecision, aJob } from '../contract/store/samples.ts';
import { general } from '../support/local-slack.ts';
import { type Program, startProgram } from '../support/strict-slack/program.ts';

/** Leaves the store as a process does that is killed when it has just sent the card to Slack. */
async function dieWhilePosting(program: Program): Promise<void> {
  await program.service.stop();
  const store = await openStore({ dataDir: program.env.DATA_DIR ?? '' });
  const nowMs = program.clock.now();
  const job = aJob({
    teamId: localApp.teamId,
    channelId: general,
    projectId: program.env.AGENT_PROJECT_ID ?? '',
    requestedAtMs: nowMs,
    threadTs: null,
    stage: { kind: 'opening' },
  });
  const card = aCall('the-card');
  await store.transaction(async (tx) => {
    await tx.write(aDecision({ job, calls: [card] }), nowMs);
    await tx.calls.start(card.id, nowMs);
  });
  await store.close();
}

test('after a kill in the middle of a post, and a quick restart, Slack gets two seconds to store the post before it is looked for, and fifteen before it is made again', async () => {
  await using program = await startProgram();
  await dieWhilePosting(program);
  await program.restart();
  await program.clock.advance(1_999);
  expect(program.slack.calls('conversations.history')).toEqual([]);

  const looks = () => program.slack.calls('conversations.history').length;
  await program.clock.advance(1);
  await expect.poll(looks, { message: 'the first look' }).toBe(1);
  await program.clock.advance(17_999);
  expect(looks()).toBe(1);
  expect(await program.slack.control.messages(general)).toEqual([]);

  await program.clock.advance(1);
  await expect.poll(looks, { message: 'the second look' }).toBe(2);
  // A card is redrawn at most every three seconds.
  await program.later(
    async () => (await program.slack.control.messages(general)).map(({ text }) => /Working|On it/.test(text)),
    (working) => working.length === 2 && working.every(Boolean),
    'the card and the first post in its thread',
  );
  expect(program.slack.calls('chat.postMessage')).toHaveLength(2);
});

import { expect, test } from 'vitest';
import { says } from '../support/is.ts';
import { alice, bob, describeWithLocalSlack, general, type SlackMessage } from '../support/local-slack.ts';
import { saying, toldLater } from './support/posts.ts';
import { working } from './support/turns.ts';
import { startWorld, type World } from './support/world.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** A job that was read last when its turn had lasted for two minutes, and its question. */
async function aLongRunningJob(world: World): Promise<{ card: SlackMessage; question: SlackMessage }> {
  const card = await working(world);
  await world.clock.advance(2 * MINUTE_MS);
  return { card, question: await toldLater(world, card, 'Still working') };
}

const now = async (world: World, card: SlackMessage) =>
  (await world.slack.messages(general)).find(({ ts }) => ts === card.ts) ?? card;

describeWithLocalSlack('a turn that lasts long (W4)', () => {
  test('can be left alone, and watched again after weeks and a restart; the agent itself goes on', async () => {
    await using world = await startWorld({ settings: { LONG_RUNNING_AFTER: '1m' } });
    const { card, question } = await aLongRunningJob(world);
    await world.slack.press(question, 'stop_watching', bob);
    const unwatched = await world.later(
      () => now(world, card),
      says('No longer watching'),
      'the card to say so',
    );
    expect(unwatched.text).toContain('the agent may still be working');
    const questions = await world.later(
      async () => saying(await world.posts(card), 'Still working'),
      (found) => found.some(({ text }) => text.includes('bob stopped watching')),
      'the question to say who answered it',
    );
    expect(questions).toHaveLength(1);
    const reads = world.api.counts.get;
    await world.service.stop();
    await world.clock.advance(21 * DAY_MS);
    await world.restart();
    await world.clock.advance(5 * MINUTE_MS);
    expect(world.api.counts.get).toBe(reads);

    const [job] = world.api.jobs;
    world.api.finish(job?.id ?? '', { status: 'completed', prLink: 'https://github.com/acme/docs/pull/1' });
    await world.slack.press(unwatched, 'resume_watching', alice);
    await toldLater(world, card, '🎉');
    // Both buttons are too late now, and say so to whoever presses them.
    await world.slack.press(unwatched, 'resume_watching', bob);
    await world.slack.press(question, 'keep_watching', bob);
    await world.later(
      async () => saying(await world.slack.messages(general), 'Already done').length,
      2,
      'the private answers',
    );
  });

  test('is asked about once, and again after *Keep watching*', async () => {
    await using world = await startWorld({ settings: { LONG_RUNNING_AFTER: '1m' } });
    const { card, question } = await aLongRunningJob(world);
    await world.clock.advance(5 * MINUTE_MS);
    const questions = async () => saying(await world.posts(card), 'Keep watching?').length;
    expect(await questions()).toBe(1);
    await world.slack.press(question, 'keep_watching', bob);
    await expect.poll(questions, { message: 'the question to be answered in place' }).toBe(0);
    await world.clock.advance(2 * MINUTE_MS);
    await world.later(questions, 1, 'the next question');
  });
});

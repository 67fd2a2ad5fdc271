import { expect, test } from 'vitest';
import { saying, toldLater } from '../e2e/support/posts.ts';
import { startWorld } from '../e2e/support/world.ts';
import { describeWithLocalSlack, type SlackMessage } from '../support/local-slack.ts';

const MINUTE_MS = 60_000;

describeWithLocalSlack('a long outage', () => {
  test.each([
    ['the agent API is away', 'down', "Can't reach the agent"],
    ['its key is refused', 401, 'An administrator needs to fix'],
    ['it limits the rate', 429, 'hourly limit is used up'],
  ] as const)(
    'when %s: nothing is lost, the order is kept, and the thread is told once when it starts and once when it ends',
    { timeout: 240_000 },
    async (_what, fault, words) => {
      // Looks are not the subject here, and there are many in such a time.
      await using world = await startWorld({ settings: { POLL_MIN_INTERVAL: '60s' } });
      const card = await world.ask('Before the outage');
      await toldLater(world, card, 'On it');
      if (fault === 'down') await world.apiDown();
      else world.api.failAll({ status: fault });

      const replies: SlackMessage[] = [];
      for (const text of ['one', 'two', 'three']) {
        replies.push(await world.slack.reply(card, text));
        await world.clock.advance(5 * MINUTE_MS);
      }
      const other = await world.ask('During the outage');
      // So long, a rate limit is for the card alone.
      await world.clock.advance(11 * MINUTE_MS);
      await toldLater(world, other, words);
      await world.clock.advance(30 * MINUTE_MS);
      const told = saying(await world.posts(card), words);
      expect(told).toHaveLength(1);

      if (fault === 'down') await world.apiUp();
      else world.api.failAll(null);
      // The longest time between two tries.
      await world.clock.advance(5 * MINUTE_MS);
      await toldLater(world, other, 'On it');
      await world.clock.advance(10 * MINUTE_MS);
      if (fault === 'down') {
        // The restarted API has forgotten its jobs: the replies are refused, and shown.
        expect(saying(await world.posts(card), 'Not sent')).toHaveLength(1);
      } else {
        await expect
          .poll(() => world.slack.reactions(replies[2] as SlackMessage), { message: 'the receipt' })
          .toEqual(['white_check_mark']);
        expect(world.api.jobs[0]?.prompts).toEqual(['Before the outage', 'one\n\ntwo\n\nthree']);
      }
      expect(saying(await world.posts(other), words)).toHaveLength(1);
      expect(saying(await world.posts(other), 'Back online')).toHaveLength(fault === 429 ? 0 : 1);
      expect(world.api.jobs.filter(({ prompts }) => prompts[0] === 'During the outage')).toHaveLength(1);
    },
  );
});

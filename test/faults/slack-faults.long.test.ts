import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { saying, toldLater } from '../e2e/support/posts.ts';
import { startWorld, type World } from '../e2e/support/world.ts';
import { has } from '../support/is.ts';
import { alice, describeWithLocalSlack, general, type SlackMessage } from '../support/local-slack.ts';
import { slackFaults } from './slack-faults.ts';

/** Longer than any pause of the program after one fault. */
const LONG_MS = 60_000;

describeWithLocalSlack('a fault of Slack', () => {
  let world: World & AsyncDisposable;
  beforeAll(async () => {
    // The jobs of the tests before are still watched, which is not the subject here.
    world = await startWorld({ settings: { POLL_MIN_INTERVAL: '30s' } });
  });
  afterAll(() => world[Symbol.asyncDispose]());

  const all = () => world.slack.messages(general);
  const cards = async (prompt: string) =>
    saying(await all(), prompt).filter(({ thread_ts, subtype }) => !thread_ts && !subtype);
  const toldPrivately = async (words: string) =>
    saying(await all(), words).filter(({ ephemeral_to }) => ephemeral_to === alice);
  const starts = (prompt: string) => world.api.jobs.filter(({ prompts }) => prompts[0] === prompt).length;
  const working = async (prompt: string) => {
    const card = await world.ask(prompt);
    await toldLater(world, card, 'On it');
    return card;
  };
  const finish = (prompt: string, prLink: string) => {
    const job = world.api.jobs.find(({ prompts }) => prompts[0] === prompt);
    world.api.finish(job?.id ?? '', { status: 'completed', prLink });
  };
  /** The post that meets the fault is the next one. */
  const failNext = (fault: (typeof slackFaults)[number]['fault']) =>
    world.proxy.fail('chat.postMessage', fault);

  describe.each(slackFaults)('$name', ({ name, fault, outcome }) => {
    test('at the card', async () => {
      const prompt = `Card and ${name.replaceAll('`', '')}`;
      failNext(fault);
      await world.slack.command({ channel: general, user: alice, text: prompt });
      if (outcome === 'refused') {
        await world.later(() => toldPrivately(prompt), has(1), 'the private answer');
        await world.clock.advance(LONG_MS);
        expect(await cards(prompt)).toHaveLength(0);
        expect(starts(prompt)).toBe(0);
        return;
      }
      await world.later(() => starts(prompt), 1, 'the job');
      await world.clock.advance(LONG_MS);
      expect(await cards(prompt)).toHaveLength(1);
      expect(starts(prompt)).toBe(1);
      expect(await toldPrivately(prompt)).toHaveLength(
        outcome === 'administrator' || outcome === 'place' ? 1 : 0,
      );
    });

    test('at a post in the thread', async () => {
      const prompt = `Post and ${name.replaceAll('`', '')}`;
      const link = `https://github.com/acme/docs/pull/${encodeURIComponent(name)}`;
      const card = await working(prompt);
      const toldBefore = (await toldPrivately('post this in the thread')).length;
      failNext(fault);
      finish(prompt, link);
      await world.clock.advance(LONG_MS);
      const words = (posts: readonly SlackMessage[]) => posts.map(({ text }) => /On it|🎉/.exec(text)?.[0]);
      const whole = ['On it', '🎉'];
      const isRefused = outcome === 'refused';
      expect(words(await world.posts(card))).toEqual(isRefused ? ['On it'] : whole);
      const told = (await toldPrivately('post this in the thread')).slice(toldBefore);
      expect(words(told)).toEqual(isRefused ? ['🎉'] : []);
    });
  });
});

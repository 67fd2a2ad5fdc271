import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { saying } from '../e2e/support/posts.ts';
import { has } from '../support/is.ts';
import { alice, general, type SlackMessage } from '../support/local-slack.ts';
import { type Program, startProgram } from '../support/strict-slack/program.ts';
import { slackFaults } from './slack-faults.ts';

/** Longer than any pause of the program after one fault. */
const LONG_MS = 60_000;

describe('a fault of Slack', () => {
  let program: Program;
  beforeAll(async () => {
    // The jobs of the tests before are still watched, which is not the subject here.
    program = await startProgram({ settings: { POLL_MIN_INTERVAL: '30s' } });
  });
  afterAll(() => program[Symbol.asyncDispose]());

  const all = () => program.slack.control.messages(general);
  const cards = async (prompt: string) =>
    saying(await all(), prompt).filter(({ thread_ts, subtype }) => !thread_ts && !subtype);
  const toldPrivately = async (words: string) =>
    saying(await all(), words).filter(({ ephemeral_to }) => ephemeral_to === alice);
  const starts = (prompt: string) => program.api.jobs.filter(({ prompts }) => prompts[0] === prompt).length;
  const finish = (prompt: string, prLink: string) => {
    const job = program.api.jobs.find(({ prompts }) => prompts[0] === prompt);
    program.api.finish(job?.id ?? '', { status: 'completed', prLink });
  };
  /** The post that meets the fault is the next one. */
  const failNext = (fault: (typeof slackFaults)[number]['fault']) =>
    program.slack.fail('chat.postMessage', fault);

  describe.each(slackFaults)('$name', ({ name, fault, outcome }) => {
    test('at the card', async () => {
      const prompt = `Card and ${name.replaceAll('`', '')}`;
      failNext(fault);
      await program.slack.control.command({ channel: general, user: alice, text: prompt });
      if (outcome === 'refused') {
        await program.later(() => toldPrivately(prompt), has(1), 'the private answer');
        await program.clock.advance(LONG_MS);
        expect(await cards(prompt)).toHaveLength(0);
        expect(starts(prompt)).toBe(0);
        return;
      }
      await program.later(() => starts(prompt), 1, 'the job');
      await program.clock.advance(LONG_MS);
      expect(await cards(prompt)).toHaveLength(1);
      expect(starts(prompt)).toBe(1);
      expect(await toldPrivately(prompt)).toHaveLength(
        outcome === 'administrator' || outcome === 'place' ? 1 : 0,
      );
    });

    test('at a post in the thread', async () => {
      const prompt = `Post and ${name.replaceAll('`', '')}`;
      const link = `https://github.com/acme/docs/pull/${encodeURIComponent(name)}`;
      const card = await program.working(prompt);
      const toldBefore = (await toldPrivately('post this in the thread')).length;
      failNext(fault);
      finish(prompt, link);
      await program.clock.advance(LONG_MS);
      const words = (posts: readonly SlackMessage[]) => posts.map(({ text }) => /On it|🎉/.exec(text)?.[0]);
      const whole = ['On it', '🎉'];
      const isRefused = outcome === 'refused';
      expect(words(await program.posts(card))).toEqual(isRefused ? ['On it'] : whole);
      const told = (await toldPrivately('post this in the thread')).slice(toldBefore);
      expect(words(told)).toEqual(isRefused ? ['🎉'] : []);
    });
  });
});

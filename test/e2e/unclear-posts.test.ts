import { expect, test } from 'vitest';
import { startProgram } from '../support/strict-slack/program.ts';
import type { StrictFault } from '../support/strict-slack/web-api.ts';
import { cards } from './support/turns.ts';

const PR = 'https://github.com/acme/docs/pull/1';

const errors = ['internal_error', 'service_unavailable', 'request_timeout'];

test.each<[what: string, ...faults: StrictFault[]]>([
  ['a connection that breaks', 'reset_after'],
  ['half an answer', 'half_body'],
  ['a server error', 'error_after'],
  ['errors of Slack’s own', ...errors.map((errorAfter) => ({ errorAfter }))],
])(
  'a post is known again by its metadata after %s, also over a restart, so that there is one (E1)',
  async (_what, ...faults) => {
    await using program = await startProgram({ slack: { keepsBlockIds: false } });
    const { slack, api } = program;
    const left = new Set(['Starting', 'On it', PR]);
    slack.onCall(({ method, args }) => {
      if (method !== 'chat.postMessage') return null;
      const met = [...left].find((word) => String(args.text).includes(word));
      return met !== undefined && left.delete(met) ? (faults[left.size % faults.length] ?? null) : null;
    });
    const card = await program.ask('Add a quickstart');
    await program.restart();
    await program.threadMessage(card, 'On it');
    api.finish(0, { status: 'completed', prLink: PR });
    await program.threadMessage(card, PR);
    await program.shows(card, PR);
    await program.clock.advance(60_000);

    const posts = await program.posts(card);
    expect([card, ...posts].map(({ blocks }) => blocks?.[0]?.block_id)).not.toContainEqual(
      expect.stringMatching(/^call:/),
    );
    expect(await cards(program)).toHaveLength(1);
    expect(posts).toHaveLength(2);
    expect(slack.calls('chat.postMessage')).toHaveLength(3);
    expect(slack.calls('conversations.history').length).toBeGreaterThan(0);
    expect(api.counts.create).toBe(1);
  },
);

test('a post is looked for again within seconds when Slack could not be asked: to wait for it was no failure (E1)', async () => {
  await using program = await startProgram();
  const { slack, api, later } = program;
  const card = await program.working();
  slack.fail('chat.postMessage', 'reset_before');
  const tries = () => slack.calls('chat.postMessage').length;
  const looks = () => slack.calls('conversations.replies').length;
  const before = { tries: tries(), looks: looks() };
  api.finish(0, { status: 'completed' });
  await later(tries, before.tries + 1, 'the post that breaks');
  await later(looks, before.looks + 1, 'the first look');
  // Each page is asked for twice.
  slack.fail('conversations.replies', { status: 500 }, { status: 500 });
  await later(looks, before.looks + 3, 'the look that fails');
  await program.clock.advance(6_000);
  await expect.poll(looks, { message: 'the look after that' }).toEqual(before.looks + 4);
  await program.threadMessage(card, 'Done, no pull request');
  expect(tries()).toBe(before.tries + 2);
});

test('a post that Slack stores only after the first look is not made again (E1)', async () => {
  await using program = await startProgram();
  const { slack, api, later } = program;
  const card = await program.working();
  // Right after a start, nobody is sure for a while anyway.
  await program.clock.advance(60_000);
  const tries = () => slack.calls('chat.postMessage').length;
  const looks = () => slack.calls('conversations.replies').length;
  const before = { tries: tries(), looks: looks() };
  const stored = Promise.withResolvers<void>();
  slack.fail('chat.postMessage', { lateAfter: stored.promise });
  api.finish(0, { status: 'completed' });
  await later(looks, before.looks + 1, 'the first look');
  await program.clock.advance(3_000);
  stored.resolve();
  await program.threadMessage(card, 'Done, no pull request');
  await program.clock.advance(60_000);
  expect(tries()).toBe(before.tries + 1);
});

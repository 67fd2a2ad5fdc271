import { describe, expect, test } from 'vitest';
import { has } from '../support/is.ts';
import { alice, general, type SlackMessage } from '../support/local-slack.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { type Program, startProgram } from '../support/strict-slack/program.ts';
import { saying } from './support/posts.ts';
import { cards } from './support/turns.ts';

const DAY_MS = 86_400_000;

test('a request in a channel where the bot may not post is kept: *Try again* starts it, once, even after weeks and a restart (S4)', async () => {
  await using program = await startProgram();
  const { api, slack, later, clock } = program;
  const { control } = slack;
  slack.fail('chat.postMessage', { error: 'restricted_action' }, { error: 'restricted_action' });
  await control.command({ channel: general, user: alice, text: 'Add a quickstart' });
  const offers = async () => saying(await control.messages(general), "posting isn't allowed");
  const [first] = await later(offers, has(1), 'the private answer');
  if (first === undefined) throw new Error('there is no private answer');
  await control.press(first, 'try_again', alice);
  const second = await later(
    async () => (await offers()).at(-1),
    (offer) => offer !== undefined && offer.ts !== first.ts,
    'the next',
  );
  await program.service.stop();
  await clock.advance(21 * DAY_MS);
  await program.restart();

  await control.press(second ?? first, 'try_again', alice);
  await later(() => cards(program), has(1), 'the card');
  await later(() => api.jobs.map(({ prompts }) => prompts), [['Add a quickstart']], 'the job');
  await control.press(second ?? first, 'try_again', alice);
  await clock.advance(10_000);
  expect(await cards(program)).toHaveLength(1);
  expect(api.counts.create).toBe(1);
});

describe('replies before the card is refused', () => {
  /** A mention in the channel whose card waits, with replies under it. */
  async function withReplies(program: Program, texts: readonly string[]) {
    const { slack, later } = program;
    let isRefusing = false;
    slack.onCall(({ method, args }) => {
      if (method !== 'chat.postMessage' || args.channel !== general) return null;
      return isRefusing ? { error: 'restricted_action' } : { status: 429, headers: { 'retry-after': '20' } };
    });
    const text = `<@${strictApp.botUserId}> Add a quickstart`;
    const root = await slack.control.message({ channel: general, user: alice, text });
    const replies: SlackMessage[] = [];
    for (const words of texts) {
      replies.push(await slack.control.reply(root, words));
    }
    const receipts = (...expected: string[]) =>
      later(
        () => Promise.all(replies.map((reply) => slack.control.reactions(reply))),
        (shown) => shown.map((names) => names.join()).join(' ') === expected.join(' '),
        expected.join(' '),
      );
    return {
      replies,
      receipts,
      refuse: () => {
        isRefusing = true;
      },
      tryAgain: async () => {
        const told = await slack.control.messages(alice);
        expect(told).toHaveLength(1);
        slack.onCall(() => null);
        for (const offer of told) await slack.control.press(offer, 'try_again', alice);
      },
    };
  }
  const prompts = ({ api }: Program) => api.jobs.map((job) => job.prompts);

  test.each([
    ['after the request', 1],
    ['even before it', 0],
  ])(
    'are said not to be sent, and *Try again* sends them on in order, if they arrived %s',
    async (_when, copies) => {
      await using program = await startProgram();
      program.slack.onDelivery(({ kind, payload, attempt }) =>
        kind === 'event' && attempt === 0 && JSON.stringify(payload).includes('quickstart') ? copies : 1,
      );
      const { receipts, refuse, tryAgain } = await withReplies(program, ['First', 'Second']);
      if (copies === 1) await receipts('eyes', 'eyes');
      refuse();
      await receipts('warning', 'warning');
      await tryAgain();
      await receipts('white_check_mark', 'white_check_mark');
      expect(prompts(program)).toEqual([['Add a quickstart', 'First\n\nSecond']]);
    },
  );

  test('are not talked about in the channel, for there is no thread: the requester gets a private message', async () => {
    await using program = await startProgram();
    const { control } = program.slack;
    const { receipts, refuse } = await withReplies(program, ['x'.repeat(20_001)]);
    await receipts('warning');
    refuse();
    const isPrivatelyTold = (all: readonly SlackMessage[]) =>
      all.some(({ text }) => text.includes('20,001 characters') && text.includes('restricted_action'));
    await program.later(() => control.messages(alice), isPrivatelyTold, 'what could not be posted');
    const posts = program.slack.calls('chat.postMessage').filter(({ args }) => args.channel === general);
    expect(posts.filter(({ args }) => args.thread_ts === undefined)).toEqual([]);
  });

  test('go along with *Try again* as they read by then: edited, or not at all if they were deleted', async () => {
    await using program = await startProgram();
    const { control } = program.slack;
    const { replies, receipts, refuse, tryAgain } = await withReplies(program, ['Frist', 'Second', 'Third']);
    const [first, second, third] = replies;
    if (!first || !second || !third) throw new Error('there are no replies');
    await receipts('eyes', 'eyes', 'eyes');
    refuse();
    await receipts('warning', 'warning', 'warning');
    await control.editMessage(first, 'First');
    await control.editMessage(second, 'aside second');
    await control.deleteMessage(third);
    replies.pop();
    await receipts('warning', 'speech_balloon');
    await tryAgain();
    await receipts('white_check_mark', 'speech_balloon');
    await program.clock.advance(60_000);
    expect(prompts(program)).toEqual([['Add a quickstart', 'First']]);
  });
});

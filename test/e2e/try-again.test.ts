import { expect, test } from 'vitest';
import {
  alice,
  bob,
  describeWithLocalSlack,
  general,
  random,
  type SlackMessage,
} from '../support/local-slack.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { startProgram } from '../support/strict-slack/program.ts';
import { saying } from './support/posts.ts';
import { startWorld } from './support/world.ts';

const DAY_MS = 86_400_000;

describeWithLocalSlack('a request in a channel without the bot (S4)', () => {
  test('is kept: *Try again* starts it, once, also after weeks and a restart, and only for who asked', async () => {
    await using world = await startWorld();
    world.proxy.fail('chat.postMessage', { error: 'not_in_channel' }, { error: 'not_in_channel' });
    await world.slack.command({ channel: random, user: alice, text: 'Add a quickstart' });
    const offers = async () => saying(await world.slack.messages(random), '/invite');
    const [first] = await world.later(offers, (all) => all.length === 1, 'the private answer');
    if (first === undefined) throw new Error('there is no private answer');

    await world.slack.press(first, 'try_again', alice);
    const [second] = await world.later(
      offers,
      (all) => all.length > 0 && all[0]?.ts !== first.ts,
      'the next',
    );
    if (second === undefined) throw new Error('there is no second answer');
    await world.service.stop();
    await world.clock.advance(21 * DAY_MS);
    await world.restart();

    await world.slack.press(second, 'try_again', bob);
    await world.slack.press(second, 'try_again', alice);
    const cards = async () =>
      (await world.slack.messages(random)).filter(({ thread_ts, subtype }) => !thread_ts && !subtype);
    await world.later(cards, (all) => all.length === 1, 'the card');
    await world.later(
      () => world.api.counts.create,
      (count) => count === 1,
      'the job',
    );
    expect(world.api.jobs[0]?.prompts).toEqual(['Add a quickstart']);
    await world.slack.press(second, 'try_again', alice);
    await world.clock.advance(10_000);
    expect(await cards()).toHaveLength(1);
    expect(world.api.counts.create).toBe(1);
  });
});

test('replies before the card is refused are said not to be sent, and *Try again* sends them on in order', async () => {
  await using program = await startProgram();
  const { slack, later } = program;
  let isRefusing = false;
  slack.onCall(({ method, args }) => {
    if (method !== 'chat.postMessage' || args.channel !== general) return null;
    return isRefusing ? { error: 'restricted_action' } : { status: 429, headers: { 'retry-after': '20' } };
  });
  const text = `<@${strictApp.botUserId}> Add a quickstart`;
  const root = await slack.control.message({ channel: general, user: alice, text });
  const replies: SlackMessage[] = [];
  const receipts = (...names: string[]) =>
    later(
      () => Promise.all(replies.map((reply) => slack.control.reactions(reply))),
      (shown) => shown.every((receipts) => receipts.join() === names.join()),
      names.join(),
    );
  for (const words of ['First', 'Second']) {
    replies.push(
      await slack.control.message({ channel: general, user: bob, text: words, threadTs: root.ts }),
    );
  }
  await receipts('eyes');
  isRefusing = true;
  await receipts('warning');
  const told = await slack.control.messages(alice);
  expect(told).toHaveLength(1);
  slack.onCall(() => null);
  for (const offer of told) await slack.control.press(offer, 'try_again', alice);
  await receipts('white_check_mark');
  expect(program.api.jobs.map(({ prompts }) => prompts)).toEqual([['Add a quickstart', 'First\n\nSecond']]);
});

import { expect, test } from 'vitest';
import { alice, bob, general } from '../support/local-slack.ts';
import type { Delivery } from '../support/strict-slack/delivery.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { startStrictWorld } from './support/strict-world.ts';

const mention = `<@${strictApp.botUserId}> Fix the typos`;

/** Slack's first two tries fail, so it delivers this message a minute later. */
function isLost({ payload, attempt }: Delivery, text: string): boolean {
  return attempt < 2 && JSON.stringify(payload).includes(JSON.stringify(text).slice(1, -1));
}

for (const [what, channel, text] of [
  ['mention', general, mention],
  ['direct message', alice, 'Fix the typos'],
] as const) {
  test(`replies that come before a ${what} that Slack delivers again a minute later are follow-ups, in order and once (F1)`, async () => {
    await using world = await startStrictWorld({ mode: 'http' });
    const { slack } = world;
    slack.onDelivery((delivery) => (isLost(delivery, text) ? 0 : 1));
    const root = await slack.control.message({ channel, user: alice, text });
    const say = (user: string, words: string) =>
      slack.control.message({ channel: root.channel, user, text: words, threadTs: root.ts });
    const first = await say(bob, 'And the lynks');
    await say(alice, 'And the titles');
    const withdrawn = await say(bob, 'And the footer');
    await world.settled(30_000);
    await slack.control.editMessage(first, 'And the links');
    await slack.control.deleteMessage(withdrawn);
    await world.settled(40_000);
    await world.started('Fix the typos');
    await say(bob, 'And the menus');
    await world.settled(30_000);
    const said = (world.prompts()[0] ?? []).join('\n\n');
    expect(said).toBe('Fix the typos\n\nAnd the links\n\nAnd the titles\n\nAnd the menus');
  });
}

test('the thread of a mention that comes in time is not read', async () => {
  await using world = await startStrictWorld();
  await world.slack.control.message({ channel: general, user: alice, text: mention });
  await world.started('Fix the typos');
  await world.settled(10_000);
  expect(world.slack.calls('conversations.replies')).toEqual([]);
});

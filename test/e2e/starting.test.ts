import { describe, expect, test } from 'vitest';
import { alice, bob, general } from '../support/local-slack.ts';
import { openThreadForm } from './support/posts.ts';
import { startStrictWorld } from './support/strict-world.ts';

const bot = '<@U0DOCSAGENT>';
const again = 'Document the rate limits';

test.each([
  ['a mention in a channel', general, `${bot} `],
  ['a direct message', alice, ''],
])(
  '%s starts a job in its own thread, and replies there are follow-ups, once, however often they are delivered (S3, S5)',
  async (_door, channel, start) => {
    await using world = await startStrictWorld();
    world.slack.onDelivery(() => 3);
    const root = await world.say(`${start}Document the rate limits`, { channel });
    // Its card may still be under way.
    await world.say(`${start}and the retries`, { channel, threadTs: root.ts });
    await world.settled(10_000);
    expect((await world.thread(root)).some(({ text }) => text.includes('*Document the rate limits*'))).toBe(
      true,
    );
    await world.say('And the errors', { channel, threadTs: root.ts });
    await world.settled(10_000);
    expect(world.prompts()).toEqual([['Document the rate limits', 'and the retries', 'And the errors']]);
  },
);

test('what is no request is answered privately, and starts nothing: no words, a command, too many words (S3, S6)', async () => {
  await using world = await startStrictWorld();
  for (const [text, words] of [
    [bot, '/docs-agent'],
    [`${bot} list`, 'No jobs'],
    [`${bot} settings`, '/docs-agent settings'],
    [`${bot} ${'x'.repeat(20_001)}`, '20,001 characters; the limit is 20,000.'],
  ] as const) {
    await world.say(text);
    expect((await world.sentPrivately(general, words)).ephemeral_to).toBe(alice);
  }
  for (const text of ['\u200b', 'x'.repeat(20_001)]) await world.say(text, { channel: alice });
  for (const words of ['What should change?', 'the limit is 20,000']) await world.sentPrivately(alice, words);
  const root = await world.say('help', { channel: alice });
  await world.say('And now?', { channel: alice, threadTs: root.ts });
  await world.sentPrivately(alice, '*Send this thread along?*');
  await world.settled();
  expect(world.prompts()).toEqual([]);
  await world.say(`${bot} -- list`);
  await world.started('list');
});

test('a mention in a thread whose job Slack did not let start is answered, and can take the thread (S3, S4)', async () => {
  await using world = await startStrictWorld();
  world.slack.onCall(({ method, args }) =>
    method === 'chat.postMessage' && args.channel === general ? { error: 'restricted_action' } : null,
  );
  const root = await world.say(`${bot} Document the rate limits`);
  const offer = await world.seen(alice, ({ text }) => text.includes('[Start]'));
  world.slack.onCall(() => null);
  await world.say(`${bot} Document the errors`, { user: bob, threadTs: root.ts });
  await openThreadForm(world, bob, 'rate limits');
  await world.submit({}, bob);
  await world.settled();
  expect(world.prompts()).toHaveLength(1);
  await world.slack.control.press(offer, 'try_again', alice);
  await world.sentPrivately(alice, 'already a job in this thread');
  await world.settled();
  expect(world.prompts()).toHaveLength(1);
});

describe('the same words again within two minutes', () => {
  test('in a command are asked about, also at the same moment, and started once on request (S5)', async () => {
    await using world = await startStrictWorld();
    await Promise.all([world.command(again), world.command(again)]);
    await world.sentPrivately(general, 'You asked for this');
    await world.settled();
    expect(world.prompts()).toEqual([[again]]);
    await world.command(` ${again} `);
    const question = await world.sentPrivately(general, 'You asked for this 5 seconds ago');
    expect(JSON.stringify(question.blocks)).toContain('Open thread');
    await world.restart();
    for (const _press of [1, 2]) await world.slack.control.press(question, 'start_another', alice);
    await world.settled();
    expect(world.prompts()).toEqual([[again], [again]]);
  });

  test('in a mention are asked about privately, and leave to people what they wrote before the answer (S5, S3)', async () => {
    await using world = await startStrictWorld();
    await world.say(`${bot} ${again}`);
    await world.settled();
    // The thread of a mention that comes in time needs no reading.
    expect(world.slack.calls('conversations.replies')).toEqual([]);
    const second = await world.say(`${bot} ${again}`);
    const question = await world.sentPrivately(general, 'You asked for this');
    await world.say('Between us: who wrote this?', { user: bob, threadTs: second.ts });
    await world.settled();
    await world.slack.control.press(question, 'start_another', alice);
    await world.settled();
    await world.restart();
    await world.settled(20_000);
    expect(world.prompts()).toEqual([[again], [again]]);
    expect((await world.thread(second)).some(({ text }) => text.includes(`*${again}*`))).toBe(true);
  });

  test('in a direct message are asked about; by somebody else, or later, they are another job (S5)', async () => {
    await using world = await startStrictWorld();
    for (const text of [again, again]) {
      await world.say(text, { channel: alice });
      await world.settled();
    }
    await world.sentPrivately(alice, 'You asked for this');
    expect(world.prompts()).toEqual([[again]]);
    await world.command(again, bob);
    await world.settled(121_000);
    await world.command(again, bob);
    await world.settled();
    expect(world.prompts()).toEqual([[again], [again], [again]]);
  });
});

test('who was removed from a private channel cannot read a thread of it any more (S3)', async () => {
  await using world = await startStrictWorld();
  const secret = 'C0SECRET';
  const members = [alice, bob, 'U0DOCSAGENT'];
  world.slack.control.openChannel({ id: secret, name: 'secret', type: 'group', members });
  const root = await world.say('old talk', { channel: secret, user: bob });
  world.slack.onCall(({ method }) =>
    method === 'chat.postEphemeral' ? { error: 'user_not_in_channel' } : null,
  );
  await world.say(`${bot} Document it`, { channel: secret, threadTs: root.ts });
  const told = await world.seen(alice, ({ text }) => text.includes("doesn't let me answer you there"));
  expect(JSON.stringify(told.blocks)).not.toContain('choose_messages');
});

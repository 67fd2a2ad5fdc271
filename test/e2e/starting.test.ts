import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { alice, bob, general } from '../support/local-slack.ts';
import { openThreadForm } from './support/posts.ts';
import { type StrictWorld, startStrictWorld } from './support/strict-world.ts';

const bot = '<@U0DOCSAGENT>';

let world: StrictWorld;
beforeEach(async () => {
  world = await startStrictWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

const write = (text: string, options: { channel?: string; user?: string; threadTs?: string } = {}) =>
  world.slack.control.message({ channel: general, user: alice, text, ...options });
const thread = async (channel: string, ts: string) =>
  (await world.slack.control.thread(channel, ts)).slice(1).map(({ text }) => text);

describe('a mention in a channel', () => {
  test('starts a job in its own thread, and replies there are follow-ups, once, however often they are delivered (S3, S5)', async () => {
    world.slack.onDelivery(() => 3);
    const root = await write(`${bot} Document the rate limits`);
    await world.started('Document the rate limits');
    await world.seen(
      general,
      ({ thread_ts, text }) => thread_ts === root.ts && text.includes('*Document the rate limits*'),
    );
    await write('And the retries', { threadTs: root.ts, user: bob });
    await world.settled();
    expect(world.prompts()).toEqual([['Document the rate limits', 'And the retries']]);
  });

  test('is one follow-up in a thread that has a job, also while its card is under way (S3, S5)', async () => {
    const root = await write(`${bot} Document the rate limits`);
    await write(`${bot} and the retries`, { threadTs: root.ts });
    await world.settled(10_000);
    await write(`${bot} and the errors`, { threadTs: root.ts });
    await world.settled(10_000);
    expect(world.prompts()).toEqual([['Document the rate limits', 'and the retries', 'and the errors']]);
  });

  test('without words is answered with help, privately (S3)', async () => {
    await write(bot);
    const { ephemeral_to } = await world.sentPrivately(general, '/docs-agent');
    expect(ephemeral_to).toBe(alice);
    await world.settled();
    expect(world.prompts()).toEqual([]);
  });

  test('that is a command is answered privately, or with where to type it, and starts nothing (S3)', async () => {
    await write(`${bot} list`);
    expect((await world.sentPrivately(general, 'No jobs')).ephemeral_to).toBe(alice);
    await write(`${bot} settings`);
    expect((await world.sentPrivately(general, '/docs-agent settings')).ephemeral_to).toBe(alice);
    await world.settled();
    expect(world.prompts()).toEqual([]);
    await write(`${bot} -- list`);
    await world.started('list');
  });

  test('that is too long is refused privately, with the limit (S6)', async () => {
    await write(`${bot} ${'x'.repeat(20_001)}`);
    await world.sentPrivately(general, '20,001 characters; the limit is 20,000.');
    await world.settled();
    expect(world.prompts()).toEqual([]);
  });

  test('in a thread whose job Slack did not let start is answered, and can take the thread (S3, S4)', async () => {
    world.slack.onCall(({ method, args }) =>
      method === 'chat.postMessage' && args.channel === general ? { error: 'restricted_action' } : null,
    );
    const root = await write(`${bot} Document the rate limits`);
    const offer = await world.seen(alice, ({ text }) => text.includes('[Start]'));
    world.slack.onCall(() => null);
    await write(`${bot} Document the errors`, { user: bob, threadTs: root.ts });
    await openThreadForm(world, bob, 'rate limits');
    await world.slack.control.submit(bob);
    await world.settled();
    expect(world.prompts()).toHaveLength(1);
    await world.slack.control.press(offer, 'try_again', alice);
    await world.sentPrivately(alice, 'already a job in this thread');
    await world.settled();
    expect(world.prompts()).toHaveLength(1);
  });

  test('that is added by an edit, or deleted, starts nothing', async () => {
    const message = await write('Document the rate limits');
    await world.slack.control.editMessage(message, `${bot} Document the rate limits`);
    await world.slack.control.deleteMessage(message);
    await world.settled();
    expect(world.prompts()).toEqual([]);
  });
});

describe('a direct message', () => {
  test('starts a job in its own thread, once, however often it is delivered (S3, S5)', async () => {
    world.slack.onDelivery(() => 3);
    const root = await write('Document the rate limits', { channel: alice });
    await world.started('Document the rate limits');
    await write('And the retries', { channel: alice, threadTs: root.ts });
    await world.settled(10_000);
    expect(world.prompts()).toEqual([['Document the rate limits', 'And the retries']]);
    expect((await thread(root.channel, root.ts))[0]).toContain('*Document the rate limits*');
  });

  test('in a thread without a job is not left without an answer (S3)', async () => {
    const root = await write('help', { channel: alice });
    await write('And now?', { channel: alice, threadTs: root.ts });
    await world.sentPrivately(alice, '*Send this thread along?*');
    await world.settled();
    expect(world.prompts()).toEqual([]);
  });

  test('that is blank or too long is refused (S6)', async () => {
    await write('\u200b', { channel: alice });
    await write('x'.repeat(20_001), { channel: alice });
    await world.settled();
    const said = (await world.slack.control.messages(alice)).map(({ text }) => text).join('\n');
    expect(said).toContain('What should change?');
    expect(said).toContain('the limit is 20,000');
    expect(world.prompts()).toEqual([]);
  });
});

describe('the same words again within two minutes', () => {
  const again = 'Document the rate limits';

  test('in a command are asked about, and started once on request (S5)', async () => {
    await world.slack.control.command({ channel: general, user: alice, text: again });
    await world.settled();
    await world.slack.control.command({ channel: general, user: alice, text: ` ${again} ` });
    const question = await world.sentPrivately(general, 'You asked for this 5 seconds ago');
    await world.settled();
    expect(world.prompts()).toEqual([[again]]);
    expect(JSON.stringify(question.blocks)).toContain('Open thread');
    await world.restart();
    await world.slack.control.press(question, 'start_another', alice);
    await world.slack.control.press(question, 'start_another', alice);
    await world.settled();
    expect(world.prompts()).toEqual([[again], [again]]);
  });

  test('in a mention are asked about privately (S5)', async () => {
    await write(`${bot} ${again}`);
    await world.settled();
    const second = await write(`${bot} ${again}`);
    const question = await world.sentPrivately(general, 'You asked for this');
    await world.slack.control.press(question, 'start_another', alice);
    await world.settled();
    expect(world.prompts()).toEqual([[again], [again]]);
    expect((await thread(general, second.ts))[0]).toContain(`*${again}*`);
  });

  test('leave to people what they wrote in the thread before the answer (S5, S3)', async () => {
    await write(`${bot} ${again}`);
    await world.settled();
    const second = await write(`${bot} ${again}`);
    const question = await world.sentPrivately(general, 'You asked for this');
    await write('Between us: who wrote this?', { user: bob, threadTs: second.ts });
    await world.settled();
    await world.slack.control.press(question, 'start_another', alice);
    await world.settled();
    await world.restart();
    await world.settled(20_000);
    expect(world.prompts()).toEqual([[again], [again]]);
  });

  test('in a direct message are asked about (S5)', async () => {
    for (const text of [again, again]) {
      await write(text, { channel: alice });
      await world.settled();
    }
    await world.sentPrivately(alice, 'You asked for this');
    expect(world.prompts()).toEqual([[again]]);
  });

  test('twice at the same moment, one is started and the other asked about (S5)', async () => {
    const command = { channel: general, user: alice, text: again };
    await Promise.all([world.slack.control.command(command), world.slack.control.command(command)]);
    await world.sentPrivately(general, 'You asked for this');
    await world.settled();
    expect(world.prompts()).toEqual([[again]]);
  });

  test('by somebody else, or later, are another job', async () => {
    const command = (user: string) => world.slack.control.command({ channel: general, user, text: again });
    await command(alice);
    await command(bob);
    await world.settled(121_000);
    await command(alice);
    await world.settled();
    expect(world.prompts()).toEqual([[again], [again], [again]]);
  });
});

test('who was removed from a private channel cannot read a thread of it any more (S3)', async () => {
  const secret = 'C0SECRET';
  const { control } = world.slack;
  control.openChannel({ id: secret, name: 'secret', type: 'group', members: [alice, bob, 'U0DOCSAGENT'] });
  const root = await write('old talk', { channel: secret, user: bob });
  const mention = { channel: secret, threadTs: root.ts };
  world.slack.onCall(({ method }) =>
    method === 'chat.postEphemeral' ? { error: 'user_not_in_channel' } : null,
  );
  await write(`${bot} Document it`, mention);
  const told = await world.seen(alice, ({ text }) => text.includes("doesn't let me answer you there"));
  expect(JSON.stringify(told.blocks)).not.toContain('choose_messages');
});

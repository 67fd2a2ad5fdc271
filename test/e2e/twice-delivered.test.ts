import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { forwarded, limitsTable, tableAttachment } from '../support/app-messages.ts';
import { alice, bob, general, random } from '../support/local-slack.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { type StrictWorld, startStrictWorld } from './support/strict-world.ts';

const mention = `<@${strictApp.botUserId}>`;

let world: StrictWorld;
beforeEach(async () => {
  world = await startStrictWorld({ settings: { FOLLOW_UP_WINDOW: '1s' } });
});
afterEach(() => world[Symbol.asyncDispose]());

type Event = 'app_mention' | 'message';

/** A message that stands in Slack, and of which Slack tells as a test says. By default it has a file. */
async function aMention(text: string, threadTs?: string, more?: object) {
  const { control } = world.slack;
  const snippet = { name: 'limits.txt', content: 'solo: 20', mode: 'snippet' } as const;
  const said =
    more ?? (await control.message({ channel: random, user: alice, text: 'here', files: [snippet] }));
  const ts = `${Math.floor(world.clock.now() / 1000)}.${String(Math.floor(Math.random() * 1e6)).padStart(6, '0')}`;
  const event = {
    channel: general,
    user: alice,
    team: strictApp.teamId,
    text: `${mention} ${text}`.trim(),
    ts,
    client_msg_id: `id-${ts}`,
    ...(threadTs !== undefined && { thread_ts: threadTs }),
  };
  control.restore(general, [{ ...event, type: 'message' }]);
  /** With all that it has, if that is said. */
  const deliver = (type: Event, isWhole: boolean) => {
    const { files, attachments, blocks } = said as Record<string, unknown>;
    const isShare = files !== undefined && type === 'message';
    const parts = { files, attachments, blocks, ...(isShare && { subtype: 'file_share' }) };
    return control.raw(general, { ...event, ...(isWhole && parts), type });
  };
  return { event, deliver };
}

const orders: readonly [string, readonly (readonly [Event, boolean])[]][] = [
  [
    'the mention without the file, then the message',
    [
      ['app_mention', false],
      ['message', true],
    ],
  ],
  [
    'the message, then the mention without the file',
    [
      ['message', true],
      ['app_mention', false],
    ],
  ],
  [
    'the message without the file, then the mention',
    [
      ['message', false],
      ['app_mention', true],
    ],
  ],
  ['only the message', [['message', true]]],
  ['only the mention', [['app_mention', true]]],
  [
    'both, twice',
    [
      ['app_mention', false],
      ['message', true],
      ['app_mention', false],
      ['message', true],
    ],
  ],
]; // prettier-ignore

describe.each(orders)('a mention of which arrives %s', (_what, events) => {
  const deliverAll = async (deliver: (type: Event, isWhole: boolean) => Promise<void>) => {
    await Promise.all([
      ...events.map(([type, isWhole]) => deliver(type, isWhole)),
      world.clock.advance(3_000),
    ]);
    await world.settled(10_000);
  };

  test('is one request, with its file (R3)', async () => {
    const { deliver } = await aMention('Put these on the limits page');
    await deliverAll(deliver);
    expect(world.prompts()).toHaveLength(1);
    const whole = world.prompts().flat().join('\n');
    expect(whole.match(/Put these on the limits page/g)).toHaveLength(1);
    expect(whole.match(/solo: 20/g)).toHaveLength(1);
  });

  test('is one request, too, if it has no words but its file', async () => {
    const { deliver } = await aMention('');
    await deliverAll(deliver);
    expect(
      world
        .prompts()
        .flat()
        .join('\n')
        .match(/solo: 20/g),
    ).toHaveLength(1);
  });

  test('is one reply in the thread of a job, with its file (R3)', async () => {
    const card = await world.working();
    const { deliver } = await aMention('Put these on the limits page', card.ts);
    await deliverAll(deliver);
    const [job] = world.prompts();
    expect(job?.join('\n').match(/Put these on the limits page/g)).toHaveLength(1);
    expect(job?.join('\n').match(/solo: 20/g)).toHaveLength(1);
  });
});

const picture = { id: 'F0PNG', name: 'limits.png', mode: 'hosted', mimetype: 'image/png', filetype: 'png' };

describe.each<[string, object, string]>([
  ['a table', { attachments: [tableAttachment] }, '| Solo | 20 |'],
  ['a table in its blocks', { blocks: [limitsTable] }, '| Solo | 20 |'],
  ['a forwarded message', { attachments: [forwarded] }, 'The limit is *100* & not 60'],
  ['a picture', { files: [picture] }, 'limits.png'],
])('a mention with %s', (_what, more, part) => {
  test.each<[string, readonly Event[], number]>([
    ['the mention without it, and later the message', ['app_mention', 'message'], 20_000],
    ['the message without it, then the mention', ['message', 'app_mention'], 0],
    ['the message without it, and later the mention', ['message', 'app_mention'], 20_000],
  ])(
    'of which arrives %s, is one request, and one reply, with all of it (R3)',
    async (_order, events, ms) => {
      const card = await world.working();
      for (const threadTs of [undefined, card.ts]) {
        const words = threadTs === undefined ? 'Put these on the limits page' : 'These, too';
        const { deliver, event } = await aMention(words, threadTs, more);
        for (const [index, type] of events.entries()) {
          await Promise.all([deliver(type, index === 1), world.clock.advance(3_000)]);
          await world.settled(ms);
        }
        // Slack may deliver each again.
        for (const type of events) await Promise.all([deliver(type, true), world.clock.advance(3_000)]);
        await world.settled(10_000);
        const job = world.prompts().find((prompts) => prompts.join('\n').includes(words)) ?? [];
        const thread = (await world.slack.control.thread(general, threadTs ?? event.ts)).map(
          ({ text }) => text,
        );
        const whole = [...job, ...thread.filter((text) => text.includes('Not sent'))].join('\n');
        expect(whole.split(words)).toHaveLength(2);
        expect(whole.split(part)).toHaveLength(2);
      }
      expect(world.prompts()).toHaveLength(2);
    },
  );
});

test('an edit is not undone by another event of the message as it was (R3, F3)', async () => {
  const card = await world.working();
  const { control } = world.slack;
  const text = `${mention} As a table, please`;
  const reply = await control.reply(card, text, alice);
  await control.editMessage(reply, `${mention} As a table`);
  await Promise.all([
    control.raw(general, { ...reply, user: alice, type: 'app_mention' }),
    world.clock.advance(3_000),
  ]);
  await world.settled(20_000);
  expect(world.prompts()).toEqual([['Add a quickstart', 'As a table']]);
});

test.each<[string, readonly Event[]]>([
  ['the message', ['message']],
  ['the mention', ['app_mention']],
  ['both', ['app_mention', 'message']],
])(
  '%s is answered once, if it is no request, and once with an offer in a thread (R3)',
  async (_what, types) => {
    const root = await world.slack.control.message({
      channel: general,
      user: bob,
      text: 'The limits are wrong',
    });
    for (const [text, threadTs] of [
      ['help', undefined],
      ['Write this up', root.ts],
    ] as const) {
      const { deliver } = await aMention(text, threadTs);
      await Promise.all([...types.map((type) => deliver(type, false)), world.clock.advance(3_000)]);
      await world.settled();
    }
    const told = (await world.slack.control.messages(general)).filter(
      ({ subtype }) => subtype === 'ephemeral',
    );
    expect(told).toHaveLength(2);
    expect(world.prompts()).toEqual([]);
  },
);

test('a mention that arrives as both waits for nothing, and one of which the message never comes for a second (R3)', async () => {
  const both = await aMention('Explain the limits');
  await Promise.all([both.deliver('app_mention', false), both.deliver('message', false)]);
  await world.started('Explain the limits');
  const one = await aMention('Explain the keys');
  const delivered = one.deliver('app_mention', false);
  await world.clock.advance(1_000);
  await delivered;
  await world.started('Explain the keys');
});

test('a mention that was cut short by a crash is taken in when Slack delivers it again (R3)', async () => {
  const { deliver } = await aMention('Explain the limits');
  const delivered = deliver('app_mention', false).catch(() => {});
  await world.restart();
  await Promise.all([delivered, world.clock.advance(70_000)]);
  await world.started('Explain the limits');
  expect(world.prompts()).toHaveLength(1);
});

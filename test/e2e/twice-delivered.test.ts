import { expect, test } from 'vitest';
import { forwarded, limitsTable, tableAttachment } from '../support/app-messages.ts';
import { alice, bob, general, random } from '../support/local-slack.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { startStrictWorld } from './support/strict-world.ts';

const mention = `<@${strictApp.botUserId}>`;

type Event = 'app_mention' | 'message';
/** `whole`: with all that the message has. */
type Step = readonly [event: Event, isWhole: boolean];

async function start() {
  const world = await startStrictWorld({ settings: { FOLLOW_UP_WINDOW: '1s' } });
  const { control } = world.slack;
  let count = 0;
  return Object.assign(world, {
    /** A message that stands in Slack, and of which Slack tells as a test says. By default it has a file. */
    aMention: async (text: string, threadTs?: string, more?: object) => {
      count += 1;
      const snippet = { name: 'limits.txt', content: 'solo: 20', mode: 'snippet' } as const;
      const said: object = more ?? (await world.say('here', { channel: random, files: [snippet] }));
      const ts = `${Math.floor(world.clock.now() / 1000)}.${String(count).padStart(6, '0')}`;
      const event = {
        ...{ channel: general, user: alice, team: strictApp.teamId, ts, client_msg_id: `id-${ts}` },
        text: `${mention} ${text}`.trim(),
        ...(threadTs !== undefined && { thread_ts: threadTs }),
      };
      control.restore(general, [{ ...event, type: 'message' }]);
      const deliver = (type: Event, isWhole: boolean) => {
        const { files, attachments, blocks } = said as Record<string, unknown>;
        const isShare = files !== undefined && type === 'message';
        const parts = { files, attachments, blocks, ...(isShare && { subtype: 'file_share' }) };
        return control.raw(general, { ...event, ...(isWhole && parts), type });
      };
      return { event, deliver };
    },
  });
}

const M: Step = ['app_mention', false];
const m: Step = ['message', false];
const WHOLE_M: Step = ['app_mention', true];
const WHOLE_m: Step = ['message', true];

test.each<readonly [what: string, steps: readonly Step[]]>([
  ['the mention without the file, then the message', [M, WHOLE_m]],
  ['the message, then the mention without the file', [WHOLE_m, M]],
  ['the message without the file, then the mention', [m, WHOLE_M]],
  ['only the message', [WHOLE_m]],
  ['only the mention', [WHOLE_M]],
  ['both, twice', [M, WHOLE_m, M, WHOLE_m]],
])(
  'a mention of which arrives %s is one request, or one reply, with its file, also without words (R3)',
  async (_what, steps) => {
    await using world = await start();
    const card = await world.working();
    for (const [nth, [text, threadTs]] of [
      ['Put these on the limits page', undefined],
      ['', undefined],
      ['These, too', card.ts],
    ].entries()) {
      const { deliver } = await world.aMention(text ?? '', threadTs);
      await Promise.all([
        ...steps.map(([type, isWhole]) => deliver(type, isWhole)),
        world.clock.advance(3_000),
      ]);
      await world.settled(10_000);
      const whole = world.prompts().flat().join('\n');
      expect(whole.split('solo: 20')).toHaveLength(nth + 2);
      expect(whole.split(text || 'limits.txt:')).toHaveLength(text ? 2 : 3);
    }
    expect(world.prompts()).toHaveLength(3);
  },
);

const picture = { id: 'F0PNG', name: 'limits.png', mode: 'hosted', mimetype: 'image/png', filetype: 'png' };

test.each<[string, readonly Event[], number]>([
  ['the mention without it, and later the message', ['app_mention', 'message'], 20_000],
  ['the message without it, then the mention', ['message', 'app_mention'], 0],
  ['the message without it, and later the mention', ['message', 'app_mention'], 20_000],
])(
  'a mention with a table, something forwarded, or a picture, of which arrives %s, is one request, and one reply (R3)',
  async (_order, events, ms) => {
    await using world = await start();
    const card = await world.working();
    const parts: readonly (readonly [object, string])[] = [
      [{ attachments: [tableAttachment] }, '| Solo | 20 |'],
      [{ blocks: [limitsTable] }, '| Solo | 20 |'],
      [{ attachments: [forwarded] }, 'The limit is *100* & not 60'],
      [{ files: [picture] }, 'limits.png'],
    ];
    /** All that the agent has, and all that is named as not sent. */
    const told = async () => {
      const posts = (await world.slack.control.messages(general)).map(({ text }) => text);
      return [...world.prompts().flat(), ...posts.filter((text) => text.includes('Not sent'))].join('\n');
    };
    for (const [nth, [more, part]] of parts.entries())
      for (const threadTs of [undefined, card.ts]) {
        const words = `Put ${threadTs === undefined ? 'these' : 'those'} on page ${nth}`;
        const before = (await told()).split(part).length;
        const { deliver } = await world.aMention(words, threadTs, more);
        for (const [index, type] of events.entries()) {
          await Promise.all([deliver(type, index === 1), world.clock.advance(3_000)]);
          await world.settled(ms);
        }
        // Slack may deliver each again.
        for (const type of events) await Promise.all([deliver(type, true), world.clock.advance(3_000)]);
        await world.settled(10_000);
        const whole = await told();
        expect(whole.split(words)).toHaveLength(2);
        expect(whole.split(part), words).toHaveLength(before + 1);
      }
    expect(world.prompts()).toHaveLength(5);
  },
);

test('an edit is not undone by another event of the message as it was (R3, F3)', async () => {
  await using world = await start();
  const card = await world.working();
  const { control } = world.slack;
  const reply = await control.reply(card, `${mention} As a table, please`, alice);
  await control.editMessage(reply, `${mention} As a table`);
  const event = { ...reply, user: alice, type: 'app_mention' };
  await Promise.all([control.raw(general, event), world.clock.advance(3_000)]);
  await world.settled(20_000);
  expect(world.prompts()).toEqual([['Add a quickstart', 'As a table']]);
});

test('a mention is answered once, whichever event comes, if it is no request, and once with an offer in a thread (R3)', async () => {
  await using world = await start();
  const root = await world.say('The limits are wrong', { user: bob });
  const ways: Event[][] = [['message'], ['app_mention'], ['app_mention', 'message']];
  for (const [nth, types] of ways.entries()) {
    for (const [text, threadTs] of [
      ['help', undefined],
      ['Write this up', root.ts],
    ] as const) {
      const { deliver } = await world.aMention(text, threadTs, {});
      await Promise.all([...types.map((type) => deliver(type, false)), world.clock.advance(3_000)]);
      await world.settled();
    }
    expect(await world.privately(), types.join()).toHaveLength(2 * nth + 2);
  }
  expect(world.prompts()).toEqual([]);
});

test('a mention that arrives as both waits for nothing, one of which the message never comes for a second, and one that a crash cut short for Slack (R3)', async () => {
  await using world = await start();
  const both = await world.aMention('Explain the limits');
  await Promise.all([both.deliver('app_mention', false), both.deliver('message', false)]);
  await world.started('Explain the limits');
  const one = await world.aMention('Explain the keys');
  const delivered = one.deliver('app_mention', false);
  await world.clock.advance(1_000);
  await delivered;
  await world.started('Explain the keys');
  const cut = await world.aMention('Explain the quotas');
  const again = cut.deliver('app_mention', false).catch(() => {});
  await world.restart();
  await Promise.all([again, world.clock.advance(70_000)]);
  await world.started('Explain the quotas');
  expect(world.prompts()).toHaveLength(3);
});

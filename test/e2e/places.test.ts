import { describe, expect, test } from 'vitest';
import { has, includes, some } from '../support/is.ts';
import { alice, general, random, type SlackMessage } from '../support/local-slack.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { type StrictWorld, startStrictWorld } from './support/strict-world.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const PR = 'https://github.com/acme/docs/pull/7';
const bot = strictApp.botUserId;

const recipe = [
  'projects: [{ id: acme-docs }]',
  `admins: [${alice}]`,
  `recipes: [{ name: review, channel: ${general}, request: Check the screenshots, schedule: "* * * * *" }]`,
].join('\n');

const settings = { SETTLE_WINDOW: '0' };

async function texts(world: StrictWorld, { channel, ts }: SlackMessage): Promise<string[]> {
  return (await world.slack.control.thread(channel, ts)).map(({ text }) => text);
}

/** How often the thread says it; its first message is the card. */
async function times(world: StrictWorld, card: SlackMessage, words: string): Promise<number> {
  return (await texts(world, card)).slice(1).filter((text) => text.includes(words)).length;
}

async function privately(world: StrictWorld, words: string): Promise<string[]> {
  const all = await world.slack.control.messages(alice);
  return all.map(({ text }) => text).filter((text) => text.includes(words));
}

async function atWork(world: StrictWorld): Promise<SlackMessage> {
  const card = await world.working();
  return card;
}

const finish = (world: StrictWorld) => world.api.finish(0, { status: 'completed', prLink: PR });

/** The card says so, and the thread once. */
async function isTold(world: StrictWorld, card: SlackMessage): Promise<void> {
  await world.threadMessage(card, 'Pull request ready');
  await world.later(
    async () => (await texts(world, card))[0],
    (text) => text?.includes('Pull request ready') === true,
    'the card to say so',
  );
  await world.settled();
  expect(await times(world, card, 'Pull request ready')).toBe(1);
}

const closings: readonly [
  what: string,
  reason: string,
  close: (world: StrictWorld) => void,
  open: (world: StrictWorld) => void,
][] = [
  [
    'the bot is out of the channel',
    "I'm no longer in <#C0GENERAL>",
    ({ slack }) => slack.control.remove(general, bot),
    ({ slack }) => slack.control.invite(general, bot),
  ],
  [
    'the channel is archived',
    '<#C0GENERAL>: it is archived',
    ({ slack }) => slack.control.archive(general),
    ({ slack }) => slack.control.unarchive(general),
  ],
];

describe.each(closings)('a job that ends while %s', (_what, reason, close, open) => {
  test('is told privately, once, and in its thread when that is over, once and in order', async () => {
    await using world = await startStrictWorld({ settings });
    const card = await atWork(world);
    close(world);
    finish(world);
    await world.later(() => privately(world, 'Pull request ready'), some, 'the private message');
    await world.clock.advance(3 * MINUTE_MS);
    const [told, ...more] = await privately(world, 'Pull request ready');
    expect(more).toEqual([]);
    expect(told).toContain(reason);
    expect(told).toContain('acme/docs#7');
    expect(await times(world, card, 'Pull request ready')).toBe(0);
    await world.restart();
    const openedAtMs = world.clock.now();
    open(world);
    await isTold(world, card);
    expect(world.clock.now() - openedAtMs).toBeLessThan(MINUTE_MS);
    expect(await privately(world, 'Pull request ready')).toHaveLength(1);
  });
});

describe('a place that is closed to the bot', () => {
  test('keeps the pull request of a recipe, which administrators read at home meanwhile', async () => {
    await using world = await startStrictWorld({ configFile: recipe, settings });
    await world.later(() => world.api.jobs.length, Boolean, 'the job');
    const cards = await world.slack.control.messages(general);
    const card = cards.find(({ text }) => text.includes('Check the screenshots'));
    if (card === undefined) throw new Error('there is no card');
    await world.threadMessage(card, 'On it');
    world.slack.control.remove(general, bot);
    finish(world);
    await world.clock.advance(30_000);
    await world.slack.control.openHome(alice);
    const home = await world.later(
      async () => JSON.stringify(await world.slack.control.home(alice)),
      includes('no longer in'),
      'the home',
    );
    expect(home).toMatch(/I'm no longer in <#C0GENERAL>.*\d messages? (?:is|are) waiting/);
    world.slack.control.invite(general, bot);
    await isTold(world, card);
  });

  test('keeps the start of a recipe, of which administrators read at home meanwhile', async () => {
    await using world = await startStrictWorld({ configFile: recipe, settings });
    world.slack.control.archive(general);
    await world.clock.advance(5 * MINUTE_MS);
    await world.slack.control.openHome(alice);
    const home = await world.later(
      async () => JSON.stringify(await world.slack.control.home(alice)),
      includes('is archived'),
      'the home',
    );
    expect(home).toMatch(/<#C0GENERAL>: it is archived.*\d messages? (?:is|are) waiting/);
    expect(world.prompts()).toEqual([]);
    world.slack.control.unarchive(general);
    await world.started('Check the screenshots');
  });

  test('is looked at once an hour, if no event says that it is open again', async () => {
    await using world = await startStrictWorld({ settings });
    const card = await atWork(world);
    world.slack.control.remove(general, bot);
    finish(world);
    await world.clock.advance(30_000);
    for (let hour = 0; hour < 5; hour += 1) {
      world.clock.freeze(HOUR_MS);
      await world.clock.advance(10_000);
    }
    world.slack.onDelivery(() => 0);
    world.slack.control.invite(general, bot);
    world.clock.freeze(HOUR_MS + 6 * MINUTE_MS);
    await world.clock.advance(10_000);
    await isTold(world, card);
  });

  test.each(['restricted_action_non_threadable_channel', 'messages_tab_disabled'])(
    'keeps what is refused by a setting that people may change (%s)',
    async (code) => {
      await using world = await startStrictWorld({ settings });
      const card = await atWork(world);
      let isClosed = true;
      world.slack.onCall(({ method }) =>
        isClosed && method === 'chat.postMessage' ? { error: code } : null,
      );
      finish(world);
      await world.clock.advance(30_000);
      expect(await times(world, card, 'Pull request ready')).toBe(0);
      isClosed = false;
      await world.clock.advance(3 * MINUTE_MS);
      await isTold(world, card);
    },
  );

  test('is given up after a week, and asked nothing more', async () => {
    await using world = await startStrictWorld({ settings });
    const card = await atWork(world);
    world.slack.control.remove(general, bot);
    finish(world);
    await world.clock.advance(30_000);
    world.clock.freeze(8 * 24 * HOUR_MS);
    await world.clock.advance(MINUTE_MS);
    world.slack.control.invite(general, bot);
    await world.settled();
    expect(await times(world, card, 'Pull request ready')).toBe(0);
    expect(await privately(world, 'Pull request ready')).toHaveLength(1);
  });

  test('is given up after a week, too, if its channel is deleted', async () => {
    await using world = await startStrictWorld({ settings });
    await atWork(world);
    world.slack.control.deleteChannel(general);
    finish(world);
    await world.clock.advance(30_000);
    const posts = () => world.slack.calls('chat.postMessage').length;
    const before = posts();
    world.clock.freeze(2 * HOUR_MS);
    await world.clock.advance(MINUTE_MS);
    expect(posts()).toBeGreaterThan(before);
    world.clock.freeze(8 * 24 * HOUR_MS);
    await world.clock.advance(MINUTE_MS);
    await world.settled();
    const atLast = posts();
    world.clock.freeze(2 * HOUR_MS);
    await world.clock.advance(MINUTE_MS);
    expect(posts()).toBe(atLast);
    expect(await privately(world, 'Pull request ready')).toHaveLength(1);
  });

  test('keeps notices, one for each link, and the thread says once where it could not post', async () => {
    await using world = await startStrictWorld({ settings: { ...settings, NOTICE_CHANNELS: random } });
    world.slack.control.remove(random, bot);
    const card = await atWork(world);
    finish(world);
    await world.threadMessage(card, "Couldn't post in");
    await world.clock.advance(2 * MINUTE_MS);
    world.slack.control.invite(random, bot);
    await world.seen(random, ({ text }) => text.includes('acme/docs#7'));
    await world.settled();
    const notices = (await world.slack.control.messages(random)).filter(({ text }) =>
      text.includes('docs#7'),
    );
    expect(notices).toHaveLength(1);
    expect(await times(world, card, "Couldn't post in")).toBe(1);
  });
});

describe('a request in a channel without the bot (S4)', () => {
  test('starts by itself when the bot is invited', async () => {
    await using world = await startStrictWorld();
    world.slack.control.remove(random, bot);
    await world.slack.control.command({ channel: random, user: alice, text: 'Add a quickstart' });
    const said = await world.sentPrivately(random, '/invite @docs-agent');
    expect(said.text).toContain('and your request starts by itself');
    await world.clock.advance(10 * MINUTE_MS);
    expect(world.prompts()).toEqual([]);
    const waiting = '*Waiting for an invitation* to <#C0RANDOM>';
    await world.slack.control.openHome(alice);
    const home = async () => JSON.stringify(await world.slack.control.home(alice));
    const view = await world.later(home, includes(waiting), 'the home');
    expect(view.split('*Open*')[0]).toMatch(/Needs your attention.*Waiting for an invitation/);
    world.slack.control.invite(random, bot);
    await world.started('Add a quickstart');
    await world.settled();
    expect(world.prompts()).toHaveLength(1);
    await world.later(home, (shown) => !shown.includes(waiting), 'the home after the start');
  });

  test('is answered in a direct message if a mention asks, in the same words, and starts in its thread', async () => {
    await using world = await startStrictWorld();
    const { control } = world.slack;
    control.invite(random, bot);
    // The event arrives all the same, but the bot was removed meanwhile.
    let isRemoved = true;
    world.slack.onCall(({ method, args }) =>
      isRemoved && method.startsWith('chat.post') && args.channel === random
        ? { error: 'not_in_channel' }
        : null,
    );
    const root = await control.message({ channel: random, user: alice, text: `<@${bot}> Add a quickstart` });
    const words =
      "I'm not in <#C0RANDOM> yet. Type `/invite @docs-agent`, and your request starts by itself.";
    await world.later(() => privately(world, words), has(1), 'the direct message');
    await world.settled();
    expect(world.prompts()).toEqual([]);
    control.remove(random, bot);
    isRemoved = false;
    control.invite(random, bot);
    await world.started('Add a quickstart');
    await world.settled();
    expect(world.prompts()).toHaveLength(1);
    expect((await control.thread(random, root.ts)).length).toBeGreaterThan(1);
  });

  test('waits for a day, and can be started by hand after that', async () => {
    await using world = await startStrictWorld();
    world.slack.control.remove(random, bot);
    await world.slack.control.command({ channel: random, user: alice, text: 'Add a quickstart' });
    await world.sentPrivately(random, '/invite @docs-agent');
    world.clock.freeze(25 * HOUR_MS);
    await world.clock.advance(MINUTE_MS);
    world.slack.control.invite(random, bot);
    await world.settled();
    expect(world.prompts()).toEqual([]);
    const [offer] = (await world.slack.control.messages(alice)).filter(({ text }) => text.includes('saved'));
    if (offer === undefined) throw new Error('there is no offer');
    await world.slack.control.press(offer, 'try_again', alice);
    await world.started('Add a quickstart');
  });
});

import { describe, expect, test } from 'vitest';
import { has, includes, some } from '../support/is.ts';
import { alice, general, random, type SlackMessage } from '../support/local-slack.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import type { ProgramOptions } from '../support/strict-slack/program.ts';
import { startStrictWorld } from './support/strict-world.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const READY = 'Pull request ready';
const bot = strictApp.botUserId;

const recipe = [
  'projects: [{ id: acme-docs }]',
  `admins: [${alice}]`,
  `recipes: [{ name: review, channel: ${general}, request: Check the screenshots, schedule: "* * * * *" }]`,
].join('\n');

async function start(options: ProgramOptions = {}) {
  const world = await startStrictWorld({ settings: { SETTLE_WINDOW: '0' }, ...options });
  const { control } = world.slack;
  /** How often the thread says it. */
  const times = async (card: SlackMessage, words: string) =>
    (await world.thread(card)).filter(({ text }) => text.includes(words)).length;
  return Object.assign(world, {
    times,
    posts: () => world.slack.calls('chat.postMessage').length,
    directly: async (words: string) =>
      (await control.messages(alice)).map(({ text }) => text).filter(includes(words)),
    atHome: async (words: string) => {
      const home = () => JSON.stringify(control.home(alice) ?? '');
      await control.openHome(alice);
      return world.later(home, includes(words), `${words} at home`);
    },
    finish: async (passMs = 30_000) => {
      world.api.finish(0, { status: 'completed', prLink: 'https://github.com/acme/docs/pull/7' });
      await world.clock.advance(passMs);
    },
    /** The card says so, and the thread once. */
    isTold: async (card: SlackMessage) => {
      await world.threadMessage(card, READY);
      await world.shows(card, READY);
      await world.settled();
      expect(await times(card, READY)).toBe(1);
    },
    /** Frozen, then awake for a moment. */
    sleep: async (ms: number) => {
      world.clock.freeze(ms);
      await world.clock.advance(MINUTE_MS);
    },
  });
}
type World = Awaited<ReturnType<typeof start>>;

test.each<[what: string, reason: string, close: (world: World) => void, open: (world: World) => void]>([
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
])(
  'a job that ends while %s is told privately, once, and in its thread when that is over, once and in order (S4)',
  async (_what, reason, close, open) => {
    await using world = await start();
    const card = await world.working();
    close(world);
    await world.finish();
    await world.later(() => world.directly(READY), some, 'the private message');
    await world.clock.advance(3 * MINUTE_MS);
    const [told, ...more] = await world.directly(READY);
    expect(more).toEqual([]);
    expect(told).toContain(reason);
    expect(told).toContain('acme/docs#7');
    expect(await world.times(card, READY)).toBe(0);
    await world.restart();
    const openedAtMs = world.clock.now();
    open(world);
    await world.isTold(card);
    expect(world.clock.now() - openedAtMs).toBeLessThan(MINUTE_MS);
    expect(await world.directly(READY)).toHaveLength(1);
  },
);

describe('a place that is closed to the bot (S4)', () => {
  test('keeps the start of a recipe, and its pull request, of which administrators read at home meanwhile', async () => {
    await using world = await start({ configFile: recipe });
    const { control } = world.slack;
    control.archive(general);
    await world.clock.advance(5 * MINUTE_MS);
    expect(await world.atHome('is archived')).toMatch(
      /<#C0GENERAL>: it is archived.*\d messages? (?:is|are) waiting/,
    );
    expect(world.prompts()).toEqual([]);
    control.unarchive(general);
    await world.started('Check the screenshots');
    const card = await world.seen(general, ({ text }) => text.includes('Check the screenshots'));
    await world.threadMessage(card, 'On it');
    control.remove(general, bot);
    await world.finish();
    expect(await world.atHome('no longer in')).toMatch(
      /I'm no longer in <#C0GENERAL>.*\d messages? (?:is|are) waiting/,
    );
    control.invite(general, bot);
    await world.isTold(card);
  });

  test('is looked at once an hour, if no event says that it is open again', async () => {
    await using world = await start();
    const card = await world.working();
    world.slack.control.remove(general, bot);
    await world.finish();
    for (let hour = 0; hour < 5; hour += 1) await world.sleep(HOUR_MS);
    world.slack.onDelivery(() => 0);
    world.slack.control.invite(general, bot);
    await world.sleep(HOUR_MS + 6 * MINUTE_MS);
    await world.isTold(card);
  });

  test('keeps what is refused by a setting that people may change', async () => {
    await using world = await start();
    const card = await world.working();
    const codes = ['restricted_action_non_threadable_channel', 'messages_tab_disabled'];
    let tries = 0;
    world.slack.onCall(({ method }) => {
      if (method !== 'chat.postMessage') return null;
      tries += 1;
      return { error: codes[tries % 2] ?? '' };
    });
    await world.finish(3 * MINUTE_MS);
    expect(tries).toBeGreaterThan(1);
    expect(await world.times(card, READY)).toBe(0);
    world.slack.onCall(() => null);
    await world.clock.advance(3 * MINUTE_MS);
    await world.isTold(card);
  });

  test('is given up after a week, and asked nothing more', async () => {
    await using world = await start();
    const card = await world.working();
    world.slack.control.remove(general, bot);
    await world.finish();
    const before = world.posts();
    await world.sleep(2 * HOUR_MS);
    expect(world.posts()).toBeGreaterThan(before);
    await world.sleep(8 * DAY_MS);
    await world.settled();
    const atLast = world.posts();
    world.slack.control.invite(general, bot);
    await world.sleep(2 * HOUR_MS);
    await world.settled();
    expect(world.posts()).toBe(atLast);
    expect(await world.times(card, READY)).toBe(0);
    expect(await world.directly(READY)).toHaveLength(1);
  });

  test('keeps notices, one for each link, and the thread says once where it could not post (N1)', async () => {
    await using world = await start({ settings: { SETTLE_WINDOW: '0', NOTICE_CHANNELS: random } });
    world.slack.control.remove(random, bot);
    const card = await world.working();
    await world.finish();
    await world.threadMessage(card, "Couldn't post in");
    await world.clock.advance(2 * MINUTE_MS);
    world.slack.control.invite(random, bot);
    await world.seen(random, ({ text }) => text.includes('acme/docs#7'));
    await world.settled();
    const notices = (await world.slack.control.messages(random)).filter(({ text }) =>
      text.includes('docs#7'),
    );
    expect(notices).toHaveLength(1);
    expect(await world.times(card, "Couldn't post in")).toBe(1);
  });
});

describe('a request in a channel without the bot (S4)', () => {
  test('starts by itself when the bot is invited; after a day, by hand', async () => {
    await using world = await start();
    const { control } = world.slack;
    control.remove(random, bot);
    await world.command('Add a quickstart', alice, random);
    const said = await world.sentPrivately(random, '/invite @docs-agent');
    expect(said.text).toContain('and your request starts by itself');
    await world.clock.advance(10 * MINUTE_MS);
    expect(world.prompts()).toEqual([]);
    const waiting = '*Waiting for an invitation* to <#C0RANDOM>';
    const home = await world.atHome(waiting);
    expect(home.split('*Open*')[0]).toMatch(/Needs your attention.*Waiting for an invitation/);
    control.invite(random, bot);
    await world.started('Add a quickstart');
    await world.settled();
    expect(world.prompts()).toHaveLength(1);
    const shown = () => JSON.stringify(control.home(alice) ?? '');
    await world.later(shown, (text) => !text.includes(waiting), 'the home after the start');

    control.remove(random, bot);
    await world.command('Add a glossary', alice, random);
    await world.settled();
    await world.sleep(25 * HOUR_MS);
    control.invite(random, bot);
    await world.settled();
    expect(world.prompts()).toHaveLength(1);
    const offer = await world.seen(alice, ({ text }) => text.includes('saved'));
    await control.press(offer, 'try_again', alice);
    await world.started('Add a glossary');
  });

  test('is answered in a direct message if a mention asks, in the same words, and starts in its thread', async () => {
    await using world = await start();
    const { control } = world.slack;
    control.invite(random, bot);
    // The event arrives, but the bot was removed meanwhile.
    world.slack.onCall(({ method, args }) =>
      method.startsWith('chat.post') && args.channel === random ? { error: 'not_in_channel' } : null,
    );
    const root = await world.say(`<@${bot}> Add a quickstart`, { channel: random });
    const words =
      "I'm not in <#C0RANDOM> yet. Type `/invite @docs-agent`, and your request starts by itself.";
    await world.later(() => world.directly(words), has(1), 'the direct message');
    await world.settled();
    expect(world.prompts()).toEqual([]);
    control.remove(random, bot);
    world.slack.onCall(() => null);
    control.invite(random, bot);
    await world.started('Add a quickstart');
    await world.settled();
    expect(world.prompts()).toHaveLength(1);
    expect((await world.thread(root)).length).toBeGreaterThan(0);
  });
});

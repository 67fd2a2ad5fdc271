import { describe, expect, onTestFinished, test } from 'vitest';
import { parseConfig } from '../../src/app/config/config.ts';
import { createLogger } from '../../src/app/operations/logger.ts';
import { createService } from '../../src/app/service.ts';
import { otherProgramFindings } from '../../src/doctor/slack.ts';
import { countConnections } from '../../src/slack/inbound/connection/kept-socket.ts';
import { inspectStore } from '../../src/store/inspect.ts';
import { openStore } from '../../src/store/open.ts';
import { has, present } from '../support/is.ts';
import { stopBy } from '../support/later.ts';
import { alice, bob, general, type SlackMessage } from '../support/local-slack.ts';
import { scrape } from '../support/scraped.ts';
import { noFiles } from '../support/settings.ts';
import { createTempDir } from '../support/temp-dir.ts';
import { createTestClock } from '../support/test-clock.ts';
import { type StrictWorld, startStrictWorld } from './support/strict-world.ts';

/** Another program, with the same tokens and a store of its own, and a name by which requests are routed to it. */
async function startOther(world: StrictWorld, name?: string) {
  const folder = await createTempDir();
  const log: string[] = [];
  const own = {
    DATA_DIR: folder.path,
    PORT: '0',
    ...(name && { SLACK_API_URL: world.slack.apiUrlOf(name) }),
  };
  const config = parseConfig({ ...world.env, ...own }, noFiles);
  const logger = createLogger({ level: 'debug', destination: { write: (line) => void log.push(line) } });
  world.watch.include(config.store);
  const service = createService(config, { clock: world.clock, log: logger });
  await service.start();
  let isRunning = true;
  const stop = async () => {
    if (isRunning) await stopBy(world.clock, service);
    isRunning = false;
  };
  onTestFinished(async () => {
    await stop();
    await folder.remove();
  });
  return { service, log, stop, storeConfig: config.store };
}

const warnings = async (service: StrictWorld['service']) => (await service.readiness()).warnings ?? [];
const otherConnections = async (service: StrictWorld['service']) =>
  (await scrape(service)).docs_agent_slack_other_connections;
const deliveriesOf = ({ slack }: StrictWorld, text: string) =>
  slack.deliveries().filter(({ payload }) => JSON.stringify(payload).includes(`"${text}"`));

describe('two programs with the same tokens, each with a store of its own', () => {
  test('lose no reply: each leaves to the other what it does not know, and says that there is another', async () => {
    await using world = await startStrictWorld({ settings: { FOLLOW_UP_WINDOW: '0' } });
    const other = await startOther(world);
    // Slack gives each in turn to the one and to the other.
    const cards: SlackMessage[] = [];
    const chat = () => world.say('Hm', { user: bob });
    for (const text of ['One page', 'Two pages', 'Three pages', 'Four pages']) {
      cards.push(await world.ask(text));
      // With the command and the card's own message, it makes three: the next goes to the other one.
      await chat();
    }
    await world.later(() => world.prompts(), has(4), 'the jobs');
    const replies: string[] = [];
    for (const round of [1, 2, 3]) {
      await chat();
      for (const [index, card] of cards.entries()) {
        const text = `Reply ${round} to ${index}`;
        replies.push(text);
        // It resolves when Slack gives its first attempt up, or the program takes it.
        void world.slack.control.reply(card, text);
        await world.clock.advance(4_000);
      }
    }
    // Some go out together.
    const timesAtAgent = (text: string) => world.prompts().flat().join('\n').split(text).length - 1;
    const missing = () => replies.filter((text) => timesAtAgent(text) === 0);
    await world.later(missing, has(0), 'all replies at the agent');
    expect(replies.filter((text) => timesAtAgent(text) !== 1)).toEqual([]);
    for (const { service, log } of [{ service: world.service, log: world.log }, other]) {
      expect(await warnings(service)).toEqual([expect.stringContaining('another program')]);
      expect(await otherConnections(service)).toBeGreaterThan(0);
      for (const event of ['other_program', 'reply_left'])
        expect(log.some((line) => line.includes(event))).toBe(true);
    }
  });

  test('answer a press on a card of the other and a reply that nobody knows, and notice when the other has gone', async () => {
    await using world = await startStrictWorld({ settings: { POLL_MIN_INTERVAL: '60s' } });
    const other = await startOther(world);
    const card = await world.ask('Add a page');
    await world.later(() => world.prompts(), has(1), 'the job');
    const opened = () => world.slack.calls('views.open').map(({ args }) => JSON.stringify(args));
    for (const count of [1, 2]) {
      expect(await world.slack.control.press(card, 'show_job', alice)).toMatchObject({ acknowledged: true });
      await world.later(opened, has(count), 'what is said');
    }
    for (const words of ['Two programs share this Slack app', 'Add a page'])
      expect(opened().filter((form) => form.includes(words))).toHaveLength(1);

    expect(await otherConnections(other.service)).toBe(1);
    // While it runs, doctor reads what it has stored.
    const facts = await inspectStore(other.storeConfig, world.clock.now());
    expect(otherProgramFindings(facts.otherConnections)).toMatchObject([
      { level: 'error', found: expect.stringContaining('another program') },
    ]);
    // Slack says it only to those who connect.
    await world.clock.advance(3_600_000);
    await world.later(() => otherConnections(world.service), 1, 'the older one to notice');
    const root = await world.say('Lunch?');
    void world.slack.control.reply(root, 'Yes');
    const attempts = () => deliveriesOf(world, 'Yes');
    await world.later(attempts, has(4), 'four attempts');
    await world.later(() => attempts().at(-1)?.acknowledgedAtMs, present, 'the last to be taken');
    expect(world.prompts()).toHaveLength(1);

    await other.stop();
    await world.clock.advance(300_000);
    await world.later(() => warnings(world.service), has(0), 'the end');
    expect(await otherConnections(world.service)).toBe(0);
  });

  test('lose no reply that comes right after the other one has, to a program that was alone when it counted', async () => {
    await using world = await startStrictWorld();
    await startOther(world, 'other');
    world.slack.socket.routeBy(({ kind }, program) => (kind === 'command') === (program === 'other'));
    const card = await world.ask('One page');
    void world.slack.control.reply(card, 'Hm');
    const taken = () => deliveriesOf(world, 'Hm').map(({ acknowledgedAtMs }) => acknowledgedAtMs);
    await world.later(taken, ([, second]) => second !== undefined, 'a second attempt');
    expect(taken()[0]).toBeNull();
  });
});

test('replies in threads of people are taken at once, and a program that is alone says nothing', async () => {
  await using world = await startStrictWorld();
  const root = await world.say('Lunch?');
  await world.slack.control.reply(root, 'Yes');
  for (const reason of ['warning', 'refresh_requested'] as const) {
    world.slack.socket.refresh(reason);
    await world.settled(60_000);
  }
  world.slack.socket.cut();
  await world.clock.advance(3 * 3_600_000);
  await world.settled(20_000);
  expect(world.slack.deliveries().every(({ attempt }) => attempt === 0)).toBe(true);
  expect(world.log.filter((line) => line.includes('other_program'))).toEqual([]);
  expect(world.slack.socket.connections()).toBe(1);
});

test('another program is seen though a replica could not open the connection that it had announced', async () => {
  const folder = await createTempDir();
  const store = await openStore({ dataDir: folder.path });
  const clock = createTestClock(1_000_000_000_000);
  const log = createLogger({ level: 'info', destination: { write: () => {} } });
  const [one, two] = [1, 1].map((open) => countConnections({ store, clock, log }, () => open));
  await one?.expectAnother();
  await clock.advance(60_000);
  await two?.expectAnother();
  await two?.take(3);
  expect(two?.others()).toBe(1);
  await Promise.all([one?.stop(), two?.stop()]);
  await store.close();
  await folder.remove();
});

test('people who talk below a message of the bot that the store does not know do not make it connect again and again', async () => {
  await using world = await startStrictWorld();
  for (const fault of [null, { error: 'internal_error' } as const]) {
    world.slack.onCall(() => null);
    await world.clock.advance(600_000);
    await world.settled(10_000);
    const posted = await fetch(`${world.env.SLACK_API_URL}chat.postMessage`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.env.SLACK_BOT_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ channel: general, text: 'Good morning' }),
    });
    const { ts } = (await posted.json()) as { ts: string };
    const opened = () => world.slack.calls('apps.connections.open').length;
    const before = opened();
    world.slack.onCall(({ method }) => (method === 'apps.connections.open' ? fault : null));
    for (const text of ['One', 'Two', 'Three', 'Four', 'Five'])
      await world.say(text, { user: bob, threadTs: ts });
    expect(opened() - before).toBe(1);
  }
});

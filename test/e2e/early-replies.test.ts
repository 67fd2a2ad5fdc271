import { describe, expect, test } from 'vitest';
import { has, includes } from '../support/is.ts';
import { alice, general } from '../support/local-slack.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { type StrictWorld, startStrictWorld } from './support/strict-world.ts';

const DAY_MS = 86_400_000;
const mention = `<@${strictApp.botUserId}>`;

/** Lets Slack store the next cards, and keeps their answers back until this is called. */
function holdCardAnswers({ slack }: StrictWorld): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  slack.onCall(({ method, args }) =>
    method === 'chat.postMessage' && String(args.text).includes('Starting') ? { answerAfter: promise } : null,
  );
  return resolve;
}

const allOf = (world: StrictWorld) => world.prompts().flat().join('\n\n');

describe('a reply to a card that is so new that its thread is not known yet', () => {
  test('goes to the agent before one that was written later (F1)', async () => {
    await using world = await startStrictWorld();
    const release = holdCardAnswers(world);
    const card = await world.ask('Add a quickstart');
    await world.slack.control.reply(card, 'First');
    for (let second = 0; second < 8; second += 1) await world.clock.advance(1_000);
    release();
    await world.later(() => world.api.jobs.length, 1, 'the job');
    await world.slack.control.reply(card, 'Second');
    await world.later(() => allOf(world), 'Add a quickstart\n\nFirst\n\nSecond', 'both replies at the agent');
  });

  test('is not lost when many other cards of the channel are under way (F1)', async () => {
    await using world = await startStrictWorld();
    const { slack } = world;
    slack.onCall(({ method }) => (method === 'chat.postMessage' ? { status: 500 } : null));
    for (let other = 1; other <= 25; other += 1) await world.command(`Document part ${other}`);
    await world.later(() => slack.calls('chat.postMessage').length, 25, 'the other cards to be tried');
    const release = holdCardAnswers(world);
    const card = await world.ask('Add a quickstart');
    await slack.control.reply(card, 'Mention the CLI');
    release();
    await world.later(() => allOf(world), includes('Mention the CLI'), 'the reply at the agent');
  });
});

test.each([
  ['mention', general, `${mention} Fix the typos`],
  ['direct message', alice, 'Fix the typos'],
])(
  'replies that come before a %s that Slack delivers again a minute later are follow-ups, in order and once (F1)',
  async (_what, channel, text) => {
    await using world = await startStrictWorld({ mode: 'http' });
    const { control } = world.slack;
    // Slack's first two tries fail.
    world.slack.onDelivery(({ payload, attempt }) =>
      attempt < 2 && JSON.stringify(payload).includes('Fix the typos') ? 0 : 1,
    );
    const root = await world.say(text, { channel });
    const first = await control.reply(root, 'And the lynks');
    await control.reply(root, 'And the titles', alice);
    const withdrawn = await control.reply(root, 'And the footer');
    await world.settled(30_000);
    await control.editMessage(first, 'And the links');
    await control.deleteMessage(withdrawn);
    await world.settled(40_000);
    await world.started('Fix the typos');
    await control.reply(root, 'And the menus');
    await world.settled(30_000);
    expect(allOf(world)).toBe('Fix the typos\n\nAnd the links\n\nAnd the titles\n\nAnd the menus');
  },
);

test('in a thread that may be anybody’s, nobody is told that they may not use the program; in direct messages, all are answered (A1, S3)', async () => {
  await using world = await startStrictWorld();
  const { control, calls } = world.slack;
  control.addUser({ id: 'U0GUEST', name: 'gina', isRestricted: true });
  control.invite(general, 'U0GUEST');
  const talk = await world.say('Lunch?');
  await control.reply(talk, 'Yes', 'U0GUEST');
  await world.clock.advance(60_000);
  expect(calls('users.info').length).toBeGreaterThan(0);
  expect(calls('chat.postEphemeral')).toEqual([]);

  const release = holdCardAnswers(world);
  await world.command('Add a quickstart', alice, alice);
  const messages = async () => (await control.messages(alice)).map(({ text }) => text).join('\n');
  await world.later(messages, includes('Starting'), 'the card');
  const root = await world.say('status', { channel: alice });
  await world.say('and the errors', { channel: alice, threadTs: root.ts });
  await world.later(messages, includes('*Send this thread along?*'), 'the answer');
  release();
});

test('a card whose answer was lost, in a channel that the bot was removed from, is found when it is back, with its replies; else it is given up after a day (F1, S4)', async () => {
  await using world = await startStrictWorld();
  const { slack, later } = world;
  const saying = async (words: string, channel = general) =>
    (await slack.control.messages(channel)).filter(({ text }) => text.includes(words));
  /** The card is there and was answered; the requester knows that the bot cannot see it. Then the program is down. */
  const outOfSight = async (prompt: string, nth: number, awayMs: number) => {
    slack.onCall(({ method, args }) =>
      method === 'chat.postMessage' && String(args.text).includes('Starting')
        ? { errorAfter: 'internal_error' }
        : null,
    );
    const card = await world.ask(prompt);
    const written = await slack.control.reply(card, 'Mention the CLI');
    slack.control.remove(general, strictApp.botUserId);
    await later(() => saying('/invite @docs-agent'), has(nth), 'the private answer');
    await world.clock.advance(60_000);
    expect(await saying('/invite @docs-agent')).toHaveLength(nth);
    await world.service.stop();
    await world.clock.advance(awayMs);
    await world.restart();
    return written;
  };
  const written = await outOfSight('Add a quickstart', 1, DAY_MS / 12);
  slack.control.invite(general, strictApp.botUserId);
  await world.clock.advance(300_000);
  await later(() => slack.control.reactions(written), ['white_check_mark'], 'the receipt');
  expect(world.prompts()).toEqual([['Add a quickstart', 'Mention the CLI']]);
  expect((await saying('[Details]')).filter(({ thread_ts }) => thread_ts === undefined)).toHaveLength(1);

  await outOfSight('Add a glossary', 2, DAY_MS);
  await later(() => saying('[Start]', alice), has(1), 'the offer');
});

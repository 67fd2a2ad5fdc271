import { describe, expect, test } from 'vitest';
import { has, includes } from '../support/is.ts';
import { alice, bob, general, type SlackMessage } from '../support/local-slack.ts';
import type { Delivery } from '../support/strict-slack/delivery.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { type Program, startProgram } from '../support/strict-slack/program.ts';
import { startStrictWorld } from './support/strict-world.ts';

/** Lets Slack store the next cards, and keeps their answers back until this is called. */
function holdCardAnswers({ slack }: Program): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  slack.onCall(({ method, args }) =>
    method === 'chat.postMessage' && String(args.text).includes('Starting') ? { answerAfter: promise } : null,
  );
  return resolve;
}

const isAbout = (payload: unknown, words: string) => JSON.stringify(payload).includes(words);

const reply = ({ slack }: Program, card: SlackMessage, text: string) => slack.control.reply(card, text);

describe('a reply to a card that is so new that its thread is not known yet', () => {
  test('goes to the agent before one that was written later (F1)', async () => {
    await using program = await startProgram();
    const release = holdCardAnswers(program);
    const card = await program.ask('Add a quickstart');
    await reply(program, card, 'First');
    for (let second = 0; second < 8; second += 1) await program.clock.advance(1_000);
    release();
    await program.later(() => program.api.jobs.length, 1, 'the job');
    await reply(program, card, 'Second');
    const prompts = await program.later(
      () => program.api.jobs[0]?.prompts.join('\n\n') ?? '',
      (text) => text.includes('First') && text.includes('Second'),
      'both replies at the agent',
    );
    expect(prompts).toBe('Add a quickstart\n\nFirst\n\nSecond');
  });

  test('is not lost when many other cards of the channel are under way (F1)', async () => {
    await using program = await startProgram();
    const { slack, clock } = program;
    slack.onCall(({ method }) => (method === 'chat.postMessage' ? { status: 500 } : null));
    for (let other = 1; other <= 25; other += 1) {
      await slack.control.command({ channel: general, user: alice, text: `Document part ${other}` });
    }
    await program.later(() => slack.calls('chat.postMessage').length, 25, 'the other cards to be tried');
    const release = holdCardAnswers(program);
    const card = await program.ask('Add a quickstart');
    await reply(program, card, 'Mention the CLI');
    release();
    await clock.advance(1_000);
    await program.later(
      () => program.api.jobs.flatMap(({ prompts }) => prompts),
      includes('Mention the CLI'),
      'the reply at the agent',
    );
  });
});

test('a reply that arrives before the mention that it answers goes to the agent, in its order (F1)', async () => {
  await using program = await startProgram();
  const { slack, clock } = program;
  slack.onDelivery(({ payload, attempt }) => (attempt === 0 && isAbout(payload, 'quickstart') ? 0 : 1));
  const text = `<@${strictApp.botUserId}> Add a quickstart`;
  const root = await slack.control.message({ channel: general, user: alice, text });
  await reply(program, root, 'First');
  const withdrawn = await reply(program, root, 'Withdrawn');
  await slack.control.deleteMessage(withdrawn);
  await clock.advance(1_000);
  await reply(program, root, 'Second');
  const prompts = await program.later(
    () => program.api.jobs[0]?.prompts.join('\n\n') ?? '',
    includes('Second'),
    'both replies at the agent',
  );
  expect(prompts).toBe('Add a quickstart\n\nFirst\n\nSecond');
  expect(slack.calls('conversations.replies')).toEqual([]);
});

test('in a thread that may be anybody’s, nobody is told that they may not use the program (A1)', async () => {
  await using program = await startProgram();
  const { control, calls } = program.slack;
  control.addUser({ id: 'U0GUEST', name: 'gina', isRestricted: true });
  control.invite(general, 'U0GUEST');
  const root = await control.message({ channel: general, user: alice, text: 'Lunch?' });
  await control.reply(root, 'Yes', 'U0GUEST');
  await program.clock.advance(60_000);
  expect(calls('users.info').length).toBeGreaterThan(0);
  expect(calls('chat.postEphemeral')).toEqual([]);
});

test('a reply in another thread of direct messages is answered, also while a card is under way (S3)', async () => {
  await using program = await startProgram();
  const { slack, later } = program;
  const release = holdCardAnswers(program);
  const write = (text: string, threadTs?: string) =>
    slack.control.message({ channel: alice, user: alice, text, threadTs });
  await slack.control.command({ channel: alice, user: alice, text: 'Add a quickstart' });
  const messages = () => slack.control.messages(alice);
  await later(messages, (all) => all.some(({ text }) => text.includes('Starting')), 'the card');
  const root = await write('status');
  await write('and the errors', root.ts);
  await later(
    messages,
    (all) => all.some(({ text }) => text.includes('*Send this thread along?*')),
    'the answer',
  );
  release();
});

describe('a card whose answer was lost, in a channel that the bot was removed from', () => {
  const DAY_MS = 86_400_000;
  const saying =
    ({ slack }: Program, words: string) =>
    async () =>
      (await slack.control.messages(general)).filter(({ text }) => text.includes(words));

  /** The card is there and was answered; the requester knows that the bot cannot see it. */
  async function outOfSight(program: Program) {
    const { slack, later } = program;
    slack.onCall(({ method, args }) =>
      method === 'chat.postMessage' && String(args.text).includes('Starting')
        ? { errorAfter: 'internal_error' }
        : null,
    );
    const card = await program.ask('Add a quickstart');
    const written = await reply(program, card, 'Mention the CLI');
    slack.control.remove(general, strictApp.botUserId);
    await later(saying(program, '/invite @docs-agent'), has(1), 'the private answer');
    return written;
  }

  /** Time passes while the program is down. */
  async function pass(program: Program, ms: number) {
    await program.service.stop();
    await program.clock.advance(ms);
    await program.restart();
  }

  test('is found when the bot is invited again; a reply to it goes out, and has its receipt (F1, S4)', async () => {
    await using program = await startProgram();
    const { slack, api } = program;
    const written = await outOfSight(program);
    await program.clock.advance(60_000);
    expect(await saying(program, '/invite @docs-agent')()).toHaveLength(1);
    await pass(program, DAY_MS / 12);
    slack.control.invite(general, strictApp.botUserId);
    await program.clock.advance(300_000);
    await program.later(() => slack.control.reactions(written), includes('white_check_mark'), 'the receipt');
    expect(api.jobs.map(({ prompts }) => prompts)).toEqual([['Add a quickstart', 'Mention the CLI']]);
    const cards = await saying(program, '[Details]')();
    expect(cards.filter(({ thread_ts }) => thread_ts === undefined)).toHaveLength(1);
  });

  test('is given up after a day: the requester can try again (S4)', async () => {
    await using program = await startProgram();
    await outOfSight(program);
    await pass(program, DAY_MS);
    const offers = async () =>
      (await program.slack.control.messages(alice)).filter(({ text }) => text.includes('[Start]'));
    await program.later(offers, has(1), 'the offer');
  });
});

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
    const say = (user: string, words: string) => slack.control.reply(root, words, user);
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

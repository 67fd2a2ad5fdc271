import { describe, expect, test } from 'vitest';
import { alice, general } from '../support/local-slack.ts';
import { type StrictWorld, startStrictWorld } from './support/strict-world.ts';

const bot = '<@U0DOCSAGENT>';

/** Waits for the next private answer after this was said, and returns it. */
async function answerTo(world: StrictWorld, say: () => Promise<unknown>, channel = general) {
  const told = async () =>
    (await world.slack.control.messages(channel)).filter(({ subtype }) => subtype === 'ephemeral');
  const { length } = await told();
  await say();
  await expect.poll(told, { message: 'the answer' }).toHaveLength(length + 1);
  const answer = (await told()).at(-1);
  if (answer === undefined) throw new Error('there is no answer');
  return answer;
}

const publicly = async ({ slack }: StrictWorld, channel: string) =>
  (await slack.control.messages(channel)).filter(
    ({ subtype, user }) => subtype !== 'ephemeral' && user !== alice,
  );

describe('what is hardly a request', () => {
  test('is asked about privately by every door, and started once, however often it is delivered or pressed (S2, S5)', async () => {
    await using world = await startStrictWorld();
    const { control } = world.slack;
    const question = await answerTo(world, () => world.command('webhooks'));
    expect(question.text).toContain('*Send “webhooks” to the agent as a new request?*');
    expect(question.ephemeral_to).toBe(alice);
    await world.settled();
    expect(await publicly(world, general)).toEqual([]);
    expect(world.prompts()).toEqual([]);
    await world.restart();
    await Promise.all([1, 2].map(() => control.press(question, 'start', alice)));
    await control.press(question, 'start', alice);
    await world.settled();
    expect(world.prompts()).toEqual([['webhooks']]);

    world.slack.onDelivery(() => 3);
    let root = question;
    const asked = await answerTo(world, async () => {
      root = await world.say(`${bot} quotas`);
    });
    await world.settled();
    expect((await world.privately()).filter((text) => text.includes('“quotas”'))).toHaveLength(1);
    world.slack.onDelivery(() => 1);
    await control.press(asked, 'start', alice);
    await world.started('quotas');
    await world.settled();
    expect((await world.thread(root)).length).toBeGreaterThan(0);

    const direct = await answerTo(world, () => world.say('limits', { channel: alice }), alice);
    expect(direct.text).toContain('Send “limits” to the agent as a new request?');
    await control.press(direct, 'start', alice);
    await world.started('limits');
    expect(world.prompts()).toHaveLength(3);
  });

  test('may be a question, a command with a slip, or `status` of what is no job: each can be asked for (S2)', async () => {
    await using world = await startStrictWorld();
    const { control } = world.slack;
    for (const [text, words] of [
      ['What are the rate limits?', '*That looks like a question.*'],
      ['lists', '*Did you mean* `/docs-agent list`?'],
      ['status codes', 'No job “codes”'],
    ] as const) {
      const question = await answerTo(world, () => world.command(text));
      expect(question.text).toContain(words);
      await world.settled();
      expect(world.prompts().flat()).not.toContain(text);
      if (text.includes('?')) expect(question.text).toContain('[Ask for this change] [Help]');
      if (text === 'lists') {
        const help = await answerTo(world, () => control.press(question, 'show_help', alice));
        expect(help.text).toContain('Ask for a documentation change');
        await control.press(help, 'show_all_help', alice);
        await world.formShows('watch job_123');
        await control.close(alice);
      }
      await control.press(question, 'start', alice);
      await world.started(text);
    }
    await world.say('status pages', { channel: alice });
    await world.sentPrivately(alice, 'No job “pages”');
  });
});

test.each<[how: string, place: string, say: (world: StrictWorld, text: string) => Promise<unknown>]>([
  ['a command', general, (world, text) => world.command(text)],
  ['a mention', general, (world, text) => world.say(`${bot} ${text}`)],
  ['a direct message', alice, (world, text) => world.say(text, { channel: alice })],
])(
  'what was not meant as a request, by %s, is answered privately, and starts nothing (S2)',
  async (_how, place, say) => {
    await using world = await startStrictWorld();
    for (const [text, words] of [
      ['hi there', 'Ask for a documentation change'],
      ['Vielen Dank, super!', 'Ask for a documentation change'],
      ['what can you do?', 'Ask for a documentation change'],
      ['my jobs', 'No jobs'],
      ['cancel the last one', 'Nothing of yours is running.'],
      ['is it done?', 'Nothing of yours is running.'],
      ['recipes', 'There are no recipes yet.'],
      ['run', 'There are no recipes yet.'],
    ] as const) {
      expect((await answerTo(world, () => say(world, text), place)).text, text).toContain(words);
    }
    await world.settled();
    expect(world.prompts()).toEqual([]);
    expect(await publicly(world, place)).toEqual([]);

    const card = await world.ask('Document the rate limits');
    await world.settled();
    const cannot = await answerTo(world, () => say(world, 'stop'), place);
    expect(cannot.text).toContain("*I can't stop the agent: it has no way to be stopped.*");
    expect(cannot.text).toContain('Your latest running request: Document the rate limits');
    const working = await answerTo(world, () => say(world, 'how far are you?'), place);
    expect(working.text).toMatch(/\*Still working\*.*so far: Document the rate limits/);
    await Promise.all([1, 2].map(() => world.slack.control.press(cannot, 'mute_updates', alice)));
    await world.settled();
    const muted = (await world.thread(card)).filter(({ text }) => text.includes('*Muted by'));
    expect(muted).toHaveLength(1);
    expect(world.prompts()).toEqual([['Document the rate limits']]);
  },
);

test('a reply that was probably not meant for the agent stays between people, and goes out once if its author says so (F4)', async () => {
  await using world = await startStrictWorld();
  const { control } = world.slack;
  const card = await world.ask('Document the rate limits');
  await world.settled();
  const sent = ['Document the rate limits'];
  const reply = (text: string) => control.reply(card, text, alice);
  let written = card;
  const kept = (text: string) =>
    answerTo(world, async () => {
      written = await reply(text);
    });
  for (const [text, words, label] of [
    ['Thank you! :tada:', '*Kept between people: it looks like a thank-you.*', 'Send it anyway'],
    ['stop', "*I can't stop the agent: it has no way to be stopped.*", 'Send “stop” to the agent'],
    ['is it done?', '*Still working*', 'Send to the agent'],
    ['status', 'Document the rate limits', 'Send to the agent'],
    ['list', 'Document the rate limits', 'Send to the agent'],
    ['help', 'Ask for a documentation change', 'Send to the agent'],
  ] as const) {
    const answer = await kept(text);
    expect(answer, text).toMatchObject({ ephemeral_to: alice, thread_ts: card.ts });
    expect(answer.text).toContain(words);
    expect(answer.text).toContain(`[${label}]`);
    await world.settled(10_000);
    expect(await control.reactions(written), text).toEqual(['speech_balloon']);
    expect(world.prompts()).toEqual([sent]);
    if (text === 'stop') await world.restart();
    await Promise.all([1, 2].map(() => control.press(answer, 'send_anyway', alice)));
    await world.settled(10_000);
    sent.push(text);
    expect(world.prompts()).toEqual([sent]);
    expect(await control.reactions(written), text).toEqual(['white_check_mark']);
  }

  // Of thanks each person is told once, and of a reply to a colleague not at all.
  const { length } = await world.privately();
  for (const text of ['ok', '<@U0B0B> lunch?']) {
    const chat = await reply(text);
    await world.settled();
    expect(await control.reactions(chat)).toEqual(['speech_balloon']);
  }
  expect(await world.privately()).toHaveLength(length);

  world.api.finish(0, { status: 'completed', prLink: 'https://github.com/acme/docs/pull/7' });
  await world.threadMessage(card, 'Pull request');
  const cancel = await kept('cancel');
  expect(cancel.text).toMatch(/Nothing is running in this thread\..*\[Send “cancel” to the agent\]/s);
  await world.settled(20_000);
  expect(world.prompts()).toEqual([sent]);
});

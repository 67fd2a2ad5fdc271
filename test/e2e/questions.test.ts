import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { alice, general } from '../support/local-slack.ts';
import { type StrictWorld, startStrictWorld } from './support/strict-world.ts';

const bot = '<@U0DOCSAGENT>';

let world: StrictWorld;
beforeEach(async () => {
  world = await startStrictWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

const write = (text: string, options: { channel?: string; user?: string } = {}) =>
  world.slack.control.message({ channel: general, user: alice, text, ...options });
const command = (text: string, channel = general) =>
  world.slack.control.command({ channel, user: alice, text });
const inPublic = async (channel: string) =>
  (await world.slack.control.messages(channel)).filter(
    ({ subtype, user }) => subtype !== 'ephemeral' && user !== alice,
  );

describe('what is hardly a request', () => {
  test('in a command is asked about privately, and started once, however often it is pressed (S2)', async () => {
    await command('webhooks');
    const question = await world.sentPrivately(general, '*Send “webhooks” to the agent as a new request?*');
    expect(question.ephemeral_to).toBe(alice);
    await world.settled();
    expect(await inPublic(general)).toEqual([]);
    expect(world.prompts()).toEqual([]);
    await world.restart();
    await Promise.all([1, 2].map(() => world.slack.control.press(question, 'start', alice)));
    await world.slack.control.press(question, 'start', alice);
    await world.settled();
    expect(world.prompts()).toEqual([['webhooks']]);
  });

  test('in a mention is asked about once, however often it is delivered, and starts in its thread (S5)', async () => {
    world.slack.onDelivery(() => 3);
    const root = await write(`${bot} webhooks`);
    const question = await world.sentPrivately(general, '“webhooks”');
    await world.settled();
    const asked = (await world.slack.control.messages(general)).filter(({ text }) =>
      text.includes('“webhooks”'),
    );
    expect(asked).toHaveLength(1);
    expect(world.prompts()).toEqual([]);
    await world.slack.control.press(question, 'start', alice);
    await world.settled();
    expect(world.prompts()).toEqual([['webhooks']]);
    expect((await world.slack.control.thread(general, root.ts)).length).toBeGreaterThan(1);
  });

  test('is a question without a word of change: it is asked about, and can be asked for all the same', async () => {
    await command('What are the rate limits?');
    const question = await world.sentPrivately(general, '*That looks like a question.*');
    expect(question.text).toContain('[Ask for this change] [Help]');
    await world.settled();
    expect(world.prompts()).toEqual([]);
    await world.slack.control.press(question, 'start', alice);
    await world.started('What are the rate limits?');
    await command('Can you document the rate limits?');
    await world.started('Can you document the rate limits?');
  });

  test('in a direct message is asked about', async () => {
    await write('webhooks', { channel: alice });
    const question = await world.sentPrivately(alice, 'Send “webhooks” to the agent as a new request?');
    await world.slack.control.press(question, 'start', alice);
    await world.settled();
    expect(world.prompts()).toEqual([['webhooks']]);
  });

  test('may be a command with a slip: the question names it, and shows the help', async () => {
    await command('lists');
    const question = await world.sentPrivately(general, '*Did you mean* `/docs-agent list`?');
    await world.slack.control.press(question, 'show_help', alice);
    const help = await world.sentPrivately(general, 'Ask for a documentation change');
    await world.slack.control.press(help, 'show_all_help', alice);
    await expect
      .poll(() => JSON.stringify(world.slack.control.modal(alice)), { message: 'the modal' })
      .toContain('watch job_123');
    await world.slack.control.press(question, 'start', alice);
    await world.settled();
    expect(world.prompts()).toEqual([['lists']]);
  });

  test('may be `status` of what is no job: it is asked whether it is a request', async () => {
    await command('status codes');
    const question = await world.sentPrivately(general, 'No job “codes”');
    await world.slack.control.press(question, 'start', alice);
    await world.settled();
    expect(world.prompts()).toEqual([['status codes']]);
    await write('status pages', { channel: alice });
    await world.sentPrivately(alice, 'No job “pages”');
  });

  test('is not asked about behind two dashes, in a form, or with four words', async () => {
    await command('-- help');
    await world.started('help');
    await command('stop all the links');
    await world.started('stop all the links');
    await command('');
    await expect.poll(() => world.slack.control.modal(alice), { message: 'the form' }).not.toBeNull();
    await world.slack.control.submit(alice, { prompt: 'webhooks' });
    await world.started('webhooks');
  });
});

describe.each([
  ['by a command', general, (text: string) => command(text)],
  ['by a mention', general, (text: string) => write(`${bot} ${text}`)],
  ['by a direct message', alice, (text: string) => write(text, { channel: alice })],
] as const)('what was not meant as a request, %s', (_how, place, say) => {
  test.each([
    ['hi there', 'Ask for a documentation change'],
    ['Vielen Dank, super!', 'Ask for a documentation change'],
    ['what can you do?', 'Ask for a documentation change'],
    ['my jobs', 'No jobs'],
    ['cancel the last one', 'Nothing of yours is running.'],
    ['is it done?', 'Nothing of yours is running.'],
    ['recipes', 'There are no recipes yet.'],
    ['run', 'There are no recipes yet.'],
  ])('is answered privately, and starts nothing: %s', async (text, answer) => {
    await say(text);
    await world.sentPrivately(place, answer);
    await world.settled();
    expect(world.prompts()).toEqual([]);
    expect(await inPublic(place)).toEqual([]);
  });

  test('names what runs: to stop it, or to know how far it is', async () => {
    const card = await world.ask('Document the rate limits');
    await world.settled();
    await say('stop');
    const cannot = await world.sentPrivately(place, "*I can't stop the agent: it has no way to be stopped.*");
    expect(cannot.text).toContain('Your latest running request: Document the rate limits');
    expect(cannot.text).toContain('[Mute updates]');
    await say('how far are you?');
    const working = await world.sentPrivately(place, '*Still working*');
    expect(working.text).toContain('so far: Document the rate limits');
    await Promise.all([1, 2].map(() => world.slack.control.press(cannot, 'mute_updates', alice)));
    await world.settled();
    const said = (await world.slack.control.thread(general, card.ts)).map(({ text }) => text);
    expect(said.filter((text) => text.includes('*Muted by'))).toHaveLength(1);
    expect(world.prompts()).toEqual([['Document the rate limits']]);
  });
});

test('`list` and `status` answer in a direct message, too, typed as a message or as a command', async () => {
  await write('Document the rate limits', { channel: alice });
  await world.started('Document the rate limits');
  await world.settled();
  const answers = async () =>
    (await world.slack.control.messages(alice)).filter(
      ({ subtype, text }) => subtype === 'ephemeral' && text.includes('Document the rate limits'),
    ).length;
  await write('list', { channel: alice });
  await expect.poll(answers, { message: 'the list' }).toBe(1);
  await write('status 1', { channel: alice });
  await expect.poll(answers, { message: 'the job' }).toBe(2);
  const { channel = '' } = (await world.slack.control.messages(alice))[0] ?? {};
  await command('list', channel);
  await expect.poll(answers, { message: 'the list, by command' }).toBe(3);
  await command('status', channel);
  await expect.poll(answers, { message: 'the job, by command' }).toBe(4);
  await world.settled();
  expect(world.prompts()).toEqual([['Document the rate limits']]);
});

describe('a reply that was probably not meant for the agent (F4)', () => {
  let card: Awaited<ReturnType<StrictWorld['ask']>>;
  beforeEach(async () => {
    card = await world.ask('Document the rate limits');
    await world.settled();
  });
  const reply = (text: string) => world.slack.control.reply(card, text, alice);
  const receiptOf = (message: Awaited<ReturnType<typeof reply>>, receipt: string) =>
    expect
      .poll(() => world.slack.control.reactions(message), { message: `the receipt ${receipt}` })
      .toEqual([receipt]);

  test.each([
    ['stop', "*I can't stop the agent: it has no way to be stopped.*", 'Send “stop” to the agent'],
    ['is it done?', '*Still working*', 'Send to the agent'],
    ['status', 'Document the rate limits', 'Send to the agent'],
    ['list', 'Document the rate limits', 'Send to the agent'],
    ['help', 'Ask for a documentation change', 'Send to the agent'],
    ['Thank you! :tada:', '*Kept between people: it looks like a thank-you.*', 'Send it anyway'],
  ])('stays between people, and goes out once if its author says so: %s', async (text, answer, label) => {
    const written = await reply(text);
    const kept = await world.sentPrivately(general, `[${label}]`);
    expect(kept).toMatchObject({ ephemeral_to: alice, thread_ts: card.ts });
    expect(kept.text).toContain(answer);
    await receiptOf(written, 'speech_balloon');
    await world.settled(20_000);
    expect(world.prompts()).toEqual([['Document the rate limits']]);
    await world.restart();
    await Promise.all([1, 2].map(() => world.slack.control.press(kept, 'send_anyway', alice)));
    await world.settled(10_000);
    expect(world.prompts()).toEqual([['Document the rate limits', text]]);
    await receiptOf(written, 'white_check_mark');
  });

  test('is told of once for each person if it is thanks, and of a reply to a colleague not at all', async () => {
    await reply('Thank you!');
    await world.sentPrivately(general, 'it looks like a thank-you');
    await receiptOf(await reply('ok'), 'speech_balloon');
    await receiptOf(await reply('<@U0B0B> lunch?'), 'speech_balloon');
    await world.settled(20_000);
    const privately = (await world.slack.control.messages(general)).filter(
      ({ subtype }) => subtype === 'ephemeral',
    );
    expect(privately).toHaveLength(1);
    expect(world.prompts()).toEqual([['Document the rate limits']]);
  });

  test('stays between people after an end, too', async () => {
    world.api.finish(0, {
      status: 'completed',
      prLink: 'https://github.com/acme/docs/pull/7',
    });
    await world.settled();
    await reply('cancel');
    const kept = await world.sentPrivately(general, 'Nothing is running in this thread.');
    expect(kept.text).toContain('[Send “cancel” to the agent]');
    await world.settled(20_000);
    expect(world.prompts()).toEqual([['Document the rate limits']]);
  });
});

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
    await command('stop');
    const question = await world.sentPrivately(general, 'Send “stop” to the agent as a new request?');
    expect(question.ephemeral_to).toBe(alice);
    await world.settled();
    expect(await inPublic(general)).toEqual([]);
    expect(world.prompts()).toEqual([]);
    await world.restart();
    await Promise.all([1, 2].map(() => world.slack.control.press(question, 'start', alice)));
    await world.slack.control.press(question, 'start', alice);
    await world.settled();
    expect(world.prompts()).toEqual([['stop']]);
  });

  test('in a mention is asked about once, however often it is delivered, and starts in its thread (S5)', async () => {
    world.slack.onDelivery(() => 3);
    const root = await write(`${bot} stop`);
    const question = await world.sentPrivately(general, 'Send “stop” to the agent as a new request?');
    await world.settled();
    const asked = (await world.slack.control.messages(general)).filter(({ text }) => text.includes('“stop”'));
    expect(asked).toHaveLength(1);
    expect(world.prompts()).toEqual([]);
    await world.slack.control.press(question, 'start', alice);
    await world.settled();
    expect(world.prompts()).toEqual([['stop']]);
    expect((await world.slack.control.thread(general, root.ts)).length).toBeGreaterThan(1);
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
    const question = await world.sentPrivately(general, 'Did you mean `/docs-agent list`?');
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

test('a greeting or thanks in a direct message starts nothing, and gets the help', async () => {
  for (const text of ['hi there', 'thank you so much!', ':tada:']) {
    await write(text, { channel: alice });
    await world.settled();
  }
  const help = (await world.slack.control.messages(alice)).filter(({ text }) =>
    text.includes('Ask for a documentation change'),
  );
  expect(help).toHaveLength(3);
  expect(world.prompts()).toEqual([]);
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

test('thanks after an end stay between people, and go out once if their author says so (F4)', async () => {
  const card = await world.ask('Document the rate limits');
  await world.settled();
  world.api.finish(world.api.jobs[0]?.id ?? '', {
    status: 'completed',
    prLink: 'https://github.com/acme/docs/pull/7',
  });
  await world.settled();
  const reply = (text: string) =>
    world.slack.control.message({ channel: general, user: alice, text, threadTs: card.ts });
  const thanks = await reply('Thank you! :tada:');
  const kept = await world.sentPrivately(general, 'it looks like a thank-you');
  expect(kept).toMatchObject({ ephemeral_to: alice, thread_ts: card.ts });
  await expect
    .poll(() => world.slack.control.reactions(thanks), { message: 'the receipt' })
    .toEqual(['speech_balloon']);
  await reply('ok');
  await world.settled(20_000);
  expect(world.prompts()).toEqual([['Document the rate limits']]);
  const offers = (await world.slack.control.messages(general)).filter(({ text }) =>
    text.includes('thank-you'),
  );
  expect(offers).toHaveLength(1);
  await Promise.all([1, 2].map(() => world.slack.control.press(kept, 'send_anyway', alice)));
  await world.settled(10_000);
  expect(world.prompts()).toEqual([['Document the rate limits', 'Thank you! :tada:']]);
});

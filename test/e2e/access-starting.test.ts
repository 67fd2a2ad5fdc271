import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { alice, bob, general, random } from '../support/local-slack.ts';
import { type StrictWorld, startStrictWorld } from './support/strict-world.ts';

const bot = '<@U0DOCSAGENT>';
const guest = 'U0GUEST';
const refusal = 'allowed. Ask an administrator';

let world: StrictWorld;
afterEach(() => world[Symbol.asyncDispose]());

const write = (user: string, text: string, options: { channel?: string; threadTs?: string } = {}) =>
  world.slack.control.message({ channel: general, user, text, ...options });
const command = (text: string) => world.slack.control.command({ channel: general, user: guest, text });
const modal = (user: string) => JSON.stringify(world.slack.control.modal(user)?.blocks);
const nothingStarted = async () => {
  await world.settled();
  expect(world.prompts()).toEqual([]);
};

describe('a guest, who may not use the program (A1)', () => {
  beforeEach(async () => {
    world = await startStrictWorld();
    world.slack.control.addUser({ id: guest, name: 'gina', isRestricted: true });
    world.slack.control.invite(general, guest);
  });

  test.each<[string, string, () => Promise<unknown>]>([
    ['a mention', general, () => write(guest, `${bot} Document my page`)],
    ['a direct message', guest, () => write(guest, 'Document my page', { channel: guest })],
    ['the command that watches a job', general, () => command('watch job_1')],
    ['the command that opens the form', general, () => command('')],
    [
      'the menu of a message',
      general,
      async () => {
        const message = await write(bob, 'The limits are unclear');
        await world.slack.control.shortcut({ message, user: guest, callbackId: 'ask_docs_agent' });
      },
    ],
    [
      'a mention in a thread, whose messages are not offered',
      general,
      async () => {
        const root = await write(bob, 'The limits are unclear');
        await write(guest, `${bot} Document this`, { threadTs: root.ts });
        await write(alice, `${bot} Document this`, { threadTs: root.ts });
        const offer = await world.sentPrivately(general, '*Send this thread along?*');
        expect(offer.ephemeral_to).toBe(alice);
      },
    ],
  ])('reads why by %s, and starts nothing', async (_door, place, ask) => {
    await ask();
    const told = await world.seen(place, ({ text }) => text.includes(refusal));
    expect(told.ephemeral_to).toBe(guest);
    await nothingStarted();
    expect(modal(guest)).toBeUndefined();
  });
});

describe('where only some channels are allowed (A1)', () => {
  beforeEach(async () => {
    world = await startStrictWorld({ configFile: `access:\n  channels: [${random}]\n` });
    world.slack.control.invite(random, 'U0DOCSAGENT');
  });

  test('a form that was opened at home starts a job in those only', async () => {
    await world.slack.control.openHome(alice);
    await expect
      .poll(() => world.slack.control.home(alice), { message: 'the home' })
      .toSatisfy((home) => home !== null);
    await world.slack.control.pressInView(alice, 'start_job');
    await expect.poll(() => modal(alice), { message: 'the form' }).toContain('Channel');
    const refused = await world.slack.control.submit(alice, { prompt: 'Document it', channel: general });
    expect(refused.errors?.prompt).toContain('only certain channels');
    const { errors } = await world.slack.control.submit(alice, { channel: random });
    expect(errors).toBeNull();
    await world.started('Document it');
  });

  test('*Try again* works in the direct message where it is offered (S4)', async () => {
    world.slack.onCall(({ method, args }) =>
      method === 'chat.postMessage' && args.channel === random ? { error: 'restricted_action' } : null,
    );
    await write(alice, `${bot} Document it`, { channel: random });
    const offer = await world.seen(alice, ({ text }) => text.includes('[Start]'));
    world.slack.onCall(() => null);
    await world.slack.control.press(offer, 'try_again', alice);
    await world.started('Document it');
  });

  test('*Start another* does not start one where it is no longer allowed (S5)', async () => {
    const { control } = world.slack;
    const text = 'Document it';
    const ask = () => control.command({ channel: random, user: alice, text });
    await ask();
    await world.started(text);
    await ask();
    const question = await world.sentPrivately(random, 'You asked for this');
    await world.restart(`access:\n  channels: [${general}]\n`);
    await control.press(question, 'start_another', alice);
    await world.sentPrivately(random, 'only certain channels');
    await world.settled();
    expect(world.prompts()).toEqual([[text]]);
    await world.restart(`access:\n  channels: [${random}]\n`);
    await control.press(question, 'start_another', alice);
    await world.settled();
    expect(world.prompts()).toEqual([[text], [text]]);
  });

  test('a mention elsewhere starts none', async () => {
    await write(alice, `${bot} Document it`);
    await world.sentPrivately(general, 'only certain channels');
    await nothingStarted();
  });
});

test('who is let in from another workspace starts and steers jobs of this one (A1)', async () => {
  const foreign = 'U0FOREIGN';
  world = await startStrictWorld({
    configFile: `access: { other_workspaces: true, shared_channels: [${general}] }`,
  });
  const { control } = world.slack;
  control.addUser({ id: foreign, name: 'fay', teamId: 'T0OTHER' });
  control.invite(general, foreign);
  const message = await write(bob, 'The limits are unclear');
  await control.shortcut({ message, user: foreign, callbackId: 'ask_docs_agent' });
  await expect.poll(() => modal(foreign), { message: 'the form' }).toSatisfy((text) => text !== undefined);
  expect((await control.submit(foreign, { prompt: 'Document it' })).errors).toBeNull();
  await world.started('Document it');
  const card = await world.seen(general, ({ text }) => text.includes('*Document it*'));
  await write(alice, 'And the retries', { threadTs: card.ts });
  await world.settled();
  world.api.finish(0, { status: 'completed' });
  const end = await world.threadMessage(card, 'Done, no pull request');
  await control.press(end, 'follow_up', foreign);
  await expect.poll(() => modal(foreign), { message: 'the form for a follow-up' }).toContain('prompt');
  expect((await control.submit(foreign, { prompt: 'Add a table' })).errors).toBeNull();
  await world.settled();
  expect(world.prompts()).toEqual([['Document it', 'And the retries', 'Add a table']]);
});

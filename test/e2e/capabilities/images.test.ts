import { describe, expect, test } from 'vitest';
import { includes } from '../../support/is.ts';
import { bob, general, type SlackMessage } from '../../support/local-slack.ts';
import type { FileDraft } from '../../support/strict-slack/files.ts';
import { strictApp } from '../../support/strict-slack/ids.ts';
import type { ProgramOptions } from '../../support/strict-slack/program.ts';
import { startStrictWorld } from '../support/strict-world.ts';

const announces = ['images'] as const;
const known = { announces: ['images', 'idempotency'] } as const;
const PNG = Buffer.from('89504e470d0a1a0a0001', 'hex');
const GIF = Buffer.from('GIF89a-and-more');
const REQUEST = 'Add this picture';
const mention = `<@${strictApp.botUserId}>`;

const png = (name: string, content: Buffer = PNG): FileDraft => ({
  ...{ name, content },
  ...{ mimetype: 'image/png', filetype: 'png' },
});
const sentAs = (name: string, content: Buffer = PNG, mimeType = 'image/png') => ({
  ...{ name, mimeType },
  data: content.toString('base64'),
});

/** A program, and what asks and replies with pictures there. */
async function start(options: ProgramOptions = {}) {
  const world = await startStrictWorld({ announces, ...options });
  const calls = (prompt: string) =>
    world.api.requests.filter((request) => request.prompt === prompt).map(({ images = [] }) => images);
  return Object.assign(world, {
    calls,
    /** Asks with these files. */
    mention: (...files: readonly FileDraft[]) => world.say(`${mention} ${REQUEST}`, { user: bob, files }),
    made: async (prompt: string, count = 1) => {
      await world.later(() => calls(prompt).length >= count, true, `the call "${prompt}"`);
      return calls(prompt);
    },
    receipt: (message: SlackMessage) =>
      world.later(() => world.slack.control.reactions(message), ['white_check_mark'], 'the receipt'),
    notSent: async (root: SlackMessage) => (await world.threadMessage(root, 'Not sent')).text,
  });
}

/** A job at which the agent works, and what replies to it. */
async function working(options: ProgramOptions = {}) {
  const world = await start(options);
  const card = await world.working();
  return Object.assign(world, {
    card,
    reply: (text: string, ...files: readonly FileDraft[]) =>
      world.slack.control.reply(card, text, bob, { files }),
    refusals: async () => (await world.thread(card)).filter(({ text }) => text.includes('Not sent')),
  });
}

describe('pictures go along where the agent takes them (R4)', () => {
  test('with replies, also without words, or several that go out together; other files are named as not sent', async () => {
    await using world = await working();
    const video: FileDraft = { name: 'a.mp4', content: 'x', mimetype: 'video/mp4', filetype: 'mp4' };
    const gif: FileDraft = { name: 'b & c.gif', content: GIF, mimetype: 'image/gif', filetype: 'gif' };
    await world.receipt(await world.reply('Use these', png('a.png'), video, gif));
    expect(world.calls('Use these')).toEqual([[sentAs('a.png'), sentAs('b & c.gif', GIF, 'image/gif')]]);
    expect(await world.notSent(world.card)).toBe(
      '📎 *Not sent:* 1 video (a.mp4). The agent takes text, and pictures as PNG, JPEG, GIF or WebP.',
    );
    await world.receipt(await world.reply('', png('a.png')));
    expect(world.calls('See a.png')).toEqual([[sentAs('a.png')]]);
    await world.reply('First', png('a.png'));
    await world.reply('Second', png('b.png'));
    expect(await world.made('First\n\nSecond')).toEqual([[sentAs('a.png'), sentAs('b.png')]]);
  });

  test('with the first request after a start, whose card names them, as it reads then, and when it is started again', async () => {
    await using world = await start();
    const { api, slack } = world;
    api.failNext('create', { status: 429, headers: { 'retry-after': '120' } });
    const binary: FileDraft = { name: 'no.txt', content: Buffer.of(0, 1, 2), filetype: 'text' };
    const root = await world.mention(png('a.png'), binary);
    expect(await world.made(REQUEST)).toEqual([[sentAs('a.png')]]);
    const shown = async () => (await slack.control.messages(general)).map(({ text }) => text).join('\n');
    expect(await world.later(shown, includes('with a.png'), 'the card with the name')).toContain(REQUEST);
    expect(await world.notSent(root)).toMatch(/no\.txt/);
    expect(await world.notSent(root)).not.toContain('a.png');
    await slack.control.editMessage(root, `${mention} Add it at the top`);
    expect(await world.made('Add it at the top')).toEqual([[sentAs('a.png')]]);
    api.finish(0, { status: 'failed' });
    await slack.control.press(await world.threadMessage(root, 'Failed'), 'start_again', bob);
    expect(await world.made('Add it at the top', 2)).toEqual([[sentAs('a.png')], [sentAs('a.png')]]);
  });
});

describe('what cannot go along is named, and the rest goes out (R4)', () => {
  const large = Buffer.concat([PNG, Buffer.alloc(12 * 1024 * 1024)]);
  const names = (count: number) => Array.from({ length: count }, (_, index) => `${index + 1}.png`);
  const isFull = 'one message to the agent takes 8 pictures, 20 MB in all';
  const hostile = png('../<!channel>\u202e*x*.png', Buffer.from('<svg onload="x">'));

  test.each<[what: string, files: FileDraft[], sent: string[], words: string, isRefused?: true]>([
    ['a ninth picture', names(9).map((name) => png(name)), names(8), `9.png · ${isFull}`],
    [
      'more than 20 MB',
      [png('a.png', large), png('b.png', large), png('c.png')],
      ['a.png', 'c.png'],
      `b.png · ${isFull}`,
    ],
    ['what only says that it is a picture', [hostile], [], "x*.png · the agent doesn't take it"],
    ['without the scope to read files', [png('a.png')], [], "a.png · Slack doesn't let me read it", true],
    [
      'a picture of another kind',
      [{ ...png('a.tiff'), mimetype: 'image/tiff', filetype: 'tiff' }],
      [],
      '1 image (a.tiff)',
    ],
  ])('%s', async (_what, files, sent, words, isRefused) => {
    await using world = await working();
    // Slack then redirects to a page to sign in.
    world.slack.onCall(({ method }) => (isRefused && method === 'file_download' ? { status: 302 } : null));
    await world.reply('Use these', ...files);
    const [images] = await world.made('Use these');
    expect(images?.map(({ name }) => name)).toEqual(sent);
    const said = await world.notSent(world.card);
    expect(said).toContain(words);
    expect(said).not.toMatch(/<!channel>|\u202e/);
  });

  test('without the header, all is as before: a picture is named, and Slack is asked for nothing', async () => {
    await using world = await start({ announces: [] });
    const root = await world.mention(png('a.png'));
    expect(await world.made(REQUEST)).toEqual([[]]);
    await world.slack.control.reply(root, 'Use this', bob, { files: [png('a.png')] });
    expect(await world.made('Use this')).toEqual([[]]);
    const told = async () => (await world.thread(root)).map(({ text }) => text);
    const words = '📎 *Not sent:* 1 image (a.png). The agent takes text only.';
    await world.later(
      async () => (await told()).filter((text) => text === words).length,
      2,
      'both to be named',
    );
    expect(world.slack.calls('file_download')).toEqual([]);
    expect((await told()).join()).not.toContain('with a.png');
  });
});

const refusal = { status: 422, body: { error: 'The agent takes no images.' } };

test('an agent that takes no pictures after all (422) gets the words, of a request and of a reply (R4)', async () => {
  await using world = await start();
  world.api.failNext('create', refusal);
  const root = await world.mention(png('a.png'));
  expect(await world.made(REQUEST, 2)).toEqual([[sentAs('a.png')], []]);
  expect(await world.notSent(root)).toBe(
    "📎 *Not sent* with the message:\na.png · the agent doesn't take it",
  );
  expect(world.api.jobs).toHaveLength(1);
  world.api.failNext('message', refusal);
  await world.receipt(await world.slack.control.reply(root, 'Use this', bob, { files: [png('b.png')] }));
  expect(world.calls('Use this')).toEqual([[sentAs('b.png')], []]);
  await world.threadMessage(root, "b.png · the agent doesn't take it");
});

describe('a call that is repeated (E1)', () => {
  /** After its first call, the picture cannot be read any more. */
  const vanishes = (world: Awaited<ReturnType<typeof working>>, prompt: string) =>
    world.slack.onCall(({ method }) =>
      method === 'file_download' && world.calls(prompt).length > 0 ? { status: 404 } : null,
    );

  test('sends the same pictures, also after a restart', async () => {
    await using world = await working(known);
    world.api.failNext('message', 'reset_after', 'reset_after');
    const message = await world.reply('Use these', png('a.png'), png('b.png'));
    await world.made('Use these');
    await world.restart();
    await world.receipt(message);
    const images = world.calls('Use these');
    expect(images.length).toBeGreaterThan(1);
    for (const one of images) expect(one).toEqual([sentAs('a.png'), sentAs('b.png')]);
    expect(world.prompts()).toEqual([['Add a quickstart', 'Use these']]);
    expect(await world.refusals()).toEqual([]);
  });

  test('leaves out a picture that has vanished, and names it; without one that the agent may have, a person decides', async () => {
    await using world = await working(known);
    world.api.failNext('message', 'reset_before');
    vanishes(world, 'Use this');
    await world.receipt(await world.reply('Use this', png('a.png')));
    expect(world.calls('Use this')).toEqual([[sentAs('a.png')], []]);
    expect(await world.notSent(world.card)).toContain('a.png');

    world.api.failNext('message', 'reset_after');
    vanishes(world, 'And this');
    await world.reply('And this', png('b.png'));
    await world.threadMessage(world.card, "Couldn't confirm");
    expect(world.prompts()).toEqual([['Add a quickstart', 'Use this', 'And this']]);
  });
});

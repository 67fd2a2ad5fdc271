import { describe, expect, onTestFinished, test } from 'vitest';
import { present } from '../../support/is.ts';
import { bob, general, type SlackMessage } from '../../support/local-slack.ts';
import type { FileDraft } from '../../support/strict-slack/files.ts';
import { strictApp } from '../../support/strict-slack/ids.ts';
import { type Program, type ProgramOptions, startProgram } from '../../support/strict-slack/program.ts';

const announces = ['images'] as const;
const PNG = Buffer.from('89504e470d0a1a0a0001', 'hex');
const GIF = Buffer.from('GIF89a-and-more');
const MEBIBYTE = 1024 * 1024;
const REQUEST = 'Add this picture';

const png = (name: string, content: Buffer = PNG): FileDraft => ({
  ...{ name, content },
  ...{ mimetype: 'image/png', filetype: 'png' },
});
const sentAs = (name: string, content: Buffer = PNG, mimeType = 'image/png') => ({
  ...{ name, mimeType },
  data: content.toString('base64'),
});

async function start(options: ProgramOptions = {}): Promise<Program> {
  const program = await startProgram({ announces, ...options });
  onTestFinished(() => program[Symbol.asyncDispose]());
  return program;
}

/** A job at which the agent works, and what replies to it. */
async function working(options: ProgramOptions = {}) {
  const program = await start(options);
  const card = await program.working();
  const reply = (text: string, ...files: readonly FileDraft[]) =>
    program.slack.control.reply(card, text, bob, { files });
  const notSent = async () => (await program.threadMessage(card, 'Not sent')).text;
  const thread = async () =>
    (await program.slack.control.thread(card.channel, card.ts)).map(({ text }) => text);
  return { program, card, reply, notSent, thread };
}

/** Asks with these files. */
async function mention(program: Program, ...files: readonly FileDraft[]) {
  const text = `<@${strictApp.botUserId}> ${REQUEST}`;
  const message = await program.slack.control.message({ channel: general, user: bob, text, files });
  const notSent = async () => (await program.threadMessage(message, 'Not sent')).text;
  return { message, notSent };
}
const calls = ({ api }: Program, prompt: string) =>
  api.requests.filter((request) => request.prompt === prompt).map(({ images = [] }) => images);
const made = async (program: Program, prompt: string, count = 1) => {
  await program.later(
    () => calls(program, prompt).length,
    (length) => length >= count,
    `the call "${prompt}"`,
  );
  return calls(program, prompt);
};
const receipt = ({ later, slack }: Program, message: SlackMessage) =>
  later(() => slack.control.reactions(message), ['white_check_mark'], 'the receipt');

describe('pictures go along where the agent takes them (R4)', () => {
  test('with a reply, named as in Slack; other files are named as not sent', async () => {
    const { program, reply, notSent } = await working();
    const video: FileDraft = { name: 'a.mp4', content: 'x', mimetype: 'video/mp4', filetype: 'mp4' };
    const gif: FileDraft = { name: 'b & c.gif', content: GIF, mimetype: 'image/gif', filetype: 'gif' };
    await receipt(program, await reply('Use these', png('a.png'), video, gif));
    expect(calls(program, 'Use these')).toEqual([[sentAs('a.png'), sentAs('b & c.gif', GIF, 'image/gif')]]);
    expect(await notSent()).toBe(
      '📎 *Not sent:* 1 video (a.mp4). The agent takes text, and pictures as PNG, JPEG, GIF or WebP.',
    );
  });

  test('with the first request after a start, whose card names them', async () => {
    const program = await start();
    await mention(program, png('a.png'));
    expect(await made(program, REQUEST)).toEqual([[sentAs('a.png')]]);
    const card = await program.later(
      async () =>
        (await program.slack.control.messages(general)).find(({ text }) => text.includes('with a.png')),
      present,
      'the card with the name',
    );
    expect(card?.text).toContain(REQUEST);
    await program.clock.advance(20_000);
    expect((await program.slack.control.messages(general)).join()).not.toContain('Not sent');
  });

  test('as a reply without words', async () => {
    const { program, reply } = await working();
    await receipt(program, await reply('', png('a.png')));
    expect(calls(program, 'See a.png')).toEqual([[sentAs('a.png')]]);
  });

  test('with replies that go out together', async () => {
    const { program, reply } = await working();
    await reply('First', png('a.png'));
    await reply('Second', png('b.png'));
    expect(await made(program, 'First\n\nSecond')).toEqual([[sentAs('a.png'), sentAs('b.png')]]);
  });

  test('of a request that is edited while it waits', async () => {
    const program = await start();
    program.api.failNext('create', { status: 429 });
    const { message } = await mention(program, png('a.png'));
    await made(program, REQUEST);
    await program.slack.control.editMessage(message, `<@${strictApp.botUserId}> Add it at the top`);
    expect(await made(program, 'Add it at the top')).toEqual([[sentAs('a.png')]]);
  });

  test('with a new job that starts the old one again, also beside a text file that cannot be read', async () => {
    const program = await start();
    const binary: FileDraft = { name: 'no.txt', content: Buffer.of(0, 1, 2), filetype: 'text' };
    const { message: root, notSent } = await mention(program, png('a.png'), binary);
    await made(program, REQUEST);
    expect(await notSent()).toContain('no.txt');
    program.api.finish(0, { status: 'failed' });
    await program.slack.control.press(await program.threadMessage(root, 'Failed'), 'start_again', bob);
    const again = await made(program, REQUEST, 2);
    expect(again).toEqual([[sentAs('a.png')], [sentAs('a.png')]]);
  });
});

const large = Buffer.concat([PNG, Buffer.alloc(12 * MEBIBYTE)]);
const names = (count: number) => Array.from({ length: count }, (_, index) => `${index + 1}.png`);
const isFull = 'one message to the agent takes 8 pictures, 20 MB in all';

describe('what cannot go along is named, and the rest goes out (R4)', () => {
  test.each<[string, FileDraft[], string[], string]>([
    ['a ninth picture', names(9).map((name) => png(name)), names(8), `9.png · ${isFull}`],
    [
      'more than 20 MB',
      [png('a.png', large), png('b.png', large), png('c.png')],
      ['a.png', 'c.png'],
      `b.png · ${isFull}`,
    ],
    [
      'what only says that it is a picture, whatever its name',
      [png('../<!channel>\u202e*x*.png', Buffer.from('<svg onload="x">'))],
      [],
      "x*.png · the agent doesn't take it",
    ],
  ])('%s', async (_what, files, sent, words) => {
    const { program, reply, notSent } = await working();
    await reply('Use these', ...files);
    const [images] = await made(program, 'Use these');
    expect(images?.map(({ name }) => name)).toEqual(sent);
    const said = await notSent();
    expect(said).toContain(words);
    expect(said).not.toMatch(/<!channel>|\u202e/);
  });

  test('without the scope to read files', async () => {
    const { program, reply, notSent } = await working();
    // Slack then redirects to a page to sign in.
    program.slack.onCall(({ method }) => (method === 'file_download' ? { status: 302 } : null));
    await reply('Use this', png('a.png'));
    expect(await made(program, 'Use this')).toEqual([[]]);
    expect(await notSent()).toContain("a.png · Slack doesn't let me read it");
  });

  test('a picture of another kind, as before', async () => {
    const { program, reply, notSent } = await working();
    await reply('', { ...png('a.tiff'), mimetype: 'image/tiff', filetype: 'tiff' });
    expect(await notSent()).toContain('1 image (a.tiff)');
    await program.clock.advance(20_000);
    expect(program.api.counts.message).toBe(0);
  });
});

const refusal = { status: 422, body: { error: 'The agent takes no images.' } };

describe('an agent that takes no pictures after all (422) gets the words (R4)', () => {
  test('of a request', async () => {
    const program = await start();
    program.api.failNext('create', refusal);
    const { notSent } = await mention(program, png('a.png'));
    expect(await made(program, REQUEST, 2)).toEqual([[sentAs('a.png')], []]);
    expect(await notSent()).toBe("📎 *Not sent* with the message:\na.png · the agent doesn't take it");
    expect(program.api.jobs).toHaveLength(1);
  });

  test('of a reply', async () => {
    const { program, reply, notSent, thread } = await working();
    program.api.failNext('message', refusal);
    await receipt(program, await reply('Use this', png('a.png')));
    expect(calls(program, 'Use this')).toEqual([[sentAs('a.png')], []]);
    expect(await notSent()).toContain("a.png · the agent doesn't take it");
    expect((await thread()).filter((text) => text.includes('Not sent'))).toHaveLength(1);
  });
});

describe('a call that is repeated (E1)', () => {
  const known = { announces: ['images', 'idempotency'] } as const;

  test('sends the same pictures, also after a restart', async () => {
    const { program, reply, thread } = await working(known);
    program.api.failNext('message', 'reset_after', 'reset_after');
    const message = await reply('Use these', png('a.png'), png('b.png'));
    await made(program, 'Use these');
    await program.restart();
    await receipt(program, message);
    const images = calls(program, 'Use these');
    expect(images.length).toBeGreaterThan(1);
    for (const one of images) expect(one).toEqual([sentAs('a.png'), sentAs('b.png')]);
    expect(program.api.jobs[0]?.prompts).toEqual(['Add a quickstart', 'Use these']);
    expect((await thread()).join()).not.toContain('Not sent');
  });

  /** After its first call, the picture cannot be read any more. */
  const vanishes = (program: Program) =>
    program.slack.onCall(({ method }) =>
      method === 'file_download' && calls(program, 'Use this').length > 0 ? { status: 404 } : null,
    );

  test('leaves out a picture that has vanished, and names it', async () => {
    const { program, reply, notSent } = await working(known);
    program.api.failNext('message', 'reset_before');
    vanishes(program);
    await receipt(program, await reply('Use this', png('a.png')));
    expect(calls(program, 'Use this')).toEqual([[sentAs('a.png')], []]);
    expect(await notSent()).toContain('a.png');
  });

  test('without a picture that the agent may have, a person decides: it never goes out twice', async () => {
    const { program, card, reply } = await working(known);
    program.api.failNext('message', 'reset_after');
    vanishes(program);
    await reply('Use this', png('a.png'));
    await program.threadMessage(card, "Couldn't confirm");
    expect(program.api.jobs[0]?.prompts).toEqual(['Add a quickstart', 'Use this']);
  });

  test('was refused for its pictures before the crash: the words go out once', async () => {
    const { program, reply } = await working(known);
    program.api.failNext('message', 'reset_before', refusal, 'reset_after');
    await receipt(program, await reply('Use this', png('a.png')));
    expect(calls(program, 'Use this')).toEqual([
      ...[[sentAs('a.png')], [sentAs('a.png')], []],
      // The answer was lost.
      ...[[sentAs('a.png')], []],
    ]);
    expect(program.api.jobs[0]?.prompts).toEqual(['Add a quickstart', 'Use this']);
  });
});

test.each(['a reply', 'a request right after a start'])(
  'without the header, all is as before: a picture of %s is named, and Slack is asked for nothing (R4)',
  async (what) => {
    const program = await start({ announces: [] });
    const { control, calls: slackCalls } = program.slack;
    const root =
      what === 'a reply' ? await program.working() : (await mention(program, png('a.png'))).message;
    if (what === 'a reply') await control.reply(root, REQUEST, bob, { files: [png('a.png')] });
    expect(await made(program, REQUEST)).toEqual([[]]);
    expect((await program.threadMessage(root, 'Not sent')).text).toBe(
      '📎 *Not sent:* 1 image (a.png). The agent takes text only.',
    );
    expect(slackCalls('file_download')).toEqual([]);
    expect(JSON.stringify(await control.messages(general))).not.toContain('with a.png');
  },
);

test('a program that was held up while it read pictures makes the call anew (E1)', async () => {
  const { program, reply } = await working();
  let reads = 0;
  program.slack.onCall(({ method }) => {
    if (method !== 'file_download') return null;
    reads += 1;
    if (reads === 1) program.clock.freeze(21_000);
    return null;
  });
  await receipt(program, await reply('Use this', png('a.png')));
  expect(reads).toBe(2);
  expect(calls(program, 'Use this')).toEqual([[sentAs('a.png')]]);
});

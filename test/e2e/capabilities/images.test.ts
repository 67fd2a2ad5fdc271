import { describe, expect, onTestFinished, test } from 'vitest';
import { bob, general, type SlackMessage } from '../../support/local-slack.ts';
import type { FileDraft } from '../../support/strict-slack/files.ts';
import { strictApp } from '../../support/strict-slack/ids.ts';
import { type Program, type ProgramOptions, startProgram } from '../../support/strict-slack/program.ts';

const announces = ['images'] as const;
const PNG = Buffer.from('89504e470d0a1a0a0001', 'hex');
const GIF = Buffer.from('GIF89a-and-more');
const MEBIBYTE = 1024 * 1024;

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
  const card = await program.ask('Add a quickstart');
  await program.threadMessage(card, 'On it');
  const reply = (text: string, files: readonly FileDraft[]) =>
    program.slack.control.message({ channel: general, user: bob, text, threadTs: card.ts, files });
  return { program, card, reply };
}

const mention = ({ slack }: Program, text: string, files: readonly FileDraft[]) =>
  slack.control.message({ channel: general, user: bob, text: `<@${strictApp.botUserId}> ${text}`, files });
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
const told = async ({ slack }: Program, { channel, ts }: SlackMessage) =>
  (await slack.control.thread(channel, ts)).map(({ text }) => text);
const receipt = ({ later, slack }: Program, message: SlackMessage, name: string) =>
  later(
    () => slack.control.reactions(message),
    (names) => names.join() === name,
    `the receipt ${name}`,
  );

describe('pictures go along where the agent takes them (R4)', () => {
  test('with a reply, named as in Slack; other files are named as not sent', async () => {
    const { program, card, reply } = await working();
    const video: FileDraft = { name: 'a.mp4', content: 'x', mimetype: 'video/mp4', filetype: 'mp4' };
    const gif: FileDraft = { name: 'b & c.gif', content: GIF, mimetype: 'image/gif', filetype: 'gif' };
    const message = await reply('Use these', [png('a.png'), video, gif]);
    await receipt(program, message, 'white_check_mark');
    expect(calls(program, 'Use these')).toEqual([[sentAs('a.png'), sentAs('b & c.gif', GIF, 'image/gif')]]);
    const named = await program.threadMessage(card, 'Not sent');
    expect(named.text).toBe(
      '📎 *Not sent:* 1 video (a.mp4). The agent takes text, and pictures as PNG, JPEG, GIF or WebP.',
    );
  });

  test('with the first request after a start, whose card names them', async () => {
    const program = await start();
    await mention(program, 'Add this picture', [png('a.png')]);
    expect(await made(program, 'Add this picture')).toEqual([[sentAs('a.png')]]);
    const card = await program.later(
      async () =>
        (await program.slack.control.messages(general)).find(({ text }) => text.includes('with a.png')),
      (found) => found !== undefined,
      'the card with the name',
    );
    expect(card?.text).toContain('Add this picture');
    await program.clock.advance(20_000);
    expect((await program.slack.control.messages(general)).join()).not.toContain('Not sent');
  });

  test('as a reply without words', async () => {
    const { program, reply } = await working();
    const message = await reply('', [png('a.png')]);
    await receipt(program, message, 'white_check_mark');
    expect(calls(program, 'See a.png')).toEqual([[sentAs('a.png')]]);
  });

  test('with replies that go out together', async () => {
    const { program, reply } = await working();
    await reply('First', [png('a.png')]);
    await reply('Second', [png('b.png')]);
    expect(await made(program, 'First\n\nSecond')).toEqual([[sentAs('a.png'), sentAs('b.png')]]);
  });

  test('of a request that is edited while it waits', async () => {
    const program = await start();
    program.api.failNext('create', { status: 429 });
    const message = await mention(program, 'Add this picture', [png('a.png')]);
    await made(program, 'Add this picture');
    await program.slack.control.editMessage(message, `<@${strictApp.botUserId}> Add it at the top`);
    expect(await made(program, 'Add it at the top')).toEqual([[sentAs('a.png')]]);
  });

  test('with a new job that starts the old one again, also beside a text file that cannot be read', async () => {
    const program = await start();
    const binary: FileDraft = { name: 'no.txt', content: Buffer.of(0, 1, 2), filetype: 'text' };
    await mention(program, 'Add this picture', [png('a.png'), binary]);
    await made(program, 'Add this picture');
    const root = (await program.slack.control.messages(general)).find(({ text }) =>
      text.includes('Add this'),
    );
    if (root === undefined) throw new Error('no request');
    expect((await program.threadMessage(root, 'Not sent')).text).toContain('no.txt');
    program.api.finish(program.api.jobs[0]?.id ?? '', { status: 'failed' });
    await program.slack.control.press(await program.threadMessage(root, 'Failed'), 'start_again', bob);
    const again = await made(program, 'Add this picture', 2);
    expect(again).toEqual([[sentAs('a.png')], [sentAs('a.png')]]);
  });
});

describe('what cannot go along is named, and the rest goes out (R4)', () => {
  test('a ninth picture', async () => {
    const { program, card, reply } = await working();
    await reply(
      'Use these',
      Array.from({ length: 9 }, (_, index) => png(`${index + 1}.png`)),
    );
    const [images] = await made(program, 'Use these');
    expect(images?.map(({ name }) => name).join()).toBe('1.png,2.png,3.png,4.png,5.png,6.png,7.png,8.png');
    expect((await program.threadMessage(card, 'Not sent')).text).toContain(
      '9.png · one message to the agent takes 8 pictures, 20 MB in all',
    );
  });

  test('more than 20 MB', async () => {
    const { program, card, reply } = await working();
    const large = Buffer.concat([PNG, Buffer.alloc(12 * MEBIBYTE)]);
    await reply('Use these', [png('a.png', large), png('b.png', large), png('c.png')]);
    const [images] = await made(program, 'Use these');
    expect(images?.map(({ name }) => name)).toEqual(['a.png', 'c.png']);
    expect((await program.threadMessage(card, 'Not sent')).text).toContain(
      'b.png · one message to the agent takes 8 pictures, 20 MB in all',
    );
  });

  test('without the scope to read files', async () => {
    const { program, card, reply } = await working();
    // Slack then redirects to a page to sign in.
    program.slack.onCall(({ method }) => (method === 'file_download' ? { status: 302 } : null));
    await reply('Use this', [png('a.png')]);
    expect(await made(program, 'Use this')).toEqual([[]]);
    expect((await program.threadMessage(card, 'Not sent')).text).toContain(
      "a.png · Slack doesn't let me read it",
    );
  });

  test('what only says that it is a picture, whatever its name', async () => {
    const { program, card, reply } = await working();
    const name = '../<!channel>\u202e*x*.png';
    await reply('Use this', [png(name, Buffer.from('<svg onload="x">'))]);
    expect(await made(program, 'Use this')).toEqual([[]]);
    const { text } = await program.threadMessage(card, 'Not sent');
    expect(text).toContain("x*.png · the agent doesn't take it");
    expect(text).not.toContain('<!channel>');
    expect(text).not.toContain('\u202e');
  });

  test('a picture of another kind, as before', async () => {
    const { program, card, reply } = await working();
    await reply('', [{ ...png('a.tiff'), mimetype: 'image/tiff', filetype: 'tiff' }]);
    expect((await program.threadMessage(card, 'Not sent')).text).toContain('1 image (a.tiff)');
    await program.clock.advance(20_000);
    expect(program.api.counts.message).toBe(0);
  });
});

describe('an agent that takes no pictures after all (422) gets the words (R4)', () => {
  const refusal = { status: 422, body: { error: 'The agent takes no images.' } };

  test('of a request', async () => {
    const program = await start();
    program.api.failNext('create', refusal);
    await mention(program, 'Add this picture', [png('a.png')]);
    expect(await made(program, 'Add this picture', 2)).toEqual([[sentAs('a.png')], []]);
    const root = (await program.slack.control.messages(general)).find(({ text }) =>
      text.includes('Add this'),
    );
    const thread = root && (await program.threadMessage(root, 'Not sent'));
    expect(thread?.text).toBe("📎 *Not sent* with the message:\na.png · the agent doesn't take it");
    expect(program.api.jobs).toHaveLength(1);
  });

  test('of a reply', async () => {
    const { program, card, reply } = await working();
    program.api.failNext('message', refusal);
    const message = await reply('Use this', [png('a.png')]);
    await receipt(program, message, 'white_check_mark');
    expect(calls(program, 'Use this')).toEqual([[sentAs('a.png')], []]);
    expect((await program.threadMessage(card, 'Not sent')).text).toContain(
      "a.png · the agent doesn't take it",
    );
    expect((await told(program, card)).filter((text) => text.includes('Not sent'))).toHaveLength(1);
  });
});

describe('a call that is repeated (E1)', () => {
  const known = { announces: ['images', 'idempotency'] } as const;

  test('sends the same pictures, also after a restart', async () => {
    const { program, card, reply } = await working(known);
    program.api.failNext('message', 'reset_after', 'reset_after');
    const message = await reply('Use these', [png('a.png'), png('b.png')]);
    await made(program, 'Use these');
    await program.restart();
    await receipt(program, message, 'white_check_mark');
    const images = calls(program, 'Use these');
    expect(images.length).toBeGreaterThan(1);
    for (const one of images) expect(one).toEqual([sentAs('a.png'), sentAs('b.png')]);
    expect(program.api.jobs[0]?.prompts).toEqual(['Add a quickstart', 'Use these']);
    expect((await told(program, card)).join()).not.toContain('Not sent');
  });

  test('leaves out a picture that has vanished, and names it', async () => {
    const { program, card, reply } = await working(known);
    program.api.failNext('message', 'reset_before');
    program.slack.onCall(({ method }) =>
      method === 'file_download' && calls(program, 'Use this').length > 0 ? { status: 404 } : null,
    );
    const message = await reply('Use this', [png('a.png')]);
    await receipt(program, message, 'white_check_mark');
    expect(calls(program, 'Use this')).toEqual([[sentAs('a.png')], []]);
    expect((await program.threadMessage(card, 'Not sent')).text).toContain('a.png');
  });

  test('without a picture that the agent may have, a person decides: it never goes out twice', async () => {
    const { program, card, reply } = await working(known);
    program.api.failNext('message', 'reset_after');
    program.slack.onCall(({ method }) =>
      method === 'file_download' && calls(program, 'Use this').length > 0 ? { status: 404 } : null,
    );
    await reply('Use this', [png('a.png')]);
    await program.threadMessage(card, "Couldn't confirm");
    expect(program.api.jobs[0]?.prompts).toEqual(['Add a quickstart', 'Use this']);
  });

  test('was refused for its pictures before the crash: the words go out once', async () => {
    const { program, reply } = await working(known);
    const refusal = { status: 422, body: { error: 'The agent takes no images.' } };
    program.api.failNext('message', 'reset_before', refusal, 'reset_after');
    const message = await reply('Use this', [png('a.png')]);
    await receipt(program, message, 'white_check_mark');
    expect(calls(program, 'Use this')).toEqual([
      ...[[sentAs('a.png')], [sentAs('a.png')], []],
      // The answer was lost.
      ...[[sentAs('a.png')], []],
    ]);
    expect(program.api.jobs[0]?.prompts).toEqual(['Add a quickstart', 'Use this']);
  });
});

test('without the header, all is as before: a picture is named, and Slack is asked for nothing (R4)', async () => {
  const { program, card, reply } = await working({ announces: [] });
  await reply('Use this', [png('a.png')]);
  expect(await made(program, 'Use this')).toEqual([[]]);
  expect((await program.threadMessage(card, 'Not sent')).text).toBe(
    '📎 *Not sent:* 1 image (a.png). The agent takes text only.',
  );
  expect(program.slack.calls('file_download')).toEqual([]);
});

test('without the header, a request right after a start is as before: nothing of it goes along (R4)', async () => {
  const program = await start({ announces: [] });
  await mention(program, 'Add this picture', [png('a.png')]);
  expect(await made(program, 'Add this picture')).toEqual([[]]);
  const root = (await program.slack.control.messages(general)).find(({ text }) => text.includes('Add this'));
  expect(root && (await program.threadMessage(root, 'Not sent')).text).toBe(
    '📎 *Not sent:* 1 image (a.png). The agent takes text only.',
  );
  expect(program.slack.calls('file_download')).toEqual([]);
  expect((await program.slack.control.messages(general)).map(({ text }) => text).join()).not.toContain(
    'with a.png',
  );
});

test('a program that was held up while it read pictures makes the call anew (E1)', async () => {
  const { program, reply } = await working();
  let reads = 0;
  program.slack.onCall(({ method }) => {
    if (method !== 'file_download') return null;
    reads += 1;
    if (reads === 1) program.clock.freeze(21_000);
    return null;
  });
  const message = await reply('Use this', [png('a.png')]);
  await receipt(program, message, 'white_check_mark');
  expect(reads).toBe(2);
  expect(calls(program, 'Use this')).toEqual([[sentAs('a.png')]]);
});

import { afterEach, beforeEach, expect, test } from 'vitest';
import { alice, general } from './local-slack.ts';
import { type Caller, callerOf } from './strict-slack/caller.ts';
import type { FileDraft, SlackFile } from './strict-slack/files.ts';
import { type StrictSlack, startStrictSlack } from './strict-slack.ts';
import { createTestClock } from './test-clock.ts';

const snippet: FileDraft = { name: 'notes.txt', content: 'one\ntwo', mode: 'snippet', title: 'Notes' };
const picture: FileDraft = {
  name: 'a b.png',
  content: Buffer.of(1, 2, 3),
  mimetype: 'image/png',
  filetype: 'png',
};

let slack: StrictSlack;
let call: Caller;

beforeEach(async () => {
  slack = await startStrictSlack({ clock: createTestClock(Date.now()), app: { mode: 'socket' } });
  call = callerOf(slack);
});
afterEach(() => slack[Symbol.asyncDispose]());

/** What the bot learns of the files. */
async function shared(files: readonly FileDraft[], user = alice): Promise<readonly SlackFile[]> {
  await slack.control.message({ channel: general, user, text: 'see', files });
  const event = Object(slack.deliveries().at(-1)?.payload.event);
  expect(event).toMatchObject({ type: 'message', subtype: 'file_share', text: 'see' });
  return event.files;
}
const fetched = (url: string, token?: string) =>
  fetch(url, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });

test('files come with a message, a snippet with its beginning', async () => {
  const [text, image] = await shared([snippet, picture]);
  expect(text).toMatchObject({
    id: expect.stringMatching(/^F/),
    name: 'notes.txt',
    title: 'Notes',
    mimetype: 'text/plain',
    filetype: 'text',
    mode: 'snippet',
    size: 7,
    user: alice,
    preview: 'one\ntwo',
    preview_is_truncated: false,
  });
  expect(image).toMatchObject({ title: 'a b.png', mode: 'hosted', filetype: 'png', size: 3 });
  expect(image).not.toHaveProperty('preview');
  const [long] = await shared([{ ...snippet, content: 'x\n'.repeat(6) }]);
  expect(long).toMatchObject({ preview: 'x\nx\nx\nx\nx', preview_is_truncated: true });
});

test('a file is given to the bot alone; others get a page to sign in', async () => {
  const [file] = await shared([picture]);
  const url = String(file?.url_private_download);
  const got = await fetched(url, slack.botToken);
  expect(got.headers.get('content-type')).toBe('image/png');
  expect(Buffer.from(await got.arrayBuffer())).toEqual(picture.content);
  for (const token of [undefined, 'xoxb-wrong']) {
    const page = await fetched(url, token);
    expect([page.status, page.redirected]).toEqual([200, true]);
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(await page.text()).toContain('Sign in');
  }
  expect((await fetched(url.replace(/-F\w+/, '-F0'), slack.botToken)).status).toBe(404);
  expect(slack.calls('file_download')).toHaveLength(4);
});

test('a file of somebody from another workspace has to be asked for', async () => {
  slack.control.addUser({ id: 'U0OLAF', name: 'olaf', teamId: 'T0ELSEWHERE' });
  const [file] = await shared([snippet], 'U0OLAF');
  expect(file).toEqual({
    id: file?.id,
    created: 0,
    user: '',
    mode: 'file_access',
    file_access: 'check_file_info',
  });
  expect(await call('files.info', { file: file?.id })).toMatchObject({ file: { preview: 'one\ntwo' } });
  expect((await call('files.info', { file: 'F0' })).error).toBe('file_not_found');
});

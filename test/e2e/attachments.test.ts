import { expect, test } from 'vitest';
import { includes, present } from '../support/is.ts';
import { bob, general } from '../support/local-slack.ts';
import type { FileDraft } from '../support/strict-slack/files.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { openThreadForm } from './support/posts.ts';
import { type StrictWorld, startStrictWorld } from './support/strict-world.ts';

const snippet: FileDraft = { name: 'notes.txt', content: 'Use <b> & "c"\nTwo', mode: 'snippet' };
const picture: FileDraft = { name: 'a.png', content: Buffer.of(1), mimetype: 'image/png', filetype: 'png' };
const withNotes = 'See the notes\n\nnotes.txt:\nUse <b> & "c"\nTwo';

/** The nth message to the job after its request, as soon as it is there. */
const sent = (world: StrictWorld, nth: number) =>
  world.later(() => world.api.jobs[0]?.prompts[nth], present, `follow-up ${nth}`);

test('text snippets go to the agent with their reply, in its order, also if an edit makes it one; the rest is named (F4, F5)', async () => {
  await using world = await startStrictWorld();
  const { control } = world.slack;
  const card = await world.working();
  const reply = (text: string, ...files: readonly FileDraft[]) => control.reply(card, text, bob, { files });
  let tries = 0;
  world.slack.onCall(({ method }) => {
    if (method !== 'file_download') return null;
    tries += 1;
    return tries < 3 ? { status: 503 } : null;
  });
  await reply('See the notes', snippet, picture);
  await reply('Later');
  expect(await sent(world, 1)).toBe(`${withNotes}\n\nLater`);
  expect(tries).toBe(3);
  expect((await world.threadMessage(card, 'Not sent')).text).toBe(
    '📎 *Not sent:* 1 image (a.png). The agent takes text only.',
  );

  const aside = await reply('aside: see the notes', snippet, { ...picture, name: 'b.png' });
  await world.clock.advance(5_000);
  await control.editMessage(aside, 'See the notes');
  expect(await sent(world, 2)).toBe(withNotes);
  await world.threadMessage(card, '1 image (b.png).');

  // Without the scope to read files.
  world.slack.onCall(({ method }) => (method === 'file_download' ? { status: 403 } : null));
  await reply('See these', snippet);
  expect(await sent(world, 3)).toBe('See these');
  await world.threadMessage(card, "notes.txt · Slack doesn't let me read it");
});

test('in a channel that is shared with another workspace, Slack is asked what a file is (F5)', async () => {
  await using world = await startStrictWorld({
    configFile: `access: { other_workspaces: true, shared_channels: [${general}] }`,
  });
  const { control } = world.slack;
  const card = await world.working();
  control.addUser({ id: 'U0OLGA', name: 'olga', teamId: 'T0OTHER' });
  control.invite(general, 'U0OLGA');
  await control.reply(card, 'See the notes', 'U0OLGA', { files: [snippet, picture] });
  expect(await sent(world, 1)).toBe(withNotes);
  await world.threadMessage(card, '1 image (a.png).');
});

test('of a thread, snippets go along, those of the mention too, and pictures are named (F5)', async () => {
  await using world = await startStrictWorld();
  const write = (text: string, file: FileDraft, threadTs?: string) =>
    world.say(text, { user: bob, files: [file], threadTs });
  const root = await write('See the picture', picture);
  await write('', snippet, root.ts);
  await write(`<@${strictApp.botUserId}>`, { ...snippet, name: 'mine.txt', content: 'my own' }, root.ts);
  await openThreadForm(world, bob, 'See the picture');
  for (const words of ['[notes.txt]', 'See mine.txt']) expect(world.form(bob)).toContain(words);
  await world.submit({}, bob);
  const prompt = await sent(world, 0);
  expect(prompt).toMatch(/^See mine.txt\n\nContext.*See the picture\nbob: \[notes.txt\]\n/s);
  expect(prompt).toMatch(/mine.txt:\nmy own\n\nnotes.txt:\nUse <b> & "c"\nTwo$/s);
  const said = async () => (await world.slack.control.messages(general)).map(({ text }) => text).join();
  await world.later(said, includes('Not sent:* 1 image'), 'the picture to be named');
});

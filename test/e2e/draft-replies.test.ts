import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { alice, bob, general, type SlackMessage } from '../support/local-slack.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { marksIn, startMarkedWorld } from './support/marks.ts';
import type { StrictWorld } from './support/strict-world.ts';

const mention = `<@${strictApp.botUserId}>`;
const configFile = `
channels: { ${general}: { reaction: memo } }
recipes:
  - { name: notes, channel: ${general}, request: Document the release, draft: true }
`;

let world: StrictWorld;
beforeEach(async () => {
  world = await startMarkedWorld(configFile);
});
afterEach(() => world[Symbol.asyncDispose]());
const { write, react, unreact, draftOf, press, privately } = marksIn(() => world);

/** Where a draft stands: replies go to `root`. */
interface Drafted {
  readonly root: SlackMessage;
  readonly draft: SlackMessage;
}

async function ofRecipe(): Promise<Drafted> {
  await world.slack.control.command({ channel: general, user: alice, text: 'run notes' });
  await world.settled();
  const draft = await world.seen(general, ({ text }) => text.includes('*Draft*'));
  return { root: draft, draft };
}

async function ofMessage(): Promise<Drafted> {
  const root = await write('The limits are wrong');
  await react(root);
  return { root, draft: await draftOf(root) };
}

const reply = (root: SlackMessage, text: string, user = bob) => write(text, { user, threadTs: root.ts });
const receipts = async (...replies: SlackMessage[]) => {
  await world.settled();
  return Promise.all(replies.map((one) => world.slack.control.reactions(one)));
};
const textOf = async ({ ts }: SlackMessage) =>
  (await world.slack.control.messages(general)).find((one) => one.ts === ts)?.text ?? '';
const form = () => JSON.stringify(world.slack.control.modal(alice)?.blocks) ?? '';

describe.each([
  ['a recipe', ofRecipe],
  ['an emoji', ofMessage],
])('what people write below a draft of %s (T2)', (_what, draftBy) => {
  test('has a receipt, stands on the draft, and goes along at Start, once', async () => {
    const { root, draft } = await draftBy();
    const first = await reply(root, 'Mention the quotas');
    const second = await reply(root, `${mention} And <b> the *keys*`, alice);
    expect(await receipts(first, second)).toEqual([['eyes'], ['eyes']]);
    expect(await textOf(draft)).toContain('2 messages of this thread included');
    expect(world.prompts()).toEqual([]);

    await press(draft, 'start_draft');
    expect(await receipts(first, second)).toEqual([['white_check_mark'], ['white_check_mark']]);
    const [job, ...others] = world.prompts();
    expect(others).toEqual([]);
    expect(job).toHaveLength(1);
    expect(job?.[0]).toMatch(/\n\n[^\n]+:\n@bob: Mention the quotas\n@alice: And <b> the \*keys\*$/);

    await reply(root, 'In a table, please');
    await world.settled(10_000);
    expect(world.prompts()).toEqual([[job?.[0], 'In a table, please']]);
  });

  test('goes along as it reads now, without asides, deleted and muted words', async () => {
    const { root, draft } = await draftBy();
    const edited = await reply(root, 'Mention teh quotas');
    const deleted = await reply(root, 'Nobody reads this');
    const aside = await reply(root, 'aside who writes this?');
    await world.settled();
    await world.slack.control.editMessage(edited, 'Mention the quotas');
    await world.slack.control.deleteMessage(deleted);
    await reply(root, 'mute');
    const muted = await reply(root, 'Between us');
    expect(await receipts(edited, aside, muted)).toEqual([['eyes'], ['speech_balloon'], ['mute']]);
    expect(await textOf(draft)).toContain('1 message of this thread included');
    await press(draft, 'start_draft');
    await world.settled(10_000);
    expect(world.prompts()).toEqual([[expect.stringMatching(/:\n@bob: Mention the quotas$/)]]);
  });

  test('is offered by Edit and start; what is unticked stays between people', async () => {
    const { root, draft } = await draftBy();
    const wanted = await reply(root, 'Mention the quotas');
    const unwanted = await reply(root, 'Off topic');
    await world.settled();
    await press(draft, 'choose_for_draft').catch(() => press(draft, 'edit_draft'));
    await expect.poll(form, { message: 'the form' }).toContain('Off topic');
    expect(form()).toContain('Mention the quotas');
    const later = await reply(root, 'And the keys');
    await world.settled();
    const values = { prompt: 'Document 2.1', messages_0: [`${wanted.ts}|`] };
    expect((await world.slack.control.submit(alice, values)).errors).toBeNull();
    expect(await receipts(wanted, unwanted, later)).toEqual([
      ['white_check_mark'],
      ['speech_balloon'],
      ['white_check_mark'],
    ]);
    expect(world.prompts()).toEqual([
      [expect.stringMatching(/^Document 2\.1\n\n[^\n]+:\n@bob: Mention the quotas\n@bob: And the keys$/)],
    ]);
  });

  test('is not sent in words that nobody saw: a reply edited since the form was opened stays', async () => {
    const { root, draft } = await draftBy();
    const edited = await reply(root, 'Mention the quotas');
    await world.settled();
    await press(draft, 'edit_draft');
    await expect.poll(form, { message: 'the form' }).toContain('Mention the quotas');
    await world.slack.control.editMessage(edited, 'Delete the quotas');
    await world.settled();
    const values = { prompt: 'Document 2.1', messages_0: [`${edited.ts}|`] };
    expect(JSON.stringify((await world.slack.control.submit(alice, values)).errors)).toContain(
      'was edited in the meantime',
    );
    expect(world.prompts()).toEqual([]);
  });

  test('stays between people when the draft is dismissed, and then a mention asks as in any thread', async () => {
    const { root, draft } = await draftBy();
    const written = await reply(root, 'Mention the quotas');
    expect(await receipts(written)).toEqual([['eyes']]);
    await press(draft, 'dismiss_draft');
    expect(await receipts(written)).toEqual([['speech_balloon']]);
    await reply(root, `${mention} Document the keys`, alice);
    await privately('Choose messages');
    await world.settled(10_000);
    expect(world.prompts()).toEqual([]);
  });

  test('survives a restart, and a draft whose post the program did not see answered', async () => {
    const { root, draft } = await draftBy();
    await reply(root, 'Mention the quotas');
    await world.service.stop();
    await reply(root, 'And the keys');
    await world.restart();
    await world.settled(60_000);
    await press(draft, 'start_draft');
    await world.settled(60_000);
    expect(world.prompts().flat().join('\n')).toMatch(/Mention the quotas\n.*And the keys/s);
    expect(world.prompts()).toHaveLength(1);
  });

  test('goes along as it reads when the agent is back, if it was away at Start', async () => {
    const { root, draft } = await draftBy();
    const edited = await reply(root, 'Mention teh quotas');
    const deleted = await reply(root, 'Nobody reads this');
    await world.settled();
    world.api.failNext('create', { status: 429, headers: { 'retry-after': '20' } });
    await press(draft, 'start_draft');
    await world.settled(2_000);
    await world.slack.control.editMessage(edited, 'Mention the quotas');
    await world.slack.control.deleteMessage(deleted);
    await world.settled(60_000);
    expect(world.prompts()).toEqual([[expect.stringMatching(/:\n@bob: Mention the quotas$/)]]);
    expect(await receipts(edited)).toEqual([['white_check_mark']]);
  });
});

test('what people write below a draft goes out once more with the request that somebody edits after a refusal (T2)', async () => {
  const { root, draft } = await ofRecipe();
  const written = await reply(root, 'Mention the quotas');
  await world.settled();
  world.api.failNext('create', { status: 400, body: '{"error":"too vague"}' });
  await press(draft, 'start_draft');
  expect(await receipts(written)).toEqual([['warning']]);
  const offer = await world.seen(general, ({ text }) => text.includes('*Not accepted.*'));
  await press(offer, 'edit_and_start');
  await expect.poll(form, { message: 'the form' }).toContain('Document the release');
  expect((await world.slack.control.submit(alice, { prompt: 'Document 2.1' })).errors).toBeNull();
  expect(await receipts(written)).toEqual([['white_check_mark']]);
  expect(
    world
      .prompts()
      .flat()
      .join('\n')
      .match(/Mention the quotas/g),
  ).toHaveLength(1);
});

test('a draft that is withdrawn gives its replies back to the people, and the next one asks anew (T2)', async () => {
  const { root } = await ofMessage();
  const written = await reply(root, 'Mention the quotas');
  expect(await receipts(written)).toEqual([['eyes']]);
  await reply(root, 'aside who writes this?');
  await unreact(root);
  expect(await receipts(written)).toEqual([[]]);
  await react(root);
  const again = await draftOf(root);
  expect(again.text).toContain('1 message of this thread included');
  await press(again, 'start_draft');
  await world.settled();
  expect(world.prompts()).toEqual([[expect.stringMatching(/\nbob: Mention the quotas$/)]]);
});

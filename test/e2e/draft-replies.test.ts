import { expect, test } from 'vitest';
import { alice, bob, general, type SlackMessage } from '../support/local-slack.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { startMarkedWorld } from './support/marks.ts';

const mention = `<@${strictApp.botUserId}>`;
const configFile = `
channels: { ${general}: { reaction: memo } }
recipes:
  - { name: notes, channel: ${general}, request: Document the release, draft: true }
`;

type Kind = 'a recipe' | 'an emoji';

/** A program with a draft: replies go to its `root`. */
async function drafted(kind: Kind) {
  const world = await startMarkedWorld(configFile);
  const { control } = world.slack;
  const ofMessage = async () => {
    const root = await world.write('The limits are wrong');
    await world.react(root);
    return { root, draft: await world.draftOf(root) };
  };
  const ofRecipe = async () => {
    await world.command('run notes');
    await world.settled();
    const draft = await world.seen(general, ({ text }) => text.includes('*Draft*'));
    return { root: draft, draft };
  };
  const { root, draft } = await (kind === 'a recipe' ? ofRecipe() : ofMessage());
  return Object.assign(world, {
    root,
    draft,
    reply: (text: string, user = bob) => world.write(text, { user, threadTs: root.ts }),
    receipts: async (...replies: SlackMessage[]) => {
      await world.settled();
      return Promise.all(replies.map(async (one) => (await control.reactions(one)).join()));
    },
    shown: async () => (await control.messages(general)).find(({ ts }) => ts === draft.ts)?.text ?? '',
  });
}

test.each<[Kind]>([['a recipe'], ['an emoji']])(
  'what people write below a draft of %s goes along at Start as it reads then, once, also over a restart (T2)',
  async (kind) => {
    await using world = await drafted(kind);
    const { reply, receipts, slack } = world;
    const edited = await reply('Mention teh quotas');
    const deleted = await reply('Nobody reads this');
    const aside = await reply('aside who writes this?');
    const byAlice = await reply(`${mention} And <b> the *keys*`, alice);
    expect(await receipts(edited, aside, byAlice)).toEqual(['eyes', 'speech_balloon', 'eyes']);
    await slack.control.editMessage(edited, 'Mention the quotas');
    await slack.control.deleteMessage(deleted);
    await reply('mute');
    const muted = await reply('Between us');
    expect(await receipts(muted)).toEqual(['mute']);
    await reply('unmute');
    await world.settled();
    await world.service.stop();
    await reply('And the limits');
    await world.restart();
    await world.settled(60_000);
    expect(await world.shown()).toContain('3 messages of this thread included');
    expect(world.prompts()).toEqual([]);
    await world.press(world.draft, 'start_draft');
    expect(await receipts(edited, byAlice)).toEqual(['white_check_mark', 'white_check_mark']);
    const [job, ...others] = world.prompts();
    expect(others).toEqual([]);
    expect(job).toEqual([
      expect.stringMatching(
        /\n\n[^\n]+:\n@bob: Mention the quotas\n@alice: And <b> the \*keys\*\n@bob: And the limits$/,
      ),
    ]);
    await reply('In a table, please');
    await world.settled(10_000);
    expect(world.prompts()).toEqual([[job?.[0], 'In a table, please']]);
  },
);

test('Edit and start offers what people wrote below the draft; what is unticked, or was edited since, is not sent (T2)', async () => {
  await using world = await drafted('an emoji');
  const wanted = await world.reply('Mention the quotes');
  const unwanted = await world.reply('Off topic');
  await world.settled();
  await world.press(world.draft, 'edit_draft');
  await world.formShows('Mention the quotes');
  await world.slack.control.editMessage(wanted, 'Mention the quotas');
  await world.settled();
  const values = { prompt: 'Document 2.1', messages_0: ['Mention the quotes'] };
  expect(JSON.stringify(await world.submit(values))).toContain('was edited in the meantime');
  expect(world.prompts()).toEqual([]);

  await world.slack.control.close(alice);
  await world.press(world.draft, 'choose_for_draft').catch(() => world.press(world.draft, 'edit_draft'));
  expect(await world.formShows('Mention the quotas')).toContain('Off topic');
  const later = await world.reply('And the keys');
  await world.settled();
  expect(await world.submit({ ...values, messages_0: ['Mention the quotas'] })).toBeNull();
  expect(await world.receipts(wanted, unwanted, later)).toEqual([
    'white_check_mark',
    'speech_balloon',
    'white_check_mark',
  ]);
  expect(world.prompts()).toEqual([
    [expect.stringMatching(/^Document 2\.1\n\n[^\n]+:\n@bob: Mention the quotas\n@bob: And the keys$/)],
  ]);
});

test('what people write below a draft that is dismissed stays between them, and then a mention asks as in any thread (T2)', async () => {
  await using world = await drafted('a recipe');
  const written = await world.reply('Mention the quotas');
  expect(await world.receipts(written)).toEqual(['eyes']);
  await world.press(world.draft, 'dismiss_draft');
  expect(await world.receipts(written)).toEqual(['speech_balloon']);
  await world.reply(`${mention} Document the keys`, alice);
  await world.private('Choose messages');
  await world.settled(10_000);
  expect(world.prompts()).toEqual([]);
});

test('what people write below a draft goes along as it reads when the agent is back, and once more with an edited request (T2)', async () => {
  await using world = await drafted('a recipe');
  const edited = await world.reply('Mention teh quotas');
  const deleted = await world.reply('Nobody reads this');
  await world.settled();
  const refusal = { status: 400, body: '{"error":"too vague"}' };
  world.api.failNext('create', { status: 429, headers: { 'retry-after': '20' } }, refusal);
  await world.press(world.draft, 'start_draft');
  await world.settled(2_000);
  await world.slack.control.editMessage(edited, 'Mention the quotas');
  await world.slack.control.deleteMessage(deleted);
  await world.settled(60_000);
  expect(world.api.requests.at(-1)?.prompt).toMatch(/:\n@bob: Mention the quotas$/);
  expect(await world.receipts(edited)).toEqual(['warning']);
  const offer = await world.seen(general, ({ text }) => text.includes('*Not accepted.*'));
  await world.press(offer, 'edit_and_start');
  await world.formShows('Document the release');
  expect(await world.submit({ prompt: 'Document 2.1' })).toBeNull();
  expect(await world.receipts(edited)).toEqual(['white_check_mark']);
  expect(world.prompts().flat().join('\n').split('Mention the quotas')).toHaveLength(2);
});

test('a draft that is withdrawn gives its replies back to the people, and the next one asks anew (T2)', async () => {
  await using world = await drafted('an emoji');
  const written = await world.reply('Mention the quotas');
  expect(await world.receipts(written)).toEqual(['eyes']);
  await world.reply('aside who writes this?');
  await world.unreact(world.root);
  expect(await world.receipts(written)).toEqual(['']);
  await world.react(world.root);
  const again = await world.draftOf(world.root);
  expect(again.text).toContain('1 message of this thread included');
  await world.press(again, 'start_draft');
  await world.settled();
  expect(world.prompts()).toEqual([[expect.stringMatching(/\nbob: Mention the quotas$/)]]);
});

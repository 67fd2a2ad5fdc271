import { describe, expect, test } from 'vitest';
import { alice, bob, general, type SlackMessage } from '../support/local-slack.ts';
import { startMarkedWorld } from './support/marks.ts';

type World = Awaited<ReturnType<typeof startMarkedWorld>>;

/** Alice marks what Bob wrote. */
async function draftAbout(world: World, text: string): Promise<{ root: SlackMessage; draft: SlackMessage }> {
  const root = await world.write(text);
  await world.react(root);
  return { root, draft: await world.draftOf(root) };
}

/** Alice has the form of *Edit and start* before her. */
async function formOf(world: World, draft: SlackMessage): Promise<string> {
  await world.press(draft, 'edit_draft');
  return world.formShows('"prompt"');
}

const isGiven = (world: World, prompt: string) =>
  expect.poll(() => world.prompts().map(([first]) => first), { message: 'the prompts' }).toContain(prompt);

describe('the form of a draft', () => {
  test('names people, takes no empty request, asks once more who may start it, and says what became of the draft (T2)', async () => {
    await using world = await startMarkedWorld();
    const { draft } = await draftAbout(world, `Ask <@${bob}> & <@${alice}>`);
    expect(await formOf(world, draft)).toContain('Ask @bob & @alice');
    expect(await world.submit({ prompt: '  ' })).toHaveProperty('prompt');
    await world.restart(`channels: { ${general}: { reaction: memo, approvers: [${bob}] } }`);
    const asked = { prompt: 'Ask them' };
    expect(JSON.stringify(await world.submit(asked))).toContain('Only bob can start this.');
    await world.restart(`channels: { ${general}: { reaction: memo } }`);
    await world.press(draft, 'dismiss_draft', bob);
    expect(JSON.stringify(await world.submit(asked))).toContain('Dismissed by bob');
    await world.press(draft, 'edit_draft');
    await world.private('Already done: Dismissed by bob.');
    await world.settled();
    expect(world.prompts()).toEqual([]);
  });

  test('opens also while the thread cannot be read, if nothing of it went along (T2)', async () => {
    await using world = await startMarkedWorld();
    const { draft } = await draftAbout(world, 'The limits are wrong');
    world.slack.onCall(({ method }) => (method === 'conversations.replies' ? { status: 429 } : null));
    await formOf(world, draft);
    expect(await world.submit({ prompt: 'Correct the limits' })).toBeNull();
    await isGiven(world, 'Correct the limits');
  });

  test('does not send a message again as a reply that went along, though Slack has a clock that is ahead (T2)', async () => {
    await using world = await startMarkedWorld();
    const { root, draft } = await draftAbout(world, 'The limits are wrong');
    const ts = `${Math.floor(Number(root.ts)) + 60}.000100`;
    const reply = { type: 'message', channel: general, user: bob, team: 'T0LOCAL', text: 'Indeed' } as const;
    world.slack.control.restore(general, [{ ...reply, ts, thread_ts: root.ts }]);
    await world.slack.control.raw(general, { ...reply, ts, thread_ts: root.ts });
    await formOf(world, draft);
    expect(await world.submit()).toBeNull();
    await world.settled(10_000);
    expect(world.prompts()).toEqual([[expect.stringMatching(/bob: Indeed$/)]]);
  });
});

test('a draft takes files along: of a picture without words somebody writes what it is about; snippets are read (T2)', async () => {
  await using world = await startMarkedWorld();
  const files = [{ name: 'limits.png', content: '…', mode: 'hosted', mimetype: 'image/png' }] as const;
  const picture = await world.write('', { files });
  await world.react(picture);
  const draft = await world.draftOf(picture);
  expect(draft.text).toContain('“[limits.png]”');
  await formOf(world, draft);
  expect(await world.submit({ prompt: 'Renew the picture of the limits' })).toBeNull();
  await isGiven(world, 'Renew the picture of the limits');

  const root = await world.write('The limits are wrong');
  const snippets = [{ name: 'log.txt', content: 'HTTP 429', mode: 'snippet' }] as const;
  await world.write('See', { threadTs: root.ts, files: snippets });
  await world.react(root);
  await world.press(await world.draftOf(root), 'start_draft');
  await world.settled();
  expect(world.prompts()[1]?.[0]).toContain('HTTP 429');
});

describe('Start at a draft starts nothing, and says so,', () => {
  test('while the thread cannot be read (T2)', async () => {
    await using world = await startMarkedWorld();
    const root = await world.write('The limits are wrong');
    await world.write('They got a 429', { threadTs: root.ts });
    await world.react(root);
    const draft = await world.draftOf(root);
    world.slack.onCall(({ method }) =>
      method === 'conversations.replies' ? { error: 'internal_error' } : null,
    );
    await world.press(draft, 'start_draft');
    await world.private("I couldn't read the thread.");
    world.slack.onCall(() => null);
    await world.settled();
    expect(world.prompts()).toEqual([]);
    await world.press(draft, 'start_draft');
    await world.settled();
    expect(world.prompts()[0]?.[0]).toContain('They got a 429');
  });

  test('if it is too long, by itself or with its thread (T2)', async () => {
    await using world = await startMarkedWorld();
    const root = await world.write('The limits are wrong');
    for (const word of ['One', 'Two', 'Three']) {
      await world.write(`${word} `.repeat(2_000), { threadTs: root.ts });
    }
    await world.react(root);
    await world.press(await world.draftOf(root), 'start_draft');
    const said = await world.private('With the included messages');
    expect(said.text).toContain('Untick some.');
    await world.settled();
    expect(world.prompts()).toEqual([]);
    await world.press(said, 'choose_for_draft');
    await world.formShows('Include these messages');
    expect(await world.submit({ messages_0: [] })).toBeNull();
    await expect.poll(() => world.prompts()[0]?.[0], { message: 'the prompt' }).toMatch(/limits are wrong$/);

    const { draft } = await draftAbout(world, 'The limits are wrong. '.repeat(1_000));
    await world.press(draft, 'start_draft');
    const shorten = await world.private("That's 22,");
    expect(shorten.text).toContain('Shorten it');
    await world.press(shorten, 'edit_draft');
    expect(await world.formShows('the end is cut off here')).not.toContain('sends all of it');
    expect(await world.submit({ prompt: 'Correct the limits' })).toBeNull();
    await isGiven(world, 'Correct the limits');
  });
});

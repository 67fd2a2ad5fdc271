import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { alice, bob, general, type SlackMessage } from '../support/local-slack.ts';
import { marksIn, startMarkedWorld } from './support/marks.ts';
import type { StrictWorld } from './support/strict-world.ts';

let world: StrictWorld;
beforeEach(async () => {
  world = await startMarkedWorld();
});
afterEach(() => world[Symbol.asyncDispose]());
const { write, react, draftOf, press, privately } = marksIn(() => world);

const form = () => JSON.stringify(world.slack.control.modal(alice)?.blocks) ?? '';

/** Alice marks what Bob wrote. */
async function draftAbout(text: string): Promise<{ root: SlackMessage; draft: SlackMessage }> {
  const root = await write(text);
  await react(root);
  return { root, draft: await draftOf(root) };
}

/** Alice has the form of *Edit and start* before her. */
async function formOf(draft: SlackMessage): Promise<void> {
  await press(draft, 'edit_draft');
  await expect.poll(form, { message: 'the form' }).toContain('"prompt"');
}

const submit = async (values: { prompt?: string; messages_0?: string[] } = {}) =>
  JSON.stringify((await world.slack.control.submit(alice, values)).errors);

describe('the form of a draft', () => {
  test('shows people and their words by name (T2)', async () => {
    const { draft } = await draftAbout(`Ask <@${bob}> & <@${alice}>`);
    await formOf(draft);
    expect(form()).toContain('Ask @bob & @alice');
  });

  test('opens also while the thread cannot be read, if nothing of it went along (T2)', async () => {
    const { draft } = await draftAbout('The limits are wrong');
    world.slack.onCall(({ method }) => (method === 'conversations.replies' ? { status: 429 } : null));
    await formOf(draft);
    expect(await submit({ prompt: 'Correct the limits' })).toBe('null');
    await expect.poll(() => world.prompts(), { message: 'the prompt' }).toEqual([['Correct the limits']]);
  });

  test('does not send a message again as a reply that went along, though Slack has a clock that is ahead (T2)', async () => {
    const { root, draft } = await draftAbout('The limits are wrong');
    const ts = `${Math.floor(Number(root.ts)) + 60}.000100`;
    const reply = { type: 'message', channel: general, user: bob, team: 'T0LOCAL', text: 'Indeed' } as const;
    world.slack.control.restore(general, [{ ...reply, ts, thread_ts: root.ts }]);
    await world.slack.control.raw(general, { ...reply, ts, thread_ts: root.ts });
    await formOf(draft);
    expect(await submit()).toBe('null');
    await world.settled(10_000);
    expect(world.prompts()).toEqual([[expect.stringMatching(/bob: Indeed$/)]]);
  });

  test('takes no empty request (T2)', async () => {
    const { draft } = await draftAbout('The limits are wrong');
    await formOf(draft);
    expect(await submit({ prompt: '  ' })).toContain('prompt');
    await world.settled();
    expect(world.prompts()).toEqual([]);
  });

  test('asks once more who may start it, as the settings are by then (T2)', async () => {
    const { draft } = await draftAbout('The limits are wrong');
    await formOf(draft);
    await world.restart(`channels: { ${general}: { reaction: memo, approvers: [${bob}] } }`);
    expect(await submit()).toContain('Only bob can start this.');
    await world.settled();
    expect(world.prompts()).toEqual([]);
  });

  test('says what became of the draft meanwhile (T2)', async () => {
    const { draft } = await draftAbout('The limits are wrong');
    await formOf(draft);
    await press(draft, 'dismiss_draft', bob);
    expect(await submit()).toContain('Dismissed by bob');
    await press(draft, 'edit_draft');
    await privately('Already done: Dismissed by bob.');
    expect(world.prompts()).toEqual([]);
  });

  test('of a draft that was withdrawn does not start the next one (T2)', async () => {
    const { root, draft } = await draftAbout('The limits are wrong');
    await formOf(draft);
    await world.slack.control.unreact(root, 'memo', alice);
    await world.settled();
    await react(root);
    expect((await draftOf(root)).ts).not.toBe(draft.ts);
    expect(await submit()).toContain('Already done');
    await world.settled();
    expect(world.prompts()).toEqual([]);
  });
});

test('the draft of a picture without words says that, for somebody to write what it is about (T2)', async () => {
  const files = [{ name: 'limits.png', content: '…', mode: 'hosted', mimetype: 'image/png' }] as const;
  const root = await world.slack.control.message({ channel: general, user: bob, text: '', files });
  await react(root);
  const draft = await draftOf(root);
  expect(draft.text).toContain('“[limits.png]”');
  await formOf(draft);
  expect(await submit({ prompt: 'Renew the picture of the limits' })).toBe('null');
  await expect.poll(() => world.prompts()[0]?.[0]).toBe('Renew the picture of the limits');
});

describe('Start at a draft', () => {
  test('sends the snippets of the thread along (T2)', async () => {
    const root = await write('The limits are wrong');
    const files = [{ name: 'log.txt', content: 'HTTP 429', mode: 'snippet' }] as const;
    await world.slack.control.reply(root, 'See', bob, { files });
    await react(root);
    await press(await draftOf(root), 'start_draft');
    await world.settled();
    expect(world.prompts()[0]?.[0]).toContain('HTTP 429');
  });

  test('starts nothing while the thread cannot be read, and says so (T2)', async () => {
    const root = await write('The limits are wrong');
    await write('They got a 429', { threadTs: root.ts });
    await react(root);
    const draft = await draftOf(root);
    world.slack.onCall(({ method }) =>
      method === 'conversations.replies' ? { error: 'internal_error' } : null,
    );
    await press(draft, 'start_draft');
    await privately("I couldn't read the thread.");
    world.slack.onCall(() => null);
    await world.settled();
    expect(world.prompts()).toEqual([]);
    await press(draft, 'start_draft');
    await world.settled();
    expect(world.prompts()[0]?.[0]).toContain('They got a 429');
  });

  test('starts nothing that is too long together with its thread, and says so (T2)', async () => {
    const root = await write('The limits are wrong');
    for (const word of ['One', 'Two', 'Three']) {
      await write(`${word} `.repeat(2_000), { threadTs: root.ts });
    }
    await react(root);
    await press(await draftOf(root), 'start_draft');
    const said = await privately('With the included messages');
    expect(said.text).toContain('Untick some.');
    await world.settled();
    expect(world.prompts()).toEqual([]);
    await press(said, 'choose_for_draft');
    await expect.poll(form, { message: 'the form' }).toContain('Include these messages');
    expect(await submit({ messages_0: [] })).toBe('null');
    await expect.poll(() => world.prompts()[0]?.[0], { message: 'the prompt' }).toMatch(/limits are wrong$/);
  });

  test('starts nothing that is too long by itself, and offers to edit it (T2)', async () => {
    const { draft } = await draftAbout('The limits are wrong. '.repeat(1_000));
    await press(draft, 'start_draft');
    const said = await privately("That's 22,");
    expect(said.text).toContain('Shorten it');
    await press(said, 'edit_draft');
    await expect.poll(form, { message: 'the form' }).toContain('the end is cut off here');
    expect(form()).not.toContain('sends all of it');
    expect(await submit({ prompt: 'Correct the limits' })).toBe('null');
    await expect.poll(() => world.prompts(), { message: 'the prompt' }).toEqual([['Correct the limits']]);
  });
});

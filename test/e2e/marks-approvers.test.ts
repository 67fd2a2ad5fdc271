import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { alice, bob, general } from '../support/local-slack.ts';
import { marksIn, startMarkedWorld } from './support/marks.ts';
import type { StrictWorld } from './support/strict-world.ts';

let world: StrictWorld;
beforeEach(async () => {
  world = await startMarkedWorld();
});
afterEach(() => world[Symbol.asyncDispose]());
const { write, react, drafts, draftOf, press, privately } = marksIn(() => world);

describe('where only some may start drafts', () => {
  test('others are told who may, and may still dismiss (T2)', async () => {
    await world[Symbol.asyncDispose]();
    world = await startMarkedWorld(`channels: { ${general}: { reaction: ":memo:", approvers: [${bob}] } }`);
    const message = await write('The limits are wrong');
    await react(message);
    const draft = await draftOf(message);
    expect(draft.text).toContain('only bob can start it');
    for (const button of ['start_draft', 'edit_draft']) {
      await press(draft, button);
      await privately('Only bob can start this.');
    }
    expect(world.slack.control.modal(alice)).toBeNull();
    await world.restart(`channels: { ${general}: { reaction: memo, approvers: [${alice}] } }`);
    await press(draft, 'start_draft');
    await world.settled();
    expect(world.prompts()).toHaveLength(1);

    const other = await write('The page is old');
    await react(other);
    await press(await draftOf(other), 'dismiss_draft', bob);
    await world.settled();
    expect((await drafts(other))[0]?.text).toContain('Dismissed by bob');
  });
});

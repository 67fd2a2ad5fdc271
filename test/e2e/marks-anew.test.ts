import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bob } from '../support/local-slack.ts';
import { marksIn, startMarkedWorld } from './support/marks.ts';
import type { StrictWorld } from './support/strict-world.ts';

const WEEK_MS = 7 * 86_400_000;
let world: StrictWorld;
beforeEach(async () => {
  world = await startMarkedWorld();
});
afterEach(() => world[Symbol.asyncDispose]());
const { write, react, unreact, raw, drafts, draftOf, press, startJobIn } = marksIn(() => world);

describe('a person who marks a message anew', () => {
  test('asks for another draft once the first has expired (T2)', async () => {
    const message = await write('The limits are wrong');
    await react(message);
    await draftOf(message);
    world.clock.freeze(WEEK_MS);
    await world.settled();
    expect((await drafts(message))[0]?.text).toContain('Expired after 7 days');
    // The mark that is still there asks for nothing new, also where another comes and goes out of order.
    await raw('reaction_added', message);
    await raw('reaction_removed', message, bob);
    await world.settled();
    expect(await drafts(message)).toHaveLength(1);
    await react(message, bob);
    expect((await draftOf(message)).text).toContain("bob's message");
    await press(await draftOf(message), 'start_draft');
    await world.settled();
    expect(world.prompts()).toHaveLength(1);
  });

  test('asks once more by taking the mark away and putting it there again, of what the message says then (T2)', async () => {
    const message = await write('The limits are wrong');
    await react(message);
    await draftOf(message);
    world.clock.freeze(WEEK_MS);
    await world.settled();
    await world.slack.control.editMessage(message, 'The quotas are wrong');
    await write('They are per minute', { threadTs: message.ts });
    await unreact(message);
    await world.settled();
    expect(await drafts(message)).toHaveLength(1);
    await react(message);
    const again = await draftOf(message);
    expect(await drafts(message)).toHaveLength(2);
    expect(again.text).toContain('The quotas are wrong');
    expect(again.text).toContain('1 message of this thread included');
  });

  test('learns that Slack refused the draft, and asks once more by a new mark (T2)', async () => {
    world.slack.onCall(({ method }) =>
      method === 'chat.postMessage' ? { error: 'restricted_action' } : null,
    );
    const message = await write('The limits are wrong');
    await react(message);
    await world.settled();
    world.slack.onCall(() => null);
    await raw('reaction_added', message);
    await world.settled();
    expect(await drafts(message)).toEqual([]);
    await unreact(message);
    await world.settled();
    await react(message);
    await press(await draftOf(message), 'start_draft');
    await world.settled();
    expect(world.prompts()).toHaveLength(1);
  });

  test('makes none once more where a job began in the thread meanwhile, nor of a deleted message (T2)', async () => {
    const taken = await write('The limits are wrong');
    const deleted = await write('The page is old');
    for (const message of [taken, deleted]) {
      await react(message);
      await draftOf(message);
      await unreact(message);
    }
    await world.settled();
    await startJobIn(taken);
    await world.slack.control.deleteMessage(deleted);
    await react(taken);
    await raw('reaction_added', deleted);
    await world.settled();
    expect(await drafts(taken)).toHaveLength(1);
    expect(await drafts(deleted)).toHaveLength(1);
  });
});

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { alice, bob, general } from '../support/local-slack.ts';
import { type StrictWorld, startStrictWorld } from './support/strict-world.ts';

let world: StrictWorld;
beforeEach(async () => {
  world = await startStrictWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

/** The next call of the method gets no answer, and reaches Slack when the returned function is called. */
function delayNext(method: string): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isDelayed = false;
  world.slack.onCall((call) => {
    if (isDelayed || call.method !== method) return null;
    isDelayed = true;
    return { lateAfter: promise };
  });
  return resolve;
}

const cardOf = async (ts: string) =>
  (await world.slack.control.messages(general)).find((message) => message.ts === ts)?.text ?? '';
const finish = () => world.api.finish(world.api.jobs[0]?.id ?? '', { status: 'completed' });

describe('an edit that got no answer, and reaches Slack after a later one', () => {
  test('does not leave an old state at the card (W2)', async () => {
    const arrive = delayNext('chat.update');
    const card = await world.ask('Document the limits');
    await world.threadMessage(card, 'On it');
    finish();
    await world.later(
      () => cardOf(card.ts),
      (text) => text.includes('Done, no pull request'),
      'the end at the card',
    );
    arrive();
    await world.settled(30_000);
    expect(await cardOf(card.ts)).toContain('Done, no pull request');
  });

  test('does not leave an old receipt at a reply (F1)', async () => {
    const { control } = world.slack;
    const card = await world.ask('Document the limits');
    await world.threadMessage(card, 'On it');
    const arrive = delayNext('reactions.add');
    const reply = await control.message({
      channel: general,
      user: bob,
      text: 'And errors',
      threadTs: card.ts,
    });
    await world.later(
      () => control.reactions(reply),
      (names) => names.includes('white_check_mark'),
      'the receipt',
    );
    arrive();
    await world.settled(30_000);
    expect(await control.reactions(reply)).toEqual(['white_check_mark']);
  });

  test('does not leave an old state at the home (L2)', async () => {
    const { control } = world.slack;
    const home = () => JSON.stringify(control.home(alice)?.blocks ?? []);
    const arrive = delayNext('views.publish');
    await control.openHome(alice);
    await world.ask('Document the limits');
    await world.later(home, (text) => text.includes('Document the limits'), 'the job at home');
    arrive();
    await world.settled(30_000);
    expect(home()).toContain('Document the limits');
  });
});

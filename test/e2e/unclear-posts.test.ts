import { describe, expect, test } from 'vitest';
import { describeWithLocalSlack, general } from '../support/local-slack.ts';
import { type Program, startProgram } from '../support/strict-slack/program.ts';
import type { StrictFault } from '../support/strict-slack/web-api.ts';
import { toldLater } from './support/posts.ts';
import { cards, finish, working } from './support/turns.ts';
import { startWorld } from './support/world.ts';

const PR = 'https://github.com/acme/docs/pull/1';

describeWithLocalSlack('a post that is answered unclearly', () => {
  test('is found again after a restart in the middle (E1)', async () => {
    await using world = await startWorld();
    world.proxy.fail('chat.postMessage', 'reset_after');
    const card = await world.ask('Add a quickstart');
    await world.restart();
    await toldLater(world, card, 'On it');
    expect(await cards(world)).toHaveLength(1);
    expect(world.api.counts.create).toBe(1);
  });

  test('is looked for again within seconds when Slack could not be asked: to wait for it was no failure (E1)', async () => {
    await using world = await startWorld();
    const card = await working(world);
    world.proxy.fail('chat.postMessage', 'reset_before');
    const tries = () => world.proxy.calls('chat.postMessage').length;
    const looks = () => world.proxy.calls('conversations.replies').length;
    const before = { tries: tries(), looks: looks() };
    finish(world, 'Add a quickstart', 'completed');
    await world.later(tries, before.tries + 1, 'the post that breaks');
    await world.later(looks, before.looks + 1, 'the first look');
    // Each page is asked for twice.
    world.proxy.fail('conversations.replies', { status: 500 }, { status: 500 });
    await world.later(looks, before.looks + 3, 'the look that fails');
    await world.clock.advance(6_000);
    await expect.poll(looks, { message: 'the look after that' }).toEqual(before.looks + 4);
    await toldLater(world, card, 'Done, no pull request');
    expect(tries()).toBe(before.tries + 2);
  });
});

/** The first post with each of the words meets the fault. */
function failOnce(program: Program, fault: StrictFault, ...words: string[]): void {
  const left = new Set(words);
  program.slack.onCall(({ method, args }) => {
    if (method !== 'chat.postMessage') return null;
    const met = [...left].find((word) => String(args.text).includes(word));
    return met !== undefined && left.delete(met) ? fault : null;
  });
}

describe('a post that is answered unclearly, and whose block ids Slack does not keep', () => {
  test.each<[string, StrictFault]>([
    ['a connection that breaks', 'reset_after'],
    ['half an answer', 'half_body'],
    ['a server error', 'error_after'],
    ['an internal error', { errorAfter: 'internal_error' }],
  ])('is known again by its metadata after %s, so that there is one (E1)', async (_what, fault) => {
    await using program = await startProgram({ slack: { keepsBlockIds: false } });
    const { slack, api } = program;
    failOnce(program, fault, 'Starting', 'On it', PR);
    const card = await program.working();
    api.finish(String(api.jobs[0]?.id), { status: 'completed', prLink: PR });
    await program.threadMessage(card, PR);
    await program.later(
      () => slack.control.messages(general),
      ([root]) => root?.text.includes(PR) === true,
      'the card to show it',
    );
    await program.clock.advance(60_000);

    const messages = await slack.control.messages(general);
    expect(messages.map(({ blocks }) => blocks?.[0]?.block_id)).not.toContainEqual(
      expect.stringMatching(/^call:/),
    );
    expect(messages.filter(({ thread_ts }) => thread_ts === undefined)).toHaveLength(1);
    expect(messages.filter(({ thread_ts }) => thread_ts === card.ts)).toHaveLength(2);
    expect(slack.calls('chat.postMessage')).toHaveLength(3);
    expect(slack.calls('conversations.history').length).toBeGreaterThan(0);
    expect(api.counts.create).toBe(1);
  });
});

import { expect, test } from 'vitest';
import { includes } from '../support/is.ts';
import { alice, bob, describeWithLocalSlack, type SlackMessage } from '../support/local-slack.ts';
import { receipt, saying, toldLater } from './support/posts.ts';
import { watched } from './support/turns.ts';
import { startWorld, type World } from './support/world.ts';

const PR = 'https://github.com/acme/docs/pull/1';
const OTHER_PR = 'https://github.com/acme/docs/pull/2';
const link = `<${PR}|acme/docs#1>`;
const otherLink = `<${OTHER_PR}|acme/docs#2>`;
const ENDS = /^\S+ (?:<@\w+> )*\*(?:Pull request|Another|Updated|Done|Failed|Archived)/;

const reply = (world: World, card: SlackMessage, text: string, user = bob) =>
  world.slack.reply(card, text, user);

/** The first lines of the messages that say how a turn ended. */
const ends = async (world: World, card: SlackMessage) =>
  (await world.posts(card)).flatMap(({ text }) => (ENDS.test(text) ? [text] : []));

const messages = (world: World, count: number) =>
  world.later(() => world.api.counts.message, count, 'the replies at the agent');

const onCard = (world: World, card: SlackMessage, words: string) =>
  world.later(() => world.card(card), includes(words), `the card to say "${words}"`);

describeWithLocalSlack('the end of a turn is one message (W3)', () => {
  test('another pull request in a later turn, then an update of it: each tells who waited, and how many replies it includes', async () => {
    await using world = await startWorld();
    const { card, finish } = await watched(world);
    finish('completed', PR);
    await toldLater(world, card, '🎉');

    await reply(world, card, 'Shorter, please');
    await reply(world, card, 'And a table', alice);
    await messages(world, 1);
    finish('active', null);
    await onCard(world, card, '⚙️ *Working on 2 replies*');
    finish('completed', OTHER_PR);
    await toldLater(world, card, 'Another');

    await reply(world, card, 'One more thing');
    await messages(world, 2);
    finish('active', null);
    await onCard(world, card, '⚙️ *Working on 1 reply*');
    finish('completed', OTHER_PR);
    await toldLater(world, card, 'Updated');
    await onCard(world, card, `✅ *Updated* · ${otherLink} · 1 reply included`);

    await world.clock.advance(600_000);
    expect(await ends(world, card)).toEqual([
      expect.stringMatching(`^🎉 <@${alice}> \\*Pull request ready:\\* ${escaped(link)}\\ntook \\d+ s`),
      expect.stringMatching(
        `^🎉 <@${alice}> <@${bob}> \\*Another pull request:\\* ${escaped(otherLink)}\\ntook \\d+ s · 2 replies included`,
      ),
      `✅ <@${bob}> *Updated:* ${otherLink} · 1 reply included`,
    ]);
  });

  test('replies that it may not include: it warns, and they are sent again by whoever presses the button', async () => {
    await using world = await startWorld();
    const { card, finish } = await watched(world);
    world.api.failNext('message', { status: 400, body: '{"error":"not now"}' });
    const replies = [await reply(world, card, 'Shorter, please'), await reply(world, card, 'And a table')];
    await toldLater(world, card, 'Not sent');
    finish('completed', PR);
    const end = await toldLater(world, card, '🎉');
    expect(end.text).toMatch(new RegExp(`^🎉 <@${alice}> <@${bob}> \\*Pull request ready:`));
    expect(end.text).toMatch(/⚠️ 2 replies may not be included\.\n\[Send again\]$/);
    await onCard(world, card, '⚠️ 2 replies may not be included');

    await world.slack.press(end, 'send_again', alice);
    await world.later(
      async () => saying(await world.posts(card), 'alice sent them again').map(({ ts }) => ts),
      includes(end.ts),
      'the message to say who sent them again',
    );
    await messages(world, 2);
    expect(world.api.jobs[0]?.prompts.at(-1)).toBe('Shorter, please\n\nAnd a table');
    for (const one of replies) {
      await receipt(world.slack, one, 'white_check_mark');
    }
    finish('active', null);
    await onCard(world, card, 'Working on 2 replies');
    expect(await world.card(card)).not.toContain('may not be included');
    finish('completed', PR);
    await toldLater(world, card, 'Updated');
    expect((await ends(world, card)).at(-1)).toBe(`✅ <@${bob}> *Updated:* ${link} · 2 replies included`);
  });

  test('a reply that came just before it: the pull request is told at once, and not again', async () => {
    await using world = await startWorld();
    const { card, finish } = await watched(world);
    await reply(world, card, 'Shorter, please');
    await messages(world, 1);
    finish('completed', PR);
    await toldLater(world, card, '🎉');
    await onCard(world, card, '✅ *Pull request ready*');
    await world.clock.advance(600_000);
    expect(await ends(world, card)).toEqual([
      expect.stringContaining(`🎉 <@${alice}> <@${bob}> *Pull request ready:* ${link}`),
    ]);
  });

  test('a failure or the archiving with another pull request says both', async () => {
    for (const [status, words] of [
      ['failed', `❌ <@${alice}> *Failed.*`],
      ['archived', '⚪ *Archived.* A reply may still reopen it.'],
    ] as const) {
      await using world = await startWorld();
      const { card, finish } = await watched(world);
      finish('completed', PR);
      await toldLater(world, card, '🎉');
      await reply(world, card, 'Shorter, please');
      await messages(world, 1);
      finish(status, OTHER_PR);
      const told = await toldLater(world, card, 'Another pull request');
      expect(told.text).toContain(words);
      expect(told.text).toMatch(new RegExp(`<@${bob}> \\*Another pull request:\\* ${escaped(otherLink)}`));
      await onCard(world, card, status === 'failed' ? '❌ *Failed*' : '⚪ *Archived*');
      await world.clock.advance(600_000);
      expect(await ends(world, card)).toHaveLength(2);
    }
  });
});

function escaped(text: string): string {
  return text.replace(/[|.*]/g, String.raw`\$&`);
}

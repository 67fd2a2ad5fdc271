import { expect, test } from 'vitest';
import { alice, bob } from '../support/local-slack.ts';
import { startStrictWorld } from './support/strict-world.ts';

test('*Reply to the agent* asks for a follow-up, at the end and on the card; what is written goes out once, and shows in the thread (W3, F4)', async () => {
  await using world = await startStrictWorld();
  const { control } = world.slack;
  const card = await world.working();
  world.api.finish(0, { status: 'completed' });
  const end = await world.threadMessage(card, 'Done, no pull request');
  await control.press(end, 'follow_up', bob);
  await world.formShows('prompt', bob);
  expect((await world.submit({ prompt: '\u200b' }, bob))?.prompt).toContain('Write what should change.');
  expect(await world.submit({ prompt: 'Add <b> & a table' }, bob)).toBeNull();
  const shown = await world.threadMessage(card, '*Reply*');
  expect(shown.text).toBe(`💬 *Reply* by bob\n“Add &lt;b&gt; &amp; a table”`);
  await world.later(() => control.reactions(shown), ['white_check_mark'], 'the receipt');

  world.api.finish(0, { status: 'completed' });
  await control.press(await world.shows(card, 'Reply to the agent'), 'follow_up', alice);
  await world.formShows('prompt');
  world.slack.onDelivery(() => 3);
  await world.submit({ prompt: 'Aside: not one, but what the table is called' });
  await world.settled(20_000);
  expect(world.prompts()[0]?.slice(1)).toEqual([
    'Add <b> & a table',
    'Aside: not one, but what the table is called',
  ]);
});

import { expect, test } from 'vitest';
import { includes, says } from '../support/is.ts';
import { alice, bob, general } from '../support/local-slack.ts';
import { startStrictWorld } from './support/strict-world.ts';

test('*Stop watching* works for anybody who sees the card, once, in its details and where Slack opens none (L1, W4)', async () => {
  await using world = await startStrictWorld();
  const { slack, api, clock } = world;
  const { control } = slack;
  const card = await world.working();
  for (const user of [alice, bob]) {
    await control.press(card, 'show_job', user);
    await world.formShows('The agent itself keeps working', user);
  }
  await control.pressInView(bob, 'stop_watching');
  expect(await world.formShows('No longer watching', bob)).not.toContain('"stop_watching"');
  // Her modal is older than his press.
  await control.pressInView(alice, 'stop_watching');
  await world.later(() => world.form(), includes('Already done: ⚪ *No longer watching*'), 'the reason');
  const unwatched = await world.shows(card, '[Resume watching]');
  const reads = api.counts.get;
  await clock.advance(60_000);
  expect(api.counts.get).toBe(reads);
  await control.press(unwatched, 'resume_watching', bob);
  api.finish(0, { status: 'completed' });
  await world.threadMessage(card, 'Done, no pull request');

  const other = await world.working('Add a glossary');
  slack.onCall(({ method }) => (method === 'views.open' ? { error: 'expired_trigger_id' } : null));
  await control.press(other, 'show_job', alice);
  const answer = async (words: string) => {
    const find = async () =>
      (await control.messages(general)).findLast(({ ephemeral_to }) => ephemeral_to === alice);
    const found = await world.later(find, says(words), words);
    if (found === undefined) throw new Error('there is no answer');
    return found;
  };
  const shown = await answer('[Stop watching]');
  await control.press(shown, 'stop_watching', alice);
  const after = await answer('No longer watching');
  expect(after.text).not.toContain('[Stop watching]');
  expect(after.ts).toBe(shown.ts);
});

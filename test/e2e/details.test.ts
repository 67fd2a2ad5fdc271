import { join } from 'node:path';
import { expect, test } from 'vitest';
import { beside } from '../support/beside.ts';
import { includes } from '../support/is.ts';
import { alice, bob, general } from '../support/local-slack.ts';
import { startStrictWorld } from './support/strict-world.ts';

const allowing = (user: string) => `access: { users: [${user}] }`;

/** A home tab from before Slack refused the card, with *Details* of that job, which offer *Try again*. */
async function refused() {
  const world = await startStrictWorld({ configFile: allowing(alice) });
  const { slack } = world;
  const refuse = (error: string) =>
    slack.onCall(({ method, args }) => {
      if (method === 'views.publish' && error !== 'internal_error') return { error: 'internal_error' };
      return method === 'chat.postMessage' && args.channel === general ? { error } : null;
    });
  refuse('internal_error');
  await world.command('Explain the rate limits');
  await slack.control.openHome(alice);
  const home = () => JSON.stringify(slack.control.home(alice)?.blocks ?? []);
  await world.later(home, includes('rate limits'), 'the job at home');
  refuse('restricted_action');
  await world.later(async () => (await world.privately()).join(), includes("posting isn't allowed"), 'why');
  await slack.control.pressInView(alice, 'show_job');
  const shows = (words: string) =>
    world.later(() => world.form(), includes(words), `a modal with "${words}"`);
  await shows('"Start"');
  slack.onCall(() => null);
  return Object.assign(world, { shows });
}

test('*Try again* in the details that cannot be stored says so, once; pressed again, it starts the job, and shows it (L2, S4, E1)', async () => {
  await using world = await refused();
  const { control } = world.slack;
  const store = beside(join(world.env.DATA_DIR ?? '', 'docs-agent.db'));
  await store.execute("create trigger broken before update on job begin select raise(abort, 'broken'); end");
  for (const _press of [1, 2]) {
    // Slack waits 3 seconds for the acknowledgement.
    const press = control.pressInView(alice, 'try_again');
    await world.shows('save that');
    await world.clock.advance(3_000);
    await press;
  }
  expect(world.form().split('save that')).toHaveLength(2);
  expect(world.log.filter((line) => line.includes('answer_not_shown'))).toEqual([]);
  await store.execute('drop trigger broken');
  store.close();
  await control.pressInView(alice, 'try_again');
  const shown = await world.shows('The card is about to appear');
  expect(shown).toContain('*Starting*');
  expect(shown).not.toMatch(/save that|try_again/);
  await world.later(() => world.api.counts.create, 1, 'the job');
});

test('*Try again* in the details that comes too late says so, and shows the job as it is now (L1, L2)', async () => {
  await using world = await refused();
  const { control } = world.slack;
  await world.command('status');
  const elsewhere = (await control.messages(general)).findLast(({ text }) => text.includes('[Start]'));
  if (elsewhere !== undefined) await control.press(elsewhere, 'try_again', alice);
  await control.pressInView(alice, 'try_again');
  expect(await world.shows('Already done')).toContain('*Starting*');
});

test('who may no longer use the program is told so in the details, and nothing starts (A1)', async () => {
  await using world = await refused();
  await world.restart(allowing(bob));
  await world.slack.control.pressInView(alice, 'try_again');
  expect(await world.shows('use docs-agent here')).not.toContain('try_again');
  await world.clock.advance(10_000);
  expect(world.api.counts.create).toBe(0);
});

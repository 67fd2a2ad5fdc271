import { expect, test } from 'vitest';
import { some } from '../support/is.ts';
import { alice, general, random } from '../support/local-slack.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { type StrictWorld, startStrictWorld } from './support/strict-world.ts';

const secret = 'G0SECRET';
const url = (nth: number) => `https://github.com/acme/docs/pull/${nth}`;

/** With a private channel, and `random` as the notice channel. */
async function start(noticeChannels = random): Promise<StrictWorld> {
  const world = await startStrictWorld({ settings: { NOTICE_CHANNELS: noticeChannels } });
  const { control } = world.slack;
  const members = [alice, strictApp.botUserId];
  control.openChannel({ id: secret, name: 'secret', type: 'group', members });
  control.invite(random, strictApp.botUserId);
  return world;
}

/** Ends the nth job with a pull request, and returns the only notice of it. */
async function notice(world: StrictWorld, nth: number, channel = random) {
  await world.later(() => world.api.jobs.length, nth, 'the job');
  world.api.finish(nth - 1, { status: 'completed', prLink: url(nth) });
  const all = async () =>
    (await world.slack.control.messages(channel)).filter(
      ({ text }) => text.startsWith('📝') && text.includes(url(nth)),
    );
  const notices = await world.later(all, some, 'the notice');
  expect(notices).toHaveLength(1);
  const [{ text = '', blocks = [] } = {}] = notices;
  return { text, shown: JSON.stringify(blocks) };
}

/** Neither in words nor behind a button. */
async function expectOnlyLink(world: StrictWorld, nth: number): Promise<void> {
  const { text, shown } = await notice(world, nth);
  expect(text).toBe(`📝 <${url(nth)}|acme/docs#${nth}> · *New documentation pull request*`);
  expect(shown).toContain(url(nth));
  for (const said of [text, shown]) expect(said).not.toMatch(new RegExp(`layoffs|${alice}|archives`));
}

test('what was asked in a private channel or a direct message is told of elsewhere by its link alone; in a public one, in full (N1)', async () => {
  await using world = await start();
  await world.command('Document the layoffs', alice, secret);
  await expectOnlyLink(world, 1);
  await world.say('Document the layoffs', { channel: alice });
  await expectOnlyLink(world, 2);
  await world.command('Document the rate limits');
  const { text, shown } = await notice(world, 3);
  expect(text).toContain('Document the rate limits');
  expect(shown).toContain('archives');
  // That it is not shared is known. Where Slack does not tell what a channel is, it is taken for a private one.
  for (const [nth, fault] of [{ error: 'missing_scope' }, { status: 503 }].entries()) {
    await world.command(`Document the layoffs of ${nth}`);
    await world.later(() => world.api.jobs.length, nth + 4, 'the job');
    world.slack.onCall(({ method, args }) =>
      method === 'conversations.info' && args.channel === general ? fault : null,
    );
    await expectOnlyLink(world, nth + 4);
    world.slack.onCall(() => null);
  }
  expect(world.log.join('')).toContain('channel_taken_for_private');
});

test('a private channel that is its own notice channel is told of with the request (N1)', async () => {
  await using world = await start(secret);
  await world.command('Document the layoffs', alice, secret);
  expect((await notice(world, 1, secret)).text).toContain('layoffs');
});

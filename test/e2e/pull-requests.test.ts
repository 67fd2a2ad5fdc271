import { expect, test } from 'vitest';
import type { StandInPullRequest } from '../../demo/code-host/pull-request.ts';
import { above, has } from '../support/is.ts';
import { bob, describeWithLocalSlack, type SlackMessage } from '../support/local-slack.ts';
import { saying, toldLater } from './support/posts.ts';
import { working } from './support/turns.ts';
import { startWorld, type World } from './support/world.ts';

const MINUTE_MS = 60_000;

/** A job that ends with this pull request, as the thread says; returns its card. */
async function announced(
  world: World,
  pull: StandInPullRequest,
  words = 'Add a quickstart',
): Promise<SlackMessage> {
  const card = await working(world, words);
  const job = world.api.jobs.at(-1);
  world.api.finish(job?.id ?? '', { status: 'completed', prLink: world.codeHost.githubLink(pull) });
  await toldLater(world, card, 'Pull request ready');
  return card;
}

const looksAt = ({ codeHost }: World, pull: StandInPullRequest) =>
  codeHost.requests.filter(({ path }) => path.endsWith(`/pulls/${pull.number}`)).length;
const lookedAt = (world: World, pull: StandInPullRequest) =>
  world.later(() => looksAt(world, pull), Boolean, 'the first look');
const told = async (world: World, card: SlackMessage, words: string) =>
  saying(await world.posts(card), words).map(({ text }) => text);

describeWithLocalSlack('after the pull request', () => {
  test('merged is told once, with whoever merged it, and then nobody looks any more (P2)', async () => {
    await using world = await startWorld({ hasCodeHost: true });
    const pull = world.codeHost.open({ repository: 'acme/docs' });
    const card = await announced(world, pull);
    await lookedAt(world, pull);
    expect(await told(world, card, '*Merged* by')).toEqual([]);
    pull.check('build', 'success');
    pull.merge('octocat');
    await toldLater(world, card, '*Merged* by');
    expect(await told(world, card, '*Merged* by')).toEqual([
      expect.stringMatching(/^✅ <@\w+> \*Merged\* by octocat\.$/),
    ]);
    const looks = looksAt(world, pull);
    await world.restart();
    await world.clock.advance(10 * MINUTE_MS);
    expect(looksAt(world, pull)).toBe(looks);
    expect(await told(world, card, '*Merged* by')).toHaveLength(1);
  });

  test('closed is told once; two jobs with one pull request share a look, and each thread hears of it (P2, P3)', async () => {
    await using world = await startWorld({ hasCodeHost: true });
    const pull = world.codeHost.open({ repository: 'acme/docs' });
    const first = await announced(world, pull);
    await lookedAt(world, pull);
    const before = looksAt(world, pull);
    const second = await announced(world, pull, 'Shorten the quickstart');
    await world.later(() => looksAt(world, pull), above(before), 'a look for the second job');
    pull.close('hubot');
    const looks = looksAt(world, pull);
    for (const card of [first, second]) {
      await toldLater(world, card, '*Closed without merging* by');
      expect(await told(world, card, '*Closed without merging* by')).toEqual([
        expect.stringContaining('by hubot.'),
      ]);
    }
    expect(looksAt(world, pull)).toBe(looks + 1);
  });

  test('an open one without movement is brought up once, again on request, and then no more (P2)', async () => {
    await using world = await startWorld({ hasCodeHost: true, settings: { PR_REMINDER_AFTER: '30s' } });
    const pull = world.codeHost.open({ repository: 'acme/docs' });
    const card = await announced(world, pull);
    const reminders = () => told(world, card, '👋');
    const first = await toldLater(world, card, '👋');
    expect(first.text).toContain('Open for 30 seconds:');
    expect(first.text).toContain('[Remind me in 30 seconds] [No more reminders]');
    await world.clock.advance(2 * MINUTE_MS);
    expect(await reminders()).toHaveLength(1);
    await world.slack.press(first, 'remind_again', bob);
    await expect.poll(async () => (await reminders())[0]).toContain('bob wants to be reminded again');
    await world.later(reminders, has(2), 'the second reminder');
    const second = saying(await world.posts(card), '👋').at(-1) ?? first;
    expect(second.text).toContain('Still open:');
    await world.slack.press(second, 'no_more_reminders', bob);
    await expect.poll(async () => (await reminders())[1]).toContain('bob turned off reminders');
    await world.clock.advance(5 * MINUTE_MS);
    expect(await reminders()).toHaveLength(2);
  });

  test('the buttons of a reminder go when it is merged (P2)', async () => {
    await using world = await startWorld({ hasCodeHost: true, settings: { PR_REMINDER_AFTER: '30s' } });
    const pull = world.codeHost.open({ repository: 'acme/docs' });
    const card = await announced(world, pull);
    await toldLater(world, card, '👋');
    pull.merge('octocat');
    await toldLater(world, card, '*Merged* by');
    await world.later(
      async () => (await told(world, card, '👋'))[0] ?? '',
      (text) => !text.includes('Remind me in'),
      'the buttons to go',
    );
  });

  test('the announcement does not wait for a host that hangs, and what it knows is told later (P1, P4)', async () => {
    await using world = await startWorld({ hasCodeHost: true });
    const pull = world.codeHost.open({ repository: 'acme/docs' });
    world.codeHost.failAt(/./, 'hang');
    const card = await announced(world, pull);
    pull.merge('octocat');
    await world.clock.advance(MINUTE_MS);
    expect(await told(world, card, '*Merged* by')).toEqual([]);
    world.codeHost.failAt(/./, null);
    await toldLater(world, card, '*Merged* by');
  });

  test('a stop does not wait for a host that hangs, and the next start looks again (P4)', async () => {
    await using world = await startWorld({ hasCodeHost: true });
    const pull = world.codeHost.open({ repository: 'acme/docs' });
    world.codeHost.failAt(/./, 'hang');
    const card = await announced(world, pull);
    await lookedAt(world, pull);
    const startedAtMs = world.clock.now();
    await world.service.stop();
    expect(world.clock.now()).toBe(startedAtMs);
    world.codeHost.failAt(/./, null);
    pull.merge('octocat');
    await world.restart();
    await toldLater(world, card, '*Merged* by');
  });

  test('a token that expires is heard of by nobody in Slack, and once it is mended, what was missed is told (P4)', async () => {
    await using world = await startWorld({ hasCodeHost: true });
    const pull = world.codeHost.open({ repository: 'acme/docs' });
    world.codeHost.expire();
    const card = await announced(world, pull);
    await lookedAt(world, pull);
    const posts = (await world.posts(card)).length;
    await world.clock.advance(10 * MINUTE_MS);
    expect(looksAt(world, pull)).toBe(1);
    expect(await world.posts(card)).toHaveLength(posts);
    world.codeHost.expire(false);
    pull.merge('octocat');
    await world.service.stop();
    await world.clock.advance(60 * MINUTE_MS);
    await world.restart();
    await toldLater(world, card, '*Merged* by');
  });

  test('one that is out of sight is looked for a few times, and nothing is said (P4)', async () => {
    await using world = await startWorld({ hasCodeHost: true });
    const pull = world.codeHost.open({ repository: 'acme/docs' });
    pull.isHidden = true;
    const card = await announced(world, pull);
    await lookedAt(world, pull);
    const posts = (await world.posts(card)).length;
    await world.clock.advance(5 * MINUTE_MS);
    expect(looksAt(world, pull)).toBe(2);
    expect(await world.posts(card)).toHaveLength(posts);
  });
});

import { expect, test } from 'vitest';
import { includes } from '../support/is.ts';
import { alice, bob, general, random } from '../support/local-slack.ts';
import type { ProgramOptions } from '../support/strict-slack/program.ts';
import { waitFor } from '../support/wait-for.ts';
import { startStrictWorld } from './support/strict-world.ts';

const NEEDS = 'Needs your attention';

async function start(options: ProgramOptions = {}) {
  const world = await startStrictWorld(options);
  const { control } = world.slack;
  /** What the person reads at the home tab. */
  const homeOf = (user = alice) => {
    const blocks = JSON.stringify(control.home(user)?.blocks ?? []);
    return [...blocks.matchAll(/"text":"((?:[^"\\]|\\.)*)"/g)].map(([, text]) => text).join('\n');
  };
  return Object.assign(world, {
    homeOf,
    openHome: async (user = alice): Promise<string> => {
      await control.openHome(user);
      return world.later(
        () => homeOf(user),
        (home) => home !== '',
        'the home',
      );
    },
    atHome: (words: string, isThere = true) =>
      world.later(
        () => homeOf(),
        (home) => home.includes(words) === isThere,
        `${words} at home: ${isThere}`,
      ),
    drawn: () => world.slack.calls('views.publish').length,
  });
}

test('the home of a person shows the own jobs, and what is left of the budget; it follows them by itself (L2)', async () => {
  await using world = await start();
  const { api, clock, slack } = world;
  let failures = 2;
  slack.onCall(({ method }) => {
    if (method !== 'views.publish' || failures === 0) return null;
    failures -= 1;
    return { error: 'internal_error' };
  });
  // It is drawn a little later.
  expect(await world.openHome()).toContain('Nothing is open');
  const before = world.drawn();
  await world.working('Explain the rate limits');
  expect(await world.openHome(bob)).not.toContain('Explain the rate limits');
  const home = await world.atHome('99 of 100 requests and replies left');
  expect(home).toContain('Explain the rate limits');
  expect(home).toContain('#1 · ');
  expect(home).toMatch(/✅ \*Agent\* \([\w-]+\) answered/);
  expect(home).toContain('✅ Slack is connected');
  await world.atHome('⚙️ *Working*');
  await world.settled();
  // Not for each little thing.
  const drawn = world.drawn();
  expect(drawn - before).toBeLessThan(8);
  await clock.advance(120_000);
  expect(world.drawn()).toBe(drawn);
  await slack.control.pressInView(alice, 'show_job');
  await world.later(() => world.form(), includes('*Turn 1*'), 'the modal');
  api.finish(0, { status: 'completed', prLink: 'https://github.com/acme/docs/pull/7' });
  await world.atHome('<https://github.com/acme/docs/pull/7|acme/docs#7>');
  await world.atHome('Nothing is open');
});

test('a guest reads at home why there is nothing (L2, A1)', async () => {
  await using world = await start();
  world.slack.control.addUser({ id: 'U0GUEST', name: 'gina', isRestricted: true });
  world.slack.control.invite(general, 'U0GUEST');
  const home = await world.openHome('U0GUEST');
  expect(home).toContain("guests aren't allowed");
  expect(home).not.toContain('Start a job');
});

test('what needs its reader comes first at home; its button works there, and what is dismissed stays away until it is needed again (L2)', async () => {
  await using world = await start({ settings: { SETTLE_WINDOW: '0' } });
  const { api, slack } = world;
  await world.openHome();
  const card = await world.working('Explain the rate limits');
  api.finish(0, { status: 'failed' });
  const home = await world.atHome(NEEDS);
  expect(home).toMatch(/Needs your attention.*Explain the rate limits.*Start again.*Open/s);
  await slack.control.pressInView(alice, 'dismiss_need');
  await world.atHome(NEEDS, false);
  await world.restart();
  await slack.control.openHome(alice);
  await world.settled();
  expect(world.homeOf()).not.toContain(NEEDS);
  await slack.control.press(await world.threadMessage(card, 'Failed'), 'start_again', bob);
  await world.later(() => api.counts.create, 2, 'the second start');
  api.finish(1, { status: 'failed' });
  await world.atHome(NEEDS);
  await slack.control.pressInView(alice, 'start_again');
  await world.later(() => api.counts.create, 3, 'the third start');
  await world.atHome(NEEDS, false);
});

test('an administrator reads at home what is wrong with the installation, and nobody else does (L2)', async () => {
  const configFile = `projects: [{ id: acme-docs, name: handbook }]\nadmins: [${alice}]`;
  await using world = await start({ configFile, settings: { NOTICE_CHANNELS: random } });
  const { slack } = world;
  // Time stands still meanwhile: a look that takes seconds is given up.
  const opened = (words: string) => waitFor(() => world.homeOf(), includes(words), { what: words });
  await slack.control.openHome(alice);
  const home = await opened('✅ *Permissions* all granted');
  expect(home).toContain(`❌ *Notices* don't reach <#${random}> (not_in_channel)`);
  const asked = slack.calls('auth.test').length;
  await world.clock.advance(60_000);
  await world.openHome();
  expect(slack.calls('auth.test')).toHaveLength(asked);
  slack.control.invite(random, 'U0DOCSAGENT');
  await world.clock.advance(300_000);
  await slack.control.openHome(alice);
  await opened(`✅ *Notices* reach <#${random}>`);
  expect(await world.openHome(bob)).not.toMatch(/administrators|Permissions/);
});

import { expect, test } from 'vitest';
import { includes } from '../support/is.ts';
import { alice, bob, general, random } from '../support/local-slack.ts';
import { type Program, startProgram } from '../support/strict-slack/program.ts';
import { waitFor } from '../support/wait-for.ts';
import { startStrictWorld } from './support/strict-world.ts';

/** What the person reads at the home tab. */
function homeOf({ slack }: Pick<Program, 'slack'>, user = alice): string {
  const texts = JSON.stringify(slack.control.home(user)?.blocks ?? []).matchAll(
    /"text":"((?:[^"\\]|\\.)*)"/g,
  );
  return [...texts].map(([, text]) => text).join('\n');
}

async function openHome(program: Program, user = alice): Promise<string> {
  await program.slack.control.openHome(user);
  return program.later(
    () => homeOf(program, user),
    (home) => home !== '',
    'the home',
  );
}

test('the home of a person shows the own jobs, and what is left of the budget (L2)', async () => {
  await using program = await startProgram();
  expect(await openHome(program)).toContain('Nothing is open');
  await program.working('Explain the rate limits');
  expect(await openHome(program, bob)).not.toContain('Explain the rate limits');
  const home = await program.later(
    () => homeOf(program),
    includes('99 of 100 requests and replies left'),
    'the home after the start',
  );
  expect(home).toContain('Explain the rate limits');
  expect(home).toContain('#1 · ');
  expect(home).toMatch(/✅ \*Agent\* \([\w-]+\) answered/);
  expect(home).toContain('✅ Slack is connected');
});

test('an open home follows the jobs of its person by itself, and not for each little thing (L2)', async () => {
  await using program = await startProgram();
  const { api, slack } = program;
  await openHome(program);
  await program.working('Explain the rate limits');
  await program.later(() => homeOf(program), includes('⚙️ *Working*'), 'the job at home');
  const drawn = slack.calls('views.publish').length;
  expect(drawn).toBeLessThan(8);
  await program.clock.advance(120_000);
  expect(slack.calls('views.publish').length).toBe(drawn);
  api.finish(0, { status: 'completed', prLink: 'https://github.com/acme/docs/pull/7' });
  await program.later(
    () => homeOf(program),
    (home) =>
      home.includes('Nothing is open') && home.includes('<https://github.com/acme/docs/pull/7|acme/docs#7>'),
    'the pull request at home',
  );
});

test('*Details* at home opens the job in full (L2)', async () => {
  await using program = await startProgram();
  await openHome(program);
  await program.working('Explain the rate limits');
  await program.later(() => homeOf(program), includes('Details'), 'the job at home');
  await program.slack.control.pressInView(alice, 'show_job');
  await program.later(
    () => JSON.stringify(program.slack.control.modal(alice)?.blocks ?? []),
    includes('*Turn 1*'),
    'the modal',
  );
});

test('a home that Slack does not take at once is drawn a little later (L2)', async () => {
  await using program = await startProgram();
  let failures = 2;
  program.slack.onCall(({ method }) => {
    if (method !== 'views.publish' || failures === 0) return null;
    failures -= 1;
    return { error: 'internal_error' };
  });
  expect(await openHome(program)).toContain('Start a job');
});

test('a guest reads at home why there is nothing (L2, A1)', async () => {
  await using program = await startProgram();
  program.slack.control.addUser({ id: 'U0GUEST', name: 'gina', isRestricted: true });
  program.slack.control.invite(general, 'U0GUEST');
  const home = await openHome(program, 'U0GUEST');
  expect(home).toContain("guests aren't allowed");
  expect(home).not.toContain('Start a job');
});

test('a form that Slack does not open has no thread read again for missed replies (L2)', async () => {
  await using program = await startProgram();
  const { slack } = program;
  await program.working('Explain the rate limits');
  await openHome(program);
  await program.clock.advance(10_000);
  const readBefore = slack.calls('conversations.replies').length;
  slack.onCall(({ method, args }) =>
    method === 'views.open' || args.channel === alice ? { error: 'internal_error' } : null,
  );
  await slack.control.pressInView(alice, 'start_job');
  await program.later(
    () => slack.calls('chat.postMessage').filter(({ args }) => args.channel === alice).length,
    Boolean,
    'the private answer',
  );
  await program.clock.advance(10_000);
  expect(slack.calls('conversations.replies')).toHaveLength(readBefore);
});

test('what needs its reader comes first at home, and its button works there (L2)', async () => {
  await using program = await startProgram();
  const { api, slack } = program;
  await openHome(program);
  await program.working('Explain the rate limits');
  api.finish(0, { status: 'failed' });
  const home = await program.later(
    () => homeOf(program),
    includes('Needs your attention'),
    'the failed job at home',
  );
  expect(home).toMatch(/Needs your attention.*Explain the rate limits.*Start again.*Open/s);
  await slack.control.pressInView(alice, 'start_again');
  await program.later(() => api.counts.create, 2, 'the second start');
  await program.later(
    () => homeOf(program),
    (shown) => !shown.includes('Needs your attention'),
    'the home without it',
  );
});

test('what is dismissed at home stays away, also after a restart, until the job needs its reader anew (L2)', async () => {
  await using world = await startStrictWorld({ settings: { SETTLE_WINDOW: '0' } });
  const { api, slack } = world;
  const atHome = (words: string, isThere: boolean) =>
    world.later(
      () => homeOf(world),
      (home) => home.includes(words) === isThere,
      `${words} at home: ${isThere}`,
    );
  await slack.control.openHome(alice);
  const card = await world.working('Explain the rate limits');
  api.finish(0, { status: 'failed' });
  await atHome('Needs your attention', true);
  await slack.control.pressInView(alice, 'dismiss_need');
  await atHome('Needs your attention', false);
  await world.restart();
  await slack.control.openHome(alice);
  await world.settled();
  expect(homeOf(world)).not.toContain('Needs your attention');
  await slack.control.press(await world.threadMessage(card, 'Failed'), 'start_again', bob);
  await world.later(() => api.counts.create, 2, 'the second start');
  api.finish(1, { status: 'failed' });
  await atHome('Needs your attention', true);
});

test('an administrator reads at home what is wrong with the installation, and nobody else does (L2)', async () => {
  const configFile = `
projects:
  - id: acme-docs
    name: handbook
admins: [${alice}]
`;
  await using program = await startProgram({ configFile, settings: { NOTICE_CHANNELS: random } });
  const { slack } = program;
  // Time stands still meanwhile: a look that takes seconds is given up.
  const opened = (words: string) => waitFor(() => homeOf(program), includes(words), { what: words });
  await slack.control.openHome(alice);
  const home = await opened('✅ *Permissions* all granted');
  expect(home).toContain(`❌ *Notices* don't reach <#${random}> (not_in_channel)`);
  const asked = slack.calls('auth.test').length;
  await program.clock.advance(60_000);
  await openHome(program);
  expect(slack.calls('auth.test')).toHaveLength(asked);
  slack.control.invite(random, 'U0DOCSAGENT');
  await program.clock.advance(300_000);
  await slack.control.openHome(alice);
  await opened(`✅ *Notices* reach <#${random}>`);
  const others = await openHome(program, bob);
  expect(others).not.toContain('administrators');
  expect(others).not.toContain('Permissions');
});

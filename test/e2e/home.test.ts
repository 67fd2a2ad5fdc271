import { expect, test } from 'vitest';
import { alice, bob, general } from '../support/local-slack.ts';
import { type Program, startProgram } from '../support/strict-slack/program.ts';

/** What the person reads at the home tab. */
function homeOf({ slack }: Program, user = alice): string {
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
  expect(await openHome(program)).toContain('none is open');
  const card = await program.ask('Explain the rate limits');
  await program.told(card, 'Working');
  expect(await openHome(program, bob)).not.toContain('Explain the rate limits');
  const home = await program.later(
    () => homeOf(program),
    (shown) => shown.includes('99 of 100 prompts and follow-ups left'),
    'the home after the start',
  );
  expect(home).toContain('Explain the rate limits');
  expect(home).toMatch(/agent API ✅ answered at/);
  expect(home).toContain('Slack ✅ connected');
});

test('an open home follows the jobs of its person by itself, and not for each little thing (L2)', async () => {
  await using program = await startProgram();
  const { api, slack } = program;
  await openHome(program);
  const card = await program.ask('Explain the rate limits');
  await program.told(card, 'Working');
  await program.later(
    () => homeOf(program),
    (home) => home.includes('⚙️ *Working*'),
    'the job at home',
  );
  const drawn = slack.calls('views.publish').length;
  expect(drawn).toBeLessThan(8);
  await program.clock.advance(120_000);
  expect(slack.calls('views.publish').length).toBe(drawn);
  api.finish(api.jobs[0]?.id ?? '', { status: 'completed', prLink: 'https://github.com/acme/docs/pull/7' });
  await program.later(
    () => homeOf(program),
    (home) => home.includes('none is open') && home.includes('<https://github.com/acme/docs/pull/7>'),
    'the pull request at home',
  );
});

test('*Details* at home opens the job in full (L2)', async () => {
  await using program = await startProgram();
  await openHome(program);
  const card = await program.ask('Explain the rate limits');
  await program.told(card, 'Working');
  await program.later(
    () => homeOf(program),
    (home) => home.includes('Details'),
    'the job at home',
  );
  await program.slack.control.pressInView(alice, 'show_job');
  const modal = await program.later(
    () => JSON.stringify(program.slack.control.modal(alice)?.blocks ?? []),
    (blocks) => blocks.includes('shows this again'),
    'the modal',
  );
  expect(modal).toContain('*Turn 1*');
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
  expect(home).toContain('Guests may not use it');
  expect(home).not.toContain('Start a job');
});

test('a form that Slack does not open has no thread read again for missed replies (L2)', async () => {
  await using program = await startProgram();
  const { slack } = program;
  const card = await program.ask('Explain the rate limits');
  await program.told(card, 'Working');
  await openHome(program);
  await program.clock.advance(10_000);
  const readBefore = slack.calls('conversations.replies').length;
  slack.onCall(({ method, args }) =>
    method === 'views.open' || args.channel === alice ? { error: 'internal_error' } : null,
  );
  await slack.control.pressInView(alice, 'start_job');
  await program.later(
    () => slack.calls('chat.postMessage').filter(({ args }) => args.channel === alice).length,
    (count) => count > 0,
    'the private answer',
  );
  await program.clock.advance(10_000);
  expect(slack.calls('conversations.replies')).toHaveLength(readBefore);
});

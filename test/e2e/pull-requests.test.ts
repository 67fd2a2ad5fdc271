import { expect, test } from 'vitest';
import type { StandInPullRequest } from '../../demo/code-host/pull-request.ts';
import { above, has } from '../support/is.ts';
import { bob, type SlackMessage } from '../support/local-slack.ts';
import { type Program, startProgram } from '../support/strict-slack/program.ts';

const MINUTE_MS = 60_000;
const MERGED = '*Merged* by';

/** A job that ends with this pull request, as the thread says; returns its card. */
async function announced(program: Program, pull: StandInPullRequest, words?: string): Promise<SlackMessage> {
  const card = await program.working(words);
  program.api.finish(-1, { status: 'completed', prLink: program.codeHost.githubLink(pull) });
  await program.threadMessage(card, 'Pull request ready');
  return card;
}

/** A pull request, and its job's card. */
async function opened(program: Program, isHidden = false) {
  const pull = program.codeHost.open({ repository: 'acme/docs' });
  pull.isHidden = isHidden;
  return { pull, card: await announced(program, pull) };
}

const looksAt = ({ codeHost }: Program, pull: StandInPullRequest) =>
  codeHost.requests.filter(({ path }) => path.endsWith(`/pulls/${pull.number}`)).length;
const lookedAt = (program: Program, pull: StandInPullRequest) =>
  program.later(() => looksAt(program, pull), Boolean, 'the first look');
const told = async (program: Program, card: SlackMessage, words: string) =>
  (await program.posts(card, words)).map(({ text }) => text);

test('merged is told once, with whoever merged it, and then nobody looks any more (P2)', async () => {
  await using program = await startProgram({ hasCodeHost: true });
  const { pull, card } = await opened(program);
  await lookedAt(program, pull);
  expect(await told(program, card, MERGED)).toEqual([]);
  pull.check('build', 'success');
  pull.merge('octocat');
  await program.threadMessage(card, MERGED);
  const looks = looksAt(program, pull);
  await program.restart();
  await program.clock.advance(10 * MINUTE_MS);
  expect(looksAt(program, pull)).toBe(looks);
  expect(await told(program, card, MERGED)).toEqual([
    expect.stringMatching(/^✅ <@\w+> \*Merged\* by octocat\.$/),
  ]);
});

test('closed is told once; two jobs with one pull request share a look, and each thread hears of it (P2, P3)', async () => {
  await using program = await startProgram({ hasCodeHost: true });
  const { pull, card: first } = await opened(program);
  await lookedAt(program, pull);
  const before = looksAt(program, pull);
  const second = await announced(program, pull, 'Shorten the quickstart');
  await program.later(() => looksAt(program, pull), above(before), 'a look for the second job');
  pull.close('hubot');
  const looks = looksAt(program, pull);
  for (const card of [first, second]) {
    await program.threadMessage(card, '*Closed without merging* by');
    const words = await told(program, card, '*Closed without merging* by');
    expect(words).toEqual([expect.stringContaining('by hubot.')]);
  }
  expect(looksAt(program, pull)).toBe(looks + 1);
});

test('an open one without movement is brought up once, and again on request; the buttons go when it is merged, or after *No more reminders* (P2)', async () => {
  await using program = await startProgram({ hasCodeHost: true, settings: { PR_REMINDER_AFTER: '30s' } });
  const { clock, slack, later } = program;
  const { card } = await opened(program);
  const reminders = () => program.posts(card, '👋');
  const first = await program.threadMessage(card, '👋');
  expect(first.text).toContain('Open for 30 seconds:');
  expect(first.text).toContain('[Remind me in 30 seconds] [No more reminders]');
  await clock.advance(2 * MINUTE_MS);
  expect(await reminders()).toHaveLength(1);
  await slack.control.press(first, 'remind_again', bob);
  await expect.poll(async () => (await reminders())[0]?.text).toContain('bob wants to be reminded again');
  const [, second] = await later(reminders, has(2), 'the second reminder');
  expect(second?.text).toContain('Still open:');
  await slack.control.press(second ?? first, 'no_more_reminders', bob);
  await expect.poll(async () => (await reminders())[1]?.text).toContain('bob turned off reminders');
  await clock.advance(5 * MINUTE_MS);
  expect(await reminders()).toHaveLength(2);

  const pull = program.codeHost.open({ repository: 'acme/docs' });
  const other = await announced(program, pull, 'Shorten the quickstart');
  await program.threadMessage(other, '👋');
  pull.merge('octocat');
  await program.threadMessage(other, MERGED);
  const isWithout = ([text = '']: readonly string[]) => text !== '' && !text.includes('Remind me in');
  await later(() => told(program, other, '👋'), isWithout, 'the buttons to go');
});

test('neither the announcement nor a stop waits for a host that hangs, and what it knows is told later (P1, P4)', async () => {
  await using program = await startProgram({ hasCodeHost: true });
  const { clock, codeHost } = program;
  codeHost.failAt(/./, 'hang');
  const { pull, card } = await opened(program);
  pull.merge('octocat');
  await lookedAt(program, pull);
  await clock.advance(MINUTE_MS);
  expect(await told(program, card, MERGED)).toEqual([]);
  const startedAtMs = clock.now();
  await program.service.stop();
  expect(clock.now()).toBe(startedAtMs);
  codeHost.failAt(/./, null);
  await program.restart();
  await program.threadMessage(card, MERGED);
});

test('one that is out of sight is looked for a few times, and nothing is said (P4)', async () => {
  await using program = await startProgram({ hasCodeHost: true });
  const { pull, card } = await opened(program, true);
  await lookedAt(program, pull);
  const posts = (await program.posts(card)).length;
  await program.clock.advance(5 * MINUTE_MS);
  expect(looksAt(program, pull)).toBe(2);
  expect(await program.posts(card)).toHaveLength(posts);
});

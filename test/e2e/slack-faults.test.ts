import { expect, test } from 'vitest';
import type { Fault } from '../support/fault-proxy/fault.ts';
import { has } from '../support/is.ts';
import { alice, bob, general, random } from '../support/local-slack.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { startProgram } from '../support/strict-slack/program.ts';
import { saying } from './support/posts.ts';
import { cards } from './support/turns.ts';

const PR = 'https://github.com/acme/docs/pull/1';
const slowDown = (seconds: number): Fault => ({ status: 429, headers: { 'retry-after': String(seconds) } });

/** The program with `random` for notices. */
async function startWithNotices(channels = random) {
  const program = await startProgram({ settings: { NOTICE_CHANNELS: channels } });
  program.slack.control.invite(random, strictApp.botUserId);
  return program;
}

test('a rate limit of Slack holds up the posts of its channel, one after the other, and nothing else (E1)', async () => {
  await using program = await startWithNotices();
  const { api, clock, later, slack } = program;
  const other = await program.working('Quick one');
  const startMs = clock.now();
  slack.fail('chat.postMessage', slowDown(30));
  await slack.control.command({ channel: general, user: alice, text: 'Slow one' });
  const tries = () => slack.calls('chat.postMessage').length;
  await expect.poll(tries, { message: 'the first try' }).toBe(3);
  await slack.control.command({ channel: general, user: alice, text: 'Later one' });

  // Edits, reactions, and posts in other channels have limits of their own.
  api.finish(0, { status: 'completed', prLink: PR });
  await later(() => slack.control.messages(random), has(1), 'the notice');
  await program.shows(other, 'Pull request ready');
  await clock.advanceTo(startMs + 29_999);
  expect(await program.posts(other)).toHaveLength(1);
  expect(await cards(program)).toHaveLength(1);
  expect(tries()).toBe(4);

  await clock.advance(1);
  await expect
    .poll(async () => saying(await cards(program), 'Slow one'), { message: 'the card' })
    .toHaveLength(1);
  expect(saying(await cards(program), 'Later one')).toHaveLength(0);
  await later(async () => saying(await cards(program), 'Later one'), has(1), 'the other card');
  await program.threadMessage(other, PR);
  expect(await program.posts(other)).toHaveLength(2);
  expect(api.counts.create).toBe(3);
});

test('a rate limit of Slack holds up a thread in its order, and a notice channel; one of zero seconds is no busy loop (E1, N1)', async () => {
  await using program = await startWithNotices();
  const { api, clock, later, slack } = program;
  slack.fail('chat.postMessage', slowDown(0), slowDown(0), slowDown(0));
  const tries = () => slack.calls('chat.postMessage').length;
  const slow = await program.working('Slow one');
  expect(tries()).toBeLessThan(8);
  slack.fail('chat.postMessage', slowDown(60), slowDown(20));
  const before = tries();
  api.finish(0, { status: 'failed' });
  await later(tries, before + 1, 'the post that has to wait');
  const threadWaitsUntilMs = clock.now() + 60_000;
  api.finish(0, { status: 'completed', prLink: PR });
  await later(tries, before + 2, 'the notice that has to wait');
  await later(() => slack.control.messages(random), has(1), 'the notice');
  expect(clock.now()).toBeLessThan(threadWaitsUntilMs);
  expect(await program.posts(slow)).toHaveLength(1);

  await clock.advanceTo(threadWaitsUntilMs);
  await program.threadMessage(slow, PR);
  await clock.advance(60_000);
  const told = (await program.posts(slow)).map(({ text }) => /On it|Failed|🎉/.exec(text)?.[0]);
  expect(told).toEqual(['On it', 'Failed', '🎉']);
  expect(await slack.control.messages(random)).toHaveLength(1);
});

test('a card that cannot be edited loses nothing, and catches up; people whose names cannot be looked up are "someone" (S1, R1, W2, W3)', async () => {
  await using program = await startProgram();
  const { api, slack } = program;
  slack.fail(
    'chat.update',
    { error: 'cant_update_message' },
    { status: 500 },
    'reset_before',
    'reset_after',
    slowDown(20),
    { error: 'ratelimited' },
  );
  const card = await program.working();
  api.finish(0, { status: 'completed', prLink: PR });
  await program.threadMessage(card, PR);
  expect((await program.shows(card, 'Pull request ready')).text).toContain(PR);
  expect(await program.posts(card)).toHaveLength(2);
  expect(api.counts).toMatchObject({ create: 1, message: 0 });

  // Who asks is known by now, or would not be let in.
  const unknown = Array.from({ length: 20 }, () => ({ error: 'user_not_found' }));
  slack.fail('users.info', { error: 'user_not_found' }, { status: 500 }, slowDown(30), 'reset_before');
  slack.fail('users.info', ...unknown);
  await slack.control.command({ channel: general, user: alice, text: `Ask <@${bob}> about it` });
  const asked = async () => saying(await cards(program), '*Ask someone about it*');
  await program.later(asked, has(1), 'the other card');
  await program.later(() => api.jobs.at(-1)?.prompts, ['Ask someone about it'], 'the other job');
});

test('a private answer that cannot be given where the command was typed comes as a direct message (S4)', async () => {
  await using program = await startProgram();
  const { later, slack } = program;
  slack.fail('response_url', { status: 404 });
  await slack.control.command({ channel: random, user: alice, text: 'Add a quickstart' });
  const [told] = await later(() => slack.control.messages(alice), has(1), 'the direct message');
  expect(told?.text).toContain('/invite @docs-agent');
  await program.clock.advance(60_000);
  expect(await slack.control.messages(alice)).toHaveLength(1);
});

test('a notice channel that refuses is reported once in the thread, however many notices it refuses (N1)', async () => {
  await using program = await startWithNotices(`C0NOWHERE,${random}`);
  const { api, later, slack } = program;
  const card = await program.working();
  api.finish(0, { status: 'completed', prLink: PR });
  const report = await program.threadMessage(card, "Couldn't post in");
  expect(report.text).toContain('<#C0NOWHERE>');
  await program.threadMessage(card, '🎉');

  await slack.control.reply(card, 'Another one');
  await later(() => api.counts.message, 1, 'the follow-up');
  api.finish(0, { status: 'completed', prLink: `${PR}2` });
  await program.threadMessage(card, `${PR}2`);
  await later(() => slack.control.messages(random), has(2), 'both notices');
  await program.clock.advance(60_000);
  const refused = slack.calls('chat.postMessage').filter(({ args }) => args.channel === 'C0NOWHERE');
  expect(refused.length).toBeGreaterThan(1);
  expect(await program.posts(card, "Couldn't post in")).toHaveLength(1);
});

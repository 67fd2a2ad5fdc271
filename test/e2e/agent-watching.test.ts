import { expect, test } from 'vitest';
import { buttons } from '../../src/slack/views/buttons.ts';
import type { Fault } from '../support/agent-api/fault.ts';
import { has, some } from '../support/is.ts';
import { bob, general, random } from '../support/local-slack.ts';
import { scrape } from '../support/scraped.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { startProgram } from '../support/strict-slack/program.ts';
import { watched } from './support/turns.ts';

const PR = 'https://github.com/acme/docs/pull/1';
const MISSING: Fault = { status: 404, body: { error: 'Job not found' } };

test('somebody continues a failed job outside of Slack: an unknown status and an early pull request stand on the card, and the end is announced once (W2, W3)', async () => {
  await using program = await startProgram({ settings: { POLL_MIN_INTERVAL: '10s' } });
  const { clock } = program;
  const { card, finish } = await watched(program);
  finish('failed');
  await program.threadMessage(card, 'Failed');
  await clock.advance(600_000);
  finish('active');
  await program.threadMessage(card, 'Working again');
  finish('waiting <!channel> for review');
  await program.shows(card, 'waiting &lt;!channel&gt; for review');
  finish('active', PR);
  await program.shows(card, PR);
  await clock.advance(60_000);
  expect(await program.posts(card, PR)).toHaveLength(0);
  finish('completed', PR);
  await program.threadMessage(card, '🎉');
  await clock.advance(600_000);
  for (const words of ['🎉', 'Working again']) expect(await program.posts(card, words)).toHaveLength(1);
  expect(await program.posts(card, 'for review')).toEqual([]);
});

test('a pull request that could not be read is told before the turn of a reply, and so is that of a reply that the agent takes up after the settle window (W2, W3, F6)', async () => {
  await using program = await startProgram();
  const { api, clock, later, slack } = program;
  const { card, finish } = await watched(program);
  // A read that fails so is tried up to three times at once.
  api.failNext('get', ...Array<Fault>(3).fill({ status: 500 }));
  await program.shows(card, "can't reach the agent");
  finish('completed', PR);
  await slack.control.reply(card, 'And a table');
  await later(() => api.counts.message, 1, 'the reply to be sent');
  finish('completed', `${PR}0`);
  await program.threadMessage(card, `${PR}0`);
  const told = (await program.posts(card, '🎉')).map(({ text }) => text.includes(`${PR}0`));
  expect(told).toEqual([false, true]);

  await slack.control.reply(card, 'And a picture');
  await later(() => api.counts.message, 2, 'the next reply to be sent');
  finish('completed', `${PR}0`);
  await program.threadMessage(card, 'Updated');
  await clock.advance(60_000);
  finish('active', null);
  await program.shows(card, 'Working');
  finish('completed', `${PR}00`);
  await program.threadMessage(card, `${PR}00`);
  expect(await program.posts(card, 'Working again')).toHaveLength(0);
});

test('a pull request that comes ten minutes after the end is announced once, as text where it is no address; the job is not open (W1, W3)', async () => {
  await using program = await startProgram({
    settings: { NOTICE_CHANNELS: random, POLL_MIN_INTERVAL: '10s' },
  });
  const { clock } = program;
  const { control } = program.slack;
  control.invite(random, strictApp.botUserId);
  const { card, finish } = await watched(program);
  finish('completed');
  await program.threadMessage(card, 'Done, no pull request');
  expect((await scrape(program.service))['docs_agent_open_jobs{stage="working"}']).toBe(0);
  await clock.advance(600_000);
  finish('completed', 'javascript:alert("<!here>")');
  await program.threadMessage(card, 'Pull request: javascript:alert("&lt;!here&gt;")');
  await program.shows(card, 'Pull request ready');
  await program.later(() => control.messages(random), some, 'the notice');
  await clock.advance(600_000);
  const shown = [...(await control.messages(general)), ...(await control.messages(random))];
  expect(JSON.stringify(shown)).not.toContain('"url":"javascript');
  expect(JSON.stringify(shown)).not.toContain(buttons.viewPullRequest.id);
  expect(await program.posts(card, 'Done, no pull request')).toHaveLength(1);
  expect(await program.posts(card, 'javascript:alert')).toHaveLength(1);
  expect(await control.messages(random)).toHaveLength(1);
});

test('a job that cannot be read right after its start has not vanished; one that the API does not know for an hour has: a reply is tried once, and *Start again* is offered (W2, F6)', async () => {
  await using program = await startProgram();
  const { api, clock, later, slack } = program;
  api.failNext('get', MISSING, MISSING, MISSING);
  const { card } = await watched(program);
  expect(await program.posts(card, 'no longer knows this job')).toHaveLength(0);
  api.failNext('get', ...Array<Fault>(100).fill(MISSING));
  await clock.advance(4_200_000);
  await program.threadMessage(card, 'no longer knows this job');
  api.failNext('message', MISSING);
  await slack.control.reply(card, 'Add an example');
  const refused = await program.threadMessage(card, '*Not sent:* 1 reply');
  expect(refused.text).toContain('Job not found');
  await clock.advance(60_000);
  expect(api.counts).toMatchObject({ create: 1, message: 1 });
  // The job is told of once; what became of the reply is a piece of news of its own.
  const told = (await program.posts(card, 'no longer knows this job')).map(({ text }) => text);
  expect(told).toEqual([expect.stringContaining('❌'), expect.stringContaining('*Not sent:* 1 reply')]);
  await slack.control.press(refused, buttons.startAgain.id, bob);
  await later(() => api.jobs.at(-1)?.prompts, has(2), 'the new job to have the reply');
  expect(api.jobs.at(-1)?.prompts).toEqual(['Add a quickstart', 'Add an example']);
});

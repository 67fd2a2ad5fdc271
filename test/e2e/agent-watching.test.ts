import { expect, test } from 'vitest';
import { buttons } from '../../src/slack/views/buttons.ts';
import type { Fault } from '../support/agent-api/fault.ts';
import { has, includes, some } from '../support/is.ts';
import { bob, describeWithLocalSlack, general, random, type SlackMessage } from '../support/local-slack.ts';
import { saying, toldLater } from './support/posts.ts';
import { watched } from './support/turns.ts';
import { startWorld } from './support/world.ts';

const PR = 'https://github.com/acme/docs/pull/1';

const links = (messages: readonly SlackMessage[]) =>
  messages.flatMap(({ blocks = [] }) =>
    blocks.flatMap(({ elements = [] }) => elements.filter(({ url }) => url)),
  );

describeWithLocalSlack('watching a job at an agent API that goes wrong', () => {
  test('an unknown status stands on the card as it is, and the watch goes on (W2)', async () => {
    await using world = await startWorld();
    const { card, finish } = await watched(world);
    finish('waiting <!channel> for review');
    await world.later(
      () => world.card(card),
      includes('waiting &lt;!channel&gt; for review'),
      'the card to show it',
    );
    finish('completed', PR);
    await toldLater(world, card, PR);
    expect(saying(await world.posts(card), 'for review')).toEqual([]);
  });

  test('a pull request that is no address is shown as text, never as a link (W3)', async () => {
    await using world = await startWorld({ settings: { NOTICE_CHANNELS: random } });
    const { card, finish } = await watched(world);
    finish('completed', 'javascript:alert("<!here>")');
    await toldLater(world, card, 'Pull request: javascript:alert("&lt;!here&gt;")');
    const notices = await world.later(() => world.slack.messages(random), some, 'the notice');
    await world.later(() => world.card(card), includes('Pull request ready'), 'the card to show the end');
    const channel = await world.slack.messages(general);
    expect(links([...channel, ...notices]).map(({ action_id }) => action_id)).not.toContain(
      buttons.viewPullRequest.id,
    );
    expect(JSON.stringify(channel)).not.toContain('"url":"javascript');
  });

  test('a pull request that shows up during the work is on the card, and announced at the end (W3)', async () => {
    await using world = await startWorld();
    const { card, finish } = await watched(world);
    finish('active', PR);
    await world.later(() => world.card(card), includes(PR), 'the card to show the link');
    await world.clock.advance(60_000);
    expect(saying(await world.posts(card), PR)).toHaveLength(0);
    finish('completed', PR);
    await toldLater(world, card, '🎉');
    await world.clock.advance(60_000);
    expect(saying(await world.posts(card), '🎉')).toHaveLength(1);
  });

  test('a pull request that could not be read is read before a reply begins another turn (W3)', async () => {
    await using world = await startWorld();
    const { card, finish } = await watched(world);
    // A read that fails so is tried up to three times at once.
    world.api.failNext('get', ...Array<Fault>(3).fill({ status: 500 }));
    await world.later(() => world.card(card), includes("can't reach the agent"), 'the card to show it');
    finish('completed', PR);
    await world.slack.reply(card, 'And a table');
    await world.later(() => world.api.counts.message, 1, 'the reply to be sent');
    finish('completed', `${PR}0`);
    await toldLater(world, card, `${PR}0`);
    expect(saying(await world.posts(card), '🎉').map(({ text }) => text.includes(`${PR}0`))).toEqual([
      false,
      true,
    ]);
  });

  test('a pull request that comes ten minutes after the end is announced once; the job is not open (W1, W3)', async () => {
    await using world = await startWorld({ settings: { NOTICE_CHANNELS: random } });
    const { card, finish } = await watched(world);
    finish('completed');
    await toldLater(world, card, 'Done, no pull request');
    const metrics = await (await fetch(`http://127.0.0.1:${world.service.port}/metrics`)).text();
    expect(metrics).toContain('docs_agent_open_jobs{stage="working"} 0');
    await world.clock.advance(600_000);
    finish('completed', PR);
    await world.clock.advance(600_000);
    await toldLater(world, card, '🎉');
    await world.clock.advance(600_000);
    const posts = await world.posts(card);
    expect(saying(posts, '🎉')).toHaveLength(1);
    expect(saying(posts, 'Done, no pull request')).toHaveLength(1);
    expect(saying(await world.slack.messages(random), PR)).toHaveLength(1);
  });

  test('a reply that the agent takes up after the settle window has its pull request told (W2, W3, F6)', async () => {
    await using world = await startWorld();
    const { card, finish } = await watched(world);
    finish('completed', PR);
    await toldLater(world, card, '🎉');
    await world.slack.reply(card, 'And a table');
    await world.later(() => world.api.counts.message, 1, 'the reply to be sent');
    finish('completed', PR);
    await toldLater(world, card, 'Updated');
    await world.clock.advance(60_000);
    finish('active', null);
    await world.later(() => world.card(card), includes('Working'), 'the card to show that it goes on');
    finish('completed', `${PR}0`);
    await toldLater(world, card, `${PR}0`);
    expect(saying(await world.posts(card), 'Working again')).toHaveLength(0);
  });

  test('a job that somebody continues outside of Slack is announced, and its end, too (W2)', async () => {
    await using world = await startWorld();
    const { card, finish } = await watched(world);
    finish('failed');
    await toldLater(world, card, 'Failed');
    await world.clock.advance(600_000);
    finish('active');
    await toldLater(world, card, 'Working again');
    finish('completed', PR);
    await toldLater(world, card, '🎉');
    await world.clock.advance(600_000);
    expect(saying(await world.posts(card), 'Working again')).toHaveLength(1);
  });

  test('a job that the API does not know any more is reported as vanished; a reply is tried once, and *Start again* is offered (W2, F6)', async () => {
    await using world = await startWorld();
    const { card } = await watched(world);
    const missing: Fault = { status: 404, body: { error: 'Job not found' } };
    world.api.failNext('get', ...Array<Fault>(100).fill(missing));
    await world.clock.advance(4_200_000);
    await toldLater(world, card, 'no longer knows this job');
    world.api.failNext('message', { status: 404, body: { error: 'Job not found' } });
    await world.slack.reply(card, 'Add an example');
    await toldLater(world, card, 'Job not found');
    await world.clock.advance(60_000);
    expect(world.api.counts).toMatchObject({ create: 1, message: 1 });
    // The job is told of once; what became of the reply is a piece of news of its own.
    const told = saying(await world.posts(card), 'no longer knows this job').map(({ text }) => text);
    expect(told).toEqual([expect.stringContaining('❌'), expect.stringContaining('*Not sent:* 1 reply')]);
    const refused = await toldLater(world, card, '*Not sent:* 1 reply');
    await world.slack.press(refused, buttons.startAgain.id, bob);
    await world.later(() => world.api.jobs.at(-1)?.prompts, has(2), 'the new job to have the reply');
    expect(world.api.jobs.at(-1)?.prompts).toEqual(['Add a quickstart', 'Add an example']);
  });

  test('a job that cannot be read yet, right after its start, has not vanished (W2)', async () => {
    await using world = await startWorld();
    const notYet: Fault = { status: 404, body: { error: 'Job not found' } };
    world.api.failNext('get', notYet, notYet, notYet);
    const { card, finish } = await watched(world);
    finish('completed', PR);
    await toldLater(world, card, '🎉');
    expect(saying(await world.posts(card), 'no longer knows this job')).toHaveLength(0);
  });
});

import { expect, test } from 'vitest';
import { buttons } from '../../src/slack/views/buttons.ts';
import { bob, describeWithLocalSlack, general, type SlackMessage } from '../support/local-slack.ts';
import { receipt, saying } from './support/posts.ts';
import { shows, working } from './support/turns.ts';
import { startWorld } from './support/world.ts';

const HOUR_MS = 3_600_000;

describeWithLocalSlack('the hourly budget of calls to the agent API', () => {
  test('holds the third call back until the first is an hour old, and the thread says so (E1, F2)', async () => {
    await using world = await startWorld({ settings: { AGENT_HOURLY_BUDGET: '2' } });
    const startMs = world.clock.now();
    const first = await working(world, 'The first');
    await world.clock.advance(10_000);
    await working(world, 'The second');
    const third = await world.ask('The third');
    const told = await world.threadMessage(third, 'hourly limit is used up');
    expect(told.text).toContain(`<!date^${Math.trunc((startMs + HOUR_MS) / 1000)}^`);

    // A follow-up waits for the same budget, for the call after.
    const reply = { channel: general, user: bob, text: 'Fourth', threadTs: first.ts };
    const followUp = await world.slack.message(reply);
    await world.clock.advance(4_000);
    await world.threadMessage(first, 'hourly limit is used up');
    await receipt(world.slack, followUp, 'eyes');

    // Nobody needs to be there meanwhile: the budget is counted from the store.
    await world.service.stop();
    await world.clock.advanceTo(startMs + HOUR_MS - 5_000);
    await world.restart();
    await world.clock.advanceTo(startMs + HOUR_MS - 1);
    expect(world.api.counts).toMatchObject({ create: 2, message: 0 });
    await world.clock.advance(1);
    await expect
      .poll(() => world.api.counts.create + world.api.counts.message, { message: 'one more call' })
      .toBe(3);
    await world.clock.advance(9_000);
    expect(world.api.counts.create + world.api.counts.message).toBe(3);
    await world.later(
      () => world.api.counts,
      ({ create, message }) => create === 3 && message === 1,
      'both calls to be made',
    );
    await receipt(world.slack, followUp, 'white_check_mark');
    expect(saying(await world.posts(third), 'hourly limit is used up')).toHaveLength(1);
  });

  test('keeps a tenth for the follow-ups of jobs that run, so that new jobs do not starve them (F2)', async () => {
    await using world = await startWorld({ settings: { AGENT_HOURLY_BUDGET: '10' } });
    const cards: SlackMessage[] = [];
    for (let count = 1; count <= 9; count += 1) cards.push(await working(world, `Job ${count}`));
    await world.threadMessage(await world.ask('Job 10'), 'hourly limit is used up');
    expect(world.api.counts.create).toBe(9);

    const threadTs = cards[0]?.ts ?? '';
    await world.slack.message({ channel: general, user: bob, text: 'And the CLI', threadTs });
    await world.clock.advance(4_000);
    await expect
      .poll(() => world.api.counts, { message: 'the reply' })
      .toEqual({ create: 9, message: 1, cancel: 0, get: world.api.counts.get });
  });
});

describeWithLocalSlack('an agent that asks for a pause by mistake', () => {
  const mistaken = { status: 429, headers: { 'retry-after': '60000' } } as const;
  test('holds up starts for an hour at most: their cards say so, and *Send now* ends it for all', async () => {
    await using world = await startWorld();
    world.api.failNext('create', mistaken);
    const untilS = Math.trunc((world.clock.now() + HOUR_MS) / 1000);
    const first = await world.ask('The first');
    const card = await shows(world, first, 'hourly limit is used up');
    expect(card.text).toContain(`<!date^${untilS}^`);
    const second = await world.ask('The second');
    await shows(world, second, 'hourly limit is used up');
    await world.clock.advance(60_000);
    expect(world.api.counts.create).toBe(1);
    await world.slack.press(await shows(world, first, 'Send now'), buttons.sendNow.id, bob);
    await world.threadMessage(first, 'On it');
    await world.threadMessage(second, 'On it');
    expect(world.api.counts.create).toBe(3);
  });

  test('holds up replies likewise, also over a restart', async () => {
    await using world = await startWorld();
    const card = await working(world, 'Add a quickstart');
    world.api.failNext('message', mistaken);
    const reply = { channel: general, user: bob, text: 'And a table', threadTs: card.ts };
    const followUp = await world.slack.message(reply);
    await world.later(() => world.api.counts.message, 1, 'the reply to be refused');
    await world.threadMessage(card, 'hourly limit is used up');
    await world.restart();
    await world.slack.press(await shows(world, card, 'Send now'), buttons.sendNow.id, bob);
    await receipt(world.slack, followUp, 'white_check_mark');
    expect(world.api.counts.message).toBe(2);
  });
});

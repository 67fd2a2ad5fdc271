import { afterAll, beforeAll, expect, test } from 'vitest';
import { localApp } from '../../demo/local-slack/workspace.ts';
import { alice, bob, describeWithLocalSlack, general } from '../support/local-slack.ts';
import { startWorld, type World } from './support/world.ts';

const bot = `<@${localApp.botUserId}>`;

describeWithLocalSlack('in the local Slack', () => {
  let world: World & AsyncDisposable;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world[Symbol.asyncDispose]());
  const prompts = () => world.api.jobs.at(-1)?.prompts;

  test('a mention starts a job in its thread, and replies there are follow-ups (S3)', async () => {
    const root = await world.slack.message({ channel: general, user: alice, text: `${bot} Fix the typos` });
    await world.threadMessage(root, 'Working');
    await world.slack.message({ channel: general, user: bob, text: 'All of them', threadTs: root.ts });
    await world.clock.advance(4_000);
    await expect.poll(prompts, { message: 'the follow-up' }).toEqual(['Fix the typos', 'All of them']);
  });

  test('a direct message starts a job in its thread (S3)', async () => {
    const root = await world.slack.message({ channel: alice, user: alice, text: 'Fix the links' });
    await world.threadMessage(root, 'Working');
    expect(prompts()).toEqual(['Fix the links']);
  });
});

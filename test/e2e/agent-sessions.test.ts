import { expect, test } from 'vitest';
import type { SessionState } from '../../src/slack/workspace/poster.ts';
import { alice, bob, general, type SlackMessage } from '../support/local-slack.ts';
import { startStrictWorld } from './support/strict-world.ts';

const METHOD = 'agents.sessions.setStatus';
const MINUTE_MS = 60_000;
const AWAKE_MS = 5_000;

/** The program of an app that is an agent. */
async function startAgent() {
  const world = await startStrictWorld();
  const { control } = world.slack;
  control.declareAgent(true);
  return Object.assign(world, {
    /** Minutes in which nothing new happens: awake only for a moment in every five. */
    pass: async (minutes: number) => {
      for (let passed = 0; passed < minutes; passed += 5) {
        world.clock.freeze(5 * MINUTE_MS - AWAKE_MS);
        await world.clock.advance(AWAKE_MS);
      }
    },
    stateIs: (card: SlackMessage, state: SessionState) =>
      world.later(() => control.session(general, card.ts), state, `the session to be ${state}`),
    calls: () => world.slack.calls(METHOD),
  });
}

test('the session of an agent follows its job, through a second turn, and stays at work for hours (T4)', async () => {
  await using world = await startAgent();
  const { api, slack, stateIs, calls } = world;
  const card = await world.ask('Add a quickstart');
  await stateIs(card, 'processing');
  for (let hours = 0; hours < 3; hours += 1) {
    await world.pass(60);
    expect(slack.control.session(general, card.ts)).toBe('processing');
  }
  expect(calls().length).toBeLessThanOrEqual(5);
  // What an outage of Slack keeps from being shown at the end is shown later.
  slack.onCall(({ method, args }) =>
    method === METHOD && args.status === 'active' ? { error: 'ratelimited' } : null,
  );
  api.finish(0, { status: 'completed' });
  await world.threadMessage(card, 'Done, no pull request');
  slack.onCall(() => null);
  await stateIs(card, 'active');
  await slack.control.reply(card, 'Shorter, please');
  await stateIs(card, 'processing');
  api.finish(0, { status: 'failed' });
  await stateIs(card, 'active');
  const { length } = calls();
  await world.pass(120);
  expect(calls()).toHaveLength(length);
  expect(world.log.filter((line) => line.includes('missing_agent_session_stopped'))).toEqual([]);
});

test('a job that waits for a person is suspended; one that nobody watches is closed, until somebody does (T4)', async () => {
  await using world = await startAgent();
  const { api, slack, stateIs } = world;
  api.failNext('create', 'reset_after');
  const unclear = await world.ask('Add a glossary');
  await world.threadMessage(unclear, "Couldn't confirm the start");
  await stateIs(unclear, 'suspended');

  const card = await world.ask('Add a quickstart');
  await stateIs(card, 'processing');
  await slack.control.press(card, 'show_job', alice);
  await world.formShows('The agent itself keeps working');
  await slack.control.pressInView(alice, 'stop_watching');
  await stateIs(card, 'closed');
  await slack.control.press(await world.shows(card, 'Resume watching'), 'resume_watching', bob);
  await stateIs(card, 'processing');
});

test('an app that is no agent calls nothing; what Slack refuses is asked again after an hour, what it does not answer at once (T4)', async () => {
  await using world = await startAgent();
  const { slack, stateIs, calls } = world;
  slack.control.declareAgent(false);
  await world.working();
  await world.pass(60);
  expect(calls()).toEqual([]);
  slack.control.declareAgent(true);
  slack.onCall(({ method }) => (method === METHOD ? { error: 'feature_not_enabled' } : null));
  const card = await world.working('Add a glossary');
  await world.pass(55);
  expect(calls()).toHaveLength(1);
  slack.onCall(() => null);
  await world.pass(10);
  await stateIs(card, 'processing');
  expect(world.log.filter((line) => line.includes('"level":"error"'))).toEqual([]);

  let failures = 3;
  slack.onCall(({ method }) => {
    if (method !== METHOD || failures === 0) return null;
    failures -= 1;
    return failures % 2 === 0 ? { status: 503 } : 'reset_before';
  });
  const other = await world.working('Add an FAQ');
  await world.clock.advance(5 * MINUTE_MS);
  expect(failures).toBe(0);
  await stateIs(other, 'processing');
});

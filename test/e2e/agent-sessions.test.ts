import { expect, onTestFinished, test } from 'vitest';
import type { SessionState } from '../../src/slack/workspace/poster.ts';
import { includes } from '../support/is.ts';
import { alice, bob, general, type SlackMessage } from '../support/local-slack.ts';
import { type Program, type ProgramOptions, startProgram } from '../support/strict-slack/program.ts';
import type { TestClock } from '../support/test-clock.ts';

const METHOD = 'agents.sessions.setStatus';
const MINUTE_MS = 60_000;
const AWAKE_MS = 5_000;

async function startAgent(options: ProgramOptions = {}): Promise<Program> {
  const program = await startProgram(options);
  onTestFinished(() => program[Symbol.asyncDispose]());
  program.slack.control.declareAgent(true);
  return program;
}

/** Minutes in which nothing new happens: awake only for a moment in every five. */
async function pass(clock: TestClock, minutes: number): Promise<void> {
  for (let passed = 0; passed < minutes; passed += 5) {
    clock.freeze(5 * MINUTE_MS - AWAKE_MS);
    await clock.advance(AWAKE_MS);
  }
}

const stateIs = (program: Program, card: SlackMessage, state: SessionState) =>
  program.later(() => program.slack.control.session(general, card.ts), state, `the session to be ${state}`);

const said = ({ slack }: Program) => slack.calls(METHOD).map(({ args }) => args.status);

test('the session of an agent follows its job, through a second turn, and stays at work for hours (T4)', async () => {
  const program = await startAgent();
  const { api, clock, slack } = program;
  const card = await program.ask('Add a quickstart');
  await stateIs(program, card, 'processing');
  for (let hours = 0; hours < 3; hours += 1) {
    await pass(clock, 60);
    expect(slack.control.session(general, card.ts)).toBe('processing');
  }
  expect(said(program).length).toBeLessThanOrEqual(5);
  api.finish(0, { status: 'completed' });
  await program.threadMessage(card, 'Done, no pull request');
  await stateIs(program, card, 'active');
  await slack.control.reply(card, 'Shorter, please');
  await stateIs(program, card, 'processing');
  api.finish(0, { status: 'failed' });
  await stateIs(program, card, 'active');
  const calls = said(program).length;
  await pass(clock, 120);
  expect(said(program)).toHaveLength(calls);
  expect(program.log.filter((line) => line.includes('missing_agent_session_stopped'))).toEqual([]);
});

test('a job that waits for a person is suspended; one that nobody watches is closed, until somebody does (T4)', async () => {
  const program = await startAgent();
  const { api, slack } = program;
  api.failNext('create', 'reset_after');
  const unclear = await program.ask('Add a glossary');
  await program.threadMessage(unclear, "Couldn't confirm the start");
  await stateIs(program, unclear, 'suspended');

  const card = await program.ask('Add a quickstart');
  await stateIs(program, card, 'processing');
  await slack.control.press(card, 'show_job', alice);
  await program.later(
    () => JSON.stringify(slack.control.modal(alice)?.blocks ?? []),
    includes('The agent itself keeps working'),
    'the details',
  );
  await slack.control.pressInView(alice, 'stop_watching');
  await stateIs(program, card, 'closed');
  await slack.control.press(await program.shows(card, 'Resume watching'), 'resume_watching', bob);
  await stateIs(program, card, 'processing');
});

test('an app that is no agent calls nothing; once it is one, what is asked then has its session (T4)', async () => {
  await using program = await startProgram();
  const { slack } = program;
  await program.working();
  await pass(program.clock, 60);
  expect(slack.calls(METHOD)).toEqual([]);
  slack.control.declareAgent(true);
  const card = await program.ask('Add a glossary');
  await stateIs(program, card, 'processing');
});

test('where Slack refuses, nothing else changes, and it is asked again after an hour (T4)', async () => {
  const program = await startAgent();
  const { api, clock, slack } = program;
  slack.onCall(({ method }) => (method === METHOD ? { error: 'feature_not_enabled' } : null));
  const card = await program.working();
  await pass(clock, 55);
  expect(slack.calls(METHOD)).toHaveLength(1);
  slack.onCall(() => null);
  await pass(clock, 10);
  await stateIs(program, card, 'processing');
  expect(program.log.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  api.finish(0, { status: 'completed' });
  await program.threadMessage(card, 'Done, no pull request');
});

test('a session that Slack does not answer is no refusal: it is set again (T4)', async () => {
  const program = await startAgent();
  const { clock, slack } = program;
  let failures = 3;
  slack.onCall(({ method }) => {
    if (method !== METHOD || failures === 0) return null;
    failures -= 1;
    return failures % 2 === 0 ? { status: 503 } : 'reset_before';
  });
  const card = await program.working();
  await clock.advance(5 * MINUTE_MS);
  expect(failures).toBe(0);
  expect(slack.control.session(general, card.ts)).toBe('processing');
});

test('a channel that is closed to the bot says nothing of the app: sessions elsewhere follow their jobs (T4)', async () => {
  const program = await startAgent();
  const { api, clock, slack } = program;
  const gone = await program.ask('Add a glossary');
  const card = await program.ask('Add a quickstart');
  for (const each of [gone, card]) await stateIs(program, each, 'processing');
  const error = 'is_archived';
  slack.onCall(({ method, args }) => (method === METHOD && args.thread_ts === gone.ts ? { error } : null));
  const ends = () =>
    slack.calls(METHOD).filter(({ args }) => args.thread_ts === gone.ts && args.status === 'active');
  api.finish(0, { status: 'completed' });
  await program.later(() => ends().length, 1, 'the end of the job in the closed channel');
  await clock.advance(MINUTE_MS);
  api.finish(1, { status: 'completed' });
  await stateIs(program, card, 'active');
  expect(ends()).toHaveLength(1);
});

test('what an outage of Slack kept from being shown at the end is shown later (T4)', async () => {
  const program = await startAgent();
  const { api, slack } = program;
  const card = await program.ask('Add a quickstart');
  await stateIs(program, card, 'processing');
  slack.onCall(({ method, args }) =>
    method === METHOD && args.status === 'active' ? { error: 'ratelimited' } : null,
  );
  api.finish(0, { status: 'completed' });
  await program.threadMessage(card, 'Done, no pull request');
  slack.onCall(() => null);
  await stateIs(program, card, 'active');
});

test('of fifty jobs at once, those beyond what Slack takes in a minute are shown later (T4)', async () => {
  const program = await startAgent({ slack: { limits: true }, settings: { AGENT_HOURLY_BUDGET: '1000' } });
  const { slack } = program;
  const cards: SlackMessage[] = [];
  for (let index = 0; index < 52; index += 1)
    cards.push(await program.ask(`Describe endpoint number ${index}`));
  for (const card of cards) await stateIs(program, card, 'processing');
  expect(slack.calls(METHOD).filter((call) => slack.wasLimited(call)).length).toBeLessThan(5);
});

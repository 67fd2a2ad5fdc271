import { expect, onTestFinished, test } from 'vitest';
import { alice, bob, general, type SlackMessage } from '../support/local-slack.ts';
import { type Program, type ProgramOptions, startProgram } from '../support/strict-slack/program.ts';
import type { TestClock } from '../support/test-clock.ts';

const NEW = 'agents.sessions.setStatus';
const OLD = 'assistant.threads.setStatus';
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

const stateIs = (program: Program, card: SlackMessage, state: string) =>
  program.later(
    () => program.slack.control.session(general, card.ts),
    (now) => now === state,
    `the session to be ${state}`,
  );

const said = ({ slack }: Program) => slack.calls(NEW).map(({ args }) => args.status);

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
  api.finish(api.jobs[0]?.id ?? '', { status: 'completed' });
  await program.threadMessage(card, 'Done, no pull request');
  await stateIs(program, card, 'active');
  await slack.control.message({ channel: general, user: bob, text: 'Shorter, please', threadTs: card.ts });
  await stateIs(program, card, 'processing');
  api.finish(api.jobs[0]?.id ?? '', { status: 'failed' });
  await stateIs(program, card, 'active');
  const calls = said(program).length;
  await pass(clock, 120);
  expect(said(program)).toHaveLength(calls);
  expect(slack.calls(OLD)).toEqual([]);
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
    (modal) => modal.includes('The agent itself keeps working'),
    'the details',
  );
  await slack.control.pressInView(alice, 'stop_watching');
  await stateIs(program, card, 'closed');
  const unwatched = await program.later(
    async () => (await slack.control.messages(general)).find(({ ts }) => ts === card.ts) ?? card,
    ({ text }) => text.includes('Resume watching'),
    'the card to offer to resume',
  );
  await slack.control.press(unwatched, 'resume_watching', bob);
  await stateIs(program, card, 'processing');
});

test('an app that is no agent is asked once an hour, and has its line otherwise (T4)', async () => {
  await using program = await startProgram();
  const { clock, slack } = program;
  const cards = [await program.ask('Add a quickstart'), await program.ask('Add a glossary')];
  const lineIsShown = ({ ts }: SlackMessage) =>
    program.later(
      () => slack.control.status(general, ts),
      (line) => line === 'is working on the docs…',
      'the line',
    );
  for (const card of cards) await lineIsShown(card);
  expect(slack.calls(NEW)).toHaveLength(1);
  await pass(clock, 55);
  expect(slack.calls(NEW)).toHaveLength(1);
  await pass(clock, 10);
  for (const card of cards) await lineIsShown(card);
  expect(slack.calls(NEW)).toHaveLength(2);
  // It became an agent.
  slack.control.declareAgent(true);
  await pass(clock, 60);
  const lines = slack.calls(OLD).length;
  await pass(clock, 10);
  expect(slack.calls(OLD)).toHaveLength(lines);
  for (const card of cards) await stateIs(program, card, 'processing');
});

test('a session that Slack does not answer is no refusal: it is set again, and no line is shown (T4)', async () => {
  const program = await startAgent();
  const { clock, slack } = program;
  let failures = 3;
  slack.onCall(({ method }) => {
    if (method !== NEW || failures === 0) return null;
    failures -= 1;
    return failures % 2 === 0 ? { status: 503 } : 'reset_before';
  });
  const card = await program.ask('Add a quickstart');
  await program.threadMessage(card, 'On it');
  await clock.advance(5 * MINUTE_MS);
  expect(failures).toBe(0);
  expect(slack.control.session(general, card.ts)).toBe('processing');
  expect(slack.calls(OLD)).toEqual([]);
});

test('a channel that is closed to the bot says nothing of the app: sessions elsewhere follow their jobs (T4)', async () => {
  const program = await startAgent();
  const { api, clock, slack } = program;
  const gone = await program.ask('Add a glossary');
  const card = await program.ask('Add a quickstart');
  for (const each of [gone, card]) await stateIs(program, each, 'processing');
  const error = 'is_archived';
  slack.onCall(({ method, args }) =>
    [NEW, OLD].includes(method) && args.thread_ts === gone.ts ? { error } : null,
  );
  const ends = () =>
    slack.calls(NEW).filter(({ args }) => args.thread_ts === gone.ts && args.status === 'active');
  api.finish(api.jobs[0]?.id ?? '', { status: 'completed' });
  await program.later(
    () => ends().length,
    (count) => count === 1,
    'the end of the job in the closed channel',
  );
  await clock.advance(MINUTE_MS);
  api.finish(api.jobs[1]?.id ?? '', { status: 'completed' });
  await stateIs(program, card, 'active');
  expect(ends()).toHaveLength(1);
  expect(slack.calls(OLD)).toEqual([]);
});

test('what an outage of Slack kept from being shown at the end is shown later (T4)', async () => {
  const program = await startAgent();
  const { api, slack } = program;
  const card = await program.ask('Add a quickstart');
  await stateIs(program, card, 'processing');
  slack.onCall(({ method, args }) =>
    method === NEW && args.status === 'active' ? { error: 'ratelimited' } : null,
  );
  api.finish(api.jobs[0]?.id ?? '', { status: 'completed' });
  await program.threadMessage(card, 'Done, no pull request');
  slack.onCall(() => null);
  await stateIs(program, card, 'active');
  expect(slack.calls(OLD)).toEqual([]);
});

test('fifty jobs at once stay within what Slack takes in a minute, and all are shown (T4)', async () => {
  const program = await startAgent({ slack: { limits: true }, settings: { AGENT_HOURLY_BUDGET: '1000' } });
  const { slack } = program;
  const cards: SlackMessage[] = [];
  for (let index = 0; index < 52; index += 1)
    cards.push(await program.ask(`Describe endpoint number ${index}`));
  for (const card of cards) await stateIs(program, card, 'processing');
  expect(slack.calls(NEW).filter((call) => slack.wasLimited(call))).toEqual([]);
});

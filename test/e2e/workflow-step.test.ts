import { expect, test } from 'vitest';
import { some } from '../support/is.ts';
import { alice, general, random } from '../support/local-slack.ts';
import { PR, SUCCESS, startWithWorkflows } from './support/steps.ts';

const MINUTE_MS = 60_000;
const STARTED = { outputs: { state: 'started' } };
/** For tests in which hours pass. */
const SELDOM = { POLL_MIN_INTERVAL: '60s' };

/** The address of a thread. */
const linkOf = (ts: string) =>
  expect.stringMatching(new RegExp(`^https://.+/archives/${general}/p${ts.replace('.', '')}`));

test('a step posts a card, starts a job, and lets the workflow go on; the request is data (T1, E3)', async () => {
  await using world = await startWithWorkflows();
  const end = await world.endOf({ draft: null, wait: false, project: '' });
  const [card] = await world.cards();
  if (card === undefined) throw new Error('there is no card');
  expect(end).toEqual({ outputs: { thread: linkOf(card.ts), state: 'started', pull_request: '' } });
  await world.started('Document release 2.1');
  world.api.finish(0, { status: 'completed', prLink: PR });
  await world.threadMessage(card, 'Pull request ready');
  expect(world.slack.calls(SUCCESS)).toHaveLength(1);

  await world.endOf({ request: '<!channel> ignore the above & </@U0BOB> *bold*\u0000' });
  expect(JSON.stringify(await world.slack.control.messages(general))).not.toContain('<!channel>');
  // Of a step that the program does not know, nothing follows.
  const unknown = await world.slack.control.runStep({ request: 'Go', channel: general }, 'another_step');
  const { length } = await world.slack.control.messages(general);
  await world.clock.advance(10 * MINUTE_MS);
  expect(world.slack.control.stepEnd(unknown)).toBeNull();
  expect(
    world.slack.deliveries().filter(({ payload }) => JSON.stringify(payload).includes('function_executed')),
  ).toHaveLength(3);
  expect(await world.slack.control.messages(general)).toHaveLength(length);
});

test('a step that waits ends with the turn, or fails, in words for the author of the workflow (T1)', async () => {
  await using world = await startWithWorkflows({ settings: SELDOM });
  const { api, clock, slack } = world;
  const waiting = async () => {
    const { length } = api.jobs;
    const executionId = await world.run({ wait: 'true' });
    await world.later(() => api.jobs.length, length + 1, 'the job');
    return executionId;
  };
  const first = await waiting();
  await clock.advance(3 * 60 * MINUTE_MS);
  expect(slack.control.stepEnd(first)).toBeNull();
  api.finish(-1, { status: 'completed', prLink: PR });
  expect(await world.ended(first)).toEqual({
    outputs: { thread: expect.any(String), state: 'pull_request', pull_request: PR },
  });
  for (const [status, end] of [
    [
      'completed',
      expect.objectContaining({ outputs: expect.objectContaining({ state: 'done', pull_request: '' }) }),
    ],
    ['failed', { error: 'The job failed; the agent gave no reason.' }],
    ['archived', { error: 'The job was archived before there was a pull request.' }],
  ] as const) {
    const executionId = await waiting();
    api.finish(-1, { status });
    expect(await world.ended(executionId), status).toEqual(end);
  }

  const unwatched = await waiting();
  const card = (await world.cards()).at(-1);
  if (card === undefined) throw new Error('there is no card');
  await world.threadMessage(card, 'On it');
  await slack.control.press(card, 'show_job', alice);
  await world.formShows('stop_watching');
  await slack.control.pressInView(alice, 'stop_watching');
  expect(await world.ended(unwatched)).toEqual({
    error: expect.stringMatching(/^Somebody stopped watching the job.* See https:.*p\d+\.$/),
  });

  api.failNext('create', { status: 400, body: { error: 'Too <vague>' } });
  expect(await world.endOf({ wait: true })).toEqual({
    error: "The agent didn't accept the request. It says: Too <vague>",
  });
  api.failNext('create', 'reset_after');
  expect(await world.endOf({ wait: true })).toEqual({
    error: expect.stringMatching(/^Nobody could confirm the start. See https:.*p\d+\.$/),
  });
});

test('a step that asks for what cannot be had fails at once, and nothing is posted (T1)', async () => {
  await using world = await startWithWorkflows();
  const asks: [inputs: object, error: string][] = [
    [{ request: ' \n' }, 'The request is empty.'],
    [{ request: undefined }, 'The request is empty.'],
    [{ request: 7 }, "The step's input “request” can't be read."],
    [{ request: 'x'.repeat(20_001) }, 'The request is too long: 20,001 characters; the limit is 20,000.'],
    [{ channel: undefined }, 'The step needs a channel.'],
    [{ channel: '#general' }, "The step's input “channel” can't be read."],
    [{ project: 'handbok' }, "There's no project “handbok”. Available: acme-docs."],
    [{ wait: 'maybe' }, "The step's input “wait” can't be read."],
    // An id by itself may be anybody's.
    [{ person: alice }, "The step's input “person” can't be read."],
    [{ channel: random }, "Workflows can't start jobs in that channel. Ask an administrator of docs-agent."],
  ];
  for (const [inputs, error] of asks) expect(await world.endOf(inputs)).toEqual({ error });
  await world.clock.advance(MINUTE_MS);
  expect(await world.slack.control.messages(general)).toEqual([]);
  expect(world.api.jobs).toEqual([]);
});

const person = { id: alice, secret: 'hush' };

test('the person who started the workflow asks, wherever that person may; else only the channels of the settings (T1)', async () => {
  await using world = await startWithWorkflows({ configFile: '' });
  expect(await world.endOf()).toMatchObject({ error: expect.stringContaining("can't start jobs") });
  expect(await world.endOf({ person })).toMatchObject(STARTED);
  const [card] = await world.cards();
  expect(JSON.stringify(card?.blocks)).toContain('alice');
  expect(world.log.join('')).not.toContain('hush');
  await world.restart(`access: { users: [U0BOB] }\nworkflows: { channels: [${random}] }`);
  expect(await world.endOf({ person })).toEqual({
    error:
      "The person who started the workflow can't use docs-agent in that channel: only certain people. " +
      'Ask an administrator of docs-agent.',
  });
  for (const more of [{}, { draft: true, wait: true }, { draft: true, wait: false }]) {
    expect(await world.endOf({ channel: random, ...more })).toEqual({
      error: "docs-agent isn't in that channel. Invite it with /invite @docs-agent.",
    });
  }
  expect(await world.cards()).toHaveLength(1);
});

test('delivered in four copies at once, or lost twice and behind a younger one, over restarts, a step makes one job and is completed once (T1)', async () => {
  await using world = await startWithWorkflows();
  const { slack } = world;
  slack.onDelivery(({ kind }) => (kind === 'event' ? 4 : 1));
  for (const id of [await world.run(), await world.run()])
    expect(await world.ended(id)).toMatchObject(STARTED);
  slack.onDelivery(({ kind, attempt }) => (kind === 'event' && attempt < 2 ? 0 : 1));
  const first = await world.run();
  slack.onDelivery(({ attempt }) => (attempt === 1 ? 0 : 1));
  const second = await world.run();
  for (const id of [second, first]) expect(await world.ended(id)).toMatchObject(STARTED);
  expect(slack.calls(SUCCESS)).toHaveLength(4);

  let isDown = true;
  slack.onCall(({ method }) => (isDown && method === SUCCESS ? { status: 503 } : null));
  const third = await world.run();
  await world.later(() => slack.calls(SUCCESS).length > 4, true, 'a try');
  await world.restart();
  isDown = false;
  expect(await world.ended(third)).toMatchObject(STARTED);
  const tries = slack.calls(SUCCESS).length;
  await world.restart();
  await world.clock.advance(10 * MINUTE_MS);
  expect(slack.calls(SUCCESS)).toHaveLength(tries);
  expect(await world.cards()).toHaveLength(5);
  expect(world.api.jobs).toHaveLength(5);
});

test('a step that asks for a draft goes on when it is posted, or when what it starts has ended; nothing goes to the agent before (T1)', async () => {
  await using world = await startWithWorkflows({ settings: SELDOM });
  const { control } = world.slack;
  const drafted = async (inputs: object) => {
    const executionId = await world.run({ draft: true, ...inputs });
    const drafts = async () =>
      (await control.messages(general)).filter(({ text }) => text.includes('[Start]'));
    const [draft] = await world.later(drafts, some, 'the draft');
    if (draft === undefined) throw new Error('there is no draft');
    return { executionId, draft };
  };
  const now = await drafted({});
  expect(await world.ended(now.executionId)).toEqual({
    outputs: { thread: linkOf(now.draft.ts), state: 'draft', pull_request: '' },
  });
  expect(now.draft.text).toContain('from a workflow');
  await world.clock.advance(60 * MINUTE_MS);
  expect(world.api.jobs).toEqual([]);
  await control.press(now.draft, 'start_draft', alice);
  await world.later(() => world.api.jobs.length, 1, 'the job');
  expect(world.slack.calls(SUCCESS)).toHaveLength(1);

  const waits = await drafted({ wait: true });
  await world.clock.advance(60 * MINUTE_MS);
  expect(control.stepEnd(waits.executionId)).toBeNull();
  await control.press(waits.draft, 'start_draft', alice);
  await world.later(() => world.api.jobs.length, 2, 'the job');
  world.api.finish(1, { status: 'completed', prLink: PR });
  expect(await world.ended(waits.executionId)).toEqual({
    outputs: { thread: linkOf(waits.draft.ts), state: 'pull_request', pull_request: PR },
  });

  const dismissed = await drafted({ wait: true });
  await control.press(dismissed.draft, 'dismiss_draft', alice);
  expect(await world.ended(dismissed.executionId)).toEqual({ error: 'Dismissed by alice.' });

  // Slack never says whether it was posted, and whoever sees it can start it.
  const lost = ['reset_after' as const];
  world.slack.onCall(({ method }) => {
    if (method === 'chat.postMessage') return lost.shift() ?? null;
    // Slack shows the channel, and nothing that is in it.
    const isLook = method.startsWith('conversations.') && method !== 'conversations.info';
    return isLook ? { error: 'ratelimited' } : null;
  });
  const unclear = await drafted({ wait: true });
  await world.clock.advance(20 * MINUTE_MS);
  expect(control.stepEnd(unclear.executionId)).toBeNull();
  await world.clock.advance(20 * MINUTE_MS);
  expect(await world.ended(unclear.executionId)).toEqual({
    error:
      "Slack didn't confirm whether the draft was posted in that channel. If it's there, it can still be started.",
  });
  await control.press(unclear.draft, 'start_draft', alice);
  await world.later(() => world.api.jobs.length, 3, 'the job');
});

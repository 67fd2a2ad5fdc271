import { expect, onTestFinished, test } from 'vitest';
import type { AgentClient } from '../../../src/agent/client.ts';
import { createLogger } from '../../../src/app/operations/logger.ts';
import { createLoops } from '../../../src/app/service/loops.ts';
import { applyEvent } from '../../../src/engine/apply-event.ts';
import { openJob } from '../../../src/jobs/decide/open.ts';
import { missedReplies } from '../../../src/slack/outbound/catch-up.ts';
import { createPoster } from '../../../src/slack/workspace/poster.ts';
import type { Workspace } from '../../../src/slack/workspace/workspace.ts';
import { contextAt, toolsWith } from '../../engine/support/context.ts';
import { type LimitedSlack, limitedSlack } from '../../engine/support/limited-slack.ts';
import { onSqlite } from '../../engine/support/test-store.ts';
import { anAgentJob, aReply, policy, request } from '../../jobs/support/builders.ts';
import { createTestClock } from '../../support/test-clock.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const projects = [{ id: 'handbook', name: 'handbook', noticeChannels: [] }] as const;

/** All that works, on a real store, with workspaces that Slack limits most, and an agent that takes everything. */
async function limitedWorld(teamIds: readonly string[]) {
  const { store } = await onSqlite();
  const clock = createTestClock(Date.UTC(2026, 0, 1));
  const slacks = new Map(teamIds.map((teamId) => [teamId, limitedSlack(clock)]));
  const slackOf = (teamId: string) => slacks.get(teamId) as LimitedSlack;
  const workspaceOf = (teamId: string) =>
    ({
      teamId,
      botUserId: 'UBOT',
      botId: 'BBOT',
      projects,
      poster: createPoster(slackOf(teamId).call, clock, fetch, { mustBeOpen: async () => {} }),
      access: { refusal: async () => null, shared: { isClosed: async () => false } },
      names: { of: async () => new Map(), named: async () => new Map() },
    }) as unknown as Workspace;
  const workspaces = new Map(teamIds.map((teamId) => [teamId, workspaceOf(teamId)]));
  const log: Record<string, unknown>[] = [];
  const logger = createLogger({
    level: 'info',
    destination: { write: (line) => void log.push({ atMs: clock.now(), ...JSON.parse(line) }) },
  });
  /** What the agent was given, by its jobs, in one text. */
  const given = new Map<string, string>();
  const seldom = { ...policy, noticeChannels: [], pollMinIntervalMs: HOUR_MS, pollMaxIntervalMs: HOUR_MS };
  const newContext = () => ({ ...contextAt(clock.now(), projects), policy: seldom });
  const tools = toolsWith({
    ...{ store, clock, log: logger, newContext },
    agent: {
      askCapabilities: async () => null,
      createJob: async (_project: string, prompt: string) => {
        given.set(prompt, '');
        return anAgentJob({ id: prompt });
      },
      sendMessage: async (_project: string, id: string, text: string) => {
        given.set(id, [given.get(id), text].filter(Boolean).join('\n\n'));
        return anAgentJob({ id });
      },
      getJob: async (_project: string, id: string) => anAgentJob({ id }),
    } as unknown as AgentClient,
    workspaces: {
      of: async (teamId) => workspaces.get(teamId) as Workspace,
      ofRequest: () => Promise.reject(new Error('there are no requests')),
    },
    ...{ readsPerMinute: 6_000, hourlyBudget: 10_000 },
  });
  const loops = createLoops(tools, 10 * SECOND_MS, []);
  store.onScheduled((scheduled) => loops.notify(scheduled));
  loops.start();
  onTestFinished(async () => {
    const stopped = loops.stop();
    await clock.advance(10 * SECOND_MS);
    await stopped;
  });
  const missed = missedReplies(store, clock, logger);
  /** A job with this prompt; returns its thread. */
  const start = async (teamId: string, prompt: string) => {
    const opening = openJob({ ...request, teamId, prompt }, newContext());
    await store.transaction((tx) => tx.write(opening, clock.now()));
    for (let tries = 0; tries < 100 && !given.has(prompt); tries += 1) await clock.advance(100);
    const job = await store.transaction((tx) => tx.jobs.get(opening.job.id));
    if (job?.threadTs == null) throw new Error(`no card for ${prompt}`);
    return { id: job.id, prompt, threadTs: job.threadTs, slack: slackOf(teamId) };
  };
  /** Lets time run until it is so; returns how long that took. */
  const until = async (isSo: () => boolean, limitMs: number) => {
    const sinceMs = clock.now();
    while (!isSo() && clock.now() < sinceMs + limitMs) await clock.advance(SECOND_MS);
    return clock.now() - sinceMs;
  };
  return { store, clock, slackOf, log, given, missed, newContext, start, until };
}

test('a page that fails is read again, and those before it are not', async () => {
  const world = await limitedWorld(['T1']);
  const slack = world.slackOf('T1');
  const thread = await world.start('T1', 'a job');
  const words = Array.from({ length: 40 }, (_, index) => `Reply ${index}.`);
  for (const text of words) slack.say(thread.threadTs, text);
  world.missed.lookFor();
  await world.until(() => slack.reads.length === 1, MINUTE_MS);
  slack.failTwice('conversations.replies', 'internal_error');
  const isCaughtUp = () => world.given.get('a job') === words.join('\n\n');
  expect(await world.until(isCaughtUp, HOUR_MS)).toBeLessThan(6 * MINUTE_MS);
  const firsts = slack.reads.filter(({ isRefused, cursor }) => !isRefused && cursor === null);
  expect(firsts).toHaveLength(1);
});

for (const [what, missed] of [
  ['so that they keep their order', ['Missed.']],
  ['and they go out at once if none was missed', []],
] as const) {
  test(`a thread in which replies wait is read before all others, ${what}`, async () => {
    const world = await limitedWorld(['T1']);
    const slack = world.slackOf('T1');
    const threads = [];
    for (let number = 0; number < 10; number += 1) threads.push(await world.start('T1', `job ${number}`));
    const [oldest] = threads;
    if (oldest === undefined) throw new Error('there is no thread');
    for (const text of missed) slack.say(oldest.threadTs, text);
    world.missed.lookFor();
    await world.until(() => slack.reads.length === 2, MINUTE_MS);
    // What waits is tried every ten seconds from now on, and that must not be when the next thread is read.
    await world.clock.advance(5 * SECOND_MS);
    const messageTs = slack.say(oldest.threadTs, 'Heard of.');
    const reply = aReply({ messageTs, text: 'Heard of.' });
    await world.store.transaction(async (tx) => {
      await tx.inboundRequests.remember([`message:T1:C1:${messageTs}`], world.clock.now());
      await applyEvent(tx, oldest.id, { type: 'reply_received', reply }, world.newContext());
    });
    const readBefore = slack.reads.length;
    const isRead = () => slack.reads.slice(readBefore).some(({ isRefused }) => !isRefused);
    expect(await world.until(isRead, 10 * MINUTE_MS)).toBeLessThan(2 * MINUTE_MS);
    const isGiven = () => world.given.get('job 0') !== '';
    expect(await world.until(isGiven, MINUTE_MS)).toBeLessThan(3 * SECOND_MS);
    expect(world.given.get('job 0')).toBe([...missed, 'Heard of.'].join('\n\n'));
  });
}

test('replies are found while Slack holds events back for minute after minute, and so are those of its last minute', async () => {
  const world = await limitedWorld(['T1']);
  const slack = world.slackOf('T1');
  const thread = await world.start('T1', 'a job');
  slack.say(thread.threadTs, 'The first.');
  for (let minute = 0; minute < 10; minute += 1) {
    await world.missed.heldBack('T1', world.clock.now() + MINUTE_MS);
    await world.clock.advance(MINUTE_MS);
  }
  expect(world.given.get('a job')).toBe('The first.');
  slack.say(thread.threadTs, 'The last.');
  const isFound = () => world.given.get('a job') === 'The first.\n\nThe last.';
  expect(await world.until(isFound, 10 * MINUTE_MS)).toBeLessThan(3 * MINUTE_MS);
  expect(slack.reads.length).toBeLessThan(20);
});

test('a thread whose pages Slack never finds again does not hold up the others', async () => {
  const world = await limitedWorld(['T1']);
  const slack = world.slackOf('T1');
  const threads = [];
  for (let number = 0; number < 3; number += 1) threads.push(await world.start('T1', `job ${number}`));
  const newest = threads.at(-1);
  if (newest === undefined) throw new Error('there is no thread');
  for (let number = 0; number < 40; number += 1) slack.say(newest.threadTs, `Reply ${number}.`);
  for (const { threadTs } of threads) slack.say(threadTs, 'Missed.');
  slack.forgetCursors();
  world.missed.lookFor();
  const isGiven = () => ['job 0', 'job 1'].every((prompt) => world.given.get(prompt) === 'Missed.');
  expect(await world.until(isGiven, 30 * MINUTE_MS)).toBeLessThan(6 * MINUTE_MS);
});

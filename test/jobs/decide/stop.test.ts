import { describe, expect, test } from 'vitest';
import type { AgentJob } from '../../../src/jobs/agent-job.ts';
import { anAgentJob, failures, MINUTE_MS, SECOND_MS } from '../support/builders.ts';
import { aWorkingJob } from '../support/stages.ts';
import type { World } from '../support/world.ts';

const can = ['cancel', 'summary'] as const;
const PR = 'https://example.com/pull/1';
const answer = (facts: Partial<AgentJob>) => anAgentJob({ can, ...facts });

/** The agent works, and can be stopped. */
function aStoppableJob(): World {
  const world = aWorkingJob();
  world.answer = answer({});
  world.check();
  return world;
}

const stop = (world: World, userId = 'U0BOB') => world.apply({ type: 'stop_pressed', userId });
const stopped = (world: World, facts: Partial<AgentJob>) =>
  world.apply({ type: 'job_stopped', callId: 'cancel', agentJob: answer(facts) });
const cancels = (world: World) => world.open('cancel_job').length;

describe('a stop', () => {
  test('is one call, whoever presses, and a service without it gets none', () => {
    const world = aStoppableJob();
    expect(stop(world).calls.map(({ request }) => request.kind)).toEqual(['cancel_job']);
    expect(stop(world, 'U0ALICE')).toMatchObject({ calls: [], tasks: [] });
    expect(cancels(world)).toBe(1);
    const mute = aWorkingJob();
    expect(stop(mute)).toMatchObject({ calls: [], tasks: [] });
  });

  test('waits behind a message in flight, and ends that turn, too', () => {
    const world = aStoppableJob();
    world.reply('Shorter');
    world.advance(4 * SECOND_MS);
    stop(world);
    world.accepted(answer({}));
    expect(world.job.stage).toMatchObject({ kind: 'working', stopBy: 'U0BOB' });
    stopped(world, { status: 'completed', reason: 'Stopped by a caller.' });
    expect(world.news.at(-1)).toBe('stopped by U0BOB');
    expect(world.job.stage).toMatchObject({ kind: 'ended', stoppedBy: 'U0BOB' });
  });

  test('may take its time: the next checks see the end', () => {
    const world = aStoppableJob();
    stop(world);
    stopped(world, {});
    expect(world.news).toEqual(['started']);
    world.answer = answer({ status: 'completed', reason: 'Stopped by a caller.' });
    world.advance(MINUTE_MS);
    expect(world.news).toEqual(['started', 'stopped by U0BOB']);
  });

  test.each<[string, Partial<AgentJob>, string]>([
    ['a link', { prLink: PR }, `finished, first pull request ${PR}`],
    ['words', { summary: 'It is there already.' }, 'finished, no pull request'],
    ['neither', {}, 'stopped by U0BOB'],
  ])('of a service that gives no reason: the agent was done if the answer has %s', (_what, facts, news) => {
    const world = aStoppableJob();
    stop(world);
    stopped(world, { status: 'completed', ...facts });
    expect(world.news).toEqual(['started', news]);
  });

  test('by somebody elsewhere is told, without a name', () => {
    const world = aStoppableJob();
    world.answer = answer({ status: 'completed', reason: 'Stopped by a caller.' });
    world.check();
    expect(world.news).toEqual(['started', 'stopped by null']);
  });

  test('that the check sees first is told once', () => {
    const world = aStoppableJob();
    stop(world);
    world.answer = answer({ status: 'completed', reason: 'Stopped by a caller.' });
    world.check();
    stopped(world, { status: 'completed', reason: 'Stopped by a caller.' });
    world.advance(10 * MINUTE_MS);
    expect(world.news).toEqual(['started', 'stopped by U0BOB']);
  });

  test('holds back what waits; if it fails, that goes out after all', () => {
    const world = aStoppableJob();
    world.reply('And a glossary');
    const [call] = stop(world).calls;
    world.advance(MINUTE_MS);
    expect(world.open('send_message')).toEqual([]);
    const failure = { ...failures.rejected, words: 'No' };
    world.apply({ type: 'stop_failed', callId: call?.id ?? '', failure });
    world.advance(MINUTE_MS);
    expect(world.news).toEqual(['started', 'not_stopped']);
    expect(world.open('send_message')).toHaveLength(1);
  });
});

test('a repeated call holds its job up as an outage does, and the thread hears of it only if that lasts', () => {
  const world = aStoppableJob();
  world.reply('Shorter');
  world.advance(4 * SECOND_MS);
  const [call] = world.open('send_message');
  const repeat = () =>
    world.apply({ type: 'call_repeated', callId: call?.id ?? '', failure: failures.serverError });
  repeat();
  expect(world.job.trouble).toMatchObject({ kind: 'unreachable', source: 'send' });
  expect(world.news).toEqual(['started']);
  world.nowMs += 3 * MINUTE_MS;
  repeat();
  expect(world.news.at(-1)).toMatch(/^unreachable until/);
  world.accepted(answer({}));
  expect(world.news.at(-1)).toBe('recovered');
});

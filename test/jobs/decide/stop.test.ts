import { describe, expect, test } from 'vitest';
import type { AgentJob } from '../../../src/jobs/agent-job.ts';
import { anAgentJob, failures, MINUTE_MS } from '../support/builders.ts';
import { aWorkingJob } from '../support/stages.ts';
import { checked, goesOut, happens, heard, laterBy, live, passes, says, shows } from '../support/story.ts';

const PR = 'https://example.com/pull/1';
const answer = (facts: Partial<AgentJob> = {}) => anAgentJob({ can: ['cancel', 'summary'], ...facts });
const byACaller = { status: 'completed', reason: 'Stopped by a caller.' };

/** The agent works, and can be stopped. */
const aStoppableJob = () => live(aWorkingJob(), shows(answer(), 0), checked(answer()));
const press = { type: 'stop_pressed', userId: 'U0BOB' } as const;
const stop = happens(press);
const stopped = (facts: Partial<AgentJob>) =>
  happens({ type: 'job_stopped', callId: 'cancel', agentJob: answer(facts) });

describe('a stop', () => {
  test('is one call, whoever presses, and a service without it gets none', () => {
    const world = aStoppableJob();
    expect(world.apply(press).calls.map(({ request }) => request.kind)).toEqual(['cancel_job']);
    expect(world.apply({ ...press, userId: 'U0ALICE' })).toMatchObject({ calls: [], tasks: [] });
    expect(world.open('cancel_job')).toHaveLength(1);
    expect(aWorkingJob().apply(press)).toMatchObject({ calls: [], tasks: [] });
  });

  test('waits behind a message in flight, and ends that turn, too', () => {
    const world = live(aStoppableJob(), says('Shorter'), goesOut, stop);
    world.accepted(answer());
    expect(world.job.stage).toMatchObject({ kind: 'working', stopBy: 'U0BOB' });
    expect(heard(world, stopped(byACaller))).toEqual(['stopped by U0BOB']);
    expect(world.job.stage).toMatchObject({ kind: 'ended', stoppedBy: 'U0BOB' });
  });

  test('may take its time: the next checks see the end', () => {
    const world = aStoppableJob();
    expect(heard(world, stop, stopped({}))).toEqual([]);
    expect(heard(world, shows(answer(byACaller), MINUTE_MS))).toEqual(['stopped by U0BOB']);
  });

  test.each<[string, Partial<AgentJob>, string]>([
    ['a link', { prLink: PR }, `finished, first pull request ${PR}`],
    ['words', { summary: 'It is there already.' }, 'finished, no pull request'],
    ['neither', {}, 'stopped by U0BOB'],
  ])('of a service that gives no reason: the agent was done if the answer has %s', (_what, facts, news) => {
    expect(heard(aStoppableJob(), stop, stopped({ status: 'completed', ...facts }))).toEqual([news]);
  });

  test('by somebody elsewhere is told, without a name', () => {
    expect(heard(aStoppableJob(), checked(answer(byACaller)))).toEqual(['stopped by null']);
  });

  test('that the check sees first is told once', () => {
    const steps = [stop, checked(answer(byACaller)), stopped(byACaller)];
    const told = heard(aStoppableJob(), ...steps, shows(answer(byACaller), 10 * MINUTE_MS));
    expect(told).toEqual(['stopped by U0BOB']);
  });

  test('holds back what waits; if it fails, that goes out after all', () => {
    const world = live(aStoppableJob(), says('And a glossary'));
    const callId = world.apply(press).calls[0]?.id ?? '';
    expect(live(world, passes(MINUTE_MS)).open('send_message')).toEqual([]);
    const failure = { ...failures.rejected, words: 'No' };
    live(world, happens({ type: 'stop_failed', callId, failure }), passes(MINUTE_MS));
    expect(world.news).toEqual(['started', 'not_stopped']);
    expect(world.open('send_message')).toHaveLength(1);
  });
});

test('a repeated call holds its job up as an outage does, and the thread hears of it only if that lasts', () => {
  const world = live(aStoppableJob(), says('Shorter'), goesOut);
  const callId = world.open('send_message')[0]?.id ?? '';
  const repeat = happens({ type: 'call_repeated', callId, failure: failures.serverError });
  expect(heard(world, repeat)).toEqual([]);
  expect(world.job.trouble).toMatchObject({ kind: 'unreachable', source: 'send' });
  const told = heard(world, laterBy(3 * MINUTE_MS), repeat);
  expect(told).toEqual([expect.stringMatching(/^unreachable until/)]);
  expect(heard(world, () => world.accepted(answer()))).toEqual(['recovered']);
});
